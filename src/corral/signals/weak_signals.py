"""The immutable container of weak signals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from corral.errors import SignalsError
from corral.patterns import (
    BoolArray,
    FloatArray,
    IntArray,
    Patterns,
    Votes,
    find_patterns,
)
from corral.signals import frames, readers
from corral.signals.coding import ABSTAIN, code_type
from corral.signals.parts import Kind, Parts, class_vote_parts
from corral.signals.statistics import vote_shares


class WeakSignals:
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
        One a signal.
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

    def __init__(self, parts: Parts, names: Sequence[str] | None = None) -> None:
        self._parts = parts
        self.names = _check_names(names, parts.n_signals)

    # -- constructors ---------------------------------------------------------

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
    ) -> WeakSignals:
        """Class votes: every signal names one class of an example, or abstains.

        Parameters
        ----------
        votes : (n, m) array, nested list, sparse array or data frame
            Class values. In a sparse array the stored entries are the votes, an
            explicitly stored zero among them; what is not stored is an abstain.
        classes : sequence, optional
            All classes in order; default: those voted for, sorted.
        abstain : scalar, optional
            The value that means "no vote"; default: -1 for integers, NaN, None or
            "" otherwise. Votes of exactly {-1, 1} are ambiguous and refused unless
            this or `classes` is given.
        names : sequence of str, optional
            Signal names; default ``s0``, ``s1``, ...

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([["spam", None], ["ham", "spam"]]).classes
        array(['ham', 'spam'], dtype='<U4')
        """
        if frames.is_frame(votes):
            made = cls.from_frame(votes, classes=classes, abstain=abstain)
            return made if names is None else cls(made._parts, names)
        return cls(readers.read_votes(votes, classes, abstain), names)

    @classmethod
    def from_long(
        cls,
        data: Any,
        *,
        task: str = "task",
        worker: str = "worker",
        label: str = "label",
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
    ) -> WeakSignals:
        """Class votes from a long table, one vote a row, as crowds deliver them.

        Parameters
        ----------
        data : data frame or mapping of columns
            One row a vote.
        task, worker, label : str
            Names of the three columns.
        classes, abstain
            As for `from_votes`.

        Returns
        -------
        WeakSignals
            One example a task, in the order of first appearance (see `index`), and
            one signal a worker.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> answers = {"task": ["a", "a", "b"], "worker": ["w1", "w2", "w1"],
        ...            "label": ["cat", "dog", "cat"]}
        >>> signals = WeakSignals.from_long(answers)
        >>> signals.index.tolist(), signals.names
        (['a', 'b'], ('w1', 'w2'))
        """
        columns = (task, worker, label)
        return cls(*readers.read_long(data, columns, classes, abstain))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        signals: str | Sequence[str] | None = None,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        probabilities: bool = False,
    ) -> WeakSignals:
        """Signals from a pandas, Polars or PyArrow table, one column a signal.

        Parameters
        ----------
        frame : data frame
        signals : str or sequence of str, optional
            The columns to read; default: all.
        classes, abstain
            As for `from_votes`. Null always abstains.
        probabilities : bool
            Read the columns as probabilities of the second of two classes.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> import pandas
        >>> votes = pandas.DataFrame({"rule": ["spam", None], "crowd": ["ham", "spam"]})
        >>> WeakSignals.from_frame(votes)
        WeakSignals(2 examples, 2 signals, 2 classes, class votes)
        """
        table = frames.as_frame(frame)
        names = frames.column_names(table, signals)
        if not len(table) or not names:
            raise SignalsError(
                f"the table is empty: {len(table)} rows, {len(names)} signal columns."
            )
        array = frames.fill_missing(frames.matrix(table, names), abstain)
        if probabilities:
            return cls(readers.read_probabilities(array, classes, abstain), names)
        return cls(readers.read_votes(array, classes, abstain), names)

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
    ) -> WeakSignals:
        """Soft signals that give every class a probability.

        Parameters
        ----------
        probabilities : (n, m, k) array, or (n, m) for the second of two classes
            An abstain is NaN (or `abstain`) in all classes.
        classes : sequence, optional
            Class values; default ``0 .. k-1``.
        abstain : float, optional
            The value that means "no opinion"; default NaN.
        names : sequence of str, optional

        Examples
        --------
        >>> import numpy as np
        >>> from corral import WeakSignals
        >>> WeakSignals.from_probabilities([[0.9, np.nan], [0.2, 0.4]])
        WeakSignals(2 examples, 2 signals, 2 classes, class probabilities)
        """
        return cls(readers.read_probabilities(probabilities, classes, abstain), names)

    @classmethod
    def from_one_vs_rest(
        cls,
        signals: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
    ) -> WeakSignals:
        """Signals that speak of one class at a time (the paper's form).

        Parameters
        ----------
        signals : (m, n, k) array
            Probability, or 0/1 vote, that example j is in class k; an abstain is
            -1, NaN or `abstain`. With ``k = 1`` the task is binary and the values
            speak of the second class.
        classes : sequence, optional
            Class values; default ``0 .. k-1``.
        abstain : float, optional
        names : sequence of str, optional

        Examples
        --------
        >>> import numpy as np
        >>> from corral import WeakSignals
        >>> signals = np.full((1, 3, 2), -1.0)
        >>> signals[0, :2, 0] = 1  # the one signal says class 0 of two examples
        >>> WeakSignals.from_one_vs_rest(signals)
        WeakSignals(3 examples, 1 signals, 2 classes, one-vs-rest)
        """
        return cls(readers.read_one_vs_rest(signals, classes, abstain), names)

    # -- shape ----------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Class votes, one-vs-rest or class probabilities."""
        return self._parts.kind

    @property
    def classes(self) -> NDArray[Any]:
        """(k,) class values as given."""
        return self._parts.classes

    @property
    def index(self) -> NDArray[Any] | None:
        """(n,) the task of every example, where a long table named them."""
        return self._parts.index

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        if self._parts.votes is not None:
            return int(self._parts.votes.shape[0])
        return int(self.values[0].shape[1])

    @property
    def n_signals(self) -> int:
        """Number of signals."""
        return self._parts.n_signals

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_label_columns(self) -> int:
        """Unknowns an example: one a class, or a single one for two classes."""
        return self._parts.n_label_columns

    def __len__(self) -> int:
        return self.n_examples

    def __repr__(self) -> str:
        return (
            f"WeakSignals({self.n_examples} examples, {self.n_signals} signals, "
            f"{self.n_classes} classes, {self.kind.value})"
        )

    @property
    def is_hard(self) -> bool:
        """Whether all votes are certain (0 or 1)."""
        return self._parts.votes is not None

    @property
    def votes(self) -> Votes:
        """Codes of hard votes: (n, m) for class votes, (n, pairs) one-vs-rest."""
        if self._parts.votes is None:
            raise SignalsError("soft signals have no votes; see `values`.")
        return self._parts.votes

    @property
    def values(self) -> tuple[NDArray[np.floating], ...]:
        """Soft signals: one array (m, n) a label column, NaN for abstain."""
        if self._parts.values is None:
            raise SignalsError("hard votes have no values; see `votes`.")
        return self._parts.values

    @property
    def columns(self) -> IntArray:
        """(c, 2) signal and label column of every stored column; -1: all of them."""
        return self._parts.columns

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows of hard votes, with counts; found once."""
        n_values = self.n_classes if self.kind is Kind.CLASS_VOTES else 2
        return find_patterns(self.votes, n_values)

    # -- derived signals ------------------------------------------------------

    def take(self, rows: slice | ArrayLike) -> WeakSignals:
        """The signals of some examples only, by position, mask or slice."""
        at = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(at, slice) and not at.size:
            at = slice(0)
        votes, values, index = self._parts.votes, self._parts.values, self.index
        parts = replace(
            self._parts,
            votes=None if votes is None else votes[at],
            values=None if values is None else tuple(v[:, at] for v in values),
            index=None if index is None else index[at],
        )
        return WeakSignals(parts, self.names)

    def hardened(self) -> WeakSignals:
        """Soft signals as hard votes: rounded (0.5 down), or the likeliest class."""
        if self.is_hard:
            return self
        values = self.values
        if self.kind is Kind.ONE_VS_REST:
            codes = np.concatenate([readers.rounded(v) for v in values]).T
            votes = np.ascontiguousarray(codes)
            return WeakSignals(replace(self._parts, values=None, votes=votes), self.names)
        if len(values) == 1:
            codes = readers.rounded(values[0]).T
        else:
            missing = np.isnan(values[0])
            best = np.argmax(np.nan_to_num(np.stack(values)), axis=0)
            codes = np.where(missing, ABSTAIN, best).T
        codes = codes.astype(code_type(self.n_classes), order="C")
        return WeakSignals(class_vote_parts(codes, self.classes), self.names)

    def like(self, data: Any) -> WeakSignals:
        """Read new data as signals of the same kind, classes and names.

        Used at prediction time: an unseen class, a missing column or another
        number of signals is an error.
        """
        new = data if isinstance(data, WeakSignals) else self._read_alike(data)
        if not len(new):
            raise SignalsError("the new signals are empty; there is nothing to label.")
        if new.n_signals != self.n_signals:
            raise SignalsError(
                f"the labeler was fitted on {self.n_signals} signals; {new.n_signals} "
                "came."
            )
        if new.kind is not self.kind or (self.is_hard and not new.is_hard):
            raise SignalsError(
                f"the labeler was fitted on {self._form}; {new._form} came."
            )
        if not np.array_equal(new.classes, self.classes):
            raise SignalsError(
                f"the labeler was fitted on the classes {self.classes.tolist()}; the "
                f"new signals have {new.classes.tolist()}. Pass `classes=` when making "
                "them."
            )
        return new._in_order(self.names)

    def _in_order(self, names: Sequence[str]) -> WeakSignals:
        """The same signals in another order; unnamed ones stay where they are."""
        unnamed = _check_names(None, self.n_signals)
        if self.names == tuple(names) or unnamed in (self.names, tuple(names)):
            return self
        unknown = [name for name in self.names if name not in names]
        if unknown:
            raise SignalsError(
                f"the labeler was not fitted on {', '.join(unknown)}; it was fitted on "
                f"{', '.join(names)}."
            )
        place = np.array([names.index(name) for name in self.names])
        parts = self._parts
        if self.kind is Kind.CLASS_VOTES:
            parts = replace(parts, votes=self.votes[:, np.argsort(place)])
        else:
            moved = np.column_stack([place[parts.columns[:, 0]], parts.columns[:, 1]])
            parts = replace(parts, columns=moved)
        return WeakSignals(parts, names)

    def _read_alike(self, data: Any) -> WeakSignals:
        if frames.is_frame(data):
            table = frames.as_frame(data)
            if not len(table):
                raise SignalsError("the table has 0 rows; there is nothing to label.")
            data = frames.matrix(table, frames.column_names(table, self.names))
            data = frames.fill_missing(data, self._parts.abstain)
        read = {
            Kind.CLASS_VOTES: readers.read_votes,
            Kind.ONE_VS_REST: readers.read_one_vs_rest,
            Kind.CLASS_PROBABILITIES: readers.read_probabilities,
        }[self.kind]
        coding = self.classes.tolist(), self._parts.abstain
        parts = read(data, *coding, may_be_silent=True)
        same = parts.n_signals == self.n_signals
        return WeakSignals(parts, self.names if same else None)

    @property
    def _form(self) -> str:
        return f"{'hard' if self.is_hard else 'soft'} {self.kind.value}"

    # -- statistics -----------------------------------------------------------

    @cached_property
    def covered(self) -> BoolArray:
        """(n,) whether any signal says anything of the example."""
        if not self.is_hard:
            return np.any([(~np.isnan(v)).any(axis=0) for v in self.values], axis=0)
        codes = self.patterns.codes
        if isinstance(codes, csr_array):
            spoken = np.diff(codes.indptr) > 0
        else:
            spoken = (codes >= 0).any(axis=1)
        return spoken[self.patterns.inverse]

    @property
    def uncovered(self) -> IntArray:
        """Positions of the examples on which every signal abstains."""
        return np.flatnonzero(~self.covered)

    @property
    def coverage(self) -> FloatArray:
        """(m,) share of the examples on which every signal speaks."""
        return self._shares[0]

    @property
    def overlaps(self) -> FloatArray:
        """(m,) share of the examples on which it and another signal speak."""
        return self._shares[1]

    @property
    def conflicts(self) -> FloatArray:
        """(m,) share of the examples on which another signal contradicts it."""
        return self._shares[2]

    @cached_property
    def _shares(self) -> FloatArray:
        hard = self.hardened()
        return vote_shares(hard.patterns, hard.columns, self.n_signals, self.n_classes)


def _check_names(names: Sequence[str] | None, n_signals: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"s{i}" for i in range(n_signals))
    checked = tuple(str(name) for name in names)
    if len(checked) != n_signals:
        raise SignalsError(f"{len(checked)} names were given for {n_signals} signals.")
    twice = [name for name, times in Counter(checked).items() if times > 1]
    if twice:
        raise SignalsError(f"signal names must differ; given twice: {', '.join(twice)}.")
    return checked
