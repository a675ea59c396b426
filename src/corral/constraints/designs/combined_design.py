"""Rows that are sums of other rows, such as one row per signal over all classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.constraints.designs.operator import Block, Operator
from corral.constraints.designs.signal_design import Design
from corral.constraints.designs.sparse_vote_design import SparseVoteDesign
from corral.constraints.designs.vote_design import VoteDesign

MANY_LABELS = 16
"""Label columns from which on comparing votes takes less than a product per column."""


class CombinedDesign(Operator):
    """Sums of the rows of other operators on the same patterns: ``matrix @ rows``.

    Parameters
    ----------
    parts : sequence of Operator
        Their rows stand one after the other.
    matrix : (r, rows of all parts) sparse array
    """

    def __init__(self, parts: Sequence[Operator], matrix: csr_array) -> None:
        first = parts[0]
        super().__init__(
            first.n_labels, first.weights, first.inverse, first._sample_weight
        )
        self.block = min(part.block for part in parts)
        self.order = first.order
        self.parts = parts
        self.matrix = matrix
        ends = accumulate((part.n_rows for part in parts), initial=0)
        self._slices = [slice(a, b) for a, b in pairwise(ends)]

    @property
    def n_rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def compiled(self) -> bool:
        return any(part.compiled for part in self.parts)

    def pull(self, v: FloatArray, start: int, stop: int) -> FloatArray:
        spread = self.matrix.T @ v
        pulled = self.parts[0].pull(spread[self._slices[0]], start, stop)
        for part, rows in zip(self.parts[1:], self._slices[1:], strict=True):
            pulled += part.pull(spread[rows], start, stop)
        return pulled

    def push(self, y: FloatArray, start: int, stop: int) -> FloatArray:
        pushed = [part.push(y, start, stop) for part in self.parts]
        return self.matrix @ np.concatenate(pushed)

    def coefficients(self, start: int, stop: int) -> list[Block]:
        blocks = [part.coefficients(start, stop) for part in self.parts]
        combined: list[Block] = []
        for k, (rows, matrices) in enumerate(self._columns):
            first, *others = (
                m @ own[k][1] for m, own in zip(matrices, blocks, strict=True)
            )
            combined.append((rows, sum(others, start=first)))
        return combined

    @cached_property
    def _columns(self) -> list[tuple[IntArray, list[csr_array]]]:
        """The rows that touch each label column, as sums of the rows of every part."""
        where = [part.coefficients(0, 0) for part in self.parts]
        columns = []
        for k in range(self.n_labels):
            matrices = [
                self.matrix[:, rows][:, own[k][0]]
                for rows, own in zip(self._slices, where, strict=True)
            ]
            touched = np.flatnonzero(sum(np.diff(m.indptr) for m in matrices))
            columns.append((touched, [csr_array(m[touched]) for m in matrices]))
        return columns

    def active_counts(self) -> IntArray:
        return np.sum([part.active_counts() for part in self.parts], axis=0)


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
        votes = self._votes
        if g is not None and isinstance(votes, SparseVoteDesign):
            return votes.joint_gram(d, g, start, stop)
        if g is not None and isinstance(votes, VoteDesign) and len(d) >= MANY_LABELS:
            return votes.joint_gram(d, g, start, stop)
        return super().gram(d, g, start, stop)
