"""Soft signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.constraints.designs.base import Design


class ValueDesign(Design):
    """Soft signals, one unit an example.

    Parameters
    ----------
    values : sequence of (r_k, n) arrays
        Probabilities of the rows of every label column, NaN for abstain.
    """

    def __init__(self, values: list[NDArray[np.floating]], weights: FloatArray) -> None:
        label = np.repeat(np.arange(len(values)), [len(v) for v in values])
        super().__init__(label, len(values), weights, None, weights)
        self.values = values
        # A block of all rows should stay within the second-level cache.
        self.block = max(1 << 10, (1 << 16) // max(1, self.n_rows))

    def entries(self, row: int, start: int, stop: int) -> NDArray[np.floating]:
        k = int(self.label[row])
        return self.values[k][row - self._slices[k].start, start:stop]

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return self._small_pull(v, start, stop)
        from corral.constraints import kernels

        out = np.empty((self.n_labels, stop - start))
        for k, rows in enumerate(self._slices):
            kernels.value_pull(self.values[k], v[rows], start, stop, out[k])
        return out

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        if not self.compiled:
            return self._small_push(y, start, stop)
        from corral.constraints import kernels

        out = np.empty(self.n_rows)
        for k, rows in enumerate(self._slices):
            kernels.value_push(self.values[k], y[k], start, stop, out[rows])
        return out
