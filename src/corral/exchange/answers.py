"""Answers of annotators, and what every annotation tool has to say how to read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError
from corral.exchange.records import Record
from corral.signals import WeakSignals

AGENT = "corral"
"""The name under which suggestions are written, and never read as votes."""
MAX_FREE_CLASSES = 100
"""More different answers than this, if they are most answers, are free text."""
MIN_SURE_SHARE = 1 - 1e-9
"""A share from which on it is a vote."""


def make_signals(
    votes: Iterable[tuple[int, int, int, float]],
    ids: NDArray[Any],
    names: Sequence[str],
    classes: Sequence[Any],
) -> WeakSignals:
    """Signals from (example, signal, class, share) by position.

    Class votes if every signal is sure of all it says, else probabilities.

    Parameters
    ----------
    votes : iterable of tuples
        At least one; shares of a signal on an example add up to one.
    ids : (n,) array
    names, classes : sequence
    """
    row, column, code, share = map(np.array, zip(*votes, strict=True))
    n, m, k = len(ids), len(names), len(classes)
    sure = share >= MIN_SURE_SHARE
    if sure.sum() == len(np.unique(row * m + column)):
        sparse = csr_array((code[sure], (row[sure], column[sure])), (n, m))
        made = WeakSignals.from_votes(sparse, classes=range(k))
    else:
        shares = np.full((n, m, k), np.nan)
        shares[row, column] = 0.0
        shares[row, column, code] = share
        made = WeakSignals.from_probabilities(shares)
    named = replace(made._data, classes=np.array(classes), index=ids)
    return WeakSignals(named, names)


def list_votes(signals: WeakSignals) -> list[list[int]]:
    """Example, signal and class of every hard vote, by position."""
    votes: list[list[int]] = np.column_stack(signals.cells()).tolist()
    return votes


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """Answers of annotators, as `corral.read_annotations` found them; print it.

    Attributes
    ----------
    format : str
        The tool that wrote the file, such as ``"label-studio"``.
    signals : WeakSignals
        One example per task or record, one signal per annotator.
    known : (n,) array of object
        The class of examples that the file says is true; None where it does not.
    texts : (n,) list of str or None
        None where it is not clear which field is the text.
    records : (n,) sequence of dict
        The examples as the tool wrote them, which `corral.write_annotations` adds to.
    question : str or None
        The control or question that was answered, where the tool names it.
    target : str or None
        What that is about: ``to_name`` of Label Studio.
    skipped : dict of str to int
        How many answers were left out, by the reason.
    path : Path or None
        The file or folder, if it was one.
    """

    format: str
    signals: WeakSignals
    known: NDArray[Any]
    texts: list[str] | None
    records: Sequence[Record]
    question: str | None = None
    target: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    path: Path | None = None

    @property
    def ids(self) -> NDArray[Any]:
        """(n,) what the tool calls every example."""
        ids: Any = self.signals.index
        return ids

    def __len__(self) -> int:
        return len(self.signals)

    def to_dict(self) -> dict[str, Any]:
        """What was found, in plain values."""
        return {
            "format": self.format,
            "question": self.question,
            "examples": len(self),
            "signals": list(self.signals.names),
            "classes": self.signals.classes.tolist(),
            "votes": len(list_votes(self.signals)),
            "known": sum(value is not None for value in self.known),
            "skipped": dict(self.skipped),
        }

    def __str__(self) -> str:
        found = self.to_dict()
        lines = [
            f"{self.format}: {found['examples']:,} examples, {len(found['signals']):,} "
            f"signals, {found['votes']:,} votes, {found['known']:,} known labels"
        ]
        lines += [f"skipped: {why} ({n:,})" for why, n in self.skipped.items()]
        return "\n".join(lines)

    __repr__ = __str__

    def to_long(self) -> list[Record]:
        """One row per vote: task, worker, label, known and text."""
        names, classes = self.signals.names, self.signals.classes.tolist()
        ids = self.ids.tolist()
        return [
            {
                "task": ids[row],
                "worker": names[column],
                "label": classes[vote],
                "known": self.known[row],
                "text": None if self.texts is None else self.texts[row],
            }
            for row, column, vote in list_votes(self.signals)
        ]


@dataclass(frozen=True)
class Labels:
    """Labels to write.

    Attributes
    ----------
    answers : (n,) list
        Classes; None where there is no answer.
    soft : (n, k) array of float
    classes : (k,) list
    """

    answers: list[Any]
    soft: FloatArray
    classes: list[Any]


@dataclass(frozen=True)
class Suggestion:
    """The label of one example, to be shown to who annotates it.

    Attributes
    ----------
    number : int
        Of the example, from 0.
    text : str or None
    label : class value or None
        None: there is no answer.
    confidence : float
        The probability of the label.
    question, target : str or None
        As in `Annotations`.
    classes : list
    """

    number: int
    text: str | None
    label: Any
    confidence: float
    question: str | None
    target: str | None
    classes: list[Any]


Records: TypeAlias = Sequence[tuple[str, Record]]
"""With the name of the file that each is from."""


@dataclass(frozen=True)
class JsonTool:
    """A tool whose files are records in JSON or JSON lines.

    Attributes
    ----------
    name, title : str
        As options and as messages have it.
    expected : str
        What a record looks like, in a few words.
    options : tuple of str
        Options of `corral.read_annotations` that `collect` takes.
    knows : callable
        Whether a record is one of this tool.
    collect : callable
        Notes `Records` on an `AnswerSheet`.
    suggest : callable
        A record with a suggestion: one of this tool, or a new one of a text.
    """

    name: str
    title: str
    expected: str
    options: tuple[str, ...]
    knows: Callable[[Record], bool]
    collect: Callable[..., None]
    suggest: Callable[[Record | None, Suggestion], Record]


@dataclass(frozen=True)
class FolderTool:
    """A tool that keeps examples in a folder of its own.

    Attributes
    ----------
    name, title, expected, options
        As for `JsonTool`.
    knows : callable
        Whether a path is of this tool.
    collect : callable
        Notes what is at a path on an `AnswerSheet`.
    write : callable
        Writes a folder from annotations or None, texts or None, and labels.
    """

    name: str
    title: str
    expected: str
    options: tuple[str, ...]
    knows: Callable[[Path], bool]
    collect: Callable[..., None]
    write: Callable[[Path, Annotations | None, list[str] | None, Labels | None], None]


class AnswerSheet:
    """Examples, votes and known labels, as a tool comes across them.

    Parameters
    ----------
    abstain : sequence
        Answers that are no vote, such as ``"unsure"``.

    Attributes
    ----------
    question, target : str or None
        As in `Annotations`; a tool sets them.
    classes : sequence or None
        All classes, where the file lists them.
    """

    def __init__(self, abstain: Sequence[Any] = ()) -> None:
        self.question: str | None = None
        self.target: str | None = None
        self.classes: Sequence[Any] | None = None
        self.records: Any = []
        self.texts: list[str | None] = []
        self.skipped: Counter[str] = Counter()
        self._abstain = set(map(str, abstain))  # in a shell, a number is a text
        self._contents: list[Any] = []
        self._row: dict[str, int] = {}
        self._has_text_names = False
        self._column: dict[str, int] = {}
        self._votes: dict[tuple[int, str], Any] = {}
        self._known: dict[int, Any] = {}

    def add_example(
        self, names: Sequence[Any], record: Record, text: Any, content: Any = None
    ) -> int:
        """The row of an example, which is new unless its name is known already.

        Parameters
        ----------
        names : sequence
            What it may be called: the first that is text or a number; or its own number.
        record : dict
        text : str, or anything else if there is none
        content : object
            What two records of one example share, if there is no text.
        """
        own = f"row {len(self.texts) + 1}"
        while own in self._row:
            own += "'"
        name = next((each for each in names if isinstance(each, str | int)), own)
        self._has_text_names |= type(name) is not int
        row = self._row.setdefault(str(name), len(self.texts))
        text = text if isinstance(text, str) else None
        content = content if text is None else text
        if row == len(self.texts):
            self.records.append(record)
            self.texts.append(text)
            self._contents.append(content)
        elif self._contents[row] != content:
            raise SignalsError(
                f"{name!r} names two examples with different content, "
                f"{self._contents[row]!r:.40} and {content!r:.40}. Read files of "
                "different projects one by one."
            )
        return row

    def add_signal(self, signal: Any) -> None:
        """Give a signal the next column, unless it has one."""
        self._column.setdefault(str(signal), len(self._column))

    def add_answer(self, row: int, signal: Any, said: Sequence[Any]) -> None:
        """Note the classes that a signal names: a vote, if it is just one.

        The last answer of a signal on an example counts, also if it is no vote.
        """
        self.take_back(row, signal)
        if len(said) != 1:
            self.skip("answers of several classes" if said else "answers of no class")
        elif self._is_class(said[0]):
            self.add_signal(signal)
            self._votes[row, str(signal)] = said[0]

    def take_back(self, row: int, signal: Any) -> None:
        """Forget what a signal said."""
        if self._votes.pop((row, str(signal)), None) is not None:
            self.skip("earlier answers of an annotator who answered again")

    def add_known(self, row: int, value: Any) -> None:
        """Note the class that the file says is true."""
        if not self._is_class(value):
            return
        if self._known.setdefault(row, value) not in (value, None):
            self.skip("true labels that contradict an earlier one of the example")
            self._known[row] = None

    def skip(self, why: str) -> None:
        """Count something that is left out."""
        self.skipped[why] += 1

    def _is_class(self, value: Any) -> bool:
        if value is None:
            self.skip("answers of no class")
        elif isinstance(value, bool) or not isinstance(value, str | int):
            self.skip(f"answers that are no class but a {type(value).__name__}")
        elif str(value) in self._abstain:
            self.skip("answers that mean no vote")
        else:
            return True
        return False

    def finish(self, format: str, classes: Sequence[Any] | None = None) -> Annotations:
        """All that was noted.

        Parameters
        ----------
        format : str
        classes : sequence, optional
            All classes in order; default: those that the file lists, or those voted for
            or known, sorted.
        """
        if not self._votes:
            skipped = ", ".join(f"{why} ({n:,})" for why, n in self.skipped.items())
            raise SignalsError(
                "no answer names one class of an example; skipped: "
                f"{skipped or 'nothing'}. corral labels single choices, not spans, boxes, "
                "rankings or free text."
            )
        values = self._check_classes(self.classes if classes is None else classes)
        code = {value: at for at, value in enumerate(values)}
        votes = (
            (row, self._column[signal], code[value], 1.0)
            for (row, signal), value in self._votes.items()
        )
        ids = [*self._row] if self._has_text_names else [*map(int, self._row)]
        known = np.full(len(ids), None, object)
        for row, value in self._known.items():
            known[row] = value
        texts = [text for text in self.texts if text is not None]
        return Annotations(
            format,
            make_signals(votes, np.array(ids), list(self._column), values),
            known,
            texts if len(texts) == len(ids) else None,
            self.records,
            self.question,
            self.target,
            dict(self.skipped),
        )

    def _check_classes(self, given: Sequence[Any] | None) -> list[Any]:
        said = [*self._votes.values(), *self._known.values()]
        found = {value for value in said if value is not None}
        if len({isinstance(value, str) for value in found}) > 1:
            raise SignalsError(
                "answers must be all text or all numbers; both came, such as "
                f"{min(found, key=str)!r} and {max(found, key=str)!r}."
            )
        if given is None:
            if len(found) > MAX_FREE_CLASSES and 2 * len(found) > len(said):
                raise SignalsError(
                    f"{len(said):,} answers say {len(found):,} different things, so they "
                    f"are free text, not classes. Name another `question=`."
                )
            if len(found) < 2:
                raise SignalsError(
                    f"all answers say {found.pop()!r}; a labeling problem has at least two "
                    f"classes. Name them all with `classes=`."
                )
            return sorted(found)
        values = list(given)
        if not any(isinstance(value, str) for value in found):  # a shell has texts only
            with suppress(ValueError):
                values = [int(v) if isinstance(v, str) else v for v in given]
        values = list(dict.fromkeys(values))
        unknown = sorted(found.difference(values))
        if unknown or len(values) < 2:
            what = f"{unknown[0]!r} came" if unknown else f"{values} was given"
            raise SignalsError(
                f"`classes=` must name every class, two at least; {what}."
            )
        return values


def choose_question(found: Iterable[str], wanted: str | None) -> str | None:
    """The question that is read: the one there is, or the one that was named."""
    names = list(dict.fromkeys(found))
    if wanted is not None and wanted not in names:
        listed = ", ".join(map(repr, names)) or "none that has a single choice"
        raise ParameterError(
            f"{wanted!r} has no answers in the file; there are {listed}.",
            parameter="question",
        )
    if wanted is None and len(names) > 1:
        raise SignalsError(
            f"the file has answers to {', '.join(map(repr, names))}. Choose one with "
            f"`question={names[0]!r}`."
        )
    return wanted if wanted is not None else next(iter(names), None)


def choose_text(record: Mapping[str, Any], wanted: str | None) -> Any:
    """The text of an example: the field that was named, or that is clearly the one."""
    if wanted is not None:
        return record.get(wanted)
    if "text" in record:
        return record["text"]
    texts = [value for value in record.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def refuse_options(title: str, given: Mapping[str, Any]) -> None:
    """Refuse options of `corral.read_annotations` that a tool does not have."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ParameterError(f"is not for files of {title}.", parameter=name)
