"""Answers of a language model, or of anything else that turns texts into texts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Any

from corral.checks import check_positive
from corral.errors import ParameterError, StorageError
from corral.functions.base import (
    Answers,
    Failures,
    Row,
    SignalFunction,
    Table,
    check_label,
    is_blank,
    read_answers,
)
from corral.functions.columns import build_table
from corral.progress import progress

Ask = Callable[[list[str]], Sequence[Any]]
Prompt = str | Callable[[Any], str | None]
Parse = Mapping[str, Any] | Callable[[Any], Any]


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
