"""What every engine does: count the patterns of a table, put labels back on its rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import SignalsError
from corral.patterns import draw_rows
from corral.signals import WeakSignals
from corral.signals.binning import RoundingError, check_bins
from corral.signals.coding import code_votes, is_missing
from corral.signals.frames import fill_missing
from corral.signals.parts import class_vote_parts
from corral.signals.readers import compact
from corral.tables.answers import parse_answers
from corral.tables.names import twins_of

Columns: TypeAlias = dict[str, NDArray[Any]]

ORDERED_UP_TO = 5_000_000
"""Rows up to which the order of rows is kept unless asked not to."""
LOOKED_AT, FEWEST = 10_000, 50
"""Rows looked at for ids among the signals, and how many it takes to tell."""


class VoteTable(ABC):
    """A table of votes in an engine that counts it and joins the labels back.

    Rows never pass through Python; only distinct rows of votes do, and if there are
    very many of those, a sample of them at first and then batch after batch.

    Attributes
    ----------
    columns : list of str
    n_rows : int
        Rows to label, known once read: one an example.
    n_patterns : int
        Distinct rows of votes.
    sampled : bool
        Whether there were too many of those, and a sample of the rows was read.
    cells : int
        Distinct rows times signals that may be in memory at once.
    """

    columns: list[str]
    cells = 50_000_000

    def __init__(self) -> None:
        self._counted: list[str] = []
        self.n_rows = 0
        self.n_patterns = 0
        self.sampled = False
        self._bins: int | None = None
        self._abstain: Any = None
        self._drawn_at: IntArray | None = None  # patterns in the sample

    # -- what an engine does --------------------------------------------------

    @abstractmethod
    def is_text(self, column: str) -> bool:
        """Whether a column holds text."""

    @abstractmethod
    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        """Group the rows by some columns, keep the groups, give the size of each.

        With `bins`, by what the columns are on a grid, ``floor(value bins + 1/2)``; NULL
        where they are `abstain` or NaN.
        """

    @abstractmethod
    def _moves(
        self, columns: Sequence[str], bins: int, abstain: Any
    ) -> list[Sequence[float]]:
        """How far a grid moves every column, and where the column lies.

        Sum, number and maximum of the absolute moves, smallest and largest value.
        """

    @abstractmethod
    def _sort(self) -> FloatArray:
        """Put the groups in an order that depends on their content; again the sizes."""

    @abstractmethod
    def _groups(self, at: slice | IntArray, columns: Sequence[str]) -> NDArray[Any]:
        """(p, m) values of some groups: numbers (NULL: NaN) or text (NULL: None)."""

    @abstractmethod
    def _labelled(self, added: Iterable[Columns], keep_order: bool | None) -> Any:
        """The table in its own kind, with columns that are given a group."""

    @abstractmethod
    def _distinct(self, columns: Sequence[str]) -> list[int]:
        """How many rows were looked at, and distinct values of every column there."""

    @abstractmethod
    def _has_nulls(self, column: str) -> bool:
        """Whether a column has missing values."""

    @abstractmethod
    def _make_tasks(self, task: str, codes: IntArray) -> str:
        """Put one row a task in place of the answers; give the name of their key.

        The key is a text, the codes of all answers to the task in ascending order, as in
        ``"3,17"``. It is counted next, and not shown.

        Parameters
        ----------
        task : str
        codes : (groups,) array of int
            A code for every (worker, answer) counted last; -1 is no answer.
        """

    # -- what all share -------------------------------------------------------

    def choose(
        self, patterns: str | Sequence[str] | None, id_column: str | None
    ) -> list[str]:
        """Signal columns: those that match a pattern, or all but the id."""
        if id_column is not None:
            self._require(id_column)
        chosen: list[str] = []
        if not patterns:
            chosen = [name for name in self.columns if name != id_column]
        for pattern in [patterns] if isinstance(patterns, str) else patterns or ():
            found = [name for name in self.columns if name == pattern]
            found = found or [c for c in self.columns if fnmatchcase(c, pattern)]
            if not found:
                raise SignalsError(
                    f"no column matches {pattern!r}; the table has "
                    f"{', '.join(map(repr, self.columns))}."
                )
            chosen += [name for name in found if name not in chosen]
        if id_column in chosen:
            raise SignalsError(f"the id {id_column!r} is also chosen as a signal.")
        for name in chosen:
            self._require(name)
        return chosen

    def count(
        self,
        columns: Sequence[str],
        *,
        soft: bool = False,
        bins: int | None = None,
        abstain: Any = None,
    ) -> tuple[NDArray[Any], FloatArray]:
        """The distinct rows of some columns, and how often each occurs.

        With more of them than fit in memory, a sample of the rows of the table.

        Parameters
        ----------
        columns : sequence of str
        soft : bool
            They hold probabilities, so a column may differ in every row.
        bins : int, optional
            Round probabilities to multiples of ``1 / bins``.
        abstain : scalar, optional
            What is no probability and not to be rounded.

        Returns
        -------
        votes : (p, m) array
            Numbers (NULL: NaN) or text (NULL: None).
        counts : (p,) array of float
        """
        if bins is not None and not soft:
            raise SignalsError("bins= is for columns of probabilities.")
        if not soft:
            self._refuse_ids(columns)
        self._counted, self._bins = list(columns), bins
        if bins is None:
            counts = self._count(columns)
        else:
            self._rounding = self._round(columns, check_bins(bins), abstain)
            counts = self._count(columns, bins, abstain)
        self.n_rows, self.n_patterns = int(counts.sum()), len(counts)
        most = max(1, self.cells // len(columns))
        self.sampled = self.n_patterns > most
        if not self.sampled:
            return self._values(slice(None)), counts
        drawn = draw_rows(self._sort(), most, np.random.default_rng(0))
        self._drawn_at = at = np.flatnonzero(drawn)
        return self._values(at), drawn[at].astype(float)

    def _round(self, columns: Sequence[str], bins: int, abstain: Any) -> RoundingError:
        """What a grid costs; refuse what is no probability."""
        found = np.array(self._moves(columns, bins, abstain), float)
        low, high = np.nanmin(found[:, 3], initial=0), np.nanmax(found[:, 4], initial=1)
        if low < 0 or high > 1:
            worst = low if low < 0 else high
            raise SignalsError(
                f"probabilities must be between 0 and 1; {worst:g} came. If that value "
                f"means no opinion, pass `abstain={worst:g}`."
            )
        sums, sizes, largest = np.nan_to_num(found[:, :3]).T
        none = np.full(len(sums), np.nan)
        by_signal = np.divide(sums, sizes, out=none, where=sizes > 0)
        mean = float(sums.sum() / max(sizes.sum(), 1))
        return RoundingError(mean, float(largest.max()), by_signal)

    def _values(self, at: slice | IntArray) -> NDArray[Any]:
        """Votes or probabilities of some patterns."""
        groups = self._groups(at, self._counted)
        return groups if self._bins is None else groups / self._bins

    def read(
        self,
        columns: Sequence[str],
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        probabilities: bool = False,
        bins: int | None = None,
    ) -> WeakSignals:
        """Count what is in some columns, and read it as signals."""
        counted = self.count(columns, soft=probabilities, bins=bins, abstain=abstain)
        make = self.soft_signals if probabilities else self.signals
        return make(*counted, classes=classes, abstain=abstain)

    def signals(
        self,
        votes: NDArray[Any],
        counts: FloatArray,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
    ) -> WeakSignals:
        """Votes that `count` gave, as signals."""
        self._abstain = abstain
        if self.sampled and classes is None:
            classes = self._seen_classes(abstain)
        read = WeakSignals.from_votes(
            fill_missing(votes, abstain),
            classes=classes,
            abstain=abstain,
            names=self._counted,
            counts=counts * (self.n_rows / counts.sum()),
        )
        return WeakSignals(replace(read._parts, drawn=self._drawn(counts)), read.names)

    def soft_signals(
        self,
        probabilities: NDArray[Any],
        counts: FloatArray,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
    ) -> WeakSignals:
        """Probabilities that `count` gave, as signals."""
        self._abstain = abstain
        read = WeakSignals.from_probabilities(
            fill_missing(probabilities, abstain),
            classes=classes,
            abstain=abstain,
            names=self._counted,
            counts=counts * (self.n_rows / counts.sum()),
            bins=self._bins,
        )
        parts = replace(read._parts, drawn=self._drawn(counts))
        if self._bins is not None:
            parts = replace(parts, rounding=self._rounding)
        return WeakSignals(parts, read.names)

    def _seen_classes(self, abstain: Any) -> list[Any]:
        """All classes that were voted for, also those that are not in the sample."""
        seen: set[Any] = set()
        for batch in self.batches():
            seen.update(np.asarray(batch).ravel().tolist())
        values = [value for value in seen if not is_missing(value)]
        array = np.array(values, object if isinstance(values[0], str) else None)
        return code_votes(fill_missing(array, abstain), None, abstain)[1].tolist()

    def _drawn(self, counts: FloatArray) -> int | None:
        return int(counts.sum()) if self.sampled else None

    def read_answers(
        self,
        task: str,
        worker: str,
        label: str,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
    ) -> WeakSignals:
        """Read a long table, one vote a row; afterwards it has one row a task."""
        for name in (task, worker, label):
            self._require(name)
        for name in (task, worker):
            if self._has_nulls(name):
                raise SignalsError(
                    f"column {name!r} has missing values; drop those rows."
                )
        everything = slice(None)
        self._count([worker, label])
        workers = self._groups(everything, [worker])[:, 0].astype(str)
        answers = fill_missing(self._groups(everything, [label])[:, 0], abstain)
        values, named = code_votes(answers, classes, abstain)
        names, columns = np.unique(workers, return_inverse=True)
        said = values >= 0
        codes = np.where(said, np.cumsum(said) - 1, -1)
        self._counted = [self._make_tasks(task, codes)]
        counts = self._count(self._counted)
        self.n_rows, self.n_patterns = int(counts.sum()), len(counts)
        keys = self._groups(everything, self._counted)[:, 0]
        votes = parse_answers(keys, columns[said], values[said], len(names))
        parts = class_vote_parts(compact(votes, len(named)), named)
        parts = replace(parts, counts=counts, abstain=abstain)
        self.columns = [task]
        return WeakSignals(parts, names.tolist())

    def rows(self, columns: Sequence[str]) -> Columns:
        """Some columns in memory, sorted, each in its own type; NULL: NaN or None."""
        for name in columns:
            self._require(name)
        self._count(columns)
        counts = self._sort().astype(int)
        return {
            name: np.repeat(self._groups(slice(None), [name])[:, 0], counts)
            for name in columns
        }

    def batches(self) -> Iterator[NDArray[Any] | None]:
        """Votes to label, in the order in which `labelled` takes their labels.

        None stands for what was read; that is all of it unless a sample was.
        """
        if not self.sampled:
            yield None
            return
        step = max(1, self.cells // len(self._counted) // 4)
        for start in range(0, self.n_patterns, step):
            stop = min(start + step, self.n_patterns)
            yield fill_missing(self._values(slice(start, stop)), self._abstain)

    def labelled(self, added: Iterable[Columns], keep_order: bool | None = None) -> Any:
        """The table in its own kind, with columns that are given a pattern.

        Parameters
        ----------
        added : iterable of dict
            Arrays by name, for one after the other of `batches`.
        keep_order : bool, optional
            Keep the order of rows. Where that takes a sort, the default is to do it up
            to five million rows.
        """
        return self._labelled(map(self._checked, added), keep_order)

    def _require(self, name: str) -> None:
        """Refuse a column that is not there, or that the engine cannot group by."""
        if name not in self.columns:
            raise SignalsError(
                f"no column named {name!r}; the table has "
                f"{', '.join(map(repr, self.columns))}."
            )

    def _refuse_ids(self, columns: Sequence[str]) -> None:
        """Stop before counting a column that has a new value in nearly every row."""
        n, *distinct = self._distinct(columns)
        for name, different in zip(columns, distinct, strict=True):
            if n >= FEWEST and different > n / 2:
                raise SignalsError(
                    f"column {name!r} has another value in nearly every row, so it is "
                    "no signal. Name it with `id=`, or choose the columns with "
                    "`signals=`; probabilities need `probabilities=True`."
                )

    def _checked(self, added: Columns) -> Columns:
        taken = {column.lower() for column in self.columns}
        clash = [name for name in added if name.lower() in taken]
        if clash:
            raise SignalsError(
                f"the table already has a column {clash[0]!r} (upper and lower case are "
                "the same). Give the added columns another `prefix=`."
            )
        if twins := twins_of(added):
            raise SignalsError(
                f"two classes would have the column {twins[0]!r}: upper and lower case "
                "are the same. Rename one of the classes."
            )
        return added

    def _check_order(self, ordered: bool) -> None:
        """Refuse labels of which nobody could tell whose they are."""
        if not ordered and not set(self.columns) - set(self._counted):
            raise SignalsError(
                "every column is a signal and the order of rows is not kept, so nothing "
                "would tell whose labels these are. Keep the order, or add a column "
                "with an id."
            )
