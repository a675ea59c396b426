"""Distinct rows of votes, found without sorting whole rows.

Examples with the same votes have the same label, so all work is done once per distinct
row. The order of these depends on their content only, so any engine that counts them, in
any order, leads to the same numbers bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import IntArray

MAX_TABLE_KEYS = 1 << 16
"""Keys below this (or below four per row) are counted in a table instead of sorted."""
CACHE_BYTES = 1 << 19  # bytes of votes keyed, hashed or compared at once


def find_patterns(votes: Any, n_values: int) -> tuple[Any, IntArray]:
    """The distinct rows of votes, and the distinct row (n,) of every row.

    Votes are codes (n, m) from -1 (abstain) to ``n_values - 1``; sparse: ``code + 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.votes.patterns import find_patterns
    >>> found, row_of = find_patterns(np.array([[1, -1], [0, 1], [1, -1]], np.int8), 2)
    >>> found.tolist(), row_of.tolist()
    ([[0, 1], [1, -1]], [1, 0, 1])
    """
    if isinstance(votes, csr_array):
        first, row_of = _group_hashed(votes, _hash_sparse, _same_sparse)
        return votes[first], row_of
    if (n_values + 1) ** votes.shape[1] < 2**63:
        return _group_keys(votes, n_values + 1)
    first, row_of = _group_hashed(votes, _hash_dense, _same_dense)
    return votes[first], row_of


def _blocks(votes: IntArray) -> Iterator[slice]:
    """Ranges of rows that stay in the cache while they are worked on."""
    n, m = votes.shape
    step = max(256, CACHE_BYTES // (m * votes.itemsize))
    return (slice(a, min(a + step, n)) for a in range(0, n, step))


def _group_keys(votes: IntArray, base: int) -> tuple[IntArray, IntArray]:
    """Group rows by their value as a number in `base`: exact and in order."""
    n, m = votes.shape
    space = base**m
    key: NDArray[Any] = np.empty(n, np.int32 if space < 2**31 else np.int64)
    worth = base ** np.arange(m, dtype=np.int64)[::-1]
    # A product of floats is the fastest, and exact for whole numbers of this size.
    exact = np.float32 if space < 2**24 else np.float64 if space < 2**53 else np.int64
    for at in _blocks(votes):
        key[at] = votes[at].astype(exact) @ worth.astype(exact)
    key += (space - 1) // (base - 1)  # each digit is code + 1
    if space <= max(MAX_TABLE_KEYS, 4 * n):
        unique: IntArray = np.flatnonzero(np.bincount(key, minlength=space))
        rank = np.empty(space, np.int32)
        rank[unique] = np.arange(len(unique), dtype=np.int32)
        inverse: IntArray = rank.take(key)
    else:
        unique, inverse = np.unique(key, return_inverse=True)
    codes = np.empty((len(unique), m), votes.dtype, order="F")
    rest = unique.astype(np.int64)
    for i in reversed(range(m)):
        rest, digit = np.divmod(rest, base)
        codes[:, i] = digit - 1
    return codes, inverse


def _group_hashed(
    votes: Any,
    hash_rows: Callable[[Any, int], NDArray[np.uint64]],
    same: Callable[[Any, IntArray], bool],
) -> tuple[IntArray, IntArray]:
    """Group rows by a 64-bit hash, and verify; a collision changes the seed."""
    for seed in count():
        hashes = hash_rows(votes, seed)
        order = np.argsort(hashes)
        new = np.ones(len(order), bool)
        np.not_equal(hashes[order[1:]], hashes[order[:-1]], out=new[1:])
        first = order[new]
        inverse = np.empty(len(order), np.int64)
        inverse[order] = np.cumsum(new) - 1
        if same(votes, first[inverse]):
            return first, inverse
    raise AssertionError("unreachable")


def mix_words(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (the finaliser of splitmix64); wraps on purpose."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _hash_dense(votes: IntArray, seed: int) -> NDArray[np.uint64]:
    n, m = votes.shape
    n_words = -(-m * votes.itemsize // 8)
    hashes = np.full(n, seed, np.uint64)
    for at in _blocks(votes):
        h = hashes[at]
        padded = np.zeros((len(h), n_words * 8 // votes.itemsize), votes.dtype)
        padded[:, :m] = votes[at]
        for word in padded.view(np.uint64).T:
            # One multiplication per word is enough: what it lets through, `same` finds.
            h ^= word
            h *= np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(29)
    return mix_words(hashes)


def _same_dense(votes: IntArray, representative: IntArray) -> bool:
    return all(
        np.array_equal(votes[at][other], votes[representative[at][other]])
        for at in _blocks(votes)
        for other in [
            np.flatnonzero(representative[at] != np.arange(at.start, at.stop))
        ]
    )


def _hash_sparse(votes: csr_array, seed: int) -> NDArray[np.uint64]:
    """Sum of one random word per vote: the order of the votes does not matter."""
    largest = int(votes.data.max(initial=0)) + 1
    cells = votes.indices.astype(np.uint64) * np.uint64(largest)
    cells += votes.data.astype(np.uint64)
    words = mix_words(cells * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed))
    total = np.concatenate(([np.uint64(0)], np.cumsum(words, dtype=np.uint64)))
    return total[votes.indptr[1:]] - total[votes.indptr[:-1]]


def _same_sparse(votes: csr_array, representative: IntArray) -> bool:
    lengths = np.diff(votes.indptr)
    if not np.array_equal(lengths, lengths[representative]):
        return False
    shift = votes.indptr[representative] - votes.indptr[:-1]
    at = np.arange(votes.nnz) + np.repeat(shift, lengths)
    return np.array_equal(votes.indices, votes.indices[at]) and np.array_equal(
        votes.data, votes.data[at]
    )
