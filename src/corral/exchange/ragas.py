"""ragas: results as JSON, ``result.to_pandas().to_json(orient="records")``."""

from __future__ import annotations

from collections.abc import Iterator

from corral.exchange.evaluations import Evaluation, Judgement, Places, as_text, get
from corral.exchange.records import Record

TEXTS = {
    "input": ("user_input", "question"),
    "output": ("response", "answer"),
    "target": ("reference", "ground_truth", "ground_truths"),
}
CONTEXTS = ("retrieved_contexts", "contexts", "reference_contexts")
"""What fields are called: today, and before version 0.2; any other number is a metric."""


def _knows(record: Record) -> bool:
    asked = any(key in record for key in TEXTS["input"])
    return asked and any(key in record for key in CONTEXTS)


def _read(records: Places) -> Iterator[Judgement]:
    for row, (_, record) in enumerate(records, 1):
        about = {role: as_text(get(record, *keys)) for role, keys in TEXTS.items()}
        for metric, value in record.items():
            if isinstance(value, float | int) and value == value:  # not NaN
                yield Judgement(row, metric, value, about=about)


TOOL = Evaluation(_knows, _read)
