"""lm-evaluation-harness: ``samples_TASK_TIME.jsonl``; each metric judges.

The folder of a file is the name of the system, as the harness writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from corral.exchange.evaluations import Judgement
from corral.exchange.records import Places, Record

OWN = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"),
    *("doc_hash", "prompt_hash", "target_hash", "metrics"),
)
"""Fields of a sample that are not metrics."""


def read(records: Places) -> Iterator[Judgement]:
    """What metrics say."""
    for file, record in records:
        task = re.fullmatch(r"samples_(.+?)(_\d{4}-\d\d-\d\dT.*)?", file.stem)
        suffix = record.get("filter")
        metrics = record.get("metrics") or [key for key in record if key not in OWN]
        made = Judgement(
            record["doc_id"],
            "",
            None,
            system=file.parent.name or None,
            task=task and task[1],
            input=_first(record.get("arguments")),
            output=_first(record.get("filtered_resps") or record["resps"]),
            target=record.get("target"),
        )
        for metric in metrics:
            if isinstance(record.get(metric), float | int):
                judge = metric if suffix in (None, "none") else f"{metric},{suffix}"
                yield made._replace(judge=judge, value=record[metric])


def _first(value: Any) -> Any:
    """The first text or number within lists and objects."""
    while isinstance(value, list | dict) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    return None if isinstance(value, list | dict) else value


def knows(record: Record) -> bool:
    """Whether a record is one of the harness."""
    return "doc_id" in record and ("resps" in record or "filtered_resps" in record)
