"""Prodigy: answers to single choices, or to one class at a time, in; suggestions out."""

from __future__ import annotations

from typing import Any

from corral.exchange.answers import AGENT, AnswerSheet, Records, Suggestion, Tool
from corral.exchange.records import Record, require, require_objects

OF_THE_ANSWER = (
    *("answer", "_task_hash", "_session_id", "_annotator_id", "_timestamp"),
    *("_view_id", "label", "accept"),
)
"""Fields that belong to an answer, not to what was asked."""


def _knows(record: Record) -> bool:
    return "_task_hash" in record or ("answer" in record and "_input_hash" in record)


def collect(records: Records, sheet: AnswerSheet) -> None:
    """Note accepted choices; if the file asks about one class only, a reject is a vote."""
    offered = {tuple(_options(record)) for _, record in records if "options" in record}
    asked = dict.fromkeys(r["label"] for _, r in records if _is_binary(r))
    only = next(iter(asked)) if len(asked) == 1 and not offered else None
    accepted: dict[tuple[int, Any], dict[str, None]] = {}
    for _, record in records:
        text = sheet.choose_text(record)
        row = sheet.add_example([record.get("_input_hash"), text], record, text)
        who = record.get("_annotator_id") or record.get("_session_id") or "annotator"
        answer = record.get("answer")
        if answer != "accept" and (_is_binary(record) or "options" in record):
            sheet.take_back(row, who)
            accepted.get((row, who), {}).pop(str(record.get("label")), None)
        if answer not in ("accept", "reject"):
            sheet.skip("ignored or unanswered tasks")
        elif _is_binary(record):
            if only is not None:
                said = only if answer == "accept" else f"not {only}"
                sheet.add_answer(row, who, [said])
            elif answer == "accept":
                accepted.setdefault((row, who), {})[record["label"]] = None
            else:
                sheet.skip("rejects of one of several classes")
        elif "options" not in record:
            what = "spans" if "spans" in record else "neither options nor a label"
            sheet.skip(f"answers with {what}")
        elif answer == "reject":
            sheet.skip("rejected tasks")
        else:
            chosen = require(record, "accept", list) if record.get("accept") else []
            if all(str(each) in _options(record) for each in chosen):
                sheet.add_answer(row, who, list(map(str, chosen)))
            else:
                sheet.skip("answers that their task does not offer")
    for (row, who), labels in accepted.items():
        if labels:
            sheet.add_answer(row, who, list(labels))
    if only is not None:
        sheet.classes = [f"not {only}", only]
    elif len(offered) == 1 and not asked:
        sheet.classes = offered.pop()


def _is_binary(record: Record) -> bool:
    """Whether the task asked if one class is right."""
    return isinstance(record.get("label"), str) and "options" not in record


def _options(record: Record) -> dict[str, Any]:
    """The classes offered, and what the record calls them, which may be a number."""
    options = require_objects(record, "options")
    return {str(require(each, "id")): each["id"] for each in options}


def suggest(record: Record | None, suggestion: Suggestion) -> Record:
    """The task as a choice with one option selected already."""
    given: Record = {"text": suggestion.text} if record is None else record
    made = {key: value for key, value in given.items() if key not in OF_THE_ANSWER}
    if "options" not in made:
        made["options"] = [{"id": c, "text": str(c)} for c in suggestion.classes]
    made["accept"] = []
    meta = dict(made["meta"]) if isinstance(made.get("meta"), dict) else {}
    offered = _options(made)
    label = None if suggestion.label is None else str(suggestion.label)
    if label in offered:  # other tasks may offer other classes
        made["accept"] = [offered[label]]
        score = {"score": suggestion.confidence, "source_of_score": AGENT}
        made["meta"] = {**meta, **score}
    elif meta.get("source_of_score") == AGENT:  # of an earlier run
        made["meta"] = {k: v for k, v in meta.items() if "score" not in k}
    return made


PRODIGY = Tool(
    "prodigy",
    "tasks of Prodigy, {text: ..., options: [...], accept: [id], answer: ...},",
    ("text",),
    _knows,
    collect,
    suggest,
)
