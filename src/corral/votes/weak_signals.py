"""`WeakSignals`: the one form of votes.

Every vote, hard or soft, dense or sparse, is an entry of a sparse matrix ``F``: a row per
distinct row of votes, a column per *feature*, that is, who says what.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, vstack

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError
from corral.votes.coding import ABSTAIN, abstains_of_table, code_type, shorten
from corral.votes.columns import as_frame, is_frame, matrix, vote_columns
from corral.votes.label_sets import read_sets
from corral.votes.matrix import Kind, Schema, VoteMatrix
from corral.votes.reading import (
    hard_rows,
    read_columns,
    read_long,
    read_one_vs_rest,
    read_probabilities,
    read_votes,
)

TIED = 1e-6
"""Probabilities of two classes that are nearer are the same: single precision rounds."""
MAX_DENSE_CLASSES = 8
"""Classes up to which weights (f,) are multiplied as a table (f, k)."""
NO_YES = np.array(["no", "yes"])
"""The classes of the task whether an example has one class."""


class WeakSignals:
    """Many noisy, partial opinions about the class of every example.

    Made by one of `from_votes`, `from_one_vs_rest`, `from_probabilities`, `from_long`,
    `from_frame` and `from_label_sets`; never changed afterwards.

    Attributes
    ----------
    F : (u, f) sparse array of float
        Distinct rows of votes. One for a vote, a probability for a soft one; nothing
        where a signal abstains.
    schema : Schema
        What the columns of ``F`` are: `signal`, `says` and `negated`, each (f,).
    counts : (u,) array of float
        Examples, or weight, per distinct row.
    row_of : (n,) array of int
        The distinct row of every example.
    row_counts : (n,) array of float or None
        How many examples every given row stands for; None: one each.
    index : (n,) array or None
        The task of every example, where a long table named them.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> signals = WeakSignals.from_votes([[1, 1, -1], [0, 1, 0], [-1, -1, -1]])
    >>> signals
    WeakSignals(3 examples, 3 signals, 2 classes, class votes)
    >>> signals.coverage.round(2).tolist(), signals.covered.tolist()
    ([0.67, 0.67, 0.33], [True, True, False])
    """

    def __init__(
        self,
        schema: Schema,
        F: csr_array,
        row_of: IntArray,
        *,
        row_counts: FloatArray | None = None,
        weights: FloatArray | None = None,
        counts: FloatArray | None = None,
        index: NDArray[Any] | None = None,
        is_hard: bool = True,
        silent: tuple[Any, ...] | None = None,
    ) -> None:
        self.schema, self.F, self.row_of = schema, F, row_of
        self.row_counts, self._weights = row_counts, weights
        if counts is None:
            each = row_counts if weights is None else weights
            counts = np.bincount(row_of, each, F.shape[0]).astype(float)
        self.counts, self.index = counts, index
        self.is_hard, self.silent = is_hard, silent
        arrays = (F.data, F.indices, F.indptr, row_of, counts, schema.classes)
        for array in (*arrays, row_counts, index):
            if array is not None:
                array.setflags(write=False)

    def _with(self, **changes: Any) -> WeakSignals:
        """The same signals with other attributes, from which new `counts` follow."""
        kept = ("schema", "F", "row_of", "row_counts", "index", "is_hard", "silent")
        own: dict[str, Any] = {name: getattr(self, name) for name in kept}
        own |= {"weights": self._weights}
        return WeakSignals(**(own | changes))

    # -- made from what users have ---------------------------------------------------

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        normalise: bool = False,
        names: Sequence[str] | None = None,
        counts: ArrayLike | None = None,
    ) -> WeakSignals:
        """Class votes: every signal names one class of an example, or abstains.

        Parameters
        ----------
        votes : (n, m) array, nested list, sparse array or data frame
            Class values. In a sparse array the stored entries are the votes, an
            explicitly stored zero among them; all other entries abstain.
        classes : sequence, optional
            All classes in order; default: those voted for, sorted.
        abstain : scalar or list, optional
            The value, or values, that mean "no vote"; default: -1 for integers, NaN,
            None or "" otherwise. Texts such as "N/A", "?" and "none" always mean it,
            unless `classes` lists them.
        normalise : bool
            Read texts that differ only in case or blanks, such as ``"pos"`` and
            ``" Pos"``, as one class, in lower case. They are refused otherwise.
        names : sequence of str, optional
            Signal names; default ``s0``, ``s1``, ...
        counts : (n,) array, optional
            How many examples every row stands for, if the votes were counted before.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([["spam", None], ["ham", "spam"]]).classes
        array(['ham', 'spam'], dtype='<U4')
        """
        if is_frame(votes):
            table = as_frame(votes)
            columns = vote_columns(table, None, classes)
            names = columns if names is None else names
            votes, abstain = matrix(table, columns), abstains_of_table(abstain)
        return cls(**read_votes(votes, classes, abstain, normalise, names, counts))

    @classmethod
    def from_codes(
        cls,
        codes: Any,
        schema: Schema,
        *,
        row_counts: FloatArray | None = None,
        index: NDArray[Any] | None = None,
    ) -> WeakSignals:
        """Hard votes that are coded already: (n, c), a column per `Schema.column`.

        A code is a position in the classes, or 0 and 1; -1 abstains. Sparse: ``code + 1``.
        """
        return cls(**hard_rows(codes, schema), row_counts=row_counts, index=index)

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
        normalise: bool = False,
        repeats: str = "refuse",
    ) -> WeakSignals:
        """Class votes from a long table, one vote per row, as crowds deliver them.

        Parameters
        ----------
        data : data frame or mapping of columns
            One row per vote. Rows without a task or a worker are left out, with a warning.
        task, worker, label : str
            Names of the three columns.
        classes, abstain, normalise
            As for `from_votes`.
        repeats : "refuse", "last" or "first"
            What to keep of different answers of a worker on a task. An answer that is
            repeated exactly counts once.

        Returns
        -------
        WeakSignals
            One example per task, in the order of first appearance (see `index`), and
            one signal per worker.

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
        return cls(**read_long(data, columns, classes, abstain, normalise, repeats))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        signals: str | Sequence[str] | None = None,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        normalise: bool = False,
        probabilities: bool = False,
    ) -> WeakSignals:
        """Signals from a pandas, Polars or PyArrow table, one column per signal.

        Parameters
        ----------
        frame : data frame
        signals : str or sequence of str, optional
            The columns to read, or patterns such as ``rule_*``; default: all.
        classes, abstain, normalise
            As for `from_votes`. Null always abstains.
        probabilities : bool
            Read the columns as probabilities: one column per signal, of the second of
            two classes, or one per signal and class if all names say so (``llm_neg``,
            ``llm_pos``). Columns named as all `classes` are those of one signal.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> import pandas
        >>> votes = pandas.DataFrame({"rule": ["spam", None], "crowd": ["ham", "spam"]})
        >>> WeakSignals.from_frame(votes)
        WeakSignals(2 examples, 2 signals, 2 classes, class votes)
        """
        table = as_frame(frame)
        names = vote_columns(table, signals, classes, probabilities)
        options: dict[str, Any] = {"classes": classes, "abstain": abstain}
        options |= {"normalise": normalise, "probabilities": probabilities}
        return cls(**read_columns(matrix(table, names), names, **options))

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
        counts: ArrayLike | None = None,
    ) -> WeakSignals:
        """Soft signals that give every class a probability.

        Parameters
        ----------
        probabilities : (n, m, k) array, or (n, m) for the second of two classes
            An abstain is NaN (or `abstain`) in all classes.
        classes : sequence, optional
            Class values; default ``0 .. k-1``.
        abstain : float or list, optional
            The value, or values, that mean "no opinion" beside NaN.
        names, counts
            As for `from_votes`.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_probabilities([[0.9, float("nan")], [0.2, 0.4]])
        WeakSignals(2 examples, 2 signals, 2 classes, class probabilities)
        """
        return cls(**read_probabilities(probabilities, classes, abstain, names, counts))

    @classmethod
    def from_one_vs_rest(
        cls,
        signals: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
    ) -> WeakSignals:
        """Signals that vote on one class at a time (the paper's form).

        Parameters
        ----------
        signals : (m, n, k) array
            Probability, or 0/1 vote, that example j is in class k; an abstain is
            -1, NaN or `abstain`. With ``k = 1`` the task is binary and the values
            vote on the second class.
        classes, abstain, names
            As for `from_probabilities`.

        Examples
        --------
        >>> import numpy as np
        >>> from corral import WeakSignals
        >>> signals = np.full((1, 3, 2), -1.0)
        >>> signals[0, :2, 0] = 1  # the one signal says class 0 of two examples
        >>> WeakSignals.from_one_vs_rest(signals)
        WeakSignals(3 examples, 1 signals, 2 classes, one-vs-rest)
        """
        return cls(**read_one_vs_rest(signals, classes, abstain, names))

    @classmethod
    def from_label_sets(
        cls,
        votes: Iterable[Iterable[Any]],
        *,
        classes: Sequence[Any] | None = None,
        separator: str = ";",
        names: Sequence[str] | None = None,
    ) -> WeakSignals:
        """Signals that name any number of classes of an example, as sets.

        The signals are one-vs-rest: "yes" to every class in the set, "no" to all others.

        Parameters
        ----------
        votes : (n, m) nested list or array of sets
            A set is a list of classes, or text such as ``"film; song"``; in an empty list,
            or the separator alone, no class fits. None, NaN and "" abstain.
        classes, names
            As for `from_votes`.
        separator : str
            What stands between classes in a text.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> votes = [["film; song", ["film"]], [None, "song"], [";", "film"]]
        >>> signals = WeakSignals.from_label_sets(votes)
        >>> signals
        WeakSignals(3 examples, 2 signals, 2 classes, one-vs-rest)
        >>> signals.for_class("song").votes.tolist()
        [[1, 0], [-1, 1], [0, 0]]
        """
        array, values = read_sets(votes, classes, separator)
        return cls.from_one_vs_rest(array, classes=values, names=names)

    # -- what they are ---------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Class votes, one-vs-rest or class probabilities."""
        return self.schema.kind

    @property
    def classes(self) -> NDArray[Any]:
        """(k,) class values as given."""
        return self.schema.classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals; s0, s1, ... unless given."""
        return self.schema.names

    @property
    def row_weights(self) -> FloatArray:
        """(n,) how much every given row counts: its weight, its examples, or one."""
        each = self.row_counts if self._weights is None else self._weights
        return np.ones(len(self)) if each is None else each

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self.F.shape[0])

    @property
    def n_signals(self) -> int:
        """Number of signals."""
        return self.schema.n_signals

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.schema.classes)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of given rows and of signals."""
        return len(self), self.n_signals

    def __len__(self) -> int:
        return len(self.row_of)

    def __repr__(self) -> str:
        rows = f"{len(self)} examples"
        if self.row_counts is not None:
            rows = f"{len(self)} rows for {self.counts.sum():.0f} examples"
        return (
            f"WeakSignals({rows}, {self.n_signals} signals, {self.n_classes} classes, "
            f"{self.kind.value})"
        )

    @property
    def reading(self) -> str:
        """How the data were read, such as "-1 = no vote; classes 0, 1"."""
        classes = self.classes.tolist()
        names = [str(c) if str(c).isidentifier() else repr(c) for c in classes]
        shown = shorten(names)
        if self.kind is Kind.CLASS_PROBABILITIES:
            if len(classes) == 2:
                return f"probabilities of class {names[1]}, the second of {shown}"
            return f"probabilities of the classes {shown}"
        if self.kind is Kind.ONE_VS_REST:
            return f"one class at a time; classes {shown}"
        if self.silent is None:
            return f"classes {shown}"
        words = ["empty" if v is None else repr(v) for v in self.silent]
        silent = f"{', '.join(words)} = no vote" if words else "every cell is a vote"
        return f"{silent}; classes {shown}"

    # -- the two products, and sums over votes -----------------------------------------

    def scores(self, weights: FloatArray, bias: FloatArray | float = 0.0) -> FloatArray:
        """(u, k) what the votes on every distinct row add up to, with a bias (k,).

        Weights are what a vote adds to every class (f, k); or (f,) to the class that it is
        about, from which a "no" takes it away.
        """
        if weights.ndim == 2:
            return self.matrix.times(weights) + bias
        k = self.n_classes
        signed = np.where(self.schema.negated, -weights, weights)
        if k <= MAX_DENSE_CLASSES:
            table = signed[:, None] * np.eye(k)[self.schema.says]
            return self.matrix.times(table) + bias
        row, at = self.cells()
        place = row * k + self.schema.says[at]
        sums = np.bincount(place, self.F.data * signed[at], self.n_rows * k)
        return sums.astype(float).reshape(-1, k) + bias

    def moments(self, labels: FloatArray) -> FloatArray:
        """(f, k) how often every vote goes with every class, under labels (u, k)."""
        return self.matrix.transposed_times(self.counts[:, None] * labels)

    def hits(self, labels: FloatArray) -> FloatArray:
        """(f,) how many votes are right under labels (u, k): `moments` where it says so."""
        schema = self.schema
        if self.n_classes <= MAX_DENSE_CLASSES:
            own = self.moments(labels)[np.arange(schema.n_features), schema.says]
        else:
            row, at = self.cells()
            each = self.F.data * self.counts[row] * labels[row, schema.says[at]]
            own = np.bincount(at, each, schema.n_features).astype(float)
        return np.where(schema.negated, self.cast - own, own)

    @cached_property
    def matrix(self) -> VoteMatrix:
        """``F``, and how it is multiplied."""
        step = self.schema.n_features // self.schema.n_columns
        return VoteMatrix(self.F, step if self.is_hard else None)

    @cached_property
    def cast(self) -> FloatArray:
        """(f,) how often every vote is cast."""
        return self.F.T @ self.counts

    @cached_property
    def votes_on(self) -> FloatArray:
        """(u,) votes on every distinct row."""
        return np.asarray(self.F.sum(axis=1)).ravel()

    def entries_voted(self) -> BoolArray:
        """(u, k) whether any signal speaks of a row and class."""
        if self.schema.names_classes:
            voted = self.covered_rows[:, None]
            return np.broadcast_to(voted, (self.n_rows, self.n_classes))
        found = np.zeros((self.n_rows, self.n_classes), bool)
        row, at = self.cells()
        found[row, self.schema.says[at]] = True
        return found

    def cells(self) -> tuple[IntArray, IntArray]:
        """Distinct row and feature of every vote, row by row."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.F.indptr)), self.F.indices

    def error_rates(self, labels: FloatArray) -> FloatArray:
        """How often every signal is wrong under labels (u, k); NaN where it never votes.

        (m,), or (m, k) for one-vs-rest signals.
        """
        cast = self.schema.by_column(self.cast)
        right = self.schema.by_column(self.hits(labels))
        none = np.full(len(cast), np.nan)
        rates = 1 - np.divide(right, cast, out=none, where=cast > 0)
        return self.schema.by_signal(rates)

    # -- votes as users see them -------------------------------------------------------

    @property
    def votes(self) -> IntArray:
        """(n, m) codes of hard class votes, positions in `classes`; -1 for an abstain."""
        if not self.is_hard or not self.schema.names_classes:
            raise SignalsError(f"{self.kind.value} have no single vote per signal.")
        step = self.n_classes
        codes = np.full((self.n_rows, self.n_signals), ABSTAIN, code_type(step))
        row, at = self.cells()
        codes[row, at // step] = at % step
        return codes[self.row_of]

    @property
    def probabilities(self) -> FloatArray:
        """(u, m, k) what signals say of every class of the distinct rows; NaN: nothing."""
        values = np.full(self.F.shape, np.nan)
        row, at = self.cells()
        values[row, at] = self.F.data
        shape = (self.n_rows, self.n_signals, self.n_classes)
        if self.schema.names_classes:
            values = values.reshape(shape)
            if self.is_hard:
                missing = np.isnan(values)
                values[missing & ~missing.all(axis=2, keepdims=True)] = 0
            return values
        no, yes = np.moveaxis(values.reshape(*shape, 2), -1, 0)
        return np.where(np.isnan(yes), 1 - no, yes)

    def harden(self) -> WeakSignals:
        """Soft signals as hard votes: rounded, or the likeliest class.

        One half is no vote; so is a tie between the likeliest classes.
        """
        if self.is_hard:
            return self
        said = self.probabilities
        schema = self.schema
        if schema.names_classes:
            schema = replace(schema, kind=Kind.CLASS_VOTES)
            best = np.nan_to_num(said, nan=-1).argmax(axis=2)
            top = np.take_along_axis(said, best[..., None], axis=2)
            unclear = ~((said >= top - TIED).sum(axis=2) == 1)
            codes = np.where(unclear, ABSTAIN, best)
        else:
            leans = np.abs(said - 0.5) > TIED / 2  # not NaN
            codes = np.where(leans, said > 0.5, ABSTAIN).reshape(len(said), -1)
        hard = hard_rows(codes, schema)
        hard["row_of"] = hard["row_of"][self.row_of]
        return self._with(**hard, is_hard=True)

    # -- derived signals -----------------------------------------------------------------

    def take(self, rows: slice | ArrayLike) -> WeakSignals:
        """The signals of some examples only, by position, mask or slice."""
        at = rows if isinstance(rows, slice) else np.asarray(rows)
        kept = self.row_of[at]
        seen = np.zeros(self.n_rows, bool)
        seen[kept] = True
        given = (self.row_counts, self._weights, self.index)
        counts, weights, index = (None if x is None else x[at] for x in given)
        changes = {"row_counts": counts, "weights": weights, "index": index}
        row_of = (np.cumsum(seen) - 1)[kept]
        return self._with(F=self.F[np.flatnonzero(seen)], row_of=row_of, **changes)

    def __getitem__(self, rows: Any) -> WeakSignals:
        """The same as `take`; this is how scikit-learn splits examples."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        if not isinstance(rows, slice) and np.ndim(rows) != 1:
            raise SignalsError(
                f"signals are indexed by a slice or a list; {rows!r:.80} was given."
            )
        return self.take(rows if np.size(rows) or isinstance(rows, slice) else slice(0))

    def weighted(self, weights: FloatArray | None) -> WeakSignals:
        """The same signals, in which every given row counts as `weights` (n,) examples."""
        if weights is None:
            return self
        each = weights if self.row_counts is None else weights * self.row_counts
        return self._with(weights=each)

    def by_example(self) -> WeakSignals:
        """The same signals, with a row for every example, in their order."""
        return self._with(F=self.F[self.row_of], row_of=np.arange(len(self)))

    def distinct(self) -> WeakSignals:
        """One given row per distinct row, which stands for its examples."""
        some = np.flatnonzero(self.counts > 0)
        return self._with(
            F=self.F[some],
            row_of=np.arange(len(some)),
            row_counts=self.counts[some],
            weights=None,
            index=None,
        )

    def split_by(self, keys: IntArray) -> WeakSignals:
        """The same signals; examples of different `keys` (n,) share no distinct row.

        Keys are integers from 0 on.
        """
        pair = self.row_of.astype(np.int64) * (int(keys.max()) + 1) + keys
        _, first, row_of = np.unique(pair, return_index=True, return_inverse=True)
        return self._with(F=self.F[self.row_of[first]], row_of=row_of)

    def without(self, signal: int) -> WeakSignals:
        """The same signals, but one of them never votes; it keeps its place."""
        F, kept = self.F, self.schema.signal[self.F.indices] != signal
        ends = np.concatenate([[0], np.cumsum(kept)])[F.indptr]
        F = csr_array((F.data[kept], F.indices[kept], ends), F.shape)
        return self._with(F=F, counts=self.counts)

    def for_class(self, value: Any) -> WeakSignals:
        """What one-vs-rest signals say of one class: a task with classes "no" and "yes".

        Signals that never speak of the class are left out.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> tags = [[[1, 0], [1, 1]], [[0, -1], [1, -1]]]  # two signals
        >>> signals = WeakSignals.from_one_vs_rest(tags, classes=["film", "song"])
        >>> signals.for_class("song").votes.tolist()
        [[0], [1]]
        """
        if self.schema.names_classes:
            raise SignalsError(
                "there is one task, not one per class: these signals name one class of an "
                "example."
            )
        classes = self.classes.tolist()
        if value not in classes:
            raise SignalsError(f"{value!r} is not one of the classes {classes}.")
        speakers = self.speakers(classes.index(value))
        if not len(speakers):
            raise SignalsError(f"no signal speaks of the class {value!r}.")
        first = 2 * (speakers * self.n_classes + classes.index(value))
        columns = np.column_stack([first, first + 1]).ravel()
        kind = Kind.CLASS_VOTES if self.is_hard else Kind.CLASS_PROBABILITIES
        names = tuple(self.names[i] for i in speakers)
        schema = Schema(kind, NO_YES, len(speakers), names)
        F = csr_array(self.F[:, columns])
        return self._with(schema=schema, F=F, counts=self.counts)

    def speakers(self, k: int) -> IntArray:
        """The signals that ever speak of the class at position `k`."""
        about = self.schema.says == k
        seen = np.bincount(self.F.indices, minlength=self.schema.n_features)
        return np.unique(self.schema.signal[about & (seen > 0)])

    def align(self, schema: Schema) -> WeakSignals:
        """These signals with the features of another schema; see `Schema.read`."""
        if self.schema.names_classes is not schema.names_classes:
            raise SignalsError(
                f"signals of {schema.kind.value} were expected; {self.kind.value} came."
            )
        if not np.array_equal(self.classes, schema.classes):
            raise SignalsError(
                f"the classes {schema.classes.tolist()} were expected; the signals have "
                f"{self.classes.tolist()}. Make them with `classes=`."
            )
        have, want = self.schema.given_names, schema.given_names
        to = np.arange(self.n_signals)
        if have is not None and want is not None and have != want:
            unknown = [name for name in have if name not in want]
            if unknown:
                raise SignalsError(
                    f"the signals {', '.join(unknown)} came; those expected are "
                    f"{', '.join(want)}."
                )
            to = np.array([want.index(name) for name in have])
        elif self.n_signals != schema.n_signals:
            raise SignalsError(
                f"{schema.n_signals} signals were expected; {self.n_signals} came. Give a "
                "column for every signal, or name the signals in both."
            )
        per_signal = self.schema.n_features // self.n_signals
        signal, rest = np.divmod(self.F.indices, per_signal)
        moved = (self.F.data, to[signal] * per_signal + rest, self.F.indptr)
        F = csr_array(moved, (self.n_rows, schema.n_features), copy=True)
        F.sort_indices()
        kind = replace(schema, kind=self.kind)
        return self._with(schema=kind, F=F, counts=self.counts)

    def __add__(self, other: WeakSignals) -> WeakSignals:
        """The examples of both, counted: one given row per distinct row.

        The sum of chunks of a stream is that of the whole, in any order. Both have the same
        `classes`; named signals are matched by name, unnamed ones by position.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> monday = WeakSignals.from_votes([[1, 0], [1, 1], [1, 0]])
        >>> tuesday = WeakSignals.from_votes([[1, 0], [0, -1]])
        >>> monday + tuesday
        WeakSignals(3 rows for 5 examples, 2 signals, 2 classes, class votes)
        """
        if not isinstance(other, WeakSignals):
            return NotImplemented
        if not self.is_hard or not other.is_hard:
            raise SignalsError(
                "hard votes can be added, soft signals cannot; fit on these as they are."
            )
        schema = self.schema
        named = schema.given_names and other.schema.given_names
        if named and (lacking := set(self.names) ^ set(other.names)):
            raise SignalsError(
                "counts of different signals cannot be added; only one side has "
                f"{', '.join(sorted(lacking))}."
            )
        sides = [self.distinct(), other.align(schema).distinct()]
        F = csr_array(vstack([side.F for side in sides]))
        column, code = np.divmod(F.indices, schema.n_features // schema.n_columns)
        codes = csr_array(
            (code.astype(np.int32) + 1, column, F.indptr),
            (F.shape[0], schema.n_columns),
        )
        counts = np.concatenate([side.counts for side in sides])
        return WeakSignals.from_codes(codes, schema, row_counts=counts).distinct()

    # -- statistics ------------------------------------------------------------------------

    @property
    def covered_rows(self) -> BoolArray:
        """(u,) whether a signal has an opinion on a distinct row; one half is one."""
        return np.diff(self.F.indptr) > 0

    @property
    def covered(self) -> BoolArray:
        """(n,) whether a signal has an opinion on the example; one half is one."""
        return self.covered_rows[self.row_of]

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
        """(m,) share of the examples on which every signal and another one vote."""
        return self._shares[1]

    @property
    def conflicts(self) -> FloatArray:
        """(m,) share of the examples on which another signal contradicts every signal."""
        return self._shares[2]

    @cached_property
    def _shares(self) -> FloatArray:
        """(3, m) coverage, overlaps and conflicts.

        A class vote is contradicted by a vote for another class; a one-vs-rest vote also
        by the opposite vote on its own class.
        """
        hard = self.harden()
        row, at = hard.cells()
        signal, says = self.schema.signal[at], self.schema.says[at]
        yes = ~self.schema.negated[at]
        # A speaker is a row and a signal that says anything of it.
        speaker, where, owner = np.arange(len(row)), row, signal
        if not self.schema.names_classes:
            pairs, speaker = np.unique(
                row * self.n_signals + signal, return_inverse=True
            )
            where, owner = np.divmod(pairs, self.n_signals)
        claim = row * self.n_classes + says
        _, claim = np.unique(claim, return_inverse=True)
        yes_here, no_here = (np.bincount(claim, said)[claim] for said in (yes, ~yes))
        yes_at_all, own_yes = (np.bincount(of, yes)[of] for of in (row, speaker))
        # Of a signal's own "yes", one is here and the rest are elsewhere.
        elsewhere = yes_at_all - yes_here - (own_yes - 1)
        against = np.where(yes, (elsewhere > 0) | (no_here > 0), yes_here > 0)
        weight = hard.counts[where]
        together = np.bincount(where)[where] > 1 if len(where) else np.zeros(0, bool)
        contradicted = np.bincount(speaker, against) > 0 if len(where) else together
        each = (weight, weight * together, weight * contradicted)
        sums = [np.bincount(owner, x, self.n_signals) for x in each]
        return np.array(sums) / hard.counts.sum()
