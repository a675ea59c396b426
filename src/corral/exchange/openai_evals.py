"""OpenAI's evals: logs of ``oaieval``, or output items of a run in the service.

Of a log, a match and each number among the metrics of a sample judge; of the service, each
grader.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from corral.exchange.evaluations import Judgement
from corral.exchange.records import Places, Record

ITEM = "eval.run.output_item"


def _items(record: Record) -> list[Record]:
    """Output items of a run: alone, or a page of them."""
    found = record.get("data") if record.get("object") == "list" else [record]
    return [each for each in found or () if each.get("object") == ITEM]


def knows(record: Record) -> bool:
    """Whether a record is one of OpenAI's evals."""
    log = "completion_fns" in (record.get("spec") or ())
    event = {"sample_id", "event_id", "type", "data"} <= record.keys()
    return log or event or bool(_items(record))


def read(records: Places) -> Iterator[Judgement]:
    """What graders say."""
    specs: dict[Any, Record] = {}
    events: dict[tuple[Any, str], list[Record]] = defaultdict(list)
    for file, record in records:
        specs[file] = record.get("spec") or specs.get(file) or {}
        if "sample_id" in record:
            events[file, record["sample_id"]].append(record)
        for item in _items(record):
            sample = item.get("sample") or {}
            for result in item["results"]:
                yield Judgement(
                    item["datasource_item_id"],
                    result["name"],
                    result.get("passed"),
                    score=result.get("score"),
                    system=sample.get("model"),
                    input=sample.get("input"),
                    output=sample.get("output"),
                )
    for (file, name), each in events.items():
        # Of a graded sample, the system is asked first and the grader last.
        asked = [e["data"] for e in each if e["type"] == "sampling"] or [{}]
        judged = [e["data"] for e in each if e["type"] in ("match", "metrics")]
        made = Judgement(
            name,
            specs[file].get("eval_name") or "match",
            None,
            reason=asked[-1].get("sampled") if asked[1:] else None,
            system=next(iter(specs[file].get("completion_fns") or ()), None),
            input=asked[0].get("prompt"),
            output=asked[0].get("sampled"),
            target=judged[0].get("expected") if judged else None,
        )
        for data in judged:
            if "correct" in data:
                yield made._replace(value=bool(data["correct"]))
            else:
                numbers = {k: v for k, v in data.items() if isinstance(v, float | int)}
                for judge, value in numbers.items():
                    yield made._replace(judge=judge, value=value)
