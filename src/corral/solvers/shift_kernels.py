"""The Adagrad step on patterns, compiled.

After any number of steps the label of an example that started at ``u`` is
``clip(u + s, lo, hi)``, with three numbers per pattern. A step moves all three.
`corral.solvers.walk` holds the NumPy form; the tests hold both equal.
"""

import numba
import numpy as np

from corral.constraints.kernels import sign_pull, sign_push, vote_signs
from corral.constraints.sparse_kernels import sparse_pull, sparse_push

BLOCK = 2048
"""Units a fused pass takes at once: what they need stays in the first-level cache."""
SPARSE_BLOCK = 4096
"""The same in labels, where all label columns of a unit are taken together."""

EPSILON = 1e-8  # compiled in; the same as in `corral.solvers.walk`

_FAST = {"reassoc", "contract", "nsz", "nnan"}


@numba.njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def advance(g, s, lo, hi, square):
    """One Adagrad step for a run of patterns, in place and in their precision."""
    one, epsilon = s.dtype.type(1), s.dtype.type(EPSILON)
    zero = one - one
    for p in range(len(g)):
        total = square[p] + g[p] * g[p]
        square[p] = total
        d = g[p] / np.sqrt(total + epsilon)
        s[p] -= d
        lo[p] = min(max(lo[p] - d, zero), one)
        hi[p] = min(max(hi[p] - d, zero), one)


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def expected(s, lo, hi, out):
    """Mean of ``clip(u + s, lo, hi)`` over ``u`` uniform on [0, 1].

    See `corral.solvers.starts.expected_label`.
    """
    one, half = s.dtype.type(1), s.dtype.type(0.5)
    zero = one - one
    for p in range(len(s)):
        a = max(hi[p] - s[p], zero)
        b = max(lo[p] - s[p], zero)
        c = max(one + s[p] - lo[p], zero)
        d = max(one + s[p] - hi[p], zero)
        up = hi[p] - half * (a * a - b * b)
        down = lo[p] + half * (c * c - d * d)
        y = up if s[p] > zero else down
        out[p] = min(max(y, lo[p]), hi[p])


@numba.njit(cache=True, nogil=True)
def started(s, lo, hi, starts, edges, weight_before, moment_before, first, out):
    """Sum of ``weight * clip(u + s, lo, hi)`` over the sorted starts of each pattern.

    ``weight_before[i]`` and ``moment_before[i]`` are sums of ``weight`` and of
    ``weight * u`` over the starts before position ``i``.
    """
    for p in range(len(s)):
        begin, end = edges[first + p], edges[first + p + 1]
        low = begin + np.searchsorted(starts[begin:end], lo[p] - s[p])
        high = low + np.searchsorted(starts[low:end], hi[p] - s[p])
        below = weight_before[low] - weight_before[begin]
        inside = weight_before[high] - weight_before[low]
        above = weight_before[end] - weight_before[high]
        moment = moment_before[high] - moment_before[low]
        out[p] = lo[p] * below + moment + s[p] * inside + hi[p] * above


@numba.njit(cache=True, nogil=True)
def vote_pass(
    columns, column, hit, label, v, weights, s, lo, hi, square, start, stop, out
):
    """One expected step of a range of vote patterns, and ``sign @ y`` after it.

    The same loops that any step takes (pull, advance, expected, push), run block by block
    so that nothing but the votes and the state is read from memory.
    """
    out[:] = 0.0
    for a in range(start, stop, BLOCK):
        b = min(a + BLOCK, stop)
        signs = vote_signs(columns, column, hit, a, b)
        y = np.empty((len(s), b - a))
        sign_pull(signs, label, v, y)
        for k in range(len(s)):
            advance(y[k], s[k, a:b], lo[k, a:b], hi[k, a:b], square[k, a:b])
            expected(s[k, a:b], lo[k, a:b], hi[k, a:b], y[k])
            y[k] *= weights[a:b]
        sign_push(signs, label, y, out)


@numba.njit(cache=True, nogil=True)
def sparse_pass(
    indptr, indices, voted, table, weights, s, lo, hi, square, start, stop, out
):
    """`vote_pass` for sparse class votes, added to ``out``: (signals, n_labels).

    The state is (units, n_labels), so that a run of units is a run of labels.
    """
    n_labels = s.shape[1]
    step = max(1, SPARSE_BLOCK // n_labels)
    y = np.empty((step, n_labels))
    flat, s, lo, hi, square = (
        y.ravel(),
        s.ravel(),
        lo.ravel(),
        hi.ravel(),
        square.ravel(),
    )
    for a in range(start, stop, step):
        b = min(a + step, stop)
        first, last = a * n_labels, b * n_labels
        labels = flat[: last - first]
        sparse_pull(indptr, indices, voted, table, a, b, y)
        advance(
            labels, s[first:last], lo[first:last], hi[first:last], square[first:last]
        )
        expected(s[first:last], lo[first:last], hi[first:last], labels)
        for u in range(a, b):
            row = y[u - a]
            for k in range(n_labels):
                row[k] *= weights[u]
        sparse_push(indptr, indices, voted, y, a, b, out)
