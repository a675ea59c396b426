"""Label Studio: tasks with annotations in, the same tasks with predictions out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from corral.errors import SignalsError
from corral.exchange.annotations import AnswerSheet, Record
from corral.exchange.tool import (
    AGENT,
    Answered,
    JsonTool,
    Records,
    Suggestion,
    Wanted,
    add_answer,
    choose_question,
    choose_text,
    take,
    take_all,
)

CHOICES = "choices"
"""The type of results that name a class of the whole task."""
PATH = " > "
"""What stands between the parts of a nested choice, where the last one is not enough."""


def _annotations(task: Record) -> list[Record]:
    """Of a task; versions before 1.0 called them completions."""
    return take_all(task, "annotations", "completions")


def _knows(record: Record) -> bool:
    lists = ("annotations", "completions", "predictions")
    return isinstance(record.get("data"), dict) and any(k in record for k in lists)


def _is_choice(result: Record) -> bool:
    """Whether this is about the whole task; of a part, the value also says which."""
    return (
        result.get("type") == CHOICES
        and "item_index" not in result
        and not take(result, "value", dict).keys() - {CHOICES}
    )


def _name(annotator: Any) -> Any:
    """A user, who is a number, or a dict where an export was told to name users."""
    if isinstance(annotator, dict):
        keys = ("email", "username", "id")
        named = (annotator.get(key) for key in keys)
        annotator = next((each for each in named if each not in (None, "")), None)
    return "unknown" if annotator is None else annotator


def _results(task: Record) -> Iterator[Record]:
    for annotation in (*_annotations(task), *take_all(task, "predictions")):
        yield from take_all(annotation, "result")


def collect(records: Records, sheet: AnswerSheet, wanted: Wanted) -> Answered:
    """Note annotations as votes of who completed them, ground truths as known labels."""
    wanted.refuse_other("Label Studio", "question", "text", "predictions")
    tasks = [record for _, record in records]
    if not any(map(_knows, tasks)) and "annotation_id" in tasks[0]:
        raise SignalsError(
            "this is Label Studio's JSON-MIN, which does not say what is an answer. Export "
            "the project as JSON."
        )
    choices = [r for task in tasks for r in _results(task) if _is_choice(r)]
    asked = {take(r, "from_name", str): take(r, "to_name", str) for r in choices}
    question = choose_question(asked, wanted.question)
    paths = {
        tuple(_parts(choice))
        for result in choices
        if result["from_name"] == question
        for choice in take(result["value"], CHOICES, list)
    }
    ends = Counter(path[-1] for path in paths)
    for task in tasks:
        data = take(task, "data", dict)
        text = choose_text(data, wanted.text)
        row = sheet.add_example([task.get("id")], task, text, data)
        for annotation in _annotations(task):
            _note(sheet, row, annotation, question, ends)
        for prediction in take_all(task, "predictions") if wanted.predictions else ():
            model = prediction.get("model_version") or "model"
            if model != AGENT:
                add_answer(sheet, row, model, _said(sheet, prediction, question, ends))
    return Answered(question, asked.get(str(question)))


def _note(
    sheet: AnswerSheet, row: int, annotation: Record, question: Any, ends: Counter[Any]
) -> None:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        sheet.skip("cancelled annotations")
        return
    said = _said(sheet, annotation, question, ends)
    if not annotation.get("ground_truth"):
        add_answer(sheet, row, _name(annotation.get("completed_by")), said)
    elif len(said) == 1:
        sheet.add_known(row, said[0])
    else:
        sheet.skip("ground truths that are no single class")


def _said(
    sheet: AnswerSheet, annotation: Record, question: Any, ends: Counter[Any]
) -> list[Any]:
    """The classes that an annotation names, each once; other results are skipped.

    A nested choice is a path. Its last part is the class, or the whole path where several
    paths end alike.
    """
    said: dict[Any, None] = {}
    for result in take_all(annotation, "result"):
        if _is_choice(result):
            if result["from_name"] == question:
                for parts in map(_parts, take(result["value"], CHOICES, list)):
                    whole = ends[parts[-1]] > 1
                    said[PATH.join(map(str, parts)) if whole else parts[-1]] = None
        elif result.get("type") == CHOICES:
            sheet.skip("choices about a part of a task")
        else:
            sheet.skip(f"results of the type {result.get('type')!r}")
    return list(said)


def _parts(choice: Any) -> list[Any]:
    return choice if isinstance(choice, list) else [choice]


def suggest(
    task: Record | None, text: str | None, suggestion: Suggestion, about: Answered
) -> Record:
    """The task with a prediction, in the place of an earlier one of corral's."""
    made: Record = {"data": {"text": text}} if task is None else dict(task)
    others = [
        each
        for each in made.get("predictions") or ()
        if not isinstance(each, dict) or each.get("model_version") != AGENT
    ]
    made["predictions"] = others
    if suggestion.label is not None:
        parts = str(suggestion.label).split(PATH)
        ends = [str(each).split(PATH)[-1] for each in about.classes or ()]
        nested = len(parts) > 1 and ends.count(parts[-1]) > 1
        result = {
            "id": f"{AGENT}-{suggestion.number}",
            "from_name": about.question or "label",
            "to_name": about.target or "text",
            "type": CHOICES,
            "value": {CHOICES: [parts if nested else str(suggestion.label)]},
        }
        score = suggestion.confidence
        others.append({"model_version": AGENT, "score": score, "result": [result]})
    return made


LABEL_STUDIO = JsonTool(
    "label-studio",
    "tasks of Label Studio, {data: {...}, annotations: [{result: [...]}]},",
    _knows,
    collect,
    suggest,
)
