"""Products with the sparse matrix of votes, by look-up where rows of votes are dense.

Hard votes of a few signals have few different rows: five signals that say one of two
classes or nothing have 243. So signals are taken in groups, a distinct row is one code per
group, and a product is a small one with the rows of every group, and a look-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray

MAX_CODES = 4096
"""Different rows of a group of signals: they stay in the cache."""
PACKED_FROM = 50_000
"""Votes from which look-ups pay for the codes."""
VOTES_PER_CODE = 2
"""Votes that a code must stand for on average."""


class VoteMatrix:
    """``F`` (u, f), and how it is multiplied.

    Parameters
    ----------
    F : (u, f) sparse array of float
    step : int, optional
        Features per question, if all votes are hard and no row answers one twice.
    """

    def __init__(self, F: csr_array, step: int | None = None) -> None:
        self.F, self._step = F, step
        self._packs: list[tuple[IntArray, csr_array]] | None = None

    @property
    def packs(self) -> list[tuple[IntArray, csr_array]]:
        """Codes (u,) of every group of questions, and their rows (codes, f)."""
        if self._packs is None:
            self._packs = self._pack()
        return self._packs

    def _pack(self) -> list[tuple[IntArray, csr_array]]:
        F, step = self.F, self._step
        if step is None or F.nnz < PACKED_FROM or step >= MAX_CODES:
            return []
        used = np.unique(F.indices // step)
        size = max(1, int(np.log(MAX_CODES) / np.log(step + 1)))
        groups = [used[a : a + size] for a in range(0, len(used), size)]
        if F.nnz < VOTES_PER_CODE * F.shape[0] * len(groups):
            return []
        row = np.repeat(np.arange(F.shape[0]), np.diff(F.indptr))
        question, said = np.divmod(F.indices, step)
        place = np.zeros(int(used.max()) + 1, int)
        packs = []
        for group in groups:
            place[:] = -1
            place[group] = np.arange(len(group))
            own = place[question]
            chosen = own >= 0
            worth = (step + 1) ** own[chosen] * (said[chosen] + 1)
            code = np.bincount(row[chosen], worth, F.shape[0]).astype(np.intp)
            packs.append((code, _rows_of_codes(group, step, F.shape[1])))
        return packs

    def times(self, W: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(p, k) ``F[at] @ W``; W is (f, k)."""
        if not self.packs:
            part = self.F if at == slice(None) else self.F[at]
            if W.shape[1] == 1:
                return (part @ W[:, 0])[:, None]
            found: FloatArray = part @ W
            return found
        total: Any = None
        for code, rows in self.packs:
            part = (rows @ W).take(code[at], axis=0)
            total = part if total is None else np.add(total, part, out=total)
        return total

    def transposed_times(self, y: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(f, k) ``F[at].T @ y``; y is (p, k)."""
        if not self.packs:
            part = self.F if at == slice(None) else self.F[at]
            if y.shape[1] == 1:
                return (part.T @ y[:, 0])[:, None]
            found: FloatArray = part.T @ y
            return found
        total: Any = 0.0
        for code, rows in self.packs:
            own, n = code[at], rows.shape[0]
            sums = [np.bincount(own, column, n) for column in y.T]
            total = total + rows.T @ np.stack(sums, axis=1)
        return total


def _rows_of_codes(group: IntArray, step: int, n_features: int) -> csr_array:
    """(codes, f) the votes that every code of a group of questions stands for."""
    n = (step + 1) ** len(group)
    digits = np.arange(n)[:, None] // (step + 1) ** np.arange(len(group)) % (step + 1)
    voted = digits > 0
    feature = (group * step - 1) + digits
    ends = np.concatenate([[0], np.cumsum(voted.sum(axis=1))])
    return csr_array((np.ones(ends[-1]), feature[voted], ends), (n, n_features))
