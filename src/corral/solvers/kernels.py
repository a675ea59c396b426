"""One step of Adagrad, compiled; see `corral.solvers.adagrad`."""

import numba
import numpy as np

from corral.solvers.adagrad import EPSILON


@numba.njit(cache=True, nogil=True, error_model="numpy")
def step(g, s, lo, hi, square, y):
    """Move labels along ``g``; ``y`` becomes their mean over uniform starts, all (n,)."""
    for i in range(len(g)):
        square[i] += g[i] * g[i]
        d = g[i] / np.sqrt(square[i] + EPSILON)
        a = s[i] - d
        b = min(max(lo[i] - d, 0.0), 1.0)
        c = min(max(hi[i] - d, 0.0), 1.0)
        s[i], lo[i], hi[i] = a, b, c
        up = c - 0.5 * (max(c - a, 0.0) ** 2 - max(b - a, 0.0) ** 2)
        down = b + 0.5 * (max(1 + a - b, 0.0) ** 2 - max(1 + a - c, 0.0) ** 2)
        y[i] = min(max(up if a > 0 else down, b), c)
