"""How independent constraints are: what a signal adds that no other signals give."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.constraints.system import System

ZERO = 64 * float(np.finfo(float).eps)
"""Eigenvalues of unit rows up to this, times the number of rows, are zero."""


def own_parts(system: System) -> FloatArray:
    """(r,) the part of every row of ``A`` that no combination of the other rows gives.

    The squared length that is left of the row, from 0 to 1: of two copies neither has a
    part of its own. Everything follows from the small matrix ``A A^T``, one pass over the
    distinct rows; its rows have unit length, so it does not matter how many examples a
    signal covers. A row of zeros (a soft signal that always says 0.5) has no own part.
    """
    each = np.repeat(system.weights[:, None], system.n_labels, axis=1)
    table = system.gram(each) / np.outer(system.size, system.size)
    length = np.sqrt(np.diag(table))
    length[length == 0] = 1
    unit = table / np.outer(length, length)
    parts = np.zeros(len(system))
    for label in np.unique(system.label):
        rows = np.flatnonzero(system.label == label)
        eigenvalues, vectors = np.linalg.eigh(unit[np.ix_(rows, rows)])
        kept = eigenvalues > ZERO * len(rows) * max(eigenvalues.max(), 1.0)
        squares = vectors[:, kept] ** 2
        free = 1 - squares.sum(axis=1)  # its part in combinations that are zero
        inverse = (squares / eigenvalues[kept]).sum(axis=1)
        parts[rows] = np.where(free > 1e-9, 0.0, 1 / np.maximum(inverse, 1.0))
    return parts
