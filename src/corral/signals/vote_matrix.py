"""How hard votes are stored, dense or sparse, and the cells that they consist of.

Nothing outside `signals` looks at the arrays: it asks for `Cells`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from corral._types import BoolArray, IntArray
from corral.signals.coding import ABSTAIN, code_type

Votes: TypeAlias = "IntArray | csr_array"
"""Vote codes (n, c): dense with -1 for abstain, or sparse with ``code + 1`` stored."""

DENSE_SHARE = 1 / 16
"""Votes on a smaller share of the cells than this stay sparse."""
_CSR = ("data", "indices", "indptr")


class Cells(NamedTuple):
    """What signals say, vote by vote; abstains are left out.

    Attributes
    ----------
    row : (v,) array of int
        Example, or pattern, of every vote; in order.
    column : (v,) array of int
        Line of `WeakSignals.vote_columns`: the signal, where signals name classes.
    vote : (v,) array of int
        The code of the class; 1 and 0 for the "yes" and "no" of a one-vs-rest signal.
    """

    row: IntArray
    column: IntArray
    vote: IntArray


def list_cells(votes: Votes) -> Cells:
    """The cells of votes, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.vote_matrix import list_cells
    >>> [part.tolist() for part in list_cells(np.array([[1, -1], [0, 2]]))]
    [[0, 1, 1], [0, 0, 1], [1, 0, 2]]
    """
    if isinstance(votes, csr_array):
        row = np.repeat(np.arange(votes.shape[0]), np.diff(votes.indptr))
        return Cells(row, votes.indices, votes.data.astype(np.int64) - 1)
    row, column = np.nonzero(np.ascontiguousarray(votes) >= 0)
    return Cells(row, column, votes[row, column].astype(np.int64))


def has_vote(votes: Votes) -> BoolArray:
    """(n,) whether a row has any vote."""
    if isinstance(votes, csr_array):
        return np.diff(votes.indptr) > 0
    found: Any = (votes >= 0).any(axis=1)
    return found


def store_cells(cells: Cells, shape: tuple[int, int]) -> csr_array:
    """Sparse votes from cells in any order; abstains among them are dropped later."""
    row, column, vote = cells
    stored = csr_array((vote.astype(np.int32) + 1, (row, column)), shape)
    stored.sum_duplicates()  # fewer votes than cells tell readers of repeated cells
    return stored


def make_sparse(votes: Votes) -> csr_array:
    """The same votes, stored sparsely."""
    return votes if isinstance(votes, csr_array) else csr_array(votes.astype("i4") + 1)


def compact(stored: csr_array, n_classes: int) -> Votes:
    """Sparse votes without abstains; dense where votes are not rare."""
    stored.eliminate_zeros()
    n, m = stored.shape
    if stored.nnz < DENSE_SHARE * n * m:
        return stored
    return (stored.toarray() - 1).astype(code_type(n_classes))


def freeze(array: Any) -> None:
    """Make an array, dense or sparse, read-only; anything else is left alone."""
    if isinstance(array, csr_array):
        for part in _CSR:
            getattr(array, part).setflags(write=False)
    elif isinstance(array, np.ndarray):
        array.setflags(write=False)


def move_columns(votes: Votes, to: IntArray, n_columns: int) -> Votes:
    """Votes whose columns stand in other places (c,), among others that abstain."""
    shape = (votes.shape[0], n_columns)
    if isinstance(votes, csr_array):
        cells = votes.data.copy(), to[votes.indices], votes.indptr
        moved = csr_array(cells, shape)
        moved.sort_indices()  # in place, so of a copy
        return moved
    placed = np.full(shape, ABSTAIN, votes.dtype)
    placed[:, to] = votes
    return placed


def silence_columns(votes: Votes, silent: BoolArray) -> Votes:
    """Votes of which some columns (c,) abstain everywhere."""
    if not isinstance(votes, csr_array):
        return np.where(silent, votes.dtype.type(ABSTAIN), votes)
    kept = ~silent[votes.indices]
    ends = np.concatenate([[0], np.cumsum(kept)])[votes.indptr]
    return csr_array((votes.data[kept], votes.indices[kept], ends), votes.shape)


def recode(votes: Votes, to: IntArray, n_classes: int) -> Votes:
    """Votes in which every code is that of another list of classes: ``to[code]``."""
    if isinstance(votes, csr_array):
        cells = to[votes.data - 1] + 1, votes.indices, votes.indptr
        return csr_array(cells, votes.shape)
    moved = np.append(to, ABSTAIN)[votes]  # code -1 is the last entry
    return moved.astype(code_type(n_classes))


def stack_votes(first: Votes, second: Votes) -> Votes:
    """One below the other; sparse if either is."""
    if isinstance(first, csr_array) or isinstance(second, csr_array):
        return csr_array(vstack([make_sparse(first), make_sparse(second)]))
    return np.concatenate([first, second])


def choose_votes(votes: Votes, at: IntArray) -> Votes:
    """Some columns (s,) of votes, in that order; -1 stands for one of abstains.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.vote_matrix import choose_votes
    >>> choose_votes(np.array([[1, 0], [-1, 1]]), np.array([1, -1])).tolist()
    [[0, -1], [1, -1]]
    """
    if isinstance(votes, csr_array):
        silent = csr_array((votes.shape[0], 1), dtype=votes.dtype)
        return csr_array(hstack([votes, silent], format="csr")[:, at])
    chosen: IntArray = votes[:, at]
    chosen[:, at < 0] = ABSTAIN  # of a copy
    return chosen
