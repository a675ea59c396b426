"""`corral.read_judges`: JSON lines of what judges wrote in, signals out."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.judges.answer_lines import NOBODY, AnswerLine, read_line
from corral.judges.judge_answers import JudgeAnswers, JudgeCounts
from corral.judges.verdicts import (
    Verdict,
    VerdictReader,
    as_key,
    class_shares,
    find_classes,
    spelling_table,
)
from corral.progress import progress
from corral.signals import WeakSignals
from corral.signals.abstains import list_abstains
from corral.signals.coding import ABSTAIN, class_list, code_type
from corral.signals.signal_data import class_vote_data
from corral.storage import find_files

OUTCOMES = ("voted", "refused", "unreadable", "failed")
SHOWN = 5
"""Texts that are no class, that are listed."""
WARNED, REFUSED = 0.05, 0.3
"""Shares of unreadable answers: of a judge, and of all judges."""
CUT = 80
"""Characters of each."""
SURE = 1 - 1e-9
"""A share from which on it is a vote."""


def read_judges(
    answers: str | PathLike[str],
    *,
    task: str = "id",
    worker: str = "judge",
    label: str = "verdict",
    classes: Sequence[Any] | None = None,
    verdicts: Mapping[str, Any] | None = None,
    pattern: str | None = None,
    abstain: Any = None,
) -> JudgeAnswers:
    r"""Read what judges wrote: JSON lines, one line per example and judge, or sample.

    A line has the fields ``id``, ``judge`` and ``verdict``; lines of batches of OpenAI and
    Anthropic, and completions in a field ``response``, are understood, too. All answers of
    a judge on an example are one vote: if they are several, or if they come with
    log-probabilities, it is a vote with a share for every class. A refusal (the field
    ``refusal``, a reason to stop, or a text that declines) is an abstain; so are errors
    and texts that name no class. All of these are counted. Above 5% of a judge's answers
    without a class is a warning, above 30% of all answers an error.

    Parameters
    ----------
    answers : path
        A file, or several joined by the shell's ``*``, such as ``judges/*.jsonl``.
    task, worker, label : str
        The fields of the example, the judge and the verdict; ``a.b`` is the field ``b``
        within ``a``.
    classes : sequence, optional
        All classes in order; default: those of `verdicts`, in its order, or else all
        verdicts, sorted. Case, blanks and punctuation around a verdict do not matter.
    verdicts : mapping of str to class, optional
        What verdicts mean, such as ``{"yes": "pass", "no": "fail"}``.
    pattern : str, optional
        A regular expression whose last match in a text is the verdict (its first group,
        if there is one), such as ``r"\[\[(.+?)\]\]"``. Needless for a class alone, the
        field `label` of JSON within a text, ``Verdict: X``, ``Answer: X`` and ``**X**``.
    abstain : str, number or list of these, optional
        Verdicts that mean no vote, counted as refusals.

    Returns
    -------
    JudgeAnswers
        ``.signals`` for any labeler, ``.counts`` and ``.fields``; print it.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import corral
    >>> lines = [
    ...     {"id": 1, "judge": "a", "verdict": "pass", "gold": "pass"},
    ...     {"id": 1, "judge": "b", "samples": ["pass", "fail", "pass", "pass"]},
    ...     {"id": 2, "judge": "a", "verdict": "Fail.", "gold": "fail"},
    ...     {"id": 2, "judge": "b", "refusal": "I can't help with that."},
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answers.jsonl")
    ...     text = "\n".join(map(json.dumps, lines))
    ...     file.write_text(text) and None
    ...     read = corral.read_judges(file, classes=["fail", "pass"])
    >>> read.signals.values[0].tolist()  # of the class "pass"
    [[1.0, 0.0], [0.75, nan]]
    >>> read.counts[1].refused
    1
    """
    compiled = _compile(pattern)
    spellings = spelling_table(_check_classes(classes, verdicts), verdicts)
    silent = frozenset(map(as_key, list_abstains(abstain)))
    reader = VerdictReader(label.split(".")[-1], spellings, silent, compiled)
    found = _Found({}, [], {}, [], [], [], [], {})
    for at, line in _numbered_lines(answers):
        try:
            found.add(read_line(line, task, worker, label), reader)
        except SignalsError as error:
            raise SignalsError(f"{at} {error}.") from None
        except (AttributeError, KeyError, TypeError) as error:
            raise SignalsError(
                f"{at} has an answer of an unknown form ({error!r}). See "
                "corral.read_judges for the forms there are."
            ) from error
    if not found.verdicts:
        raise SignalsError(f"{str(answers)!r} holds no answers; it has no lines.")
    if spellings is None:
        named = find_classes(v.said for v in found.verdicts if v.outcome == "voted")
        spellings = {as_key(c): c for c in named}
    else:
        named = class_list(classes) or list(dict.fromkeys(spellings.values()))
    return replace(found.assemble(task, named, spellings), inputs=(answers,))


@dataclass(frozen=True)
class _Found:
    """Answers in the order in which they were read."""

    tasks: dict[str, int]
    names: list[Any]
    judges: dict[str, int]
    at_task: list[int]
    at_judge: list[int]
    verdicts: list[Verdict]
    texts: list[str]
    fields: dict[str, dict[int, Any] | None]

    def add(self, line: AnswerLine, reader: VerdictReader) -> None:
        """Take the answers of a line."""
        whole = isinstance(line.task, float) and line.task.is_integer()
        name = str(int(line.task) if whole else line.task)  # 1, 1.0 and "1" are one
        at = self.tasks.setdefault(name, len(self.tasks))
        if at == len(self.names):
            self.names.append(line.task)
        judge = self.judges.setdefault(line.judge, len(self.judges))
        for answer in line.answers:
            verdict = reader.read(answer)
            self.at_task.append(at)
            self.at_judge.append(judge)
            self.verdicts.append(verdict)
            if verdict.outcome == "unreadable":
                said = str(verdict.said)  # a verdict stands at the end, if anywhere
                self.texts.append(said if len(said) <= CUT else f"...{said[-CUT:]}")
        for name, value in line.others.items():
            known = self.fields.setdefault(name, {})
            if known is None:
                continue
            nested = isinstance(value, Mapping | list)
            if nested or (value is not None and known.setdefault(at, value) != value):
                self.fields[name] = None  # it belongs to the answer, not to the example

    def _find_owner(self) -> None:
        """Errors that name no judge are those of the only judge there is."""
        nobody = self.judges.get(NOBODY)
        if nobody is None:
            return
        if len(self.judges) != 2:
            raise SignalsError(
                "an error of a service names no judge, and there are "
                f"{len(self.judges) - 1} of them. Read the files of every judge by "
                "themselves, or give lines a field 'judge'."
            )
        del self.judges[NOBODY]
        self.judges.update(dict.fromkeys(self.judges, 0))
        self.at_judge[:] = [0] * len(self.at_judge)

    def assemble(
        self, task: str, classes: list[Any], spellings: Mapping[str, Any]
    ) -> JudgeAnswers:
        """Signals of all answers, and what there is to count."""
        self._find_owner()
        n, m, k = len(self.tasks), len(self.judges), len(classes)
        position = {key: classes.index(c) for key, c in spellings.items()}
        rows, columns = np.array(self.at_task), np.array(self.at_judge)
        total, votes = np.zeros((n, m, k)), np.zeros((n, m))
        named = np.zeros((n, m, k), bool)
        outcome = np.array([OUTCOMES.index(v.outcome) for v in self.verdicts])
        mass = np.full(len(outcome), np.nan)
        names = list(self.judges)
        for at in np.flatnonzero(outcome == OUTCOMES.index("voted")).tolist():
            try:
                got = class_shares(self.verdicts[at], position, k)
            except SignalsError as error:
                asked = self.names[rows[at]]
                judge = names[columns[at]]
                raise SignalsError(f"judge {judge!r} on {asked!r}: {error}") from None
            if got is None:
                outcome[at] = OUTCOMES.index("unreadable")
                self.texts.append(str(list(self.verdicts[at].tokens or {}))[:CUT])
                continue
            cell = rows[at], columns[at]
            mass[at] = got[1]
            total[cell] += got[0]
            votes[cell] += 1
            named[cell][got[0].argmax()] = True
        shares = total / np.where(votes, votes, np.nan)[:, :, None]
        index = _as_array(self.names)
        counts = tuple(
            _count(name, columns == i, rows, outcome, mass, named[:, i].sum(axis=1))
            for name, i in self.judges.items()
        )
        fields = {
            name: _as_array([values.get(at) for at in range(n)])
            for name, values in self.fields.items()
            if values
        }
        common = [text for text, _ in Counter(self.texts).most_common(SHOWN)]
        _check_unreadable(counts, common)
        signals = _make_signals(shares, classes, names, index)
        return JudgeAnswers(signals, counts, fields, task, tuple(common))


def _check_unreadable(counts: Sequence[JudgeCounts], common: Sequence[str]) -> None:
    """Warn if a judge, refuse if judges together, wrote much that names no class."""
    shares = {each.judge: each.unreadable / max(each.answers, 1) for each in counts}
    worst = max(shares, key=lambda judge: shares[judge])
    share, who = shares[worst], f"judge {worst!r}"
    unreadable = sum(each.unreadable for each in counts)
    of_all = unreadable / sum(each.answers for each in counts)
    if of_all > REFUSED:
        share, who = of_all, "the judges"
    if share <= WARNED:
        return
    texts = ", ".join(f"{text!r}" for text in common[:3])
    said = (
        f"{share:.0%} of the answers of {who} name no class, such as {texts}. Check "
        f"`classes=`, say where verdicts stand with `pattern=`, or which "
        f"of them are no vote with `abstain=`."
    )
    if of_all > REFUSED:
        raise SignalsError(said)
    warn_user(said, SignalsWarning)


def _make_signals(
    shares: FloatArray, classes: list[Any], names: list[str], index: NDArray[Any]
) -> WeakSignals:
    """Class votes if nobody is of two minds, else probabilities."""
    known = ~np.isnan(shares[:, :, 0])
    if not known.any():
        raise SignalsError(
            "no answer names a class, so there is nothing to label by. Check "
            "`classes=`."
        )
    filled = np.where(known[:, :, None], shares, 0)
    values = np.array(classes)
    if (filled.max(axis=2)[known] >= SURE).all():
        codes = np.where(known, filled.argmax(axis=2), ABSTAIN)
        votes: IntArray = codes.astype(code_type(len(classes)))
        return WeakSignals(class_vote_data(votes, values, index), names)
    made = WeakSignals.from_probabilities(shares, classes=classes, names=names)
    return WeakSignals(replace(made._data, index=index), names)


def _count(
    judge: str,
    own: BoolArray,
    rows: IntArray,
    outcome: IntArray,
    mass: FloatArray,
    n_named: IntArray,
) -> JudgeCounts:
    """The counts of one judge: `own` are its answers, `n_named` (n,) classes it named."""
    asked = len(np.unique(rows[own]))
    number = np.bincount(outcome[own], minlength=len(OUTCOMES)).tolist()
    known = mass[own & ~np.isnan(mass)]
    return JudgeCounts(
        judge,
        asked,
        int(own.sum()),
        **dict(zip(OUTCOMES, number, strict=True)),
        abstains=asked - int((n_named > 0).sum()),
        split=int((n_named > 1).sum()),
        mass=float(known.mean()) if len(known) else None,
    )


def _numbered_lines(answers: str | PathLike[str]) -> Iterator[tuple[str, Any]]:
    """Where every line is, in words, and what it holds."""
    for file in find_files(answers):
        opened = gzip.open if file.suffix == ".gz" else open
        try:
            with (
                opened(file, "rt", encoding="utf-8") as lines,
                progress(f"reading {file.name}", None, "lines") as bar,
            ):
                for number, line in enumerate(lines, 1):
                    bar.advance()
                    if line.strip():
                        yield f"line {number} of {file.name!r}", _parse(line)
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise SignalsError(f"cannot read {file.name!r}: {error}.") from error


def _parse(line: str) -> Any:
    """What a line holds; what is no JSON is no answer, as its reader will say."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # the latter: nested thousands deep
        return line


def _as_array(values: list[Any]) -> NDArray[Any]:
    """Plain values as an array; of their own type if they have one, else objects."""
    if any(isinstance(v, bool) or v is None for v in values):
        return np.array(values, object)
    if len({isinstance(v, str) for v in values}) > 1:
        return np.array(values, object)
    return np.array(values)


def _check_classes(
    classes: Sequence[Any] | None, verdicts: Mapping[str, Any] | None
) -> list[Any] | None:
    given = class_list(classes)
    if given is not None and len(given) < 2:
        raise ParameterError(
            f"must name every class, two at least; {given} was given.",
            parameter="classes",
        )
    others = [c for c in (verdicts or {}).values() if given and c not in given]
    if others:
        raise ParameterError(
            f"must mean one of the classes {given}; {others[0]!r} is none.",
            parameter="verdicts",
        )
    if given is not None and len({as_key(c) for c in given}) < len(given):
        raise ParameterError(
            f"must differ in more than case and punctuation; {given} was given.",
            parameter="classes",
        )
    return given


def _compile(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ParameterError(
            f"must be a regular expression; {pattern!r} is none: {error}.",
            parameter="pattern",
        ) from error
