"""Compiled products with the sign matrix, read straight from votes or values.

The sign of row ``r`` at unit ``u`` is ``active (1 - 2 w)``: -1 where the signal says
"yes, this class", +1 where it says "no", 0 where it abstains, and between for soft
signals. ``A`` is that matrix with every row divided by its number of active entries;
it is never stored. Each loop below is one that the compiler turns into vector code:
keep them free of branches and of anything but contiguous reads.

This module imports numba. `corral.constraints.designs` loads it late, for large
inputs only; small ones use the NumPy form there, and the tests hold both equal.
"""

import numba
import numpy as np

# Not "nnan": a NaN value means abstain here and must be seen.
_FAST = {"reassoc", "contract", "nsz"}


@numba.njit(cache=True, nogil=True)
def _row_signs(votes, h, out):
    for u in range(len(votes)):
        c = votes[u]
        out[u] = np.int8(c >= 0) - np.int8(2) * np.int8(c == h)


@numba.njit(cache=True, nogil=True)
def vote_signs(columns, column, hit, start, stop):
    """Signs of a range of vote patterns: (r, units) of int8."""
    signs = np.empty((len(column), stop - start), np.int8)
    for r in range(len(column)):
        _row_signs(columns[column[r], start:stop], hit[r], signs[r])
    return signs


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def sign_pull(signs, label, v, out):
    """``out[k] = sum of v[r] * sign[r]`` over the rows of label column k."""
    out[:] = 0.0
    for r in range(len(v)):
        x = v[r]
        source, target = signs[r], out[label[r]]
        for u in range(len(source)):
            target[u] += x * source[u]


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def sign_push(signs, label, y, out):
    """Add ``sum over units of sign[r] * y[label[r]]`` to ``out[r]``."""
    for r in range(len(out)):
        source, target = signs[r], y[label[r]]
        total = 0.0
        for u in range(len(source)):
            total += target[u] * source[u]
        out[r] += total
