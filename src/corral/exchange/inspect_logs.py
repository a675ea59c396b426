"""Inspect (``inspect_ai``): logs of evaluations, ``.eval`` or JSON; each scorer judges.

A score that a person edited is the person's answer, and the scorer's is the first one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corral.exchange.evaluations import Judgement
from corral.exchange.records import Places, Record

LETTERS = {"C": True, "I": False, "P": 0.5, "N": False}
"""Correct, incorrect, partly correct and no answer, as Inspect's metrics count them."""
UNCHANGED = "UNCHANGED"


def knows(record: Record) -> bool:
    """Whether a record is one of Inspect."""
    log = isinstance(record.get("eval"), dict) and "plan" in record
    return log or {"epoch", "messages", "target"} <= record.keys()


def read(records: Places) -> Iterator[Judgement]:
    """What scorers say."""
    specs: dict[Any, Record] = {}
    for file, record in records:
        spec = specs[file] = record.get("eval") or specs.get(file) or {}
        alone = [record] if "epoch" in record else []
        for sample in record.get("samples") or alone:
            output = sample.get("output") or {}
            made = Judgement(
                sample["id"],
                "",
                None,
                system=spec.get("model") or output.get("model"),
                task=spec.get("task"),
                trial=sample["epoch"],
                input=sample.get("input"),
                output=[choice["message"] for choice in output.get("choices") or ()],
                target=sample.get("target"),
            )
            for scorer, score in (sample.get("scores") or {}).items():
                if score is not None:
                    yield from _read_score(made, scorer, score)


def _read_score(made: Judgement, scorer: str, score: Record) -> Iterator[Judgement]:
    edits = score.get("history") or []
    first = {**score, **edits[0]} if edits else score
    for judge, value in _values(scorer, first["value"]):
        reason = first.get("explanation")
        yield made._replace(judge=judge, value=value, reason=reason)
    last: Record = next((e for e in reversed(edits) if e.get("value") != UNCHANGED), {})
    if last.get("provenance"):
        for judge, value in _values(scorer, last["value"]):
            yield made._replace(judge=judge, value=value, human=True)


def _values(scorer: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The value of a scorer, or the values of one that gives several."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    several = isinstance(value, dict)
    for name, each in value.items() if several else [(None, value)]:
        judge = f"{scorer}.{name}" if several else scorer
        yield judge, LETTERS.get(each, each) if isinstance(each, str) else each
