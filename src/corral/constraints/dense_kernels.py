"""Compiled products with the sign matrix of dense votes and of soft signals.

The sign of row ``r`` at pattern ``u`` is ``active (1 - 2 w)``: -1 where the signal says
"yes, this class", +1 where it says "no", 0 where it abstains, and between for soft
signals. ``A`` is that matrix with every row divided by its number of active entries;
it is never stored. Signs are made block by block in an array of their own, which stays in
the cache and is contiguous whatever layout the source has; all
products are with that. Each loop below is one that the compiler turns into vector code:
keep them free of branches and of anything but contiguous reads. They are as precise as
the signs: constants are given the type of the array, since a plain 1.0 would make every
operation double.

Arguments in common, for the rows of one label column (`Operator.label_columns`):

source : (lines, p) array
    Codes of votes, or probabilities; what is not between 0 and 1 is an abstain.
line : (r,)
    The line of `source` that a row reads; -1: the row is silent.
hit : (r,)
    The code that says "yes"; -1: the line holds probabilities.
signs : (r, patterns of a block)
    Room for the signs of a block.

This module imports numba. `corral.constraints.designs` loads it late, for large
inputs only; small ones use the NumPy form there, and the tests hold both equal.
"""

import numba
import numpy as np

# Not "nnan": NaN means abstain here and must be seen.
_FAST = {"reassoc", "contract", "nsz"}


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def signs_of(source, line, hit, start, stop, signs):
    """Signs of a range of patterns, row by row."""
    one = signs.dtype.type(1)
    zero, two = one - one, one + one
    for r in range(len(line)):
        target = signs[r]
        if line[r] < 0:
            target[:] = zero
            continue
        said, yes = source[line[r], start:stop], hit[r]
        if yes < 0:
            for u in range(stop - start):
                p = said[u]
                target[u] = one - two * p if (p >= zero) & (p <= one) else zero
        else:
            for u in range(stop - start):
                c = said[u]
                target[u] = np.int8(c >= 0) - np.int8(2) * np.int8(c == yes)


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
    """``out += signs @ y``, the sum over these patterns in the precision of `y`."""
    for r in range(len(out)):
        a = signs[r]
        total = y.dtype.type(0)
        for u in range(len(y)):
            total += a[u] * y[u]
        out[r] += total


@numba.njit(cache=True, nogil=True)
def pull(source, line, hit, signs, v, start, stop, out):
    """``out += sum of v[r] * sign[r]`` over the rows."""
    for a in range(start, stop, signs.shape[1]):
        b = min(a + signs.shape[1], stop)
        signs_of(source, line, hit, a, b, signs)
        add_rows(signs, v, out[a - start : b - start])


@numba.njit(cache=True, nogil=True)
def push(source, line, hit, signs, y, start, stop, out):
    """``out[r] += sum over patterns of sign[r] * y``."""
    for a in range(start, stop, signs.shape[1]):
        b = min(a + signs.shape[1], stop)
        signs_of(source, line, hit, a, b, signs)
        add_products(signs, y[a - start : b - start], out)


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def tally(values, line, weights, start, stop, sizes, sums):
    """Add the weight of the patterns that a row votes on, and that of what it says."""
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
    """Add how many rows vote on every pattern."""
    for r in range(len(line)):
        if line[r] < 0:
            continue
        w = values[line[r], start:stop]
        for u in range(stop - start):
            out[u] += np.int32((w[u] >= 0) & (w[u] <= 1))
