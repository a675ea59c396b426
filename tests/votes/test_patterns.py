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


@given(vote_matrices())
def test_patterns_are_the_distinct_rows_in_order(case):
    votes, k = case
    found = find_patterns(votes, k)
    unique, inverse, counts = np.unique(
        votes, axis=0, return_inverse=True, return_counts=True
    )
    np.testing.assert_array_equal(found.codes, unique)
    np.testing.assert_array_equal(found.inverse, inverse.ravel())
    np.testing.assert_array_equal(found.counts, counts)


@given(vote_matrices())
def test_sorted_and_table_keys_agree(case):
    votes, k = case
    table = find_patterns(votes, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "DIRECT_TABLE", 0)
        few = votes[: max(1, len(votes) // 10)]
        assert len(find_patterns(few, 40)) == len(find_patterns(few, k))
        sorted_keys = find_patterns(votes, 40)  # too many keys for a table
    np.testing.assert_array_equal(sorted_keys.codes, table.codes)
    np.testing.assert_array_equal(sorted_keys.inverse, table.inverse)


@pytest.mark.parametrize("n_signals", [41, 64, 200])
def test_rows_wider_than_a_key_are_hashed_and_restored(n_signals):
    rng = np.random.default_rng(0)
    distinct = rng.integers(-1, 2, (30, n_signals)).astype(np.int8)
    votes = distinct[rng.integers(0, 30, 500)]
    found = find_patterns(votes, 2)
    assert len(found) == len(np.unique(votes, axis=0))
    np.testing.assert_array_equal(found.codes[found.inverse], votes)
    assert found.counts.sum() == 500


def test_the_order_of_hashed_patterns_does_not_depend_on_the_rows():
    rng = np.random.default_rng(1)
    votes = rng.integers(-1, 2, (200, 50)).astype(np.int8)
    shuffled = find_patterns(votes[rng.permutation(200)], 2)
    np.testing.assert_array_equal(shuffled.codes, find_patterns(votes, 2).codes)


def test_a_hash_collision_is_found_and_resolved(monkeypatch):
    honest = patterns._hash_dense
    seeds = []

    def colliding(votes, seed):
        seeds.append(seed)
        return np.zeros(len(votes), np.uint64) if seed == 0 else honest(votes, seed)

    monkeypatch.setattr(patterns, "_hash_dense", colliding)
    votes = np.random.default_rng(0).integers(-1, 2, (60, 50)).astype(np.int8)
    found = find_patterns(votes, 2)
    assert seeds == [0, 1]
    np.testing.assert_array_equal(found.codes[found.inverse], votes)


@given(vote_matrices())
def test_sparse_votes_have_the_same_patterns(case):
    votes, k = case
    dense = find_patterns(votes, k)
    sparse = find_patterns(csr_array(votes.astype(np.int32) + 1), k)
    restored = sparse.codes[sparse.inverse].toarray() - 1
    np.testing.assert_array_equal(restored, votes)
    assert sorted(sparse.counts) == sorted(dense.counts)


def test_weights_are_added_up():
    votes = np.array([[0], [1], [0]], np.int8)
    found = find_patterns(votes, 2, weights=np.array([0.5, 2.0, 1.0]))
    assert found.counts.tolist() == [1.5, 2.0]
