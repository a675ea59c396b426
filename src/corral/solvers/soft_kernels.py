"""The Adagrad step on soft signals, compiled: one pass over the values a step.

Signs are made for a block of units (`corral.constraints.value_kernels`) and used for all
that a step does with them: the gradient, the move, and ``sign @ y`` after it, for every
start. All of it is as precise as the values; only sums over blocks are always double.
"""

import numba
import numpy as np

from corral.constraints.value_kernels import (
    add_products,
    add_rows,
    block_of,
    signs_of,
)
from corral.solvers.shift_kernels import advance, expected, moved


@numba.njit(cache=True, nogil=True)
def soft_pass(values, line, k, v, starts, weights, s, lo, hi, square, start, stop, out):
    """One step of a range of units of label column `k`, and ``sign @ y`` after it.

    Parameters
    ----------
    values, line
        As for `signs_of`.
    v : (starts, r) multipliers
    starts : (starts, n_labels, u) where labels began, or (0, 0, 0) for all at once
    weights : (u,), or (0,) for ones
    s, lo, hi, square : (starts, n_labels, u) state, moved in place
    out : (starts, r) of double
    """
    out[:] = 0.0
    step = block_of(len(line), s)
    signs = np.empty((len(line), step), s.dtype)
    block = np.empty(step, s.dtype)
    for a in range(start, stop, step):
        b = min(a + step, stop)
        signs_of(values, line, a, b, signs)
        y = block[: b - a]
        for i in range(len(v)):
            y[:] = 0
            add_rows(signs, v[i], y)
            at, low, high = s[i, k, a:b], lo[i, k, a:b], hi[i, k, a:b]
            advance(y, at, low, high, square[i, k, a:b])
            if len(starts):
                moved(starts[i, k, a:b], at, low, high, y)
            else:
                expected(at, low, high, y)
            if len(weights):
                y *= weights[a:b]
            add_products(signs, y, out[i])


@numba.njit(cache=True, nogil=True)
def soft_replay(values, line, steps, start, stop, out):
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
