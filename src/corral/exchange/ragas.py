"""ragas: results as JSON, ``result.to_pandas().to_json(orient="records")``."""

from __future__ import annotations

from collections.abc import Iterator

from corral.exchange.evaluations import Judgement, get
from corral.exchange.records import Places, Record

TEXTS = {
    "input": ("user_input", "question"),
    "output": ("response", "answer"),
    "target": ("reference", "ground_truth", "ground_truths"),
}
CONTEXTS = ("retrieved_contexts", "contexts", "reference_contexts")
"""What fields are called: today, and before version 0.2; any other number is a metric."""


def knows(record: Record) -> bool:
    """Whether a record is one of ragas."""
    asked = any(key in record for key in TEXTS["input"])
    return asked and any(key in record for key in CONTEXTS)


def read(records: Places) -> Iterator[Judgement]:
    """What metrics say."""
    for row, (_, record) in enumerate(records, 1):
        texts = {role: get(record, *keys) for role, keys in TEXTS.items()}
        for metric, value in record.items():
            if isinstance(value, float | int) and value == value:  # not NaN
                yield Judgement(row, metric, value, **texts)
