"""The immutable container of weak signals."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError
from corral.signals import frames, readers
from corral.signals.coding import ABSTAIN, code_type
from corral.signals.new_data import match_names, read_like
from corral.signals.one_class import select_class
from corral.signals.patterns import Patterns, find_patterns, split_patterns
from corral.signals.probability_columns import match_columns
from corral.signals.signal_data import Kind, SignalData, class_vote_data
from corral.signals.signal_properties import SignalProperties
from corral.signals.soft_source import TIED, is_vote, leans
from corral.signals.vote_matrix import (
    Cells,
    Votes,
    has_vote,
    list_cells,
    silence_columns,
)
from corral.signals.vote_statistics import vote_shares


class WeakSignals(SignalProperties):
    """Many noisy, partial opinions about the class of every example.

    Made by one of `from_votes`, `from_one_vs_rest`, `from_probabilities`,
    `from_long` and `from_frame`; never changed afterwards. Memory goes with the
    number of votes: hard votes are kept as one small integer each.

    Attributes
    ----------
    kind : Kind
        Class votes, one-vs-rest or class probabilities.
    classes : (k,) array
        Class values as given.
    names : tuple of str
        One per signal.
    index : (n,) array or None
        The task of every example, where a long table named them.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import WeakSignals
    >>> signals = WeakSignals.from_votes([[1, 1, -1], [0, 1, 0], [-1, -1, -1]])
    >>> signals
    WeakSignals(3 examples, 3 signals, 2 classes, class votes)
    >>> signals.coverage.round(2).tolist()
    [0.67, 0.67, 0.33]
    >>> signals.covered.tolist()
    [True, True, False]
    """

    # -- votes and values ------------------------------------------------------

    @property
    def votes(self) -> Votes:
        """Codes of hard votes: (n, m) for class votes, (n, pairs) one-vs-rest."""
        if self._data.votes is None or not self.is_hard:
            raise SignalsError("soft signals have no votes; see `values`.")
        return self._data.votes

    @property
    def values(self) -> tuple[NDArray[np.floating], ...]:
        """Soft signals: one array (m, n) per label column, NaN for abstain."""
        if self.is_hard:
            raise SignalsError("hard votes have no values; see `votes`.")
        values, inverse = self.pattern_values
        if inverse is None:
            return values
        every = tuple(v[:, inverse] for v in values)
        for array in every:
            array.setflags(write=False)
        return every

    @cached_property
    def pattern_values(
        self,
    ) -> tuple[tuple[NDArray[np.floating], ...], IntArray | None]:
        """Soft signals by pattern, and the pattern of every example.

        Where they are not binned: by example, and None.
        """
        if self._data.values is not None:
            return self._data.values, None
        grid: Any = self._data.grid
        codes: Any = self.patterns.codes
        values = np.append(grid, grid.dtype.type(np.nan))[codes.T]  # -1 is the last
        edges = np.searchsorted(self.columns[:, 1], np.arange(1, self.n_label_columns))
        return tuple(np.split(values, edges)), self.patterns.inverse

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows of hard votes, with counts; found once.

        Of binned probabilities: the distinct rows of multiples of ``1 / bins``.
        """
        if self.bins is not None and self._data.votes is not None:
            return find_patterns(self._data.votes, self.bins + 1, self.counts)
        return find_patterns(self.votes, self.n_choices, self.counts)

    def cells(self) -> Cells:
        """What signals say of every example, vote by vote; of patterns: `patterns.cells`.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> row, column, vote = WeakSignals.from_votes([[1, -1], [0, 1]]).cells()
        >>> row.tolist(), column.tolist(), vote.tolist()
        ([0, 1, 1], [0, 0, 1], [1, 0, 1])
        """
        return list_cells(self.votes)

    def soft_cells(self, start: int, stop: int) -> list[tuple[int, int, FloatArray]]:
        """What soft signals say of a range of patterns; of examples where they share none.

        Column, vote (as in `cells`) and the probability (p,) that the column gives the
        vote, zero where it abstains or finds all classes as likely. Ask for a range at a
        time: a file of probabilities may be larger than memory.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> soft = WeakSignals.from_probabilities([[0.9, 0.5], [0.25, 0.6]])
        >>> for column, vote, confidence in soft.soft_cells(0, 2)[:2]:
        ...     print(column, vote, confidence.tolist())
        0 1 [0.9, 0.25]
        0 0 [0.09999999999999998, 0.75]
        """
        every = [values[:, start:stop] for values in self.pattern_values[0]]
        if self.names_classes and len(every) > 1:
            decided = is_vote(every[0]) & (np.ptp(np.stack(every), axis=0) > TIED)
            return [
                (i, k, np.where(decided[i], line, 0.0).astype(float))
                for k, values in enumerate(every)
                for i, line in enumerate(values)
            ]
        cells: list[tuple[int, int, FloatArray]] = []
        for column, line in enumerate(line for values in every for line in values):
            said = leans(line)
            w = np.where(said, line, 0.0).astype(float)
            cells += [(column, 1, w), (column, 0, np.where(said, 1 - w, 0.0))]
        return cells

    # -- derived signals ------------------------------------------------------

    def split_by(self, keys: IntArray) -> WeakSignals:
        """The same signals, whose patterns keep examples of different keys apart.

        Parameters
        ----------
        keys : (n,) array of int
            From 0 on.
        """
        if not self.has_patterns:
            return self  # every example is by itself
        counts = np.ones(len(self)) if self.counts is None else self.counts
        return self._copy(self._data, split_patterns(self.patterns, keys, counts))

    def _copy(self, data: SignalData, patterns: Patterns | None = None) -> WeakSignals:
        """Other votes of the same signals, and their patterns if they are known."""
        made = WeakSignals(data, self.names if self.named else None)
        if patterns is not None:
            made.__dict__["patterns"] = patterns
        return made

    def take(self, rows: slice | ArrayLike) -> WeakSignals:
        """The signals of some examples only, by position, mask or slice."""
        at = rows if isinstance(rows, slice) else np.atleast_1d(rows)
        if not isinstance(at, slice) and not at.size:
            at = slice(0)
        votes, values, index = self._data.votes, self._data.values, self.index
        counts = self.counts
        data = replace(
            self._data,
            votes=None if votes is None else votes[at],
            values=None if values is None else tuple(v[:, at] for v in values),
            index=None if index is None else index[at],
            counts=None if counts is None else counts[at],
            rounding=None,
            drawn=None,
        )
        return self._copy(data)

    def __getitem__(self, rows: Any) -> WeakSignals:
        """The same as `take`; this is how scikit-learn splits examples.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([[1, 0], [1, 1], [0, -1]])[1:].votes.tolist()
        [[1, 1], [0, -1]]
        """
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        if not isinstance(rows, slice) and np.ndim(rows) != 1:
            raise SignalsError(
                "signals are indexed by a slice, or by a list of positions or truth "
                f"values, one example or more; {rows!r:.80} was given."
            )
        return self.take(rows)

    def about(self, value: Any, signals: ArrayLike | None = None) -> WeakSignals:
        """What one-vs-rest signals say of one class: a task with classes "no" and "yes".

        `signals` are the positions of those to ask; default: all that may speak of it.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> tags = [[[1, 0], [1, 1]], [[0, -1], [1, -1]]]  # two signals
        >>> signals = WeakSignals.from_one_vs_rest(tags, classes=["film", "song"])
        >>> signals.about("song").votes.tolist()
        [[0], [1]]
        """
        return WeakSignals(*select_class(self._data, self.names, value, signals))

    def drop_counts(self) -> WeakSignals:
        """Every row as one example, however many it stood for."""
        return self._copy(replace(self._data, counts=None))

    def without(self, signal: int) -> WeakSignals:
        """The same signals, of which one never says anything.

        It keeps its place, so what is given one per signal (names, error rates) still fits.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([[1, 0], [1, 1]]).without(0).votes.tolist()
        [[-1, 0], [-1, 1]]
        """
        votes, values = self._data.votes, self._data.values
        silent = self.columns[:, 0] == signal
        if votes is not None:
            votes = silence_columns(votes, silent)
        if values is not None:
            # Soft signals store their columns one label column after the other.
            edges = np.cumsum([len(v) for v in values])[:-1]
            values = tuple(
                np.where(gone[:, None], v.dtype.type(np.nan), v)
                for v, gone in zip(values, np.split(silent, edges), strict=True)
            )
        return self._copy(replace(self._data, votes=votes, values=values))

    def harden(self) -> WeakSignals:
        """Soft signals as hard votes: rounded, or the likeliest class.

        One half, and several classes that are the likeliest, are no vote.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> soft = WeakSignals.from_probabilities([[0.9, 0.5], [0.2, 0.6]])
        >>> soft.harden().votes.tolist()
        [[1, -1], [0, 1]]
        """
        if self.is_hard:
            return self
        values, inverse = self.pattern_values
        # One signal at a time: a file of probabilities may be larger than memory.
        if self.kind is Kind.ONE_VS_REST or len(values) == 1:
            codes = np.stack(
                [readers.round_to_votes(row) for v in values for row in v], 1
            )
        else:
            codes = np.stack(
                [_likeliest(rows) for rows in zip(*values, strict=True)], 1
            )
        votes = codes if inverse is None else codes[inverse]
        if self.kind is Kind.ONE_VS_REST:
            data = replace(self._data, values=None, votes=votes)
            return self._copy(replace(data, grid=None, rounding=None))
        data = class_vote_data(votes, self.classes, self.index)
        return self._copy(replace(data, counts=self.counts))

    def like(self, data: Any) -> WeakSignals:
        """Read new data as signals with the same classes and names.

        Used at prediction time. Named signals are matched by name, and those that are
        missing abstain; an unseen class, an unknown name or another number of unnamed
        signals is an error. Votes and class probabilities may stand for each other.
        """
        new = data if isinstance(data, WeakSignals) else self._read_like(data)
        if not len(new):
            raise SignalsError("the new signals are empty; there is nothing to label.")
        if (new.kind is Kind.ONE_VS_REST) is not (self.kind is Kind.ONE_VS_REST):
            raise SignalsError(
                f"the labeler was fitted on {self.kind.value}; {new.kind.value} came."
            )
        if not np.array_equal(new.classes, self.classes):
            raise SignalsError(
                f"the labeler was fitted on the classes {self.classes.tolist()}; the "
                f"new signals have {new.classes.tolist()}. Pass `classes=` when making "
                "them."
            )
        if self.named and new.named:
            return new._match_names(self.names)
        if new.n_signals != self.n_signals:
            raise SignalsError(
                f"the labeler was fitted on {self.n_signals} signals; {new.n_signals} "
                "came. Give a column for every signal (a silent one abstains), or name the "
                "signals in both."
            )
        return new

    def _match_names(self, names: tuple[str, ...]) -> WeakSignals:
        """These signals in the order of `names`; what is not there abstains."""
        if self.names == names:
            return self
        return WeakSignals(match_names(self._data, self.names, names), names)

    def _read_like(self, data: Any) -> WeakSignals:
        if frames.is_frame(data):
            table = frames.as_frame(data)
            if not len(table):
                raise SignalsError("the table has 0 rows; there is nothing to label.")
            columns = self._class_columns(table.columns)
            names = columns or frames.column_names(table, self.names)
            data = frames.matrix(table, names)
            data = frames.fill_missing(data, self._data.abstain)
            if columns:
                data = data.reshape(len(data), self.n_signals, self.n_classes)
            return WeakSignals(read_like(self._data, data), self.names)
        return WeakSignals(read_like(self._data, data))

    def _class_columns(self, present: list[Any]) -> list[str] | None:
        """The columns of a frame that has one per signal and class, if it is one."""
        if self.kind is not Kind.CLASS_PROBABILITIES or set(self.names) <= set(present):
            return None
        return match_columns(present, self.names, self.classes.tolist())

    # -- statistics -----------------------------------------------------------

    @cached_property
    def covered(self) -> BoolArray:
        """(n,) whether any signal says anything of the example, be it one half."""
        some = self.covered_patterns
        inverse = self.patterns.inverse if self.is_hard else self.pattern_values[1]
        return some if inverse is None else some[inverse]

    @property
    def covered_patterns(self) -> BoolArray:
        """(u,) the same per pattern; per example if there are none."""
        if self.is_hard:
            return has_vote(self.patterns.codes)
        values = self.pattern_values[0]
        some = np.zeros(values[0].shape[1], bool)
        for row in (row for v in values for row in v):
            some |= is_vote(row)
        return some

    @property
    def uncovered(self) -> IntArray:
        """Positions of the examples on which every signal abstains."""
        return np.flatnonzero(~self.covered)

    @property
    def coverage(self) -> FloatArray:
        """(m,) share of the examples on which every signal votes; one half is no vote."""
        return self._shares[0]

    @property
    def overlaps(self) -> FloatArray:
        """(m,) share of the examples on which it and another signal vote."""
        return self._shares[1]

    @property
    def conflicts(self) -> FloatArray:
        """(m,) share of the examples on which another signal contradicts it."""
        return self._shares[2]

    @cached_property
    def _shares(self) -> FloatArray:
        hard = self.harden()
        return vote_shares(hard.patterns, hard.columns, self.n_signals, self.n_classes)


def _likeliest(rows: tuple[NDArray[np.floating], ...]) -> IntArray:
    """(n,) the class that one signal finds likeliest, from one row per class."""
    values = np.stack(rows)
    best = np.argmax(values, axis=0)
    tied = (values >= values.max(axis=0) - TIED).sum(axis=0) > 1
    best[tied | ~is_vote(rows[0])] = ABSTAIN
    return best.astype(code_type(len(rows)))
