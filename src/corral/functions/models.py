"""Models as signals: what an estimator says, and what a language model answers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.checks import check_positive
from corral.errors import FunctionError, ParameterError, SignalsError, StorageError
from corral.functions.base import (
    Answers,
    Failures,
    Row,
    SignalFunction,
    Table,
    check_label,
    empty_codes,
    is_blank,
    read_answers,
)
from corral.functions.rules import build_table
from corral.progress import progress
from corral.votes.coding import class_list

Ask = Callable[[list[str]], Sequence[Any]]
Prompt = str | Callable[[Any], str | None]
Parse = Mapping[str, Any] | Callable[[Any], Any]


def model(
    estimator: Any,
    columns: Any = None,
    *,
    proba: bool = True,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that says what a model says, be it trained on a few labelled examples.

    The signal knows these labels, so leave the examples out when you count errors.

    Parameters
    ----------
    estimator : fitted estimator or callable
        Its ``predict_proba`` (or ``predict``) is called once with all rows; or it is
        called itself, and returns the same: probabilities (n, k), or (n,) for the second
        of two classes, NaN where it abstains; without `proba` class values (n,).
    columns : str, int or list of them, optional
        What it is given: one column, several, or all the data as they are.
    proba : bool
        Whether its probabilities count, or only the class that it says.
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
    wanted = "predict_proba" if proba else "predict"
    if not callable(estimator) and not hasattr(estimator, wanted):
        raise ParameterError(
            f"{type(estimator).__name__} has no {wanted} and cannot be called; pass an "
            f"estimator that has it{' or proba=False' if proba else ''}."
        )
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    given = getattr(estimator, "classes_", None) if classes is None else classes
    values = None if given is None else tuple(class_list(given) or ())
    ask = getattr(estimator, wanted, estimator)

    def answer(table: Table, failures: Failures) -> Answers:
        part = table.part(columns)
        try:
            output = np.asarray(ask(part))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {failures.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(output) != len(table):
            raise SignalsError(
                f"signal {failures.name!r}: {len(output)} answers came for {len(table)} "
                "rows."
            )
        if proba:
            return _read_probabilities(output, values, failures.name)
        return _read_classes(output.tolist(), values, failures)

    return SignalFunction(answer, name, estimator)


def _read_probabilities(
    output: Any, classes: tuple[Any, ...] | None, name: str
) -> Answers:
    try:
        values: FloatArray = output.astype(float).reshape(len(output), -1)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {output.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
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
    output: list[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where it is among them."""
    if classes is None:
        return read_answers(output, None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = empty_codes(len(output), len(classes))
    for row, value in enumerate(output):
        if isinstance(value, Hashable) and value in known:
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
    label: Any = None,
    batch_size: int = 16,
    answers: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that asks a language model.

    Parameters
    ----------
    function : callable
        From a list of prompts to a list of as many answers: text, or anything that JSON
        can hold (for example text and confidence). It tries again by itself where a
        service fails now and then, as the clients of most services do.
    prompt : str or callable
        ``"Is this spam? {text}"`` with names of columns, ``{}`` for data without, where a
        row abstains whose text is missing; or a function from a row to the prompt, or to
        None to abstain. Rows with the same prompt are asked once.
    parse : mapping or callable
        The class of every answer, ``{"yes": "spam", "no": "ham"}``, without regard to case
        and space around it (another answer abstains); or a function from an answer to what
        a `corral.signal` returns: a class, a pair of class and confidence, a probability
        or None.
    label : str or int, optional
        The class that probabilities are of.
    batch_size : int
        Prompts in a call.
    answers : path, optional
        A file of JSON lines in which answers are kept by prompt as they come, so nothing
        is asked twice, not even after a crash. Take another file for another model.
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
        classes = build_table((k.strip().lower(), v) for k, v in parse.items())
    elif not callable(parse):
        raise ParameterError(
            "parse must be a function, or a mapping from texts to classes; "
            f"{parse!r:.80} came."
        )
    check_positive("batch_size", batch_size)
    speaks_of = None if label is None else check_label(label)
    file = None if answers is None else Path(answers)

    def answer(table: Table, failures: Failures) -> Answers:
        rows: dict[str, list[int]] = {}  # by prompt
        for at, row in enumerate(table.rows()):
            try:
                made = _make_prompt(prompt, row)
            except Exception as error:
                failures.add({at: error})
            else:
                if made is not None:
                    rows.setdefault(made, []).append(at)
        kept = {} if file is None else _read_kept(file)
        known = {p: kept[_hash_prompt(p)] for p in rows if _hash_prompt(p) in kept}
        new = [one for one in rows if one not in known]
        with progress(f"asking {failures.name}", len(new), "prompts") as bar:
            for start in range(0, len(new), batch_size):
                batch = new[start : start + batch_size]
                try:
                    got = function(list(batch))
                    if isinstance(got, str) or len(got) != len(batch):
                        many = (
                            "one text"
                            if isinstance(got, str)
                            else f"{len(got)} answers"
                        )
                        raise ValueError(f"{many} came for {len(batch)} prompts")
                    lines = [] if file is None else [json.dumps(one) for one in got]
                except Exception as error:
                    asked = sorted(at for one in batch for at in rows[one])
                    failures.add(dict.fromkeys(asked, error))
                else:
                    if file is not None:  # answers look as they will when read from it
                        _append_kept(file, batch, lines)
                        got = [json.loads(line) for line in lines]
                    known |= zip(batch, got, strict=True)
                bar.advance(len(batch))
        values: list[Any] = [None] * len(table)
        failed: dict[int, Exception] = {}
        for one, reply in known.items():
            try:
                looked_up = classes.get(str(reply).strip().lower())
                value = parse(reply) if callable(parse) else looked_up
            except Exception as error:
                failed |= dict.fromkeys(rows[one], error)
            else:
                for at in rows[one]:
                    values[at] = value
        failures.add(dict(sorted(failed.items())))
        said = read_answers(values, speaks_of, failures)
        # Classes that no answer named count, too.
        every = tuple(dict.fromkeys([*said.classes, *classes.values()]))
        return replace(said, classes=every)

    return SignalFunction(answer, name, function)


def _make_prompt(prompt: Prompt, row: Any) -> str | None:
    """The prompt for a row; None if an entry that it needs is missing."""
    if not isinstance(prompt, str):
        made = prompt(row)
        if made is not None and not isinstance(made, str):
            raise TypeError(f"a prompt must be text or None; {made!r:.80} came")
        return made
    if isinstance(row, Row | Mapping):
        fields = [name for _, name, *_ in Formatter().parse(prompt) if name]
        missing = any(is_blank(row[re.split(r"[.\[]", name)[0]]) for name in fields)
        return None if missing else prompt.format_map(row)
    return None if is_blank(row) else prompt.format(row)


def _hash_prompt(prompt: str) -> str:
    return sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def _read_kept(file: Path) -> dict[str, Any]:
    """Answers by hash of the prompt; a last line that was cut off is removed."""
    if not file.exists():
        return {}
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(file, whole)
    known = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            entry = json.loads(line)
            known[entry["prompt"]] = entry["answer"]
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"line {number} of {str(file)!r} is not an answer that corral kept: "
                f"{error}. Name another file, or mend this one."
            ) from error
    return known


def _append_kept(file: Path, prompts: list[str], answers: list[str]) -> None:
    """Add answers to the file; an error of the disk ends the run."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as kept:
            kept.writelines(
                f'{{"prompt": "{_hash_prompt(prompt)}", "answer": {answer}}}\n'
                for prompt, answer in zip(prompts, answers, strict=True)
            )
    except OSError as error:
        raise StorageError(f"cannot keep answers in {str(file)!r}: {error}.") from error
