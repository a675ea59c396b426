"""`corral.read_judges`: a line is answers, an answer a verdict, verdicts are shares.

Lines may be plain (``id``, ``judge``, ``verdict``), chat completions as OpenAI writes them,
messages as Anthropic does, or made of the files of a tool that evaluates systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corral.checks import check_number
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.exchange.answers import make_signals
from corral.exchange.evaluations import read_lines
from corral.exchange.records import Record
from corral.exchange.verdicts import (
    Answer,
    Verdict,
    VerdictReader,
    as_key,
    class_shares,
)
from corral.results import Part, Result, Table, as_plain, join_names
from corral.votes import WeakSignals
from corral.votes.coding import class_list, list_abstains

MAX_UNREADABLE_OF_JUDGE, MAX_UNREADABLE = 0.05, 0.3
"""Share of unreadable answers above which a judge is warned of, and all are refused."""
MAX_TEXTS, MAX_CHARACTERS = 5, 80
"""How many unreadable texts are kept, and how much of each."""
MAX_CLASSES = 100
"""Most classes if `classes=` does not name them."""

# What lines call the example, the judge and the verdict; the first that is there counts.
TASKS = (
    *("id", "item_id", "example_id", "sample_id", "task_id", "question_id", "task"),
    *("item", "example", "uid", "custom_id"),
)
SURE_JUDGES = ("judge", "judge_model", "judge_id", "judge_name", "grader", "evaluator")
JUDGES = (*SURE_JUDGES, "rater", "annotator", "worker", "model")
SURE_VERDICTS = ("verdict", "judgment", "judgement", "decision")
VERDICTS = (
    *(*SURE_VERDICTS, "vote", "label", "score", "rating", "grade"),
    *("answer", "response", "output", "completion", "text"),
)
SURE = (*SURE_JUDGES, *SURE_VERDICTS)
"""Fields that a table of votes would not have."""
EXPLANATIONS = (
    *("explanation", "reasoning", "rationale", "reason", "critique", "comment"),
)
"""What lines call the reasons of a verdict."""
ENVELOPE = ("response", "result", "custom_id", "error")
ANSWER = ("logprobs", "probabilities", "refusal", "error", "samples")
"""Fields around a completion or a message, and fields of a plain answer."""


@dataclass(frozen=True)
class JudgeCounts:
    """What became of the answers of a judge; samples are several answers."""

    judge: str
    examples: int  # that it was asked about
    answers: int
    voted: int  # answers with a verdict
    refused: int  # and verdicts that mean no vote
    unreadable: int  # texts that name no class
    failed: int  # empty answers, and errors of the service
    abstains: int  # examples without a verdict
    split: int  # examples whose samples name different classes


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAnswers(Result):
    """What `corral.read_judges` found; print it."""

    signals: WeakSignals = field(repr=False)
    """One per judge: votes, or probabilities if any judge has samples that differ or
    log-probabilities. Its `index` has the ids."""
    counts: tuple[JudgeCounts, ...]
    fields: Mapping[str, NDArray[Any]] = field(repr=False)
    """(n,) arrays: fields with one value per example, such as gold labels or texts."""
    said: Mapping[str, NDArray[Any]] = field(repr=False)
    """(n,) ``JUDGE: score`` and ``JUDGE: explanation``, where judges wrote them."""
    task: str  # the field that names the example
    unreadable: tuple[str, ...] = ()  # some texts that name no class
    notes: tuple[str, ...] = ()  # how the file of a tool was read

    title = "What judges answered"

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """A table with one row per example: its id, its fields, and what judges said.

        A judge has one column of votes (None for an abstain) or of probabilities of the
        second of two classes (NaN); with more classes, a column ``judge: class`` for each.
        """
        read, found = self.signals, {self.task: self.signals.index, **self.fields}
        votes: dict[str, Any] = {}
        for i, name in enumerate(read.names):
            if read.is_hard:
                values = np.array([*read.classes.tolist(), None], object)
                votes[name] = values[read.votes[:, i]]
            elif read.n_classes == 2:
                votes[name] = read.probabilities[:, i, 1]
            else:
                for c, value in enumerate(read.classes):
                    votes[f"{name}: {value}"] = read.probabilities[:, i, c]
        twice = [name for name in votes if name in found]
        if twice:
            raise SignalsError(
                f"a judge and a field of its lines are both named {twice[0]!r}."
            )
        return {**found, **votes, **self.said}

    def to_dict(self) -> dict[str, Any]:
        """The counts in plain values, and what classes there are."""
        read = self.signals
        found = {"examples": len(read), "classes": as_plain(read.classes)}
        return {**found, "probabilities": not read.is_hard, **super().to_dict()}

    def parts(self) -> Iterator[Part]:
        yield from self.notes
        names = JudgeCounts.__dataclass_fields__
        columns = {name: [getattr(c, name) for c in self.counts] for name in names}
        yield Table(columns)
        if self.unreadable:
            yield "Some texts that name no class:"
            yield from map(repr, self.unreadable)


def read_judges(
    answers: str | PathLike[str],
    *,
    task: str | None = None,
    worker: str | None = None,
    label: str | None = None,
    classes: Sequence[Any] | None = None,
    pattern: str | None = None,
    abstain: Any = None,
    threshold: float | None = None,
) -> JudgeAnswers:
    r"""Read what judges said of examples: JSON lines, or the file of an evaluation tool.

    A line has an id, a judge and a verdict, or is a line of a batch of OpenAI or Anthropic,
    or has a completion in ``response``. All answers of a judge on an example are one vote,
    with a share for every class if answers differ or have log-probabilities. Refusals,
    errors and texts that name no class are abstains, and are counted.

    Parameters
    ----------
    answers : path
        A file, a folder or a pattern such as ``judges/*.jsonl``. Lines that do not name
        their judge are of the judge whose name the file has. Files of tools that evaluate
        (``corral.exchange.EVALUATIONS``) are known by their shape: each scorer is a judge.
    task, worker, label : str, optional
        The fields of the example, the judge and the verdict, where their names do not say
        it (as ``item_id``, ``judge_model`` and ``verdict`` do); ``a.b`` is the field ``b``
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
    threshold : float, optional
        The smallest score that is a pass, where judges give numbers with fractions;
        default: 0.5 in the file of a tool that does not say it itself.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import corral
    >>> lines = [
    ...     {"id": 1, "judge": "a", "verdict": "pass"},
    ...     {"id": 1, "judge": "b", "samples": ["pass", "fail", "pass", "pass"]},
    ...     {"id": 2, "judge": "a", "verdict": "Fail."},
    ...     {"id": 2, "judge": "b", "refusal": "I can't help with that."},
    ... ]
    >>> path = Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> _ = path.write_text("\n".join(map(json.dumps, lines)))
    >>> read = corral.read_judges(path, classes=["fail", "pass"])
    >>> read.signals.probabilities[:, :, 1].tolist()  # of the class "pass"
    [[1.0, 0.75], [0.0, nan]]
    """
    given = class_list(classes)
    known = {as_key(c): c for c in given or ()}
    if given is not None and len(known) < max(2, len(given)):
        raise ParameterError(
            "must name two classes at least, which differ in more than case and "
            f"punctuation; {given} was given.",
            parameter="classes",
        )
    if threshold is not None:
        check_number("threshold", threshold, zero=True)
    inner = "verdict" if label is None else label.split(".")[-1]
    reader = VerdictReader(inner, known, list_abstains(abstain), pattern, threshold)
    told = {"task": task, "worker": worker, "label": label}
    ids: dict[str, Any] = {}  # 1 and "1" are one example
    cells: dict[tuple[str, str], list[Verdict]] = {}
    read: list[Line] = []
    lost: list[tuple[Line, list[Verdict]]] = []  # of a service that names no judge
    lines, notes = read_lines(answers, threshold)
    for file, place, record in lines:
        try:
            line = _read_line(record, told, None if worker else file)
            verdicts = [reader.read(answer) for answer in line.answers]
        except SignalsError as error:
            raise SignalsError(f"{place} {error}.") from None
        except (AttributeError, KeyError, OverflowError, TypeError) as error:
            raise SignalsError(
                f"{place} has an answer of an unknown form ({error!r})."
            ) from error
        read.append(line)
        if line.judge is None:
            lost.append((line, verdicts))
            continue
        cell = str(line.name), line.judge
        ids.setdefault(cell[0], line.name)
        if cell in cells and not line.names_judge:
            raise SignalsError(
                f"{place} is a second answer for {line.name!r}, and no field says by which "
                "judge. Name the field with `worker=`."
            )
        cells.setdefault(cell, []).extend(verdicts)
    judges = {judge for _, judge in cells}
    if len(judges) == 1:
        only = judges.pop()
        for line, verdicts in lost:
            ids.setdefault(str(line.name), line.name)
            cells.setdefault((str(line.name), only), []).extend(verdicts)
    elif lost:
        notes += (f"{len(lost):,} errors that name no judge are left out",)
    if given is None:
        given = _find_classes(
            v.said for each in cells.values() for v in each if v.outcome == "voted"
        )
    votes, counts, unreadable = _tally(cells, list(ids), given)
    if counts:
        _check_unreadable(counts, unreadable)
    if not votes:
        raise SignalsError("no answer names a class. Check `classes=`.")

    fields, said = _gather_fields(read, list(ids))
    return JudgeAnswers(
        make_signals(votes, _as_array(list(ids.values())), [*counts], given),
        tuple(counts.values()),
        fields,
        said,
        line.task,
        tuple(unreadable),
        notes,
    )


def _gather_fields(
    lines: Sequence[Line], ids: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Fields with one value per example; scores and explanations of every judge."""
    fields: dict[str, dict[str, Any]] = {}
    said: dict[str, dict[str, Any]] = {}
    several: set[str] = set()
    for line in lines:
        key = str(line.name)
        reasons = next((each for each in EXPLANATIONS if each in line.others), None)
        kinds = {"score": "score", reasons: "explanation"}
        for column, value in line.others.items():
            nested = isinstance(value, Mapping | list)
            if column in kinds:
                values = said.setdefault(f"{line.judge}: {kinds[column]}", {})
                values[key] = str(value) if nested else value
            elif (
                nested or fields.setdefault(column, {}).setdefault(key, value) != value
            ):
                several.add(column)
    single = {name: values for name, values in fields.items() if name not in several}

    def as_columns(found: Mapping[str, Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
        return {n: _as_array([v.get(key) for key in ids]) for n, v in found.items()}

    return as_columns(single), as_columns(said)


def _find_classes(said: Iterable[Any]) -> list[Any]:
    """The classes without `classes=`: all verdicts, one per key, sorted."""
    spellings: dict[str, Counter[Any]] = {}
    for value in said:
        if value is not None:
            shown = as_key(value) if isinstance(value, bool) else value
            spellings.setdefault(as_key(value), Counter())[shown] += 1
    classes = [counts.most_common(1)[0][0] for counts in spellings.values()]
    if classes in (["pass"], ["fail"]):
        return ["fail", "pass"]
    if any(isinstance(value, float) and value % 1 for value in classes):
        raise SignalsError(
            f"the judges give scores ({join_names(map(repr, classes))}), not classes. Say "
            "from which score on an answer passes with `threshold=`."
        )
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise SignalsError(
            f"the judges name {len(classes)} classes ({join_names(map(repr, classes))}). "
            "Name all of them with `classes=`, and say where verdicts stand in texts with "
            "`pattern=`."
        )
    if any(isinstance(c, str) for c in classes):
        classes = [c if isinstance(c, str) else as_key(c) for c in classes]
    return sorted(classes)


def _tally(
    cells: Mapping[tuple[str, str], list[Verdict]],
    ids: Sequence[str],
    classes: Sequence[Any],
) -> tuple[list[tuple[int, int, int, float]], dict[str, JudgeCounts], list[str]]:
    """Example, judge, class and mean share; counts by judge; and unreadable texts."""
    numbers: dict[str, Counter[str]] = {judge: Counter() for _, judge in cells}
    position = {as_key(value): at for at, value in enumerate(classes)}
    row = {name: at for at, name in enumerate(ids)}
    column = {judge: at for at, judge in enumerate(numbers)}
    votes: list[tuple[int, int, int, float]] = []
    texts: Counter[str] = Counter()
    for (name, judge), verdicts in cells.items():
        number = numbers[judge]
        said = []
        for verdict in verdicts:
            outcome = verdict.outcome
            if outcome == "voted":
                shares = class_shares(verdict, position)
                if shares is None:
                    outcome = "unreadable"
                else:
                    said.append(shares)
            if outcome == "unreadable":  # a verdict stands at the end, if anywhere
                tokens = list(verdict.tokens or {})
                text = str(tokens if verdict.said is None else verdict.said)
                cut = len(text) > MAX_CHARACTERS
                texts[f"...{text[-MAX_CHARACTERS:]}" if cut else text] += 1
            number.update([outcome, "answers"])
        number["examples"] += 1
        number["abstains"] += not said
        number["split"] += len({shares.argmax() for shares in said}) > 1
        for code, share in enumerate(np.mean(said, axis=0).tolist() if said else ()):
            if share > 0:
                votes.append((row[name], column[judge], code, share))
    names = [*JudgeCounts.__dataclass_fields__][1:]
    counts = {
        judge: JudgeCounts(judge, **{name: number[name] for name in names})
        for judge, number in numbers.items()
    }
    return votes, counts, [text for text, _ in texts.most_common(MAX_TEXTS)]


def _check_unreadable(counts: Mapping[str, JudgeCounts], texts: Sequence[str]) -> None:
    """Warn if a judge, refuse if judges together, wrote much that names no class."""
    each = {j: c.unreadable / max(c.answers, 1) for j, c in counts.items()}
    worst = max(each, key=lambda judge: each[judge])
    if each[worst] <= MAX_UNREADABLE_OF_JUDGE:
        return
    n_answers = sum(c.answers for c in counts.values())
    of_all = sum(c.unreadable for c in counts.values()) / n_answers
    refused = of_all > MAX_UNREADABLE
    said = (
        f"{of_all if refused else each[worst]:.0%} of the answers of "
        f"{'the judges' if refused else f'judge {worst!r}'} name no class, such as "
        f"{', '.join(map(repr, texts[:3]))}. Check `classes=`. `pattern=` finds verdicts "
        "within texts, and `abstain=` names verdicts that mean no vote."
    )
    if refused:
        raise SignalsError(said)
    warn_user(said, SignalsWarning)


def _as_array(values: list[Any]) -> NDArray[Any]:
    """Plain values as an array; of their own type if they have one, else objects."""
    odd = any(isinstance(v, bool) or v is None for v in values)
    mixed = len({isinstance(v, str) for v in values}) > 1
    return np.array(values, object) if odd or mixed else np.array(values)


# -- lines --------------------------------------------------------------------------


def is_of_judges(line: Record) -> bool:
    """Whether a line says by its fields that a judge wrote it."""
    if "custom_id" in line:
        return "response" in line or "result" in line
    there = line.keys()
    explained = there & {*VERDICTS} and there & {*EXPLANATIONS}
    return bool(there & {*TASKS} and (there & {*SURE} or explained))


class Line(NamedTuple):
    """What a judge says of an example; no judge if a service failed and names none."""

    task: str  # the field of the example
    name: Any  # of the example
    judge: str | None
    names_judge: bool
    answers: list[Answer]
    others: Record  # fields that are not of the answers


def _read_line(
    record: Record, told: Mapping[str, str | None], file: str | None
) -> Line:
    """The parts of a line, by fields that were told or are known by their names."""
    usual = {"task": TASKS, "worker": JUDGES, "label": VERDICTS}
    at = {
        role: told[role] or next((key for key in names if key in record), names[0])
        for role, names in usual.items()
    }
    payload, answers = _list_answers(record, at["label"])
    name, judge = _get(record, at["task"]), _get(record, at["worker"])
    if payload == {} and judge is None:
        return Line(at["task"], name, None, False, answers, {})
    names_judge = judge is not None or payload is not None
    if judge is None:
        judge = payload.get("model") if payload else file or None
    for role, value in {"task": name, "worker": judge}.items():
        if value is None or isinstance(value, dict | list):
            raise SignalsError(
                f"has no text or number {at[role]!r}; its fields are "
                f"{join_names(map(repr, record))}. Name the field with `{role}=`"
            )
    own = {*(ANSWER if payload is None else ENVELOPE)}
    own |= {path.split(".")[0] for path in at.values()}
    others = {k: v for k, v in record.items() if k not in own and v is not None}
    return Line(at["task"], name, str(judge), names_judge, answers, others)


def _list_answers(line: Record, label: str) -> tuple[Record | None, list[Answer]]:
    """The completion or message in a line, None if it is a plain line; and its answers."""
    paths = "response", "result", "response.body", "result.message"
    for place in (line, *(_get(line, path) for path in paths)):
        if not isinstance(place, dict):
            continue
        if isinstance(place.get("choices"), list):
            return place, [_choice_answer(choice) for choice in place["choices"]]
        if isinstance(place.get("content"), list) and "stop_reason" in place:
            texts = [b.get("text", "") for b in place["content"] if isinstance(b, dict)]
            refused = "refused" if place["stop_reason"] == "refusal" else None
            return place, [Answer("".join(texts), outcome=refused)]
    if "custom_id" in line and any(map(line.get, ("response", "result", "error"))):
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


def _get(line: Record, path: str) -> Any:
    """The value of a field, or of one within another; None if it is not there."""
    if path in line:
        return line[path]
    value: Any = line
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
