"""Answers of annotators, and the sheet on which a tool's module notes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral.errors import ParameterError, SignalsError
from corral.exchange.records import Record
from corral.results import Part, Result
from corral.votes import Kind, Schema, WeakSignals
from corral.votes.reading import check_names

AGENT = "corral"
"""The name under which suggestions are written, and never read as votes."""
MAX_FREE_CLASSES = 100
"""With more different answers than this, most of them given once, all is free text."""
MIN_TEXTS = 20
"""With so many answers, most of them different, a question holds the texts of tasks."""
MIN_SURE_SHARE = 1 - 1e-9
"""Smallest share of a class that counts as a vote for it."""


def make_signals(
    votes: Iterable[tuple[int, int, int, float]],
    ids: NDArray[Any],
    names: Sequence[str],
    classes: Sequence[Any],
) -> WeakSignals:
    """Signals from (example, signal, class, share), by position.

    These are class votes if every signal is sure of all it says, else probabilities.
    """
    row, column, code, share = map(np.array, zip(*votes, strict=True))
    n, m, k = len(ids), len(names), len(classes)
    sure = share >= MIN_SURE_SHARE
    if sure.sum() == len(np.unique(row * m + column)):
        codes = csr_array((code[sure] + 1, (row[sure], column[sure])), (n, m))
        given = check_names(names, m)
        schema = Schema(Kind.CLASS_VOTES, np.array(classes), m, given)
        return WeakSignals.from_codes(codes, schema, index=ids)
    shares = np.full((n, m, k), np.nan)
    shares[row, column] = 0.0
    shares[row, column, code] = share
    made = WeakSignals.from_probabilities(shares, classes=classes, names=names)
    return made._with(index=ids)


@dataclass(frozen=True, eq=False, repr=False)
class Annotations(Result):
    """Answers of annotators, as `corral.read_annotations` found them; print it.

    A question is what people answered, a target what that is about (``to_name``), where
    the tool names them.
    """

    format: str  # the tool that wrote the file, such as "label-studio"
    signals: WeakSignals  # one example per task or record, one signal per annotator
    known: NDArray[Any]  # (n,) true classes that the file has; None for others
    texts: list[str] | None  # (n,) None if no field is clearly the text
    records: Sequence[Record]  # (n,) as the tool wrote them
    question: str | None = None
    target: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many answers were left out, by the reason."""
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
            "votes": int(self.signals.cast.sum()),
            "known": sum(value is not None for value in self.known),
            "skipped": dict(self.skipped),
        }

    title = "What annotators answered"

    def parts(self) -> Iterator[Part]:
        found = self.to_dict()
        read = (
            f"{self.format}: {found['examples']:,} examples, {len(found['signals']):,} "
            f"signals, {found['votes']:,} votes, {found['known']:,} known labels"
        )
        skipped = (f"skipped: {why} ({n:,})" for why, n in self.skipped.items())
        yield "\n".join([read, *skipped])


class Suggestion(NamedTuple):
    """The label of one example, None without an answer; the rest as in `Annotations`."""

    number: int
    text: str | None
    label: Any
    confidence: float
    question: str | None
    target: str | None


def _is_text(answers: Mapping[Any, Any]) -> bool:
    return len(answers) >= MIN_TEXTS and len({*answers.values()}) > 0.9 * len(answers)


class AnswerSheet:
    """Examples, votes and known labels, as a tool comes across them.

    `options` are those of `corral.read_annotations`; the tool sets `target`.
    """

    def __init__(self, options: Mapping[str, Any], abstain: Sequence[Any]) -> None:
        self.options = options
        self.question: str | None = None
        self.target: str | None = None
        self.records: list[Record] = []
        self.texts: list[str | None] = []
        self.skipped: Counter[str] = Counter()
        self._abstain = set(map(str, abstain))  # in a shell, a number is a text
        self._contents: list[Any] = []
        self._names: list[Any] = []
        self._row: dict[str, int] = {}  # 1 and "1" are one example
        self._column: dict[str, int] = {}
        self._votes: dict[tuple[int, str], Any] = {}
        self._known: dict[int, Any] = {}

    def choose_question(self, found: Iterable[tuple[str, Any, Any]]) -> None:
        """Read the question there is, or the one that was named.

        `found` are questions, each with an example and an answer. A question whose answers
        are nearly all different holds the texts of the examples, and is not chosen.
        """
        said: dict[str, dict[tuple[Any, Any], Any]] = {}
        for question, example, answer in found:
            said.setdefault(question, {})[example, answer] = answer
        names, wanted = list(said), self.options["question"]
        if wanted is None:
            names = [name for name in names if not _is_text(said[name])] or names
        if wanted is None and len(names) > 1:
            raise SignalsError(
                f"the file has answers to {', '.join(map(repr, names))}. Choose one with "
                f"`question={names[0]!r}`."
            )
        if wanted is not None and wanted not in names:
            raise ParameterError(
                f"{wanted!r} has no answers in the file; {names} have.",
                parameter="question",
            )
        self.question = next(iter(names), None) if wanted is None else wanted

    def choose_text(self, record: Mapping[str, Any], usual: str = "text") -> Any:
        """The text of a record: the field that was named, or that is clearly the one."""
        wanted = self.options["text"] or usual
        if wanted in record or self.options["text"]:
            return record.get(wanted)
        texts = [value for value in record.values() if isinstance(value, str)]
        return texts[0] if len(texts) == 1 else None

    def add_example(
        self, names: Sequence[Any], record: Record, text: Any, content: Any = None
    ) -> int:
        """The row of an example, which is new unless its name is known already.

        Its name is the first of `names` that is text or a number, else its place. Two
        records of one example have the same text, or without a text the same `content`.
        """
        own = f"row {len(self.texts) + 1}"
        name = next((each for each in names if isinstance(each, str | int)), own)
        row = self._row.setdefault(str(name), len(self.texts))
        text = text if isinstance(text, str) else None
        content = content if text is None else text
        if row == len(self.texts):
            self._names.append(name)
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

    def add_answer(self, row: int, signal: Any, said: Sequence[Any]) -> None:
        """A vote, if it is one class; the last answer counts, even if it is no vote."""
        if self._votes.pop((row, str(signal)), None) is not None:
            self.skip("earlier answers of an annotator who answered again")
        if len(said) != 1:
            self.skip("answers of several classes" if said else "answers of no class")
        elif self._is_class(said[0]):
            self._column.setdefault(str(signal), len(self._column))
            self._votes[row, str(signal)] = said[0]

    def add_known(self, row: int, value: Any) -> None:
        """Note the class that the file says is true."""
        if self._is_class(value) and self._known.setdefault(row, value) not in (
            value,
            None,
        ):
            self.skip("true labels that contradict an earlier one of the example")
            self._known[row] = None

    def skip(self, why: str) -> None:
        """Count something that is left out."""
        self.skipped[why] += 1

    def _is_class(self, value: Any) -> bool:
        if value is None:
            self.skip("answers of no class")
        elif isinstance(value, bool) or not isinstance(value, str | int):
            self.skip(f"answers of the type {type(value).__name__}")
        elif str(value) in self._abstain:
            self.skip("answers that mean no vote")
        else:
            return True
        return False

    def finish(self, format: str, classes: Sequence[Any] | None = None) -> Annotations:
        """All that was noted; `classes` are all in order, if somebody names them."""
        if not self._votes:
            skipped = ", ".join(f"{why} ({n:,})" for why, n in self.skipped.items())
            raise SignalsError(
                f"in the file, read as one of {format}, no answer names one class of an "
                f"example; skipped: {skipped or 'nothing'}. corral labels single choices."
            )
        values = self._find_classes(classes)
        code = {value: at for at, value in enumerate(values)}
        votes = (
            (row, self._column[signal], code[value], 1.0)
            for (row, signal), value in self._votes.items()
        )
        ids = np.array(self._names)  # texts, if one of them is
        known = np.array([self._known.get(row) for row in range(len(ids))], object)
        texts = [text for text in self.texts if text is not None]
        return Annotations(
            format,
            make_signals(votes, ids, list(self._column), values),
            known,
            texts if len(texts) == len(ids) else None,
            self.records,
            self.question,
            self.target,
            dict(self.skipped),
        )

    def _find_classes(self, given: Sequence[Any] | None) -> list[Any]:
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
                    f"{len(said):,} answers say {len(found):,} different things: that is "
                    f"free text. Name another `question=`."
                )
            given = sorted(found)
        values = list(dict.fromkeys(given))
        if not any(isinstance(value, str) for value in found):
            with suppress(ValueError):  # a shell has texts only
                values = [int(v) if isinstance(v, str) else v for v in values]
        unknown = sorted(found.difference(values))
        if unknown or len(values) < 2:
            came = unknown[0] if unknown else values
            raise SignalsError(
                f"name all classes, two at least, with `classes=`; {came!r} came."
            )
        return values
