"""The constrained space: labels under which every signal errs as often as expected.

``{ y : A y = c, 0 <= y <= 1 }`` with one row per (signal, label column), in units of an
error rate:

    A[r, j] = active (1 - 2 w) / n_r          c[r] = eps_r - mean of w over active

so that ``(A y - c)[r] + eps_r`` is the error of row ``r`` under the labels ``y``. Instead
of a rate, a row may have an interval: "at most", "at least" or between two rates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs import (
    JointDesign,
    Operator,
    design_rows,
    make_design,
)
from corral.constraints.row_terms import RowTerms
from corral.errors import SignalsError
from corral.signals import WeakSignals


@dataclass(frozen=True)
class Rows:
    """What every row of ``A`` is about.

    Attributes
    ----------
    signal, label : (r,) arrays of int
        The signal and the label column; sorted by label column. -1: all label columns, of
        a signal that votes for classes.
    size : (r,) array of float
        Active examples, ``n_r``.
    mean : (r,) array of float
        Mean of ``w`` over them; for class votes the share of votes for the class.
    terms : RowTerms, optional
        The last rows, where these are not error rates of signals. Their `signal` is -1 if
        they belong to none.
    """

    signal: IntArray
    label: IntArray
    size: FloatArray
    mean: FloatArray
    terms: RowTerms | None = None

    def __len__(self) -> int:
        return len(self.signal)

    @property
    def pairs(self) -> IntArray:
        """(r, 2) signal and label column."""
        return np.column_stack([self.signal, self.label])

    @property
    def n_rates(self) -> int:
        """How many rows are error rates of signals; they come first."""
        return len(self) - (0 if self.terms is None else len(self.terms))

    def names(self, signals: WeakSignals) -> list[str]:
        """One name per row: the signal's, with the class where it has several rows."""
        shown = signals.n_label_columns > 1
        names = [
            signals.names[i] + (f"[{signals.classes[k]}]" if shown and k >= 0 else "")
            for i, k in self.pairs[: self.n_rates]
        ]
        return names + list(() if self.terms is None else self.terms.names)

    def rates_design(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> Operator:
        """The operator of the rows that are error rates, of any signals."""
        pairs = self.pairs[: self.n_rates]
        if (pairs[:, 1] >= 0).all():
            return make_design(signals, pairs, weights)
        return _joint_design(signals, pairs[:, 0], weights)

    def design(
        self,
        signals: WeakSignals,
        weights: FloatArray | None = None,
        groups: IntArray | None = None,
    ) -> Operator:
        """The operator of all rows, of any signals.

        Parameters
        ----------
        signals : WeakSignals
        weights : (n,) array of float, optional
        groups : (p, columns) array of int, optional
            The groups of every pattern; without it, none is in any.
        """
        rates = self.rates_design(signals, weights)
        if self.terms is None:
            return rates
        return self.terms.design(rates, signals, groups)


@dataclass(frozen=True)
class LabelSpace:
    """The constraints on the labels, and the operator they are made of.

    Attributes
    ----------
    design : Operator
        The rows on patterns (hard votes) or examples (soft signals).
    rows : Rows
    rates : (r,) array of float
        Expected error of every row.
    lower, upper : (r,) arrays of float, optional
        Least and greatest error of every row, where it may lie in an interval (infinite:
        no bound); default: exactly `rates`.
    weight : (r,) array of float, optional
        Weight of missing a row; default one.
    multilabel : bool
        Whether the label columns are independent. Otherwise every example has one class.
    constant : (r,) array of float, optional
        Error of every row if all labels were zero; default ``rows.mean``. Known labels are
        counted here; their patterns have weight zero in `design`.
    known_weight : float
        Examples whose label is known.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.constraints import label_space
    >>> space = label_space(WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]]))
    >>> space.matrix().round(3).tolist()
    [[0.0, 0.333, -0.333, -0.333], [0.333, 0.333, 0.0, -0.333]]
    >>> space.c.round(3).tolist()  # rates (none yet) less mean votes
    [-0.667, -0.333]
    """

    design: Operator
    rows: Rows
    rates: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    weight: FloatArray | None = None
    multilabel: bool = False
    constant: FloatArray | None = None
    known_weight: float = 0.0

    def bounded(
        self, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf
    ) -> LabelSpace:
        """The same space with an interval for the error of every row.

        Examples
        --------
        >>> from corral import Entropy, WeakSignals
        >>> from corral.constraints import label_space
        >>> signals = WeakSignals.from_votes([[1, 1, -1], [0, 1, 0], [1, -1, 1]])
        >>> space = label_space(signals).bounded(upper=0.3)
        >>> Entropy().solve(space).implied_error_rates.round(2).tolist()
        [0.23, 0.3, 0.3]
        """
        shape = len(self.rows)
        least = np.broadcast_to(np.asarray(lower, float), shape)
        most = np.broadcast_to(np.asarray(upper, float), shape)
        nearest = np.clip(self.rates, least, most)
        return replace(self, rates=nearest, lower=least, upper=most)

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """(r,) least and (r,) greatest error of every row."""
        lower = self.rates if self.lower is None else self.lower
        upper = self.rates if self.upper is None else self.upper
        return lower, upper

    @property
    def n(self) -> float:
        """Examples, known ones included."""
        return float(self.design.weights.sum()) + self.known_weight

    @property
    def offset(self) -> FloatArray:
        """(r,) error of every row if all labels that are not known were zero."""
        return self.rows.mean if self.constant is None else self.constant

    @property
    def row_weight(self) -> FloatArray:
        """(r,) how much every row counts."""
        return np.ones(len(self.rows)) if self.weight is None else self.weight

    def nearest(self, errors: FloatArray) -> FloatArray:
        """(r,) the allowed errors that are nearest to given ones."""
        return np.clip(errors, *self.interval)

    @property
    def c(self) -> FloatArray:
        """Right-hand side of ``A y = c``."""
        return self.rates - self.offset

    def errors(self, y: FloatArray) -> FloatArray:
        """Error of every row under labels per pattern, (n_labels, p) -> (r,)."""
        totals = self.design.totals(y * self.design.weights)
        return totals / self.rows.size + self.offset

    def residual(self, y: FloatArray) -> FloatArray:
        """``A y - c`` for labels per pattern, (n_labels, p) -> (r,)."""
        return self.errors(y) - self.rates

    def matrix(self) -> FloatArray:
        """``A`` as a dense array (r, n_labels * u), for small problems and tests.

        Columns are patterns, not examples: multiply by the pattern's weight to sum.
        """
        a = np.zeros((len(self.rows), self.design.n_labels, self.design.n_patterns))
        blocks = self.design.coefficients(0, self.design.n_patterns)
        for k, (rows, block) in enumerate(blocks):
            dense = block.toarray() if isinstance(block, csr_array) else block
            a[rows, k] = dense / self.rows.size[rows, None]
        return a.reshape(len(self.rows), -1)


def label_space(
    signals: WeakSignals,
    rates: FloatArray | None = None,
    weights: FloatArray | None = None,
    *,
    joint: bool = False,
) -> LabelSpace:
    """The space of labels of `signals`.

    Parameters
    ----------
    signals : WeakSignals
    rates : (r,) array of float, optional
        Expected error of every row (see `row_rates`); default zero.
    weights : (n,) array of float, optional
        Sample weights.
    joint : bool
        One row per signal that names classes, its share of wrong votes, instead of one per
        signal and class. For labels of an example that add up to one.

    Returns
    -------
    LabelSpace
        Without rows of signals that never vote.
    """
    if not isinstance(signals, WeakSignals):
        raise SignalsError(
            "WeakSignals were expected, made by WeakSignals.from_votes or its siblings; "
            f"{type(signals).__name__} was given."
        )
    pairs = design_rows(signals)
    design = make_design(signals, pairs, weights)
    size, mean = design.sizes_and_means()
    votes = size > 0
    if not votes.all():
        pairs, size, mean = pairs[votes], size[votes], mean[votes]
        design = make_design(signals, pairs, weights)
    rows = Rows(pairs[:, 0], pairs[:, 1], size, mean)
    operator: Operator = design
    if joint and signals.names_classes and signals.n_label_columns > 1:
        # Half the sum of a signal's rows: a wrong vote is an error about two classes.
        signal, first = np.unique(rows.signal, return_index=True)
        label, half = np.full(len(signal), -1), np.full(len(signal), 0.5)
        rows = Rows(signal, label, size[first], half)
        operator = JointDesign(design, pairs[:, 0])
    return LabelSpace(operator, rows, np.zeros(len(rows)) if rates is None else rates)


def _joint_design(
    signals: WeakSignals, used: IntArray, weights: FloatArray | None
) -> Operator:
    columns = np.arange(signals.n_label_columns)
    pairs = np.stack(
        [np.tile(used, len(columns)), np.repeat(columns, len(used))], axis=1
    )
    return JointDesign(make_design(signals, pairs, weights), pairs[:, 0])


def row_rates(signals: WeakSignals, rows: Rows, rates: FloatArray) -> FloatArray:
    """Expected error of every row from rates per signal, or per signal and class.

    A signal that names classes and errs at rate ``e`` is wrong about class ``k`` when it
    says ``k`` wrongly or should have said ``k``: with ``s`` its share of votes for ``k``
    and errors spread evenly, that is ``e (s + (1 - s) / (k - 1))``. Using ``e`` itself
    for every class would ask for far too many errors.

    Parameters
    ----------
    signals : WeakSignals
    rows : Rows
    rates : (m,) or (m, k) array of float

    Returns
    -------
    (r,) array of float

    Examples
    --------
    >>> import numpy as np
    >>> from corral import WeakSignals
    >>> from corral.constraints import label_space, row_rates
    >>> signals = WeakSignals.from_votes([[0], [0], [1], [2]])
    >>> row_rates(signals, label_space(signals).rows, np.array([0.4])).round(3).tolist()
    [0.3, 0.25, 0.25]
    """
    if rates.ndim == 2:
        return rates[rows.signal, rows.label]
    rate: FloatArray = rates[rows.signal]
    if (rows.label < 0).all():
        return rate
    if not signals.names_classes or signals.n_classes == 2:
        return rate
    return rate * (rows.mean + (1 - rows.mean) / (signals.n_classes - 1))
