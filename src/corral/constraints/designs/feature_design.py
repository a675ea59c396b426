"""Rows that look at one feature of a pattern and one label column each."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs.operator import Block, Operator


class FeatureDesign(Operator):
    """Rows ``feature * label``; a feature is a vote for a class, a group, or one.

    Parameters
    ----------
    like : Operator
        Rows of the same patterns.
    features : (p, f) sparse array
    feature, label : (r,) arrays of int
        What every row looks at, and the label column that it multiplies.
    """

    def __init__(
        self, like: Operator, features: csr_array, feature: IntArray, label: IntArray
    ) -> None:
        super().__init__(like.n_labels, like.weights, like.inverse, like._sample_weight)
        self.features = features
        self.feature = feature
        self.label = label

    @property
    def n_rows(self) -> int:
        return len(self.feature)

    @property
    def compiled(self) -> bool:
        return False

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        table = np.zeros((self.features.shape[1], self.n_labels))
        table[self.feature, self.label] = v
        return np.ascontiguousarray((self.features[start:stop] @ table).T)

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        table = self.features[start:stop].T @ y.T
        return table[self.feature, self.label]

    def coefficients(self, start: int, stop: int) -> list[Block]:
        part = self.features[start:stop].T.tocsr()
        rows = [np.flatnonzero(self.label == k) for k in range(self.n_labels)]
        return [(at, part[self.feature[at]]) for at in rows]

    def active_counts(self) -> IntArray:
        active = (self.features != 0).astype(np.int32)
        table = np.zeros((self.features.shape[1], self.n_labels), np.int32)
        table[self.feature, self.label] = 1
        return (active @ table).T
