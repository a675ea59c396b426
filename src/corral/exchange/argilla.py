"""Argilla: records with responses in, the same records with suggestions out.

Records are nested, as ``dataset.records.to_json`` writes them and ``from_json`` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from corral.exchange.answers import AGENT, AnswerSheet, Suggestion
from corral.exchange.records import Places, Record


def knows(record: Record) -> bool:
    """Whether a record is one of Argilla."""
    return isinstance(record.get("fields"), dict)


def collect(records: Places, sheet: AnswerSheet) -> None:
    """Note submitted responses as votes of their users."""
    sheet.choose_question(
        (question, at, response["value"])
        for at, (_, record) in enumerate(records)
        for question, response in _responses(record)
        if isinstance(response["value"], str | int)
    )
    for _, record in records:
        fields = record["fields"]
        text = sheet.choose_text(fields)
        row = sheet.add_example([record.get("id")], record, text, fields)
        for question, response in _responses(record):
            status, user = response.get("status"), response.get("user_id")
            if question != sheet.question:
                sheet.skip(f"answers to {question!r}")
            elif status not in (None, "submitted"):
                sheet.skip(f"responses with the status {status!r}")
            else:
                who = "unknown" if user is None else user
                sheet.add_answer(row, who, [response["value"]])
        suggestion = (record.get("suggestions") or {}).get(sheet.question)
        if suggestion is not None and sheet.options["predictions"]:
            agent = suggestion.get("agent")
            if agent != AGENT:
                sheet.add_answer(row, agent or "model", [suggestion["value"]])


def _responses(record: Record) -> Iterator[tuple[str, Record]]:
    """Every response, with its question."""
    for question, responses in (record.get("responses") or {}).items():
        for response in responses or ():
            yield question, response


def suggest(record: Record | None, suggestion: Suggestion) -> Record:
    """The record with a suggestion, in the place of an earlier one to this question."""
    question = suggestion.question or "label"
    made: Record = record or {
        "id": str(suggestion.number),
        "fields": {"text": suggestion.text},
        "metadata": {},
        "responses": {},
        "vectors": {},
    }
    suggestions = dict(made.get("suggestions") or {})
    old = suggestions.get(question)
    if suggestion.label is not None:
        said = {"value": suggestion.label, "score": suggestion.confidence}
        suggestions[question] = {**said, "agent": AGENT}
    elif isinstance(old, dict) and old.get("agent") == AGENT:  # of an earlier run
        del suggestions[question]
    return {**made, "suggestions": suggestions}
