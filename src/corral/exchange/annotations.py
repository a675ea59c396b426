"""What a file of an annotation tool holds, and the sheet on which it is collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.signals import WeakSignals
from corral.signals.signal_data import class_vote_data
from corral.signals.vote_matrix import Cells, compact, store_cells

FREE_TEXT = 100
"""More different answers than this, and more than half of all, are no classes."""
Record = dict[str, Any]
"""An example as the tool wrote it."""


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
            "votes": len(self.signals.cells().row),
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
            for row, column, vote in np.column_stack(self.signals.cells()).tolist()
        ]


class AnswerSheet:
    """Examples, votes and known labels, as a reader comes across them.

    Parameters
    ----------
    abstain : sequence
        Answers that are no vote, such as ``"unsure"``.
    """

    def __init__(self, abstain: Sequence[Any] = ()) -> None:
        self.records: list[Record] = []
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
        own = f"row {len(self.records) + 1}"
        while own in self._row:
            own += "'"
        name = next((each for each in names if isinstance(each, str | int)), own)
        self._has_text_names |= type(name) is not int
        row = self._row.setdefault(str(name), len(self.records))
        text = text if isinstance(text, str) else None
        content = content if text is None else text
        if row == len(self.records):
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

    def add_signal(self, signal: Any) -> str:
        """The name of a signal, which gets the next column unless it has one."""
        name = str(signal)
        self._column.setdefault(name, len(self._column))
        return name

    def add_vote(self, row: int, signal: Any, value: Any) -> None:
        """Note what a signal says; of two answers of one signal, the last counts."""
        self.take_back(row, signal)
        if self._takes(value):
            self._votes[row, self.add_signal(signal)] = value

    def take_back(self, row: int, signal: Any) -> None:
        """Forget what a signal said: its last answer counts, also if it is no vote."""
        if self._votes.pop((row, str(signal)), None) is not None:
            self.skip("earlier answers of an annotator who answered again")

    def add_known(self, row: int, value: Any) -> None:
        """Note the class that the file says is true."""
        if not self._takes(value):
            return
        if self._known.setdefault(row, value) not in (value, None):
            self.skip("true labels that contradict an earlier one of the example")
            self._known[row] = None

    def skip(self, why: str, times: int = 1) -> None:
        """Count something that is left out."""
        self.skipped[why] += times

    def _takes(self, value: Any) -> bool:
        if value is None:
            self.skip("answers of no class")
            return False
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.skip(f"answers that are no class but a {type(value).__name__}")
            return False
        if str(value) in self._abstain:
            self.skip("answers that mean no vote")
            return False
        return True

    def finish(
        self,
        format: str,
        classes: Sequence[Any] | None = None,
        *,
        question: str | None = None,
        target: str | None = None,
        records: Sequence[Record] | None = None,
    ) -> Annotations:
        """All that was noted.

        Parameters
        ----------
        format : str
        classes : sequence, optional
            All classes in order; default: those voted for or known, sorted.
        question, target : str, optional
        records : sequence, optional
            The examples as the tool holds them, if that is not a list of dicts.
        """
        if not self._votes:
            skipped = ", ".join(f"{why} ({n:,})" for why, n in self.skipped.items())
            raise SignalsError(
                "no answer names one class of an example; skipped: "
                f"{skipped or 'nothing'}. corral labels single choices, not spans, boxes, "
                "rankings or free text."
            )
        values = self._check_classes(classes)
        position = {value: code for code, value in enumerate(values)}
        cells = Cells(
            np.array([row for row, _ in self._votes]),
            np.array([self._column[signal] for _, signal in self._votes]),
            np.array([position[value] for value in self._votes.values()]),
        )
        shape = (len(self.records), len(self._column))
        votes = compact(store_cells(cells, shape), len(values))
        names = np.array(
            [*self._row] if self._has_text_names else [*map(int, self._row)]
        )
        data = class_vote_data(votes, np.array(values), names)
        known = np.full(len(self.records), None, object)
        for row, value in self._known.items():
            known[row] = value
        texts = [text for text in self.texts if text is not None]
        return Annotations(
            format,
            WeakSignals(data, list(self._column)),
            known,
            texts if len(texts) == len(self.records) else None,
            self.records if records is None else records,
            question,
            target,
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
            if len(found) > FREE_TEXT and 2 * len(found) > len(said):
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
        values = list(dict.fromkeys(_like_answers(given, found)))
        unknown = sorted(found.difference(values))
        if unknown or len(values) < 2:
            what = f"{unknown[0]!r} came" if unknown else f"{values} was given"
            raise SignalsError(
                f"`classes=` must name every class, two at least; {what}."
            )
        return values


def _like_answers(given: Sequence[Any], found: set[Any]) -> list[Any]:
    """Classes as a user lists them, as numbers if answers are: a shell has texts only."""
    if any(isinstance(value, str) for value in found):
        return list(given)
    try:
        return [int(value) if isinstance(value, str) else value for value in given]
    except ValueError:  # not a number, so it is none of the classes
        return list(given)
