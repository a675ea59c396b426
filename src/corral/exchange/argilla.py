"""Argilla: records with responses in, the same records with suggestions out.

Records are nested, as ``dataset.records.to_json`` writes them, or flat, as ``to_list(
flatten=True)`` and ``to_datasets`` have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corral.errors import StorageError
from corral.exchange.annotations import AnswerSheet, Record
from corral.exchange.tool import (
    AGENT,
    Answered,
    JsonTool,
    Records,
    Suggestion,
    Wanted,
    choose_question,
    choose_text,
    take,
    take_all,
)

FLAT = ".responses"
"""How the column of the answers to a question ends."""


def knows(record: Record) -> bool:
    """Whether this is a record of Argilla."""
    return isinstance(record.get("fields"), dict) or any(
        key.endswith((FLAT, ".suggestion")) for key in record
    )


def _responses(record: Record) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, user, answer and status of every response."""
    nested = take(record, "responses", dict) if record.get("responses") else {}
    for question in nested:
        for each in take_all(nested, question):
            said = take(each, "value")
            yield question, each.get("user_id"), said, each.get("status")
    for key in (key for key in record if key.endswith(FLAT)):
        values = [] if record[key] is None else take(record, key, list)
        users = _listed(record, f"{key}.users", len(values))
        status = _listed(record, f"{key}.status", len(values))
        if not len(values) == len(users) == len(status):
            raise StorageError(
                f"expected as many users and states as answers in {key!r}, found "
                f"{len(users)}, {len(status)} and {len(values)}."
            )
        for user, value, state in zip(users, values, status, strict=True):
            yield key.removesuffix(FLAT), user, value, state


def _listed(record: Record, key: str, n: int) -> list[Any]:
    """What stands beside `n` answers; None each, if nothing does."""
    return [None] * n if record.get(key) is None else take(record, key, list)


def _suggestions(record: Record) -> Iterator[tuple[str, Any, Any]]:
    """Question, agent and answer of every suggestion."""
    nested = take(record, "suggestions", dict) if record.get("suggestions") else {}
    for question in nested:
        each = take(nested, question, dict)
        yield question, each.get("agent"), each.get("value")
    for key in record:
        if not key.endswith(".suggestion") or record[key] is None:
            continue
        yield key.removesuffix(".suggestion"), record.get(f"{key}.agent"), record[key]


def collect(records: Records, sheet: AnswerSheet, wanted: Wanted) -> Answered:
    """Note submitted responses as votes of their users."""
    wanted.refuse_other("Argilla", "question", "text", "predictions")
    asked = (
        question
        for _, record in records
        for question, _, value, _ in _responses(record)
        if isinstance(value, str | int)
    )
    question = choose_question(asked, wanted.question)
    for _, record in records:
        seen = _fields(record)
        text = choose_text(seen, wanted.text)
        row = sheet.add_example([record.get("id")], record, text, seen)
        for asked_for, user, value, status in _responses(record):
            if asked_for != question:
                sheet.skip(f"answers to {asked_for!r}")
            elif status not in (None, "submitted"):
                sheet.skip(f"responses with the status {status!r}")
            else:
                sheet.add_vote(row, "unknown" if user is None else user, value)
        for asked_for, agent, value in _suggestions(record):
            if wanted.predictions and asked_for == question and agent != AGENT:
                sheet.add_vote(row, agent or "model", value)
    return Answered(question)


def _fields(record: Record) -> Record:
    """What annotators saw; of a flat record also its metadata."""
    if isinstance(record.get("fields"), dict):
        return dict(record["fields"])
    other = ("id", "status", "_server_id")
    return {k: v for k, v in record.items() if k not in other and "." not in k}


def _agent(suggestion: Any) -> Any:
    return suggestion.get("agent") if isinstance(suggestion, dict) else None


def suggest(
    record: Record | None, text: str | None, suggestion: Suggestion, about: Answered
) -> Record:
    """The record with a suggestion, in the place of an earlier one to this question."""
    question = about.question or "label"
    said = {
        "value": suggestion.label,
        "score": suggestion.confidence,
        "agent": AGENT,
    }
    if record is not None and not isinstance(record.get("fields"), dict):
        key = f"{question}.suggestion"
        if suggestion.label is None:
            ours = record.get(f"{key}.agent") == AGENT
            old = (key, f"{key}.score", f"{key}.agent") if ours else ()
            return {**record, **dict.fromkeys(old)}
        flat = {key: said["value"], f"{key}.score": said["score"]}
        return {**record, **flat, f"{key}.agent": AGENT}
    made: Record = record or {
        "id": str(suggestion.number),
        "fields": {"text": text},
        "metadata": {},
        "responses": {},
        "vectors": {},
    }
    suggestions = dict(made.get("suggestions") or {})
    if suggestion.label is not None:
        suggestions[question] = said
    elif _agent(suggestions.get(question)) == AGENT:  # of an earlier run
        del suggestions[question]
    return {**made, "suggestions": suggestions}


ARGILLA = JsonTool(
    "argilla",
    "records of Argilla, {fields: {...}, responses: {question: [...]}},",
    knows,
    collect,
    suggest,
)
