"""The constrained space: labels under which every signal errs as often as expected.

``{ y : A y = c, 0 <= y <= 1 }`` with one row a (signal, label column), in units of an
error rate:

    A[r, j] = active (1 - 2 w) / n_r          c[r] = eps_r - mean of w over active

so that ``(A y - c)[r] + eps_r`` is the error of row ``r`` under the labels ``y``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints.designs import Design, design_rows, make_design
from corral.errors import SignalsError
from corral.signals import Kind, WeakSignals


@dataclass(frozen=True)
class Rows:
    """What every row of ``A`` speaks of.

    Attributes
    ----------
    signal, label : (r,) arrays of int
        The signal and the label column; sorted by label column.
    size : (r,) array of float
        Active examples, ``n_r``.
    mean : (r,) array of float
        Mean of ``w`` over them; for class votes the share of votes for the class.
    """

    signal: IntArray
    label: IntArray
    size: FloatArray
    mean: FloatArray

    def __len__(self) -> int:
        return len(self.signal)

    @property
    def pairs(self) -> IntArray:
        """(r, 2) signal and label column."""
        return np.column_stack([self.signal, self.label])

    def names(self, signals: WeakSignals) -> list[str]:
        """A name a row: the signal's, with the class where it has several rows."""
        if signals.n_label_columns == 1:
            return [signals.names[i] for i in self.signal]
        return [
            f"{signals.names[i]}[{signals.classes[k]}]"
            for i, k in zip(self.signal, self.label, strict=True)
        ]


@dataclass(frozen=True)
class LabelSpace:
    """The constraints on the labels, and the operator they are made of.

    Attributes
    ----------
    design : Design
        The sign matrix on patterns (hard votes) or examples (soft signals).
    rows : Rows
    rates : (r,) array of float
        Expected error of every row.

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

    design: Design
    rows: Rows
    rates: FloatArray

    @property
    def c(self) -> FloatArray:
        """Right-hand side of ``A y = c``."""
        return self.rates - self.rows.mean

    def residual(self, y: FloatArray) -> FloatArray:
        """``A y - c`` for labels a unit, (n_labels, u) -> (r,)."""
        return self.design.totals(y * self.design.weights) / self.rows.size - self.c

    def matrix(self) -> FloatArray:
        """``A`` as a dense array (r, n_labels * u), for small problems and tests.

        Columns are units, not examples: multiply by the unit's weight to sum.
        """
        signs = self.design.signs(0, self.design.n_units)
        a = np.zeros((len(self.rows), self.design.n_labels, self.design.n_units))
        at = np.arange(len(self.rows))
        a[at, self.rows.label] = signs / self.rows.size[:, None]
        return a.reshape(len(self.rows), -1)


def label_space(
    signals: WeakSignals,
    rates: FloatArray | None = None,
    weights: FloatArray | None = None,
) -> LabelSpace:
    """The space of labels of `signals`.

    Parameters
    ----------
    signals : WeakSignals
    rates : (r,) array of float, optional
        Expected error of every row (see `row_rates`); default zero.
    weights : (n,) array of float, optional
        Sample weights.

    Returns
    -------
    LabelSpace
        Without rows on which a signal never speaks.
    """
    if not isinstance(signals, WeakSignals):
        raise SignalsError(
            "WeakSignals were expected, made by WeakSignals.from_votes or its siblings; "
            f"{type(signals).__name__} was given."
        )
    pairs = design_rows(signals)
    design = make_design(signals, pairs, weights)
    size, mean = design.sizes_and_means()
    spoken = size > 0
    if not spoken.all():
        pairs, size, mean = pairs[spoken], size[spoken], mean[spoken]
        design = make_design(signals, pairs, weights)
    rows = Rows(pairs[:, 0], pairs[:, 1], size, mean)
    return LabelSpace(design, rows, np.zeros(len(rows)) if rates is None else rates)


def row_rates(signals: WeakSignals, rows: Rows, rates: FloatArray) -> FloatArray:
    """Expected error of every row from rates a signal, or a signal and class.

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
    if signals.kind is Kind.ONE_VS_REST or signals.n_classes == 2:
        return rate
    return rate * (rows.mean + (1 - rows.mean) / (signals.n_classes - 1))
