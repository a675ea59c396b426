"""The paper's theorem on any signals, and what a signal adds that no others give.

If the error rates are the true ones, any labels ``y`` in the space are at least

    || y - (1 - t) ||  >=  || A+ (1 - 2 eps) ||

away from the labels that are all wrong, ``1 - t``. The bound grows with the rank of ``A``
and with how far the rates are from one half, and not at all with copies of a signal.
Everything follows from the small matrix ``A A^T``, one pass over the patterns.
"""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints.system import System
from corral.errors import ParameterError

ZERO = 64 * float(np.finfo(float).eps)
"""Eigenvalues of unit rows up to this, times the number of rows, are zero."""


def _unit_blocks(system: System) -> list[tuple[IntArray, FloatArray, FloatArray]]:
    """Of every label column its rows, ``A A^T`` of rows of unit length, and the lengths.

    The rank must not depend on how many examples a signal covers. A row of zeros (a soft
    signal that always says 0.5) stays zero.
    """
    each = np.repeat(system.weights[:, None], system.n_labels, axis=1)
    table = system.gram(each) / np.outer(system.size, system.size)
    length = np.sqrt(np.diag(table))
    length[length == 0] = 1
    unit = table / np.outer(length, length)
    rows = [np.flatnonzero(system.label == k) for k in np.unique(system.label)]
    return [(at, unit[np.ix_(at, at)], length[at]) for at in rows]


def _row_space(unit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nonzero eigenvalues of ``A A^T`` of unit rows, and their vectors."""
    eigenvalues, vectors = np.linalg.eigh(unit)
    kept = eigenvalues > ZERO * len(unit) * max(eigenvalues.max(), 1.0)
    return eigenvalues[kept], vectors[:, kept]


def distance_bound(system: System, rates: FloatArray | None = None) -> float:
    """Least distance of any feasible labels from the all-wrong labels.

    ``|| A+ (1 - 2 eps) ||``, Euclidean over all label entries: at most the square root of
    their number, reached at full rank. `rates` (r,) are the true errors of the rows;
    default: those of the system.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import WeakSignals, distance_bound, make_system
    >>> signals = WeakSignals.from_votes([[1, 1], [1, 0], [0, 1], [0, 0]])
    >>> round(distance_bound(make_system(signals), np.array([0.25, 0.25])), 6)
    1.414214
    """
    eps = system.rates if rates is None else np.asarray(rates, float)
    if eps.shape != (len(system),):
        raise ParameterError(
            f"rates must have one for each of the {len(system)} rows; the shape "
            f"given is {eps.shape}."
        )
    squares = 0.0
    for rows, unit, length in _unit_blocks(system):
        eigenvalues, vectors = _row_space(unit)
        # The rows of A in an orthonormal basis of the space that they span.
        inner = vectors * np.sqrt(eigenvalues) * length[:, None]
        squares += float((np.linalg.lstsq(inner, 1 - 2 * eps[rows])[0] ** 2).sum())
    return float(np.sqrt(squares))


def own_parts(system: System) -> FloatArray:
    """(r,) the part of every row that no combination of the other rows gives.

    The squared length that is left of the row, from 0 to 1: of two copies neither has a
    part of its own.
    """
    parts = np.zeros(len(system))
    for rows, unit, _ in _unit_blocks(system):
        eigenvalues, vectors = _row_space(unit)
        squares = vectors**2
        free = 1 - squares.sum(axis=1)  # its part in combinations that are zero
        inverse = (squares / eigenvalues).sum(axis=1)
        parts[rows] = np.where(free > 1e-9, 0.0, 1 / np.maximum(inverse, 1.0))
    return parts
