"""Label Studio: tasks with annotations in, the same tasks with predictions out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corral.exchange.answers import AGENT, AnswerSheet, Suggestion
from corral.exchange.records import Places, Record

CHOICES = "choices"
"""The type of results that name a class of the whole task."""
PATH = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Joins the parts of a nested choice."""


def knows(record: Record) -> bool:
    """Whether a record is a task of Label Studio, or an annotation of its JSON-MIN."""
    there = "annotations" in record or "predictions" in record
    is_task = there and isinstance(record.get("data"), dict)
    return is_task or {"annotation_id", "annotator"} <= record.keys()


def collect(records: Places, sheet: AnswerSheet) -> None:
    """Note annotations as votes of who completed them, ground truths as known labels."""
    tasks = [task for _, task in records]
    if "annotation_id" in tasks[0]:
        _collect_min(tasks, sheet)
        return
    choices = [
        result
        for task in tasks
        for key in ("annotations", "predictions")
        for each in task.get(key) or ()
        for result in each.get("result") or ()
        if _is_choice(result)
    ]
    asked = {result["from_name"]: result["to_name"] for result in choices}
    sheet.choose_question((name, None, None) for name in asked)
    sheet.target = asked.get(str(sheet.question))
    for task in tasks:
        data = task["data"]
        text = sheet.choose_text(data)
        row = sheet.add_example([task.get("id")], task, text, data)
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                sheet.skip("cancelled annotations")
                continue
            said = _said(sheet, annotation)
            if not annotation.get("ground_truth"):
                sheet.add_answer(row, _name(annotation.get("completed_by")), said)
            elif len(said) == 1:
                sheet.add_known(row, said[0])
            else:
                sheet.skip("ground truths without a single class")
        for prediction in task.get("predictions") or ():
            model = prediction.get("model_version") or "model"
            if sheet.options["predictions"] and model != AGENT:
                sheet.add_answer(row, model, _said(sheet, prediction))


def _collect_min(records: Sequence[Record], sheet: AnswerSheet) -> None:
    """Note the answers of JSON-MIN: what stands between the id and the annotator."""
    parts = []
    for record in records:
        names = list(record)
        at = names.index("id") if "id" in record else -1
        answers = names[at + 1 : names.index("annotator")]
        data = {name: record[name] for name in names[: max(at, 0)]}
        parts.append((record, data, {n: _choices(record[n]) for n in answers}))
    sheet.choose_question(
        (name, record.get("id"), answer)
        for record, _, said in parts
        for name, some in said.items()
        for answer in some
    )
    for record, data, said in parts:
        if "text" in said and sheet.question != "text":  # it may stand after the id
            data["text"] = record["text"]
        text = sheet.choose_text(data)
        row = sheet.add_example([record.get("id")], record, text, data)
        chosen = said.get(str(sheet.question), [])
        sheet.add_answer(row, _name(record["annotator"]), chosen)


def _choices(value: Any) -> list[Any]:
    """One choice is a text, several are an object; anything else is not a choice."""
    if isinstance(value, dict):
        return list(value.get(CHOICES) or ())
    return [value] if isinstance(value, str) else []


def _is_choice(result: Record) -> bool:
    """Whether this is about the whole task; of a part, the value also says which."""
    return (
        result.get("type") == CHOICES
        and "item_index" not in result
        and result["value"].keys() <= {CHOICES}
    )


def _said(sheet: AnswerSheet, annotation: Record) -> list[Any]:
    """The classes that an annotation names, each once; other results are skipped."""
    said: dict[Any, None] = {}
    for result in annotation.get("result") or ():
        if result.get("type") != CHOICES:
            sheet.skip(f"results of the type {result.get('type')!r}")
        elif not _is_choice(result):
            sheet.skip("choices about a part of a task")
        elif result["from_name"] == sheet.question:
            for choice in result["value"][CHOICES]:
                said[PATH.join(choice) if isinstance(choice, list) else choice] = None
    return list(said)


def _name(annotator: Any) -> Any:
    """A user is a number, or a dict if the export names users."""
    if isinstance(annotator, dict):
        annotator = next(
            filter(None, map(annotator.get, ("email", "username", "id"))), None
        )
    return "unknown" if annotator is None else annotator


def suggest(task: Record | None, suggestion: Suggestion) -> Record:
    """The task with a prediction, in the place of an earlier one of corral's."""
    made: Record = {"data": {"text": suggestion.text}} if task is None else dict(task)
    made["predictions"] = [
        each
        for each in made.get("predictions") or ()
        if not isinstance(each, dict) or each.get("model_version") != AGENT
    ]
    if suggestion.label is not None:
        label = str(suggestion.label)
        result = {
            "id": f"{AGENT}-{suggestion.number}",
            "from_name": suggestion.question or "label",
            "to_name": suggestion.target or "text",
            "type": CHOICES,
            "value": {CHOICES: [label.split(PATH) if PATH in label else label]},
        }
        score = suggestion.confidence
        said = {"model_version": AGENT, "score": score, "result": [result]}
        made["predictions"].append(said)
    return made
