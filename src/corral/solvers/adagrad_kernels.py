"""Adagrad's step, compiled: one loop, over dense rows and over sparse votes.

A block of patterns is read, moved along its gradient, and read again for ``sign @ y`` while
it is in the cache. All of it is as precise as the labels; only sums over blocks are always
double. `corral.solvers.moving_labels` has the NumPy form; the tests hold both equal.

Arguments in common:

s, lo, hi, square : (starts, n_labels, p), of sparse votes (starts, p, n_labels)
    As in `corral.solvers.moving_labels.MovingLabels`; empty `lo` and `hi`: `s` is the
    label itself.
weights : (p,), or (0,) for ones
start : int
    Where these patterns are in the rows.
out : (starts, r), or (0, 0) to take the steps only
    ``sign @ y`` after the last step is added to it.
"""

import numba
import numpy as np

from corral.constraints.dense_kernels import add_products, add_rows, signs_of
from corral.constraints.sparse_kernels import sparse_pull, sparse_push
from corral.solvers.moving_labels import EPSILON

SPARSE_BLOCK = 4096
"""Labels of a block of sparse votes: what they need stays in the first-level cache."""

_FAST = {"reassoc", "contract", "nsz", "nnan"}


@numba.njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def move_bounds(g, s, lo, hi, square):
    """One step of ``clip(start + s, lo, hi)``, in place."""
    one, epsilon = s.dtype.type(1), s.dtype.type(EPSILON)
    zero = one - one
    for p in range(len(g)):
        total = square[p] + g[p] * g[p]
        square[p] = total
        d = g[p] / np.sqrt(total + epsilon)
        s[p] -= d
        lo[p] = min(max(lo[p] - d, zero), one)
        hi[p] = min(max(hi[p] - d, zero), one)


@numba.njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def move_labels(g, y, square):
    """One step of the labels themselves, in place."""
    one, epsilon = y.dtype.type(1), y.dtype.type(EPSILON)
    zero = one - one
    for p in range(len(g)):
        total = square[p] + g[p] * g[p]
        square[p] = total
        y[p] = min(max(y[p] - g[p] / np.sqrt(total + epsilon), zero), one)


@numba.njit(cache=True, nogil=True, fastmath=_FAST)
def expected_label(s, lo, hi, out):
    """See `corral.solvers.moving_labels.expected_label`."""
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
def sum_starts(s, lo, hi, starts, edges, weight_before, moment_before, out):
    """Sum of ``weight * clip(u + s, lo, hi)`` over the sorted starts of each pattern.

    ``weight_before[i]`` and ``moment_before[i]`` are sums of ``weight`` and of
    ``weight * u`` over the starts before position ``i``.
    """
    for p in range(len(s)):
        begin, end = edges[p], edges[p + 1]
        low = begin + np.searchsorted(starts[begin:end], lo[p] - s[p])
        high = low + np.searchsorted(starts[low:end], hi[p] - s[p])
        below = weight_before[low] - weight_before[begin]
        inside = weight_before[high] - weight_before[low]
        above = weight_before[end] - weight_before[high]
        moment = moment_before[high] - moment_before[low]
        out[p] = lo[p] * below + moment + s[p] * inside + hi[p] * above


@numba.njit(cache=True, nogil=True)
def step_dense(
    source, line, hit, signs, k, steps, weights, s, lo, hi, square, start, out
):
    """Steps (starts, t, r) of label column `k`; see `corral.constraints.dense_kernels`."""
    length, patterns = signs.shape[1], s.shape[2]
    block = np.empty(length, s.dtype)
    for a in range(0, patterns, length):
        b = min(a + length, patterns)
        signs_of(source, line, hit, start + a, start + b, signs)
        g = block[: b - a]
        for i in range(len(s)):
            y, low, high = s[i, k, a:b], lo[i, k, a:b], hi[i, k, a:b]
            for t in range(steps.shape[1]):
                g[:] = 0
                add_rows(signs, steps[i, t], g)
                if len(low):
                    move_bounds(g, y, low, high, square[i, k, a:b])
                else:
                    move_labels(g, y, square[i, k, a:b])
            if not len(out):
                continue
            if len(low):
                expected_label(y, low, high, g)
                y = g
            if len(weights):
                for u in range(b - a):
                    g[u] = y[u] * weights[a + u]
                y = g
            add_products(signs, y, out[i])


@numba.njit(cache=True, nogil=True)
def step_sparse(indptr, indices, voted, tables, weights, s, lo, hi, square, start, out):
    """A step along `tables`; they and `out` are (starts, signals, n_labels).

    All label columns of a pattern are taken together, so that a run of patterns is a run of
    labels.
    """
    patterns, n_labels = s.shape[1:]
    length = max(1, SPARSE_BLOCK // n_labels)
    block = np.empty((length, n_labels))
    labels = block.ravel()
    for i in range(len(s)):
        shift, low, high = s[i].ravel(), lo[i].ravel(), hi[i].ravel()
        squares = square[i].ravel()
        for a in range(0, patterns, length):
            b = min(a + length, patterns)
            first, last = a * n_labels, b * n_labels
            g = labels[: last - first]
            sparse_pull(indptr, indices, voted, tables[i], start + a, start + b, block)
            move_bounds(
                g,
                shift[first:last],
                low[first:last],
                high[first:last],
                squares[first:last],
            )
            if not len(out):
                continue
            expected_label(shift[first:last], low[first:last], high[first:last], g)
            if len(weights):
                for u in range(a, b):
                    row = block[u - a]
                    for k in range(n_labels):
                        row[k] *= weights[u]
            sparse_push(indptr, indices, voted, block, start + a, start + b, out[i])
