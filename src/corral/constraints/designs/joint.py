"""One row per signal that votes for classes: its share of wrong votes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs.base import Design
from corral.constraints.designs.combined import CombinedDesign
from corral.constraints.designs.sparse import SparseVoteDesign


class JointDesign(CombinedDesign):
    """Half the sum of the rows of every signal: its share of wrong votes.

    A wrong vote is an error about two classes, if the labels of an example add up to one.

    Parameters
    ----------
    design : Design
        One row per signal and label column.
    signal : (r,) array of int
        The signal of every such row.
    """

    def __init__(self, design: Design, signal: IntArray) -> None:
        joint, at = np.unique(signal, return_inverse=True)
        cells = np.full(len(at), 0.5), (at, np.arange(len(at)))
        super().__init__([design], csr_array(cells, (len(joint), len(at))))
        self._votes = design

    @property
    def gram_cost(self) -> float:
        return self._votes.gram_cost

    def gram(
        self, d: FloatArray, g: FloatArray | None, start: int, stop: int
    ) -> FloatArray:
        if g is None or not isinstance(self._votes, SparseVoteDesign):
            return super().gram(d, g, start, stop)
        return self._votes.joint_gram(d, g, start, stop)
