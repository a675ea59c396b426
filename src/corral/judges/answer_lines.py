"""A line of JSON as the answers of one judge on one example.

Three kinds of lines are known, and may be mixed:

- plain: the fields ``id``, ``judge`` and ``verdict``, perhaps ``logprobs`` or
  ``probabilities``, ``refusal``, ``error``, or ``samples`` with several answers;
- chat completions as OpenAI and many servers write them, alone in the field ``response``
  or as a line of a batch: every choice is an answer;
- messages as Anthropic writes them, in ``response`` or as a line of a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corral.errors import SignalsError
from corral.results.text import join_names

PAYLOADS = ("response", "result", "custom_id", "error")
"""Fields of the envelope of a completion or a message."""
NOBODY = ""
"""The judge of an error of a service, which does not say whom it asked."""
PARTS = ("verdict", "logprobs", "probabilities", "refusal", "error", "samples")
"""Fields of a plain answer; `verdict` may be called otherwise."""


@dataclass(frozen=True)
class Answer:
    """One answer, not yet understood.

    Attributes
    ----------
    verdict : text, number, bool, mapping or None
    logprobs : mapping, list or None
        Log-probabilities of tokens, as they were written.
    probabilities : mapping or None
        Of the classes.
    refused, failed : bool
        What the judge, or the service, says itself.
    """

    verdict: Any = None
    logprobs: Any = None
    probabilities: Any = None
    refused: bool = False
    failed: bool = False


@dataclass(frozen=True)
class AnswerLine:
    """What a judge wrote of an example: one answer or several.

    Attributes
    ----------
    task, judge : text or number
    answers : tuple of Answer
    others : mapping
        Fields that are no part of the answer, such as a gold label.
    """

    task: Any
    judge: str
    answers: tuple[Answer, ...]
    others: Mapping[str, Any]


def read_line(line: Any, task: str, worker: str, label: str) -> AnswerLine:
    """The answers on a line.

    Parameters
    ----------
    line : mapping
        A line of JSON.
    task, worker, label : str
        The fields of the example, the judge and the verdict; ``a.b`` is ``b`` within
        ``a``.
    """
    if not isinstance(line, Mapping):
        raise SignalsError(
            f"is no JSON object: {str(line)[:40]!r}. Give JSON lines, one object per line"
        )
    payload, answers = _find_payload(line)
    own: set[str] = set()
    if payload is None:
        answers = tuple(_plain_answers(line, label))
        own |= {*PARTS, label.split(".")[0]}
    else:
        own |= set(PAYLOADS)
    named = _get(line, task)
    if named is None:
        named = line.get("custom_id")
    judge = _get(line, worker)
    if judge is None and payload is not None:
        judge = payload.get("model", NOBODY if not payload else None)
    for field, value in ((task, named), (worker, judge)):
        if value is None or isinstance(value, Mapping | list):
            raise SignalsError(
                f"has no text or number {field!r}; its fields are "
                f"{join_names(map(repr, line))}"
            )
    own |= {task.split(".")[0], worker.split(".")[0]}
    others = {name: value for name, value in line.items() if name not in own}
    return AnswerLine(named, str(judge), answers, others)


def _get(line: Mapping[str, Any], path: str) -> Any:
    """The value of a field, or of one within another; None if it is not there."""
    if path in line:
        return line[path]
    value: Any = line
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _plain_answers(line: Mapping[str, Any], label: str) -> Iterator[Answer]:
    samples = line.get("samples")
    if samples is None:
        yield Answer(
            _get(line, label),
            line.get("logprobs"),
            line.get("probabilities"),
            bool(line.get("refusal")),
            bool(line.get("error")),
        )
        return
    if not isinstance(samples, list) or not samples:
        raise SignalsError("has samples that are no list of answers")
    for sample in samples:
        if isinstance(sample, Mapping) and {label, *PARTS} & set(sample):
            yield from _plain_answers({**sample, "samples": None}, label)
        else:
            yield Answer(sample)


def _find_payload(
    line: Mapping[str, Any],
) -> tuple[Mapping[str, Any] | None, tuple[Answer, ...]]:
    """The completion or message in a line and its answers; None if it is a plain line."""
    response, result = line.get("response"), line.get("result")
    places: list[Any] = [line, response, result]
    if isinstance(response, Mapping):
        places.append(response.get("body"))
    if isinstance(result, Mapping):
        places.append(result.get("message"))
    for place in places:
        if isinstance(place, Mapping) and isinstance(place.get("choices"), list):
            return place, tuple(_choice_answers(place["choices"]))
        if isinstance(place, Mapping) and _is_message(place):
            return place, (_message_answer(place),)
    if "custom_id" in line and (response or result or line.get("error")):
        return {}, (Answer(failed=True),)  # the service says why not
    return None, ()


def _choice_answers(choices: list[Any]) -> Iterator[Answer]:
    """Every choice of a chat completion, or of a completion of plain text."""
    for choice in choices:
        message = choice.get("message") or {}
        text = message.get("content") or choice.get("text")
        refused = bool(message.get("refusal"))
        refused |= choice.get("finish_reason") == "content_filter"
        yield Answer(text, choice.get("logprobs"), refused=refused)


def _is_message(place: Mapping[str, Any]) -> bool:
    return isinstance(place.get("content"), list) and "stop_reason" in place


def _message_answer(message: Mapping[str, Any]) -> Answer:
    blocks = message["content"]
    texts = [b.get("text", "") for b in blocks if isinstance(b, Mapping)]
    return Answer("".join(texts), refused=message["stop_reason"] == "refusal")
