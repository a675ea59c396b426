"""doccano: labels of every member in, suggested labels out.

The zip of an export has one file per member, such as ``alice.jsonl``; where members share
their labels, one file, ``all.jsonl``, and nobody knows whose labels these are.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from corral.exchange.answers import AnswerSheet, Suggestion
from corral.exchange.records import Places, Record

LABELS = ("label", "labels", "cats")
"""What classes are called: today, in older versions, and beside slots."""
CONTENT = ("filename", "text", "data")
"""What the text is called: of a file, of a text, and in version 1.5."""
SPANS = ("entities", "relations", "bbox", "segmentation")
CONFIDENCE = "confidence"
"""doccano keeps fields that it does not know as metadata of the example."""


def knows(record: Record) -> bool:
    """Whether a record is one of doccano."""
    there = any(isinstance(record.get(key), list) for key in (*LABELS, *SPANS))
    return there and any(isinstance(record.get(key), str) for key in CONTENT)


def collect(records: Places, sheet: AnswerSheet) -> None:
    """Note the label of every member; several labels, and spans, are skipped."""
    seen: Counter[tuple[str, str]] = Counter()
    for file, record in records:
        usual = next((key for key in CONTENT if key in record), "text")
        text = sheet.choose_text(record, usual)
        who = record.get("username", file.stem)
        seen[str(who), str(text)] += 1
        times = seen[str(who), str(text)]
        # A text that one member has twice is two examples.
        name = f"{text} ({times})" if times > 1 and isinstance(text, str) else text
        row = sheet.add_example([record.get("id"), name], record, text)
        said: Any = next((record[key] for key in LABELS if key in record), [])
        said = said if isinstance(said, list) else [said]
        has_spans = any(isinstance(each, list | dict) for each in said)
        if has_spans or (not said and any(record.get(key) for key in SPANS)):
            sheet.skip("examples with spans")
        elif said:
            sheet.add_answer(row, who, said)


def suggest(record: Record | None, suggestion: Suggestion) -> Record:
    """The example with the suggestion as its label."""
    made: Record = {"text": suggestion.text} if record is None else dict(record)
    key = next((key for key in LABELS if key in made), LABELS[0])
    if suggestion.label is None:
        made.pop(CONFIDENCE, None)  # of an earlier run
        return {**made, key: []}
    return {**made, key: [suggestion.label], CONFIDENCE: suggestion.confidence}
