"""Models as signals: what an estimator says, and what a language model answers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.checks import check_positive
from corral.errors import FunctionError, ParameterError, SignalsError, StorageError
from corral.functions.base import (
    Answers,
    Examples,
    Failures,
    SignalFunction,
    check_label,
    is_blank,
    read_answers,
)
from corral.progress import progress
from corral.votes.coding import ABSTAIN, class_list, code_type

Ask = Callable[[list[str]], Sequence[Any]]
Prompt = str | Callable[[Any], str | None]
Parse = Mapping[str, Any] | Callable[[Any], Any]


def model(
    estimator: Any,
    columns: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that says what a model says, such as one trained on a few labelled examples.

    The signal knows these labels, so leave the examples out when you count errors.

    Parameters
    ----------
    estimator : fitted estimator or callable
        Asked once about all rows, by its ``predict_proba`` if it has one, else by its
        ``predict``, or by a call. It returns probabilities (n, k), or those (n,) of the
        second of two classes, NaN where it abstains; or class values (n,), no floats.
    columns : str, int or list of them, optional
        What it is given: one column, several, or all the data as they are.
    classes : sequence, optional
        The class values that it votes on, in the order of its probabilities; default:
        its ``classes_``, else 0, 1, ... for probabilities and what it says for classes.
        -1 abstains unless it is named here.
    name : str, optional
        Default: the name of the class or function.

    Examples
    --------
    >>> from corral.functions import model
    >>> def spam_filter(texts):
    ...     return [0.9 if "win" in text else 0.4 for text in texts]
    >>> model(spam_filter, classes=["ham", "spam"]).apply(["win", "noon"]).to_list()
    [('spam', 0.9), ('spam', 0.4)]
    """
    methods = (getattr(estimator, each, None) for each in ("predict_proba", "predict"))
    ask = next((method for method in methods if method is not None), estimator)
    if not callable(ask):
        raise ParameterError(
            f"{type(estimator).__name__} has no predict_proba or predict and cannot be "
            "called; pass a fitted classifier or a function."
        )
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    given = getattr(estimator, "classes_", None) if classes is None else classes
    values = None if given is None else tuple(class_list(given) or ())
    says_classes = ask == getattr(estimator, "predict", None)

    def answer(examples: Examples, failures: Failures) -> Answers:
        part = examples.part(columns)
        try:
            output = np.asarray(ask(part))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {failures.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if output.shape[:1] != (len(examples),):
            raise SignalsError(
                f"signal {failures.name!r}: answers of shape {output.shape} came for "
                f"{len(examples)} rows."
            )
        if output.dtype.kind == "f" and not says_classes:
            return _read_probabilities(output, values, failures.name)
        return _read_classes(output, values, failures)

    return SignalFunction(answer, name, estimator)


def _read_probabilities(
    output: FloatArray, classes: tuple[Any, ...] | None, name: str
) -> Answers:
    values = output.reshape(len(output), -1).astype(float)
    silent, k = np.isnan(values).all(axis=1), values.shape[1]
    said = values[~silent]
    if output.ndim > 2 or not ((said >= 0) & (said <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {output.shape} came."
        )
    if k == 1 and (classes is None or len(classes) == 2):  # of the second of two
        classes = (None,) if classes is None else classes
        codes = np.where(silent, -1, len(classes) - 1).astype(np.int8)
        return Answers(classes, codes, np.where(silent, 1.0, values[:, 0]))
    classes = tuple(range(k)) if classes is None else classes
    if len(classes) != k:
        raise SignalsError(
            f"signal {name!r}: probabilities of {k} classes came, but the classes are "
            f"{classes}. Pass classes=."
        )
    return Answers(classes, probabilities=values)


def _read_classes(
    output: NDArray[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where `classes` has it."""
    if output.ndim != 1:
        raise SignalsError(
            f"signal {failures.name!r}: class values (n,) or probabilities were expected; "
            f"an array of {output.dtype} of shape {output.shape} came."
        )
    if classes is None:
        return read_answers(lambda said: said, output.tolist(), None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = np.full(len(output), ABSTAIN, code_type(len(classes)))
    for row, value in enumerate(output.tolist()):
        if value in known:
            codes[row] = known[value]
        elif value != -1 and not is_blank(value):
            error = ValueError(f"one of {classes} was expected; {value!r:.80} came")
            failures.add({row: error})
    return Answers(classes, codes)


# -- language models -----------------------------------------------------------------


def llm(
    function: Ask,
    prompt: Prompt,
    parse: Parse,
    *,
    batch_size: int = 16,
    answers: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that asks a language model.

    Parameters
    ----------
    function : callable
        From a list of prompts to a list of as many answers: text, or anything that JSON
        can hold (for example text and confidence). Let it try again by itself where a
        service fails now and then, as the clients of most services do.
    prompt : str or callable
        ``"Is this spam? {text}"`` with names of columns, or ``{}`` for data without
        columns; a row without that text abstains. Or a function from a row to the prompt,
        or to None to abstain. Rows with the same prompt are asked once.
    parse : mapping or callable
        The class of every answer, ``{"yes": "spam", "no": "ham"}``, without regard to case
        and space around it (another answer abstains); or a function from an answer to what
        a `corral.signal` returns.
    batch_size : int
        Prompts in a call.
    answers : path, optional
        A file of JSON lines that keeps answers by prompt as they come, so nothing is asked
        twice, not even after a crash. Use another file for another model.
    name : str, optional
        Default: the name of the function.

    Examples
    --------
    >>> from corral.functions import llm
    >>> def local_model(prompts):
    ...     return ["Yes" if "prize" in prompt else "No" for prompt in prompts]
    >>> asks = llm(local_model, "Is this spam? {}", {"yes": "spam", "no": "ham"})
    >>> asks.apply(["win a prize", "lunch?"]).to_list()
    ['spam', 'ham']
    """
    if not callable(function) or not (isinstance(prompt, str) or callable(prompt)):
        raise ParameterError(
            "function must be callable, and prompt a text or callable; "
            f"{function!r:.80} and {prompt!r:.80} came."
        )
    classes: dict[str, Any] = {}
    if isinstance(parse, Mapping) and all(isinstance(text, str) for text in parse):
        classes = {k.strip().lower(): check_label(v) for k, v in parse.items()}
    elif not callable(parse):
        raise ParameterError(
            "parse must be a function, or a mapping from texts to classes; "
            f"{parse!r:.80} came."
        )
    check_positive("batch_size", batch_size)
    file = None if answers is None else Path(answers)

    def read(reply: Any) -> Any:
        if reply is None:  # not asked, or no answer came
            return None
        if callable(parse):
            return parse(reply)
        return classes.get(str(reply).strip().lower())

    def answer(examples: Examples, failures: Failures) -> Answers:
        rows: dict[str, list[int]] = {}  # by prompt
        for at, row in enumerate(examples.rows()):
            try:
                made = _make_prompt(prompt, row)
            except Exception as error:
                failures.add({at: error})
            else:
                if made is not None:
                    rows.setdefault(made, []).append(at)
        replies = {} if file is None else _read_kept(file, rows)
        new = [one for one in rows if one not in replies]
        with progress(f"asking {failures.name}", len(new), "prompts") as bar:
            for start in range(0, len(new), batch_size):
                batch = new[start : start + batch_size]
                try:
                    got = function(list(batch))
                    if isinstance(got, str) or len(got) != len(batch):
                        came = "one text" if isinstance(got, str) else len(got)
                        raise ValueError(f"{came} came for {len(batch)} prompts")
                    lines = [
                        json.dumps({"prompt": one, "answer": reply}) + "\n"
                        for one, reply in zip(batch, got, strict=True)
                    ]
                except Exception as error:
                    asked = sorted(at for one in batch for at in rows[one])
                    failures.add(dict.fromkeys(asked, error))
                else:
                    if file is not None:
                        file.parent.mkdir(parents=True, exist_ok=True)
                        with file.open("a", encoding="utf-8") as keeping:
                            keeping.writelines(lines)
                    kept = map(json.loads, lines)  # the same as in the next run
                    replies |= {one["prompt"]: one["answer"] for one in kept}
                bar.advance(len(batch))
        by_row: list[Any] = [None] * len(examples)
        for one, reply in replies.items():
            for at in rows[one]:
                by_row[at] = reply
        return read_answers(read, by_row, None, failures).with_classes(classes.values())

    return SignalFunction(answer, name, function)


def _make_prompt(prompt: Prompt, row: Any) -> str | None:
    """The prompt for a row; None if an entry that it needs is missing."""
    if not isinstance(prompt, str):
        made = prompt(row)
        if made is not None and not isinstance(made, str):
            raise TypeError(f"a prompt must be text or None; {made!r:.80} came")
        return made
    if isinstance(row, Mapping):
        fields = [name for _, name, *_ in Formatter().parse(prompt) if name]
        missing = any(is_blank(row[re.split(r"[.\[]", name)[0]]) for name in fields)
        return None if missing else prompt.format_map(row)
    return None if is_blank(row) else prompt.format(row)


def _read_kept(file: Path, prompts: Iterable[str]) -> dict[str, Any]:
    """Answers to these prompts; a last line that a crash cut off is removed."""
    if not file.exists():
        return {}
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    os.truncate(file, whole)
    kept = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            entry = json.loads(line)
            kept[entry["prompt"]] = entry["answer"]
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"line {number} of {str(file)!r} is not an answer that corral kept: "
                f"{error}. Name another file, or mend this one."
            ) from error
    return {prompt: kept[prompt] for prompt in prompts if prompt in kept}
