"""Compiled products with the signs of soft signals, read straight from their values.

The sign at a value ``w`` is ``1 - 2 w`` where ``w`` is a probability, and 0 for NaN and
whatever else abstains. Values may have any layout (a file may be mapped), so signs are
made block by block in an array of their own, which stays in the cache and is contiguous;
all products are with that. They are as precise as the values: constants are given the
type of the array, since a plain 1.0 would make every operation double.

This module imports numba; see `corral.constraints.kernels`.
"""

import numba
import numpy as np

BLOCK = 1 << 17
"""Bytes of signs made at once."""

# Not "nnan": NaN means abstain here and must be seen.
_FAST = {"reassoc", "contract", "nsz"}


@numba.njit(cache=True, nogil=True)
def block_of(n_rows, signs):
    """Units of which all signs fit into a block."""
    return min(max(BLOCK // (max(n_rows, 1) * signs.itemsize), 64), 4096)


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def signs_of(values, line, start, stop, signs):
    """Signs of a range of units, row by row; line -1 is silent."""
    one = signs.dtype.type(1)
    zero, two = one - one, one + one
    for r in range(len(line)):
        target = signs[r]
        if line[r] < 0:
            target[:] = zero
            continue
        w = values[line[r], start:stop]
        for u in range(stop - start):
            p = w[u]
            target[u] = one - two * p if (p >= zero) & (p <= one) else zero


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def add_rows(signs, v, out):
    """``out += v @ signs``, four rows at a time to read and write `out` less often."""
    four = len(v) // 4 * 4
    for r in range(0, four, 4):
        a, b, c, d = signs[r], signs[r + 1], signs[r + 2], signs[r + 3]
        va, vb, vc, vd = v[r], v[r + 1], v[r + 2], v[r + 3]
        for u in range(len(out)):
            out[u] += (va * a[u] + vb * b[u]) + (vc * c[u] + vd * d[u])
    for r in range(four, len(v)):
        a, va = signs[r], v[r]
        for u in range(len(out)):
            out[u] += va * a[u]


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def add_products(signs, y, out):
    """``out += signs @ y``, the sum over these units in the precision of `y`."""
    for r in range(len(out)):
        a = signs[r]
        total = y.dtype.type(0)
        for u in range(len(y)):
            total += a[u] * y[u]
        out[r] += total


@numba.njit(cache=True, nogil=True)
def pull(values, line, v, start, stop, out):
    """``out += sum of v[r] * sign[r]`` for the rows of one label column, in double."""
    signs = np.empty((len(line), block_of(len(line), out)))
    for a in range(start, stop, signs.shape[1]):
        b = min(a + signs.shape[1], stop)
        signs_of(values, line, a, b, signs)
        add_rows(signs, v, out[a - start : b - start])


@numba.njit(cache=True, nogil=True)
def push(values, line, y, start, stop, out):
    """``out[r] += sum over units of sign[r] * y``, in double."""
    signs = np.empty((len(line), block_of(len(line), out)))
    for a in range(start, stop, signs.shape[1]):
        b = min(a + signs.shape[1], stop)
        signs_of(values, line, a, b, signs)
        add_products(signs, y[a - start : b - start], out)


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def tally(values, line, weights, start, stop, sizes, sums):
    """Add the weight of the units that a row speaks of, and that of what it says."""
    for r in range(len(line)):
        if line[r] < 0:
            continue
        w = values[line[r], start:stop]
        size, total = 0.0, 0.0
        for u in range(stop - start):
            p = np.float64(w[u])
            x = weights[start + u] if (p >= 0) & (p <= 1) else 0.0
            size += x
            total += x * p if x > 0 else 0.0  # NaN times nothing is NaN
        sizes[r] += size
        sums[r] += total


@numba.njit(cache=True, nogil=True)
def count(values, line, start, stop, out):
    """Add how many rows speak of every unit."""
    for r in range(len(line)):
        if line[r] < 0:
            continue
        w = values[line[r], start:stop]
        for u in range(stop - start):
            out[u] += np.int32((w[u] >= 0) & (w[u] <= 1))
