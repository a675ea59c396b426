"""Langfuse: scores, or traces with their scores, as JSON; each name of a score judges.

Scores with the source ``ANNOTATION`` are people's answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corral.exchange.evaluations import Judgement, get
from corral.exchange.records import Places, Record

KIND = ("dataType", "data_type")


def _entries(record: Record) -> list[Any]:
    """Scores, or traces that have some; the API returns them in pages."""
    page = record.get("data")
    return page if isinstance(page, list) else [record]


def _is_score(record: Record) -> bool:
    known = {"name", "value", "source"} <= record.keys()
    return known and any(key in record for key in KIND)


def knows(record: Record) -> bool:
    """Whether a record is one of Langfuse."""
    first = _entries(record)[0]
    return any(map(_is_score, [first, *(first.get("scores") or ())]))


def read(records: Places) -> Iterator[Judgement]:
    """What scores say."""
    for entry in (entry for _, record in records for entry in _entries(record)):
        trace = {} if _is_score(entry) else entry
        for score in [entry] if not trace else entry["scores"]:
            yield Judgement(
                get(trace, "id") or get(score, "traceId", "trace_id"),
                score["name"],
                _value(score),
                reason=score.get("comment"),
                trial=get(score, "observationId", "observation_id"),
                input=trace.get("input"),
                output=trace.get("output"),
                human=score["source"] == "ANNOTATION",
            )


def _value(score: Record) -> Any:
    kind, value = get(score, *KIND), score["value"]
    if kind == "CATEGORICAL":
        return get(score, "stringValue", "string_value") or str(value)
    if kind == "BOOLEAN":
        return str(value).lower() in ("1", "1.0", "true")
    return None if value is None else float(value)
