"""Argilla: records with responses in, the same records with suggestions out.

Records are nested, as ``dataset.records.to_json`` writes them, or flat, as ``to_list(
flatten=True)`` and ``to_datasets`` have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corral.errors import StorageError
from corral.exchange.answers import AGENT, AnswerSheet, Records, Suggestion, Tool
from corral.exchange.records import Record, require, require_objects

RESPONSES, SUGGESTION = ".responses", ".suggestion"
"""How columns end that hold the answers to a question, and the suggestion."""


def _is_nested(record: Record) -> bool:
    return isinstance(record.get("fields"), dict)


def _knows(record: Record) -> bool:
    flat = any(key.endswith((RESPONSES, SUGGESTION)) for key in record)
    return flat or _is_nested(record)


def collect(records: Records, sheet: AnswerSheet) -> None:
    """Note submitted responses as votes of their users."""
    asked = (
        name
        for _, record in records
        for name, _, value, _ in _responses(record)
        if isinstance(value, str | int)
    )
    sheet.choose_question(asked)
    for _, record in records:
        seen = _fields(record)
        text = sheet.choose_text(seen)
        row = sheet.add_example([record.get("id")], record, text, seen)
        for name, user, value, status in _responses(record):
            if name != sheet.question:
                sheet.skip(f"answers to {name!r}")
            elif status not in (None, "submitted"):
                sheet.skip(f"responses with the status {status!r}")
            else:
                sheet.add_answer(row, "unknown" if user is None else user, [value])
        for name, agent, value in _suggestions(record):
            wanted = sheet.options["predictions"] and name == sheet.question
            if wanted and agent != AGENT:
                sheet.add_answer(row, agent or "model", [value])


def _fields(record: Record) -> Record:
    """What annotators saw; of a flat record also its metadata."""
    if _is_nested(record):
        return dict(record["fields"])
    other = ("id", "status", "_server_id")
    return {k: v for k, v in record.items() if k not in other and "." not in k}


def _responses(record: Record) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, user, answer and status of every response."""
    nested = require(record, "responses", dict) if record.get("responses") else {}
    for question in nested:
        for each in require_objects(nested, question):
            said = require(each, "value")
            yield question, each.get("user_id"), said, each.get("status")
    for key in (key for key in record if key.endswith(RESPONSES)):
        values = [] if record[key] is None else require(record, key, list)
        users, states = (
            [None] * len(values)
            if record.get(beside) is None
            else require(record, beside, list)
            for beside in (f"{key}.users", f"{key}.status")
        )
        if not len(values) == len(users) == len(states):
            raise StorageError(
                f"expected as many users and states as answers in {key!r}, found "
                f"{len(users)}, {len(states)} and {len(values)}."
            )
        for user, value, state in zip(users, values, states, strict=True):
            yield key.removesuffix(RESPONSES), user, value, state


def _suggestions(record: Record) -> Iterator[tuple[str, Any, Any]]:
    """Question, agent and answer of every suggestion."""
    nested = require(record, "suggestions", dict) if record.get("suggestions") else {}
    for question in nested:
        each = require(nested, question, dict)
        yield question, each.get("agent"), each.get("value")
    for key, value in record.items():
        if key.endswith(SUGGESTION) and value is not None:
            yield key.removesuffix(SUGGESTION), record.get(f"{key}.agent"), value


def suggest(record: Record | None, suggestion: Suggestion) -> Record:
    """The record with a suggestion, in the place of an earlier one to this question."""
    question = suggestion.question or "label"
    label, score = suggestion.label, suggestion.confidence
    if record is not None and not _is_nested(record):
        key = f"{question}{SUGGESTION}"
        if label is not None:
            said = {key: label, f"{key}.score": score, f"{key}.agent": AGENT}
            return {**record, **said}
        ours = record.get(f"{key}.agent") == AGENT  # of an earlier run
        gone = (key, f"{key}.score", f"{key}.agent") if ours else ()
        return {**record, **dict.fromkeys(gone)}
    made: Record = record or {
        "id": str(suggestion.number),
        "fields": {"text": suggestion.text},
        "metadata": {},
        "responses": {},
        "vectors": {},
    }
    suggestions = dict(made.get("suggestions") or {})
    old = suggestions.get(question)
    if label is not None:
        suggestions[question] = {"value": label, "score": score, "agent": AGENT}
    elif isinstance(old, dict) and old.get("agent") == AGENT:  # of an earlier run
        del suggestions[question]
    return {**made, "suggestions": suggestions}


ARGILLA = Tool(
    "argilla",
    "records of Argilla, {fields: {...}, responses: {question: [...]}},",
    ("question", "text", "predictions"),
    _knows,
    collect,
    suggest,
)
