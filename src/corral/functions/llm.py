"""Answers of a language model, or of anything else that turns texts into texts."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from numbers import Integral
from pathlib import Path
from string import Formatter
from typing import Any

from corral.checks import check_number, check_positive
from corral.errors import ParameterError, StorageError
from corral.functions.columns import build_table
from corral.functions.row_table import Row, Table, is_scalar
from corral.functions.signal_function import (
    Answers,
    Failures,
    SignalFunction,
    check_label,
    named,
    read_answers,
)
from corral.progress import progress
from corral.signals.abstains import is_missing

Ask = Callable[[list[str]], Sequence[Any]]
Prompt = str | Callable[[Any], str | None]
Parse = Mapping[str, Any] | Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class LanguageModel(SignalFunction):
    """What `llm` makes."""

    function: Ask
    prompt: Prompt
    parse: Parse
    label: Any
    batch_size: int
    retries: int
    wait: float
    answers: Path | None

    def answer(self, table: Table, failures: Failures) -> Answers:
        prompts: dict[int, str] = {}
        for at, row in enumerate(table.rows()):
            try:
                prompt = self._make_prompt(row)
                if prompt is not None:
                    prompts[at] = prompt
            except Exception as error:
                failures.add(at, error)
        known = self._ask_all(prompts, failures)
        values: list[Any] = [None] * len(table)
        for at, prompt in prompts.items():
            if prompt in known:
                try:
                    values[at] = self._parse(known[prompt])
                except Exception as error:
                    failures.add(at, error)
        answers = read_answers(values, self.label, failures)
        if not isinstance(self.parse, Mapping):
            return answers
        classes = [*answers.classes, *self.parse.values()]  # also what no answer named
        return replace(answers, classes=tuple(dict.fromkeys(classes)))

    def _ask_all(self, prompts: dict[int, str], failures: Failures) -> dict[str, Any]:
        """The answer to every prompt, kept or new; what fails has none."""
        rows: dict[str, list[int]] = {}
        for at, prompt in prompts.items():
            rows.setdefault(prompt, []).append(at)
        kept = {} if self.answers is None else _read_file(self.answers)
        known = {p: kept[_hash_prompt(p)] for p in rows if _hash_prompt(p) in kept}
        new = [prompt for prompt in rows if prompt not in known]
        with progress(f"asking {self.name}", len(new), "prompts") as bar:
            for start in range(0, len(new), self.batch_size):
                batch = new[start : start + self.batch_size]
                try:
                    got = dict(zip(batch, self._ask(batch), strict=True))
                    if self.answers is not None:
                        got = _append_to_file(self.answers, got)
                except Exception as error:
                    for at in sorted(at for prompt in batch for at in rows[prompt]):
                        failures.add(at, error)
                else:
                    known |= got
                bar.advance(len(batch))
        return known

    def _make_prompt(self, row: Any) -> str | None:
        """The prompt for a row; None if an entry that it needs is missing."""
        if not isinstance(self.prompt, str):
            prompt = self.prompt(row)
            if prompt is not None and not isinstance(prompt, str):
                raise TypeError(f"a prompt must be text or None; {prompt!r:.80} came")
            return prompt
        if isinstance(row, Row | Mapping):
            fields = [name for _, name, *_ in Formatter().parse(self.prompt) if name]
            read = [row[re.split(r"[.\[]", name)[0]] for name in fields]
            missing = any(is_scalar(value) and is_missing(value) for value in read)
            return None if missing else self.prompt.format_map(row)
        missing = is_scalar(row) and is_missing(row)
        return None if missing else self.prompt.format(row)

    def _parse(self, answer: Any) -> Any:
        if not isinstance(self.parse, Mapping):
            return self.parse(answer)
        return self.parse.get(str(answer).strip().lower())

    def _ask(self, prompts: list[str]) -> Sequence[Any]:
        """Ask for a batch; after an error, again, with a wait that doubles."""
        for attempt in range(self.retries + 1):
            try:
                got = self.function(list(prompts))
                break
            except Exception:
                if attempt == self.retries:
                    raise
                time.sleep(self.wait * 2**attempt)
        if isinstance(got, str) or len(got) != len(prompts):
            many = "one text" if isinstance(got, str) else f"{len(got)} answers"
            raise ValueError(f"{many} came for {len(prompts)} prompts")
        return got


def llm(
    function: Ask,
    prompt: Prompt,
    parse: Parse,
    *,
    label: Any = None,
    batch_size: int = 16,
    retries: int = 2,
    wait: float = 1.0,
    answers: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> LanguageModel:
    """A signal that asks a language model.

    Parameters
    ----------
    function : callable
        From a list of prompts to a list of as many answers: text, or anything that JSON
        can hold (for example text and confidence).
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
    retries : int
        How often to try again after an error of `function`.
    wait : float
        Seconds before the first of these, doubled with every further one.
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
    if not callable(function):
        raise ParameterError(f"function must be callable; {function!r:.80} was given.")
    if not isinstance(prompt, str) and not callable(prompt):
        raise ParameterError(f"prompt must be text or a function; {prompt!r:.80} came.")
    if isinstance(parse, Mapping):
        if not all(isinstance(text, str) for text in parse):
            raise ParameterError(
                f"the answers in parse must be text; {parse!r:.80} came."
            )
        parse = build_table(
            (text.strip().lower(), check_label(v)) for text, v in parse.items()
        )
    elif not callable(parse):
        raise ParameterError(
            f"parse must be a mapping or a function; {parse!r:.80} came."
        )
    check_positive("batch_size", batch_size)
    check_number("wait", wait, zero=True)
    if not isinstance(retries, Integral) or retries < 0:
        raise ParameterError(
            f"retries must be zero or a positive integer; {retries!r} was given."
        )
    speaks_of = None if label is None else check_label(label)
    file = None if answers is None else Path(answers)
    return LanguageModel(
        *(function, prompt, parse, speaks_of, batch_size, retries, wait, file),
        **named(name, function),
    )


def _hash_prompt(prompt: str) -> str:
    return sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def _read_file(file: Path) -> dict[str, Any]:
    """Answers by prompt; a last line that was cut off is removed."""
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
                f"line {number} of {str(file)!r} is no kept answer: {error}. Name another "
                "file, or mend this one."
            ) from error
    return known


def _append_to_file(file: Path, got: dict[str, Any]) -> dict[str, Any]:
    """Write answers to the file; return them as they will be read from it."""
    text = {prompt: json.dumps(answer) for prompt, answer in got.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.stat().st_size if file.exists() else 0
    kept = file.open("a", encoding="utf-8")  # what fails here wrote nothing
    try:
        with kept:
            kept.writelines(
                f'{{"prompt": "{_hash_prompt(prompt)}", "answer": {answer}}}\n'
                for prompt, answer in text.items()
            )
    except OSError:
        with suppress(OSError):  # which must not hide what went wrong before
            os.truncate(file, before)  # the next answer must not go on in half a line
        raise
    return {prompt: json.loads(answer) for prompt, answer in text.items()}
