"""Distinct rows: those of a sort, whatever finds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from corral.votes import patterns
from corral.votes.patterns import find_patterns


@st.composite
def vote_matrices(draw):
    k = draw(st.integers(2, 4))
    shape = draw(st.tuples(st.integers(1, 40), st.integers(1, 6)))
    return draw(arrays(np.int8, shape, elements=st.integers(-1, k - 1))), k


@given(vote_matrices(), st.booleans())
def test_the_distinct_rows_in_order(case, in_a_table):
    votes, k = case
    unique, inverse = np.unique(votes, axis=0, return_inverse=True)
    with pytest.MonkeyPatch.context() as patch:
        if not in_a_table:  # keys are sorted: there are too many for a table
            patch.setattr(patterns, "MAX_TABLE_KEYS", 0)
            k = 40
        found, row_of = find_patterns(votes, k)
    np.testing.assert_array_equal(found, unique)
    np.testing.assert_array_equal(row_of, inverse.ravel())


@given(vote_matrices())
def test_sparse_votes_have_the_same_rows(case):
    votes, k = case
    found, row_of = find_patterns(csr_array(votes.astype(np.int32) + 1), k)
    np.testing.assert_array_equal(found[row_of].toarray() - 1, votes)
    assert found.shape[0] == len(np.unique(votes, axis=0))


@pytest.mark.parametrize("n_signals", [41, 64, 200])
def test_rows_wider_than_a_key_are_hashed_in_an_order_of_their_own(n_signals):
    rng = np.random.default_rng(0)
    distinct = rng.integers(-1, 2, (30, n_signals)).astype(np.int8)
    votes = distinct[rng.integers(0, 30, 500)]
    found, row_of = find_patterns(votes, 2)
    assert len(found) == len(np.unique(votes, axis=0))
    np.testing.assert_array_equal(found[row_of], votes)
    shuffled, _ = find_patterns(votes[rng.permutation(500)], 2)
    np.testing.assert_array_equal(shuffled, found)


def test_a_hash_collision_is_found_and_resolved(monkeypatch):
    honest = patterns._hash_dense
    seeds = []

    def colliding(votes, seed):
        seeds.append(seed)
        return np.zeros(len(votes), np.uint64) if seed == 0 else honest(votes, seed)

    monkeypatch.setattr(patterns, "_hash_dense", colliding)
    votes = np.random.default_rng(0).integers(-1, 2, (60, 50)).astype(np.int8)
    found, row_of = find_patterns(votes, 2)
    assert seeds == [0, 1]
    np.testing.assert_array_equal(found[row_of], votes)
