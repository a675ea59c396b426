"""doccano: labels of every member in, suggested labels out.

Members who annotate by themselves are exported as a zip with one file each, such as
``alice.jsonl``: the name of the file is that of the annotator. Where they share their
labels there is one file, ``all.jsonl``, and nobody knows whose labels these are.
"""

from __future__ import annotations

from collections import Counter

from corral.exchange.annotations import AnswerSheet, Record
from corral.exchange.tool import (
    Answered,
    JsonTool,
    Records,
    Suggestion,
    Wanted,
    add_answer,
    choose_text,
)

LABELS = ("label", "labels", "cats")
"""What classes are called: today, in older versions, and beside slots."""
CONTENT = ("filename", "text", "data")
"""What the text is called: of a file, of a text, and in version 1.5."""
SPANS = ("entities", "relations", "bbox", "segmentation")
CONFIDENCE = "confidence"
"""doccano keeps fields that it does not know as metadata of the example."""


def _knows(record: Record) -> bool:
    there = [key for key in (*LABELS, *SPANS) if isinstance(record.get(key), list)]
    return bool(there) and any(isinstance(record.get(key), str) for key in CONTENT)


def collect(records: Records, sheet: AnswerSheet, wanted: Wanted) -> Answered:
    """Note the label of every member; several labels, and spans, are skipped."""
    wanted.refuse_other("doccano", "text")
    seen: Counter[tuple[str, str]] = Counter()
    for file, record in records:
        there = next((key for key in CONTENT if key in record), None)
        text = choose_text(record, wanted.text or there)
        who = record.get("username", file)
        seen[str(who), str(text)] += 1
        times = seen[str(who), str(text)]
        # A text that one member has twice is two examples.
        named = f"{text} ({times})" if times > 1 and isinstance(text, str) else text
        row = sheet.add_example([record.get("id"), named], record, text)
        key = next((key for key in LABELS if key in record), None)
        said = [] if key is None else record[key]
        if not isinstance(said, list):
            said = [said]
        if any(isinstance(each, list | dict) for each in said):
            sheet.skip("examples with spans")
        elif said:
            add_answer(sheet, row, who, said)
        elif any(record.get(key) for key in SPANS):
            sheet.skip("examples with spans")
    return Answered()


def suggest(
    record: Record | None,
    text: str | None,
    suggestion: Suggestion,
    about: Answered,  # noqa: ARG001
) -> Record:
    """The example with the suggestion as its label."""
    made: Record = {"text": text} if record is None else dict(record)
    key = next((key for key in LABELS if key in made), LABELS[0])
    if suggestion.label is None:
        made.pop(CONFIDENCE, None)  # of an earlier run
        return {**made, key: []}
    return {**made, key: [suggestion.label], CONFIDENCE: suggestion.confidence}


DOCCANO = JsonTool(
    "doccano",
    "examples of doccano, {text: ..., label: [class]},",
    _knows,
    collect,
    suggest,
)
