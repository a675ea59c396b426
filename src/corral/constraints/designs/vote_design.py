"""Hard votes on patterns."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints.designs.operator import LabelColumn
from corral.constraints.designs.signal_design import Design


class VoteDesign(Design):
    """Hard votes on patterns, read as small integer codes.

    Parameters
    ----------
    columns : (c, p) array of int8 or int16
        Codes, one line per stored column, -1 for abstain.
    column, hit, label : (r,) arrays of int
        Row ``r`` reads line ``column[r]``, where the code ``hit[r]`` says "yes, the
        class of label column ``label[r]``" and any other vote says "no".
    """

    def __init__(
        self,
        columns: IntArray,
        column: IntArray,
        hit: IntArray,
        label: IntArray,
        n_labels: int,
        weights: FloatArray,
        inverse: IntArray | None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        super().__init__(label, n_labels, weights, inverse, sample_weight)
        # The signs of a block of all rows should stay within a few megabytes.
        self.block = max(1 << 10, min(self.block, (1 << 22) // max(1, len(label))))
        self.columns = columns
        self.column = column
        self.hit = hit.astype(columns.dtype)

    @cached_property
    def label_columns(self) -> list[LabelColumn]:
        lines = [(self.columns, self.column[r], self.hit[r]) for r in self._slices]
        return list(zip(self._slices, lines, strict=True))

    def entries(self, row: int, start: int, stop: int) -> FloatArray:
        codes = self.columns[self.column[row], start:stop]
        return np.where(codes < 0, np.nan, codes == self.hit[row])

    def signs(self, start: int, stop: int) -> FloatArray:
        codes = self.columns[self.column, start:stop]
        return (codes >= 0) - 2.0 * (codes == self.hit[:, None])

    def joint_gram(
        self, d: FloatArray, g: FloatArray, start: int, stop: int
    ) -> FloatArray:
        """`gram` of half the sum of the rows of every signal: (signals, signals).

        Of a signal that says class ``v``, this sum is one half but for ``v``, where it is
        minus one half. So all takes what is at ``v``, and no step per class.
        """
        codes = self.columns[np.unique(self.column), start:stop]
        active = (codes >= 0).astype(float)
        at = np.maximum(codes, 0), np.arange(stop - start)
        own, mixed = d[at] * active, (g.sum(axis=0) / 2 - g[at]) * active
        half = own @ active.T
        total = (active * d.sum(axis=0)) @ active.T / 4 - (half + half.T) / 2
        for i, line in enumerate(codes):  # where two say the same
            total[i] += (codes == line) @ own[i]
        return total - mixed @ mixed.T

    def sizes_and_means(self) -> tuple[FloatArray, FloatArray]:
        used = np.unique(self.column)
        tallies = {i: np.bincount(self.columns[i] + 1, self.weights) for i in used}
        sizes = np.array([tallies[i][1:].sum() for i in self.column])
        yes = [
            tallies[i][h + 1 :][:1].sum()
            for i, h in zip(self.column, self.hit, strict=True)
        ]
        return sizes, np.array(yes) / np.maximum(sizes, np.finfo(float).tiny)
