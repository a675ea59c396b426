"""Tables of votes: count their patterns, read these as signals, label their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.errors import SignalsError
from corral.tables.column_names import refuse_clash
from corral.votes import WeakSignals
from corral.votes.binning import RoundingError, check_bins
from corral.votes.coding import code_votes, is_missing, take_one_abstain
from corral.votes.frames import choose_columns, fill_missing
from corral.votes.other_columns import refuse_other_columns
from corral.votes.patterns import draw_rows
from corral.votes.probability_columns import (
    ProbabilityColumns,
    group_columns,
)
from corral.votes.readers import Coding, read_probabilities
from corral.votes.signal_data import class_vote_data
from corral.votes.vote_matrix import Cells, compact, store_cells

Columns: TypeAlias = dict[str, NDArray[Any]]
ORDERED_UP_TO = 5_000_000
"""Rows up to which the order of rows is kept unless asked not to."""
CODING = Coding()
"""Votes as they are read if nothing is said of them."""


class VoteTable(ABC):
    """A table of votes in an engine that counts its patterns and joins their labels.

    Python never sees single rows, only distinct rows of votes: all of them, or where
    they do not fit in memory a sample to fit on, and then batches to label.

    Attributes
    ----------
    columns : list of str
    n_rows : int
        Rows to label, known once read: one per example.
    n_patterns : int
        Distinct rows of votes.
    sampled : bool
        Whether they did not fit in memory, so that a sample of the rows was read.
    cells : int
        Votes of patterns (their number times signals) that may be in memory at once.
    sample_at : array of int, or None
        Positions of the patterns that were read, among all of them, where `sampled`.
    """

    columns: list[str]
    cells = 50_000_000
    gap_texts: tuple[str, ...] = ()
    """Texts that mean no vote in columns of numbers, such as "N/A"."""

    def __init__(self) -> None:
        self._counted: list[str] = []
        self.n_rows = 0
        self.n_patterns = 0
        self.sampled = False
        self._bins: int | None = None
        self._abstain: Any = None
        self._signals_named = False  # by the user, rather than guessed
        self._groups_of: ProbabilityColumns | None = None
        self._as_written: set[str] = set()  # columns that stay text, as ids do
        self.sample_at: IntArray | None = None  # positions of the patterns sampled

    def choose(
        self,
        signals: str | Sequence[str] | None,
        id_columns: str | Sequence[str] | None = None,
    ) -> list[str]:
        """Signal columns: those named, or that match a pattern, or all but the ids."""
        self._signals_named = bool(signals)
        ids = choose_columns(self.columns, id_columns or (), twice=True)
        if signals:
            chosen = choose_columns(self.columns, signals, twice=True)
        else:
            chosen = [name for name in self.columns if name not in ids]
        for name in ids:
            if name in chosen:
                raise SignalsError(f"the id {name!r} is also chosen as a signal.")
        if not chosen:
            raise SignalsError(
                f"no signal is left: `id=` names every column, "
                f"{', '.join(map(repr, self.columns))}."
            )
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
        """The distinct rows of some columns, sorted, and how often each occurs.

        With more of them than fit in memory, a sample of the rows of the table.

        Parameters
        ----------
        columns : sequence of str
        soft : bool
            They hold probabilities, so a column may differ in every row.
        bins : int, optional
            Round probabilities to multiples of ``1 / bins``.
        abstain : scalar, optional
            The number that means no opinion, so that it is not rounded.

        Returns
        -------
        votes : (p, m) array
            Numbers (NULL: NaN) or text (NULL: None).
        counts : (p,) array of float
        """
        if bins is not None and not soft:
            raise SignalsError("`bins=` is for columns of probabilities.")
        self._learn_types(columns, counted=not soft)
        if not soft:
            self.keep_codes(columns)
        self._counted, self._bins = list(columns), bins
        if bins is None:
            self._count(columns)
        else:
            self._rounding = self._round(columns, check_bins(bins), abstain)
            self._count(columns, bins, abstain)
        # An engine with several threads counts in any order, and so would sums be.
        counts = self._sort()
        self.n_rows, self.n_patterns = int(counts.sum()), len(counts)
        most = max(1, self.cells // len(columns))
        self.sampled = self.n_patterns > most
        if not self.sampled:
            return self._values(slice(None)), counts
        drawn = draw_rows(counts, most, np.random.default_rng(0))
        self.sample_at = at = np.flatnonzero(drawn)
        return self._values(at), drawn[at].astype(float)

    def _round(self, columns: Sequence[str], bins: int, abstain: Any) -> RoundingError:
        """How far rounding moves the values; refuse what is no probability."""
        found = np.array(self._measure_moves(columns, bins, abstain), float)
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
        coding: Coding = CODING,
        probabilities: bool = False,
        layout: str | None = None,
        bins: int | None = None,
    ) -> WeakSignals:
        """Count what is in some columns, and read it as signals.

        Parameters
        ----------
        columns : sequence of str
        coding : Coding
        probabilities : bool
            The columns hold probabilities.
        layout : str, optional
            How their names are made, such as ``"{signal}_{class}"``.
        bins : int, optional
        """
        self.refuse_other(columns, coding.classes)
        if not probabilities:
            return self.signals(*self.count(columns), coding)
        abstain = take_one_abstain(coding.abstain)
        counted = self.count(columns, soft=True, bins=bins, abstain=abstain)
        return self.soft_signals(*counted, coding, layout)

    def refuse_other(
        self, columns: Sequence[str], classes: Sequence[Any] | None
    ) -> None:
        """Refuse columns that nobody chose and that are not votes, before counting."""
        if not self._signals_named:
            refuse_other_columns(self._first_rows(columns), classes)

    def signals(
        self, votes: NDArray[Any], counts: FloatArray, coding: Coding = CODING
    ) -> WeakSignals:
        """Votes that `count` gave, as signals."""
        coding = coding.match_type(votes)
        self._abstain = coding.abstain
        if self.sampled and coding.classes is None:
            coding = replace(coding, classes=self._seen_classes(coding))
        read = WeakSignals.from_votes(
            fill_missing(votes, coding.abstain),
            classes=coding.classes,
            abstain=coding.abstain,
            normalise=coding.normalise,
            names=self._counted,
            counts=counts * (self.n_rows / counts.sum()),
        )
        classes = read.classes.tolist()
        gaps = (text for text in self.gap_texts if text not in classes)
        silent = (*gaps, *(read._data.silent or ()))
        stored = replace(read._data, drawn=self._sample_size(counts), silent=silent)
        return WeakSignals(stored, read.names)

    def soft_signals(
        self,
        probabilities: NDArray[Any],
        counts: FloatArray,
        coding: Coding = CODING,
        layout: str | None = None,
    ) -> WeakSignals:
        """Probabilities that `count` gave, as signals."""
        self._abstain = abstain = take_one_abstain(coding.abstain)
        values = fill_missing(probabilities, abstain)
        found = group_columns(
            self._counted, values, layout, coding.classes, abstain, self._bins
        )
        self._groups_of = found
        stored = read_probabilities(
            found.arrange(values),
            found.classes or coding.classes,
            abstain,
            bins=self._bins,
            counts=counts * (self.n_rows / counts.sum()),
            on_grid=self._bins is not None,
        )
        stored = replace(stored, drawn=self._sample_size(counts))
        if self._bins is not None:
            rounding = found.arrange_rounding(self._rounding)
            stored = replace(stored, rounding=rounding)
        return WeakSignals(stored, found.signals)

    def _seen_classes(self, coding: Coding) -> list[Any]:
        """All classes that were voted for, also those that are not in the sample."""
        seen: set[Any] = set()
        for batch in self.batches():
            seen.update(np.asarray(batch).ravel().tolist())
        values = [value for value in seen if not is_missing(value)]
        array = np.array(values, object if isinstance(values[0], str) else None)
        coded = code_votes(
            fill_missing(array, coding.abstain),
            None,
            coding.abstain,
            normalise=coding.normalise,
        )
        return coded.classes.tolist()

    def _sample_size(self, counts: FloatArray) -> int | None:
        return int(counts.sum()) if self.sampled else None

    def read_answers(
        self,
        task: str,
        worker: str,
        label: str,
        coding: Coding = CODING,
    ) -> WeakSignals:
        """Read a long table, one vote per row; afterwards it has one row per task."""
        for name in (task, worker, label):
            self._require(name)
        for name in (task, worker):
            if self._has_nulls(name):
                raise SignalsError(
                    f"column {name!r} has missing values; drop those rows."
                )
        everything = slice(None)
        self._as_written = {task, worker}
        self.keep_codes([label])
        sizes = self._count([worker, label])
        workers = self._groups(everything, [worker])[:, 0].astype(str)
        answers = self._groups(everything, [label])[:, 0]
        coding = coding.match_type(answers)
        coded = coding.code(fill_missing(answers, coding.abstain), counts=sizes)
        values, named = coded.codes, coded.classes
        names, columns = np.unique(workers, return_inverse=True)
        said = values >= 0
        codes = np.where(said, np.cumsum(said) - 1, -1)
        self._counted = [self._make_tasks(task, codes)]
        self._count(self._counted)
        counts = self._sort()
        self.n_rows, self.n_patterns = int(counts.sum()), len(counts)
        keys = self._groups(everything, self._counted)[:, 0]
        votes = _parse_answers(keys, columns[said], values[said], len(names))
        stored = class_vote_data(compact(votes, len(named)), named)
        stored = replace(coding.apply_to(stored, coded.silent or None), counts=counts)
        self.columns = [task]
        return WeakSignals(stored, names.tolist())

    def rows(self, columns: Sequence[str], names: Sequence[str] = ()) -> Columns:
        """Some columns in memory, sorted, each in its own type; NULL: NaN or None.

        Those of `names` hold names, so in files of text they stay text: ``007`` is not 7.
        """
        distinct, counts = self.distinct_rows(columns, names)
        return {name: np.repeat(values, counts) for name, values in distinct.items()}

    def distinct_rows(
        self, columns: Sequence[str], names: Sequence[str] = ()
    ) -> tuple[Columns, IntArray]:
        """The distinct rows of `rows`, and how often each occurs."""
        for name in columns:
            self._require(name)
        self._as_written = set(names)
        self._learn_types([name for name in columns if name not in names])
        self._count(columns)
        counts = self._sort().astype(int)
        return {
            name: self._groups(slice(None), [name])[:, 0] for name in columns
        }, counts

    def batches(self) -> Iterator[NDArray[Any] | None]:
        """Votes to label, in the order in which `labelled` takes their labels.

        A single None where all patterns were read: their labels are those of the fit.
        """
        if not self.sampled:
            yield None
            return
        step = max(1, self.cells // len(self._counted) // 4)
        for start in range(0, self.n_patterns, step):
            stop = min(start + step, self.n_patterns)
            values = fill_missing(self._values(slice(start, stop)), self._abstain)
            yield self._groups_of.arrange(values) if self._groups_of else values

    def labelled(self, added: Iterable[Columns], keep_order: bool | None = None) -> Any:
        """The table, of the kind it was, with columns of one value per pattern.

        Parameters
        ----------
        added : iterable of dict
            Arrays by name, for each of `batches` in turn.
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

    def _checked(self, added: Columns) -> Columns:
        refuse_clash(added, self.columns, ignore_case=True)
        return added

    def _check_order(self, ordered: bool) -> None:
        """Refuse to lose the order of rows where no other column says which is which."""
        if not ordered and not set(self.columns) - set(self._counted):
            raise SignalsError(
                "every column is a signal and the order of rows is not kept, so nothing "
                "would tell whose labels these are. Keep the order, or add a column "
                "with an id."
            )

    # -- what every engine does ------------------------------------------------

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
    def _measure_moves(
        self, columns: Sequence[str], bins: int, abstain: Any
    ) -> list[Sequence[float]]:
        """How far rounding to a grid moves the values of every column, and their range.

        Sum, number and maximum of the absolute moves, smallest and largest value.
        """

    @abstractmethod
    def _sort(self) -> FloatArray:
        """Sort the groups by their content, so that samples repeat; give their sizes."""

    @abstractmethod
    def _groups(self, at: slice | IntArray, columns: Sequence[str]) -> NDArray[Any]:
        """(p, m) values of some groups: numbers (NULL: NaN) or text (NULL: None)."""

    @abstractmethod
    def _labelled(self, added: Iterable[Columns], keep_order: bool | None) -> Any:
        """The table, of the kind it was, with columns of one value per group."""

    @abstractmethod
    def _first_rows(self, columns: Sequence[str]) -> dict[str, Any]:
        """The values of some columns in the first `ROWS_LOOKED_AT` rows."""

    @abstractmethod
    def _has_nulls(self, column: str) -> bool:
        """Whether a column has missing values."""

    @abstractmethod
    def _make_tasks(self, task: str, codes: IntArray) -> str:
        """Put one row per task in place of the answers; give the name of their key.

        The key is a text, the codes of all answers to the task in ascending order, as in
        ``"3,17"``. It is counted next, and not shown.

        Parameters
        ----------
        task : str
        codes : (groups,) array of int
            A code for every (worker, answer) counted last; -1 is no answer.
        """

    def _learn_types(  # noqa: B027
        self, columns: Sequence[str], counted: bool = False
    ) -> None:
        """Find out which columns of a CSV file, where all is text, hold numbers.

        Parameters
        ----------
        columns : sequence of str
        counted : bool
            They are counted next and have few distinct rows, so that finding the types
            may group the rows already.
        """

    def keep_codes(self, columns: Sequence[str]) -> None:  # noqa: B027
        """Leave votes as text if one is not written as numbers are: ``01``, ``1e0``."""


def _parse_answers(
    keys: NDArray[Any],
    workers: IntArray,
    values: IntArray,
    n_workers: int,
) -> csr_array:
    """Votes (p, workers) of keys such as ``"3,17"``, as `Votes` stores them."""
    said = [key for key in keys.tolist() if key]
    flat = np.fromstring(",".join(said), np.int64, sep=",")
    lengths = [key.count(",") + 1 if key else 0 for key in keys.tolist()]
    rows = np.repeat(np.arange(len(keys)), lengths)
    shape = (len(keys), n_workers)
    votes = store_cells(Cells(rows, workers[flat], values[flat]), shape)
    if votes.nnz < len(flat):
        raise SignalsError(
            "a worker answers the same task more than once "
            f"({len(flat) - votes.nnz} repeated answers among the patterns). Keep one "
            "answer each."
        )
    return votes
