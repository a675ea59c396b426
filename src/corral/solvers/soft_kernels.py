"""The Adagrad step on soft signals, compiled: one pass over the values per step.

Signs are made for a block of units (`corral.constraints.value_kernels`) and used for all
that a step does with them: the gradient, the move, and ``sign @ y`` after it, for every
start. All of it is as precise as the values; only sums over blocks are always double.

Arguments in common:

values, line
    One label column, see `signs_of`; `k` is its number.
v : (starts, r)
    Multipliers of the signs.
weights : (u,), or (0,) for ones
out : (starts, r) of double
    ``sign @ y`` is added to it.
"""

import numba
import numpy as np

from corral.constraints.value_kernels import (
    add_products,
    add_rows,
    block_of,
    signs_of,
)
from corral.solvers.shift_kernels import EPSILON, advance, expected

_FAST = {"reassoc", "contract", "nsz", "nnan"}


@numba.njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def settle(g, y, square):
    """One Adagrad step of the labels themselves, in place."""
    one, epsilon = y.dtype.type(1), y.dtype.type(EPSILON)
    zero = one - one
    for p in range(len(g)):
        total = square[p] + g[p] * g[p]
        square[p] = total
        y[p] = min(max(y[p] - g[p] / np.sqrt(total + epsilon), zero), one)


@numba.njit(cache=True, nogil=True)
def expected_pass(values, line, k, v, weights, s, lo, hi, square, start, stop, out):
    """A step of all starts at once; the state is (1, n_labels, u)."""
    step = block_of(len(line), s)
    signs = np.empty((len(line), step), s.dtype)
    block = np.empty(step, s.dtype)
    for a in range(start, stop, step):
        b = min(a + step, stop)
        signs_of(values, line, a, b, signs)
        y = block[: b - a]
        y[:] = 0
        add_rows(signs, v[0], y)
        at, low, high = s[0, k, a:b], lo[0, k, a:b], hi[0, k, a:b]
        advance(y, at, low, high, square[0, k, a:b])
        expected(at, low, high, y)
        if len(weights):
            y *= weights[a:b]
        add_products(signs, y, out[0])


@numba.njit(cache=True, nogil=True)
def label_pass(values, line, k, v, weights, labels, square, start, stop, out):
    """A step of explicit starts; the state is (starts, n_labels, u)."""
    step = block_of(len(line), labels)
    signs = np.empty((len(line), step), labels.dtype)
    block = np.empty(step, labels.dtype)
    for a in range(start, stop, step):
        b = min(a + step, stop)
        signs_of(values, line, a, b, signs)
        g = block[: b - a]
        for i in range(len(v)):
            g[:] = 0
            add_rows(signs, v[i], g)
            y = labels[i, k, a:b]
            settle(g, y, square[i, k, a:b])
            if len(weights):
                g[:] = y * weights[a:b]
                y = g
            add_products(signs, y, out[i])


@numba.njit(cache=True, nogil=True)
def replay(values, line, steps, start, stop, out):
    """Add the expected labels of a range of units after all steps (t, r) to `out`."""
    step = block_of(len(line), steps)
    signs = np.empty((len(line), step), steps.dtype)
    state = np.empty((5, step), steps.dtype)
    for a in range(start, stop, step):
        b = min(a + step, stop)
        signs_of(values, line, a, b, signs)
        y, s, lo = state[0, : b - a], state[1, : b - a], state[2, : b - a]
        hi, square = state[3, : b - a], state[4, : b - a]
        s[:] = 0
        lo[:] = 0
        hi[:] = 1
        square[:] = 0
        for t in range(len(steps)):
            y[:] = 0
            add_rows(signs, steps[t], y)
            advance(y, s, lo, hi, square)
        expected(s, lo, hi, y)
        out[a - start : b - start] += y
