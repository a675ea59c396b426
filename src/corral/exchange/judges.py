"""`corral.read_judges`: JSON lines of what judges wrote in, signals out.

A line is read as answers, an answer as a verdict, verdicts as shares of the classes. Lines
may be plain (``id``, ``judge``, ``verdict``), chat completions as OpenAI and many servers
write them, or messages as Anthropic writes them: alone in ``response``, or of a batch.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.exchange.answers import make_signals
from corral.exchange.records import Record, read_records
from corral.results import Part, Result, Table, as_plain, join_names
from corral.votes import WeakSignals
from corral.votes.coding import class_list, is_missing, is_no_vote, list_abstains

MAX_UNREADABLE_OF_JUDGE, MAX_UNREADABLE = 0.05, 0.3
"""Share of unreadable answers above which a judge is warned of, and all are refused."""
MAX_TEXTS, MAX_CHARACTERS = 5, 80
"""How many unreadable texts are kept, and how much of each."""
MAX_CLASSES = 100
"""Most classes if `classes=` does not name them."""
MAX_PROBABILITY = 1 + 1e-3
"""Probabilities are rounded, so one may be a little above one."""
MAX_SUM_ERROR = 0.01
"""By how much probabilities may miss the sum of one, for each of them."""
ENVELOPE = ("response", "result", "custom_id", "error")
ANSWER = ("verdict", "logprobs", "probabilities", "refusal", "error", "samples")
"""Fields around a completion or a message, and fields of a plain answer."""

AROUND = " \t\r\n\"'`*.,:;!()[]{}"
"""Characters around a verdict that do not change it."""
REFUSALS = re.compile(
    r"refusal$|refused?$|(i.m|i am) (very )?(sorry|unable)|sorry,|as an ai\b"
    r"|i (can.?t|cannot|can not|won.t)\b|i must decline|i decline"
)
"""How verdicts begin, in lower case, in which a model declines to answer."""
OBJECT = re.compile(r"\{[^{}]*\}")
MARKS = "verdict|answer|decision|judge?ment|conclusion"
BEFORE = r"[*_`\"']{0,3}[ \t]{0,3}[:=\n][\s*_`\"'(\[{<]{0,9}"
"""What texts call their verdict, and what stands between such a word and the verdict."""
AFTER = r"[*_`\"')\]}>]{0,9}(?:[.,;:!](?!\S)|[ \t]{1,3}[-\u2013\u2014(]|[ \t]{0,9}$)"
"""What must follow it: "Answer: A good reply" does not name the class A."""


@dataclass(frozen=True)
class JudgeCounts:
    """What became of the answers of a judge.

    Attributes
    ----------
    judge : str
    examples, answers : int
        Examples that it was asked about; answers, of which samples are several.
    voted, refused, unreadable, failed : int
        Answers with a verdict; refusals and verdicts that mean no vote; texts that name no
        class; empty answers and errors of the service.
    abstains, split : int
        Examples without a verdict; examples whose samples name different classes.
    mass : float or None
        Mean probability that log-probabilities give to the classes together; other tokens
        have the rest. None without log-probabilities.
    """

    judge: str
    examples: int
    answers: int
    voted: int
    refused: int
    unreadable: int
    failed: int
    abstains: int
    split: int
    mass: float | None


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAnswers(Result):
    """What `corral.read_judges` found; print it.

    Attributes
    ----------
    signals : WeakSignals
        One per judge: votes, or probabilities if any judge has samples that differ or
        log-probabilities. Its `index` has the ids.
    counts : tuple of JudgeCounts
        One per judge.
    fields : mapping of str to (n,) array
        The other fields of the lines that have one value per example, such as gold labels.
    task : str
        The field that names the example.
    unreadable : tuple of str
        Some texts that name no class, the commonest first.
    """

    signals: WeakSignals = field(repr=False)
    counts: tuple[JudgeCounts, ...]
    fields: Mapping[str, NDArray[Any]] = field(repr=False)
    task: str
    unreadable: tuple[str, ...] = ()

    title = "What judges answered"

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """A table with one row per example: its id, its fields, and what judges said.

        A judge has one column of votes (None for an abstain) or of probabilities of the
        second of two classes (NaN); with more classes, a column ``judge: class`` for each.
        """
        read, found = self.signals, {self.task: self.signals.index, **self.fields}
        said: dict[str, Any] = {}
        for i, name in enumerate(read.names):
            if read.is_hard:
                values = np.array([*read.classes.tolist(), None], object)
                said[name] = values[read.votes[:, i]]
            elif read.n_classes == 2:
                said[name] = read.probabilities[:, i, 1]
            else:
                for c, value in enumerate(read.classes):
                    said[f"{name}: {value}"] = read.probabilities[:, i, c]
        twice = [name for name in said if name in found]
        if twice:
            raise SignalsError(
                f"a judge and a field of its lines are both named {twice[0]!r}."
            )
        return {**found, **said}

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain values, and what classes there are."""
        read = self.signals
        found = {"examples": len(read), "classes": as_plain(read.classes)}
        return {**found, "probabilities": not read.is_hard, **super().to_dict()}

    def parts(self) -> Iterator[Part]:
        names = JudgeCounts.__dataclass_fields__
        columns = {name: [getattr(c, name) for c in self.counts] for name in names}
        yield Table(columns, formats={"mass": ".1%"})
        if self.unreadable:
            yield "Some texts that name no class:"
            yield from map(repr, self.unreadable)


def read_judges(
    answers: str | PathLike[str],
    *,
    task: str = "id",
    worker: str = "judge",
    label: str = "verdict",
    classes: Sequence[Any] | None = None,
    pattern: str | None = None,
    abstain: Any = None,
) -> JudgeAnswers:
    r"""Read what judges wrote: JSON lines, one line per example and judge, or sample.

    A line has the fields ``id``, ``judge`` and ``verdict``, or is a line of a batch of
    OpenAI or Anthropic, or has a completion in ``response``. All answers of a judge on an
    example are one vote, with a share for every class if answers differ or have
    log-probabilities. Refusals, errors and texts that name no class are abstains, and are
    counted. More than 5% such texts of a judge are a warning, more than 30% an error.

    Parameters
    ----------
    answers : path
        A file, or several joined by the shell's ``*``, such as ``judges/*.jsonl``.
    task, worker, label : str
        The fields of the example, the judge and the verdict; ``a.b`` is the field ``b``
        within ``a``.
    classes : sequence, optional
        All classes in order; default: all verdicts, sorted. Case, blanks and punctuation
        around a verdict do not matter.
    pattern : str, optional
        A regular expression whose last match in a text is the verdict (its first group,
        if it has one), such as ``r"\[\[(.+?)\]\]"``. A class alone, the field `label` of
        JSON within a text, ``Verdict: X``, ``Answer: X`` and ``**X**`` need no pattern.
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
    >>> read.signals.probabilities[:, :, 1].tolist()  # of the class "pass"
    [[1.0, 0.75], [0.0, nan]]
    >>> read.counts[1].refused
    1
    """
    given = class_list(classes)
    known = {_as_key(c): c for c in given or ()}
    if given is not None and len(known) < max(2, len(given)):
        raise ParameterError(
            "must name two classes at least, which differ in more than case and "
            f"punctuation; {given} was given.",
            parameter="classes",
        )
    reader = VerdictReader(label.split(".")[-1], known, list_abstains(abstain), pattern)
    rows: dict[str, int] = {}
    ids: list[Any] = []
    judges: dict[str | None, int] = {}
    found: list[tuple[int, int, Verdict]] = []
    fields: dict[str, dict[int, Any] | None] = {}
    for _, place, line in read_records(answers):
        try:
            payload, written = _list_answers(line, label)
            name, judge = _name_line(line, payload, task, worker)
            read = [reader.read(answer) for answer in written]
        except SignalsError as error:
            raise SignalsError(f"{place} {error}.") from None
        except (AttributeError, KeyError, OverflowError, TypeError) as error:
            raise SignalsError(
                f"{place} has an answer of an unknown form ({error!r})."
            ) from error
        row = rows.setdefault(str(name), len(rows))
        if row == len(ids):  # 1 and "1" are one example
            ids.append(name)
        column = judges.setdefault(judge, len(judges))
        found += [(row, column, verdict) for verdict in read]
        own = {*ENVELOPE} if payload is not None else {*ANSWER, label.split(".")[0]}
        own |= {task.split(".")[0], worker.split(".")[0]}
        for key, value in line.items():
            values = None if key in own else fields.setdefault(key, {})
            if values is None or value is None:
                continue
            nested = isinstance(value, Mapping | list)
            if nested or values.setdefault(row, value) != value:
                fields[key] = None  # it belongs to the answer, not to the example
    names = [judge for judge in judges if judge is not None]
    if len(names) < len(judges):  # a service failed, and did not say whom it asked
        if len(names) != 1:
            raise SignalsError(
                f"a line with an error does not say which of the {len(names)} judges it "
                "belongs to. Give lines a field 'judge'."
            )
        found = [(row, 0, verdict) for row, _, verdict in found]
    if given is None:
        given = _find_classes(v.said for _, _, v in found if v.outcome == "voted")
    votes, counts, unreadable = _tally(found, names, given)
    _check_unreadable(counts, unreadable)
    if not votes:
        raise SignalsError("no answer names a class. Check `classes=`.")
    columns = {
        key: _as_array([values.get(row) for row in range(len(ids))])
        for key, values in fields.items()
        if values
    }
    signals = make_signals(votes, _as_array(ids), names, given)
    return JudgeAnswers(signals, counts, columns, task, unreadable)


def _find_classes(said: Iterable[Any]) -> list[Any]:
    """The classes without `classes=`: all verdicts, one per key, sorted."""
    spellings: dict[str, Counter[Any]] = {}
    for value in said:
        if value is not None:
            shown = _as_key(value) if isinstance(value, bool) else value
            spellings.setdefault(_as_key(value), Counter())[shown] += 1
    classes = [counts.most_common(1)[0][0] for counts in spellings.values()]
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise SignalsError(
            f"the judges name {len(classes)} classes ({join_names(map(repr, classes))}). "
            "Name all of them with `classes=`, and say where verdicts stand in texts with "
            "`pattern=`."
        )
    if any(isinstance(c, str) for c in classes):
        classes = [c if isinstance(c, str) else _as_key(c) for c in classes]
    return sorted(classes)


def _tally(
    found: Sequence[tuple[int, int, Verdict]],
    judges: Sequence[str],
    classes: Sequence[Any],
) -> tuple[list[tuple[int, int, int, float]], tuple[JudgeCounts, ...], tuple[str, ...]]:
    """Example, judge, class and mean share; counts; and unreadable texts."""
    position = {_as_key(value): at for at, value in enumerate(classes)}
    cells: dict[tuple[int, int], list[FloatArray]] = {}
    masses: list[list[float]] = [[] for _ in judges]
    texts: Counter[str] = Counter()
    number: Counter[tuple[int, str]] = Counter()
    for row, column, verdict in found:
        outcome, said = verdict.outcome, cells.setdefault((row, column), [])
        if outcome == "voted":
            shares, mass = _class_shares(verdict, position)
            if mass is not None:
                masses[column].append(mass)
            if shares is None:
                outcome = "unreadable"
            else:
                said.append(shares)
        if outcome == "unreadable":  # a verdict stands at the end, if anywhere
            text = str(
                list(verdict.tokens or {}) if verdict.said is None else verdict.said
            )
            cut = len(text) > MAX_CHARACTERS
            texts[f"...{text[-MAX_CHARACTERS:]}" if cut else text] += 1
        number.update([(column, outcome), (column, "answers")])
    for (_, column), each in cells.items():
        number[column, "examples"] += 1
        number[column, "abstains"] += not each
        number[column, "split"] += len({shares.argmax() for shares in each}) > 1
    whole = list(JudgeCounts.__dataclass_fields__)[1:-1]
    counts = tuple(
        JudgeCounts(
            judge,
            **{name: number[at, name] for name in whole},
            mass=float(np.mean(masses[at])) if masses[at] else None,
        )
        for at, judge in enumerate(judges)
    )
    votes = [
        (*cell, code, share)
        for cell, each in cells.items()
        if each
        for code, share in enumerate(np.mean(each, axis=0).tolist())
        if share > 0
    ]
    return votes, counts, tuple(text for text, _ in texts.most_common(MAX_TEXTS))


def _check_unreadable(counts: Sequence[JudgeCounts], texts: Sequence[str]) -> None:
    """Warn if a judge, refuse if judges together, wrote much that names no class."""
    shares = {f"judge {c.judge!r}": c.unreadable / max(c.answers, 1) for c in counts}
    who = max(shares, key=shares.__getitem__)
    n_answers = max(sum(c.answers for c in counts), 1)
    of_all = sum(c.unreadable for c in counts) / n_answers
    if of_all > MAX_UNREADABLE:
        who, shares = "the judges", {"the judges": of_all}
    if shares[who] <= MAX_UNREADABLE_OF_JUDGE:
        return
    said = (
        f"{shares[who]:.0%} of the answers of {who} name no class, such as "
        f"{', '.join(map(repr, texts[:3]))}. Check `classes=`. `pattern=` finds verdicts "
        "within texts, and `abstain=` names verdicts that mean no vote."
    )
    if of_all > MAX_UNREADABLE:
        raise SignalsError(said)
    warn_user(said, SignalsWarning)


def _as_array(values: list[Any]) -> NDArray[Any]:
    """Plain values as an array; of their own type if they have one, else objects."""
    odd = any(isinstance(v, bool) or v is None for v in values)
    mixed = len({isinstance(v, str) for v in values}) > 1
    return np.array(values, object) if odd or mixed else np.array(values)


# -- lines --------------------------------------------------------------------------


class Answer(NamedTuple):
    """An answer as it was written; `outcome` is what a judge or service says itself."""

    verdict: Any = None
    logprobs: Any = None
    probabilities: Any = None
    outcome: str | None = None


def _list_answers(line: Record, label: str) -> tuple[Record | None, list[Answer]]:
    """The completion or message in a line, None if it is a plain line; and its answers."""
    response, result = line.get("response"), line.get("result")
    places: list[Any] = [line, response, result]
    if isinstance(response, dict):
        places.append(response.get("body"))
    if isinstance(result, dict):
        places.append(result.get("message"))
    for place in places:
        if not isinstance(place, dict):
            continue
        if isinstance(place.get("choices"), list):
            return place, [_choice_answer(choice) for choice in place["choices"]]
        if isinstance(place.get("content"), list) and "stop_reason" in place:
            texts = [b.get("text", "") for b in place["content"] if isinstance(b, dict)]
            refused = "refused" if place["stop_reason"] == "refusal" else None
            return place, [Answer("".join(texts), outcome=refused)]
    if "custom_id" in line and (response or result or line.get("error")):
        return {}, [Answer(outcome="failed")]  # the service says why not
    if line.get("samples") is not None:
        return None, [Answer(sample) for sample in line["samples"]]
    outcome = "refused" if line.get("refusal") else None
    outcome = "failed" if line.get("error") else outcome
    shares = line.get("logprobs"), line.get("probabilities")
    return None, [Answer(_get(line, label), *shares, outcome)]


def _choice_answer(choice: Any) -> Answer:
    """A choice of a chat completion, or of a completion of plain text."""
    message = choice.get("message") or {}
    text = message.get("content") or choice.get("text")
    filtered = choice.get("finish_reason") == "content_filter"
    refused = "refused" if filtered or message.get("refusal") else None
    return Answer(text, choice.get("logprobs"), outcome=refused)


def _name_line(
    line: Record, payload: Record | None, task: str, worker: str
) -> tuple[Any, str | None]:
    """The example and the judge of a line; None for the judge that a failure leaves out."""
    name, judge = _get(line, task), _get(line, worker)
    if name is None:
        name = line.get("custom_id")
    if judge is None and payload:
        judge = payload.get("model")
    needed = {task: name} if payload == {} else {task: name, worker: judge}
    for key, value in needed.items():
        if value is None or isinstance(value, dict | list):
            raise SignalsError(
                f"has no text or number {key!r}; its fields are "
                f"{join_names(map(repr, line))}"
            )
    return name, None if judge is None else str(judge)


def _get(line: Record, path: str) -> Any:
    """The value of a field, or of one within another; None if it is not there."""
    if path in line:
        return line[path]
    value: Any = line
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


# -- verdicts -----------------------------------------------------------------------


class Verdict(NamedTuple):
    """An answer that was read.

    It is "voted", "refused", "unreadable" or "failed"; `said` is the class, or the text
    that names no class. `tokens` are probabilities by key, not yet matched with classes.
    """

    outcome: str
    said: Any = None
    tokens: dict[str, float] | None = None


def _as_key(value: Any) -> str:
    """What spellings of a verdict share: not case, what stands around, or 4.0 for 4."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text.strip(AROUND).lower()


class VerdictReader:
    """Finds verdicts in answers.

    `label` is their field in texts that are JSON, `classes` are by key (without any, all
    verdicts are classes), `silent` are values that mean no vote.
    """

    def __init__(
        self,
        label: str,
        classes: dict[str, Any],
        silent: Iterable[Any],
        pattern: str | None,
    ) -> None:
        self.label, self.classes = label, classes
        self.silent = set(map(_as_key, silent))
        self.known = {*classes, *self.silent}
        try:
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            raise ParameterError(
                f"must be a regular expression; {pattern!r} is not one: {error}.",
                parameter="pattern",
            ) from error
        names = "|".join(map(re.escape, sorted(self.known, key=len, reverse=True)))
        said = rf"(?:{names})(?!,\s*(?:{names}))" if classes else r"[\w+-]+"
        marked = rf"\b(?:{MARKS}|{re.escape(label)}){BEFORE}({said}){AFTER}"
        self._marked = re.compile(marked, re.IGNORECASE | re.MULTILINE)
        self._bold = re.compile(rf"\*\*({names})[.!:]?\*\*", re.IGNORECASE)

    def read(self, answer: Answer) -> Verdict:
        """What an answer says."""
        if answer.outcome is not None:
            return Verdict(answer.outcome)
        said = self._find(answer.verdict)
        nested = isinstance(said, dict | list)
        blank = isinstance(said, str) and not said.strip(AROUND)
        key = None if not nested and (blank or is_missing(said)) else _as_key(said)
        tokens = None
        if answer.probabilities is not None:
            tokens = _sum_by_key(answer.probabilities, log=False)
        elif answer.logprobs is not None:
            tokens = _sum_by_key(_alternatives(answer.logprobs, key), log=True)
        if key is None:
            return Verdict("voted" if tokens else "failed", None, tokens)
        if key in self.classes and key not in self.silent:
            return Verdict("voted", self.classes[key], tokens)
        if key in self.silent or is_no_vote(key) or REFUSALS.match(key):
            return Verdict("refused")
        # JSON without the field of the verdict does not name a class.
        if self.classes or nested or "{" in str(said):
            return Verdict("unreadable", said)
        return Verdict("voted", said, tokens)

    def _find(self, verdict: Any) -> Any:
        """The verdict within a text: by the pattern, in JSON, or after a word for it."""
        if isinstance(verdict, dict):
            return verdict.get(self.label, verdict)
        if not isinstance(verdict, str):
            return verdict
        if self.pattern is not None:
            found = list(self.pattern.finditer(verdict))
            if found:
                return found[-1][1 if self.pattern.groups else 0]
        text = verdict.strip("` \n").removeprefix("json")
        for written in (text, *reversed(OBJECT.findall(text))):
            try:
                value = json.loads(written)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and self.label in value:
                return value[self.label]
        if _as_key(verdict) in self.known:
            return verdict
        named: list[str] = self._marked.findall(text)
        if not named and self.classes:
            named = self._bold.findall(text)
            if len(set(map(_as_key, named))) > 1:  # "neither **yes** nor **no**"
                named = []
        return named[-1] if named else verdict


def _alternatives(logs: Any, key: str | None) -> Any:
    """Log-probabilities of what could have stood where the last verdict stands.

    Nothing if no token is the verdict, such as if a verdict has more than one token.
    """
    if isinstance(logs, dict) and "content" in logs:
        places = logs["content"] or []
    elif not isinstance(logs, list):
        return logs
    elif any("top_logprobs" in each for each in logs):
        places = logs
    else:  # all are of one place
        return {each["token"]: each["logprob"] for each in logs}
    at = [each for each in places if _as_key(each["token"]) == key]
    others = (at[-1].get("top_logprobs") or []) if at else []
    return {each["token"]: each["logprob"] for each in (*at[-1:], *others)}


def _sum_by_key(values: Any, *, log: bool) -> dict[str, float]:
    """Probabilities by key, added up over the spellings of one."""
    what = "log-probabilities" if log else "probabilities"
    if not isinstance(values, dict):
        raise SignalsError(f"has {what} that are not an object from class to number")
    sums: dict[str, float] = {}
    for token, value in values.items():
        share = math.nan
        if isinstance(value, int | float):
            share = math.exp(min(value, 1.0)) if log else value
        if not 0 <= share <= MAX_PROBABILITY:
            range_ = "at most 0" if log else "from 0 to 1"
            said = f"{token!r:.40} {value!r:.40}"
            raise SignalsError(f"has {what} that are not {range_}: {said}")
        key = _as_key(token)
        sums[key] = sums.get(key, 0.0) + share
    total, off = sum(sums.values()), MAX_SUM_ERROR * len(sums)
    if total > 1 + off or (not log and total < 1 - off):
        raise SignalsError(
            f"has {what} that add up to {total:.3g}, not to one; all classes are needed"
        )
    return sums


def _class_shares(
    verdict: Verdict, position: Mapping[str, int]
) -> tuple[FloatArray | None, float | None]:
    """Probabilities (k,) of the classes, None if nothing names one; mass of the tokens."""
    shares = np.zeros(len(position))
    for token, share in (verdict.tokens or {}).items():
        if token in position:
            shares[position[token]] += share
    mass = float(shares.sum())
    if mass > 0:
        return shares / mass, min(mass, 1.0)
    if verdict.said is None:
        return None, None
    shares[position[_as_key(verdict.said)]] = 1.0
    return shares, None
