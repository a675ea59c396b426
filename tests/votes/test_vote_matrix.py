"""Dense and sparse votes are one thing: every operation is the same on both."""

import numpy as np
import pytest
from corral.votes.vote_matrix import (
    Cells,
    compact,
    has_vote,
    list_cells,
    make_sparse,
    move_columns,
    recode,
    silence_columns,
    stack_votes,
    store_cells,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from corral import PatternCounts, WeakSignals
from corral.votes import weak_signals

SOME = hnp.arrays(
    np.int8,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.integers(-1, 2),
)


def dense(votes):
    """Codes as a plain array, whichever way they are stored."""
    return votes.toarray() - 1 if isinstance(votes, csr_array) else votes


def stored_sparsely(codes):
    """Sparse votes, built cell by cell."""
    cells = [(i, j, c) for (i, j), c in np.ndenumerate(codes) if c >= 0]
    row, column, code = np.array(cells, int).reshape(-1, 3).T
    return csr_array((code + 1, (row, column)), codes.shape)


@given(SOME)
def test_cells_are_those_of_a_loop(codes):
    wanted = [(i, j, c) for (i, j), c in np.ndenumerate(codes) if c >= 0]
    for votes in (codes, np.asfortranarray(codes), stored_sparsely(codes)):
        found = list_cells(votes)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == wanted
        np.testing.assert_array_equal(has_vote(votes), (codes >= 0).any(axis=1))
    again = store_cells(list_cells(codes), codes.shape)
    np.testing.assert_array_equal(dense(again), codes)


@given(SOME, st.data())
def test_operations_do_the_same_on_both(codes, data):
    n, m = codes.shape
    sparse = stored_sparsely(codes)
    np.testing.assert_array_equal(dense(make_sparse(codes)), codes)
    assert make_sparse(sparse) is sparse

    to = np.array(data.draw(st.permutations(range(m + 2)))[:m])
    moved = np.full((n, m + 2), -1)
    for j in range(m):
        moved[:, to[j]] = codes[:, j]
    silent = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)))
    quiet = codes.copy()
    quiet[:, silent] = -1
    other = np.array([2, 0, 4])
    renamed = np.array([[other[c] if c >= 0 else -1 for c in row] for row in codes])
    for votes in (codes, sparse):
        np.testing.assert_array_equal(dense(move_columns(votes, to, m + 2)), moved)
        np.testing.assert_array_equal(dense(silence_columns(votes, silent)), quiet)
        np.testing.assert_array_equal(dense(recode(votes, other, 5)), renamed)
        for below in (codes, sparse):
            both = stack_votes(votes, below)
            np.testing.assert_array_equal(dense(both), np.concatenate([codes, codes]))


@given(SOME)
def test_compact_votes_are_sparse_where_they_are_rare(codes):
    wide = np.concatenate([codes, np.full((codes.shape[0], 99), -1, np.int8)], axis=1)
    assert isinstance(compact(stored_sparsely(wide), 3), csr_array)
    full = np.maximum(codes, 0)
    assert compact(stored_sparsely(full), 3).dtype == np.int8
    np.testing.assert_array_equal(compact(stored_sparsely(full), 3), full)


def test_abstains_among_cells_are_dropped():
    cells = Cells(np.array([1, 0]), np.array([0, 1]), np.array([-1, 2]))
    wide = store_cells(cells, (2, 90))
    assert compact(wide, 3).nnz == 1


def test_sparse_votes_are_matched_by_name():
    codes = np.full((3, 60), -1)
    codes[0, 2:5], codes[1, 4], codes[2, 50] = [0, 1, 2], 1, 2
    names = [f"rule {i}" for i in range(60)]
    fitted = WeakSignals.from_votes(
        stored_sparsely(codes), classes=range(1, 4), names=names
    )
    backwards = stored_sparsely(codes[:, ::-1].copy())
    new = WeakSignals.from_votes(backwards, classes=range(1, 4), names=names[::-1])
    before = new.votes.toarray()
    matched = fitted.like(new)
    assert matched.names == fitted.names
    np.testing.assert_array_equal(dense(matched.votes), dense(fitted.votes))
    np.testing.assert_array_equal(new.votes.toarray(), before)


def test_what_votes_speak_of():
    votes = WeakSignals.from_votes([[1, 0], [2, -1]])
    assert votes.names_classes
    assert votes.n_choices == 3
    assert votes.vote_columns.tolist() == [[0, -1], [1, -1]]
    soft = WeakSignals.from_probabilities(np.full((2, 2, 3), 1 / 3))
    assert soft.n_choices == 3
    assert soft.vote_columns.tolist() == soft.harden().columns.tolist()
    said = np.array([[[1, -1, 0], [1, -1, -1]]])
    rests = WeakSignals.from_one_vs_rest(said)
    assert not rests.names_classes
    assert rests.n_choices == 2
    assert rests.vote_columns.tolist() == [[0, 0], [0, 2]]
    assert [part.tolist() for part in rests.cells()] == [
        [0, 0, 1],
        [0, 1, 0],
        [1, 0, 1],
    ]


def test_soft_cells_of_probabilities():
    said = np.array([[[0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]], [[np.nan] * 3] * 2])
    soft = WeakSignals.from_probabilities(said)
    assert [(c, v, w.tolist()) for c, v, w in soft.soft_cells(0, 2)] == [
        (0, 0, [0.2, 0.0]),
        (1, 0, [0.0, 0.0]),
        (0, 1, [0.3, 0.0]),
        (1, 1, [0.0, 0.0]),
        (0, 2, [0.5, 0.0]),
        (1, 2, [0.0, 0.0]),
    ]


@pytest.mark.parametrize("bins", [None, 4])
def test_soft_cells_of_one_vs_rest(bins):
    said = np.array([[[0.75, -1, 0.5], [0.75, -1, 0.25], [0.75, -1, 0.5]]])
    soft = WeakSignals.from_one_vs_rest(said, bins=bins)
    assert soft.vote_columns.tolist() == [[0, 0], [0, 2]]
    rows = [0, 1, 2] if bins is None else soft.patterns.inverse
    cells = soft.soft_cells(0, max(rows) + 1)
    assert [(c, v, w[rows].tolist()) for c, v, w in cells] == [
        (0, 1, [0.75, 0.75, 0.75]),
        (0, 0, [0.25, 0.25, 0.25]),
        (1, 1, [0.0, 0.25, 0.0]),
        (1, 0, [0.0, 0.75, 0.0]),
    ]
    assert [w.tolist() for *_, w in soft.soft_cells(1, 2)] == [
        w[1:2].tolist() for *_, w in cells
    ]


@pytest.mark.parametrize("n_signals", [3, 80])
def test_counted_patterns_are_not_searched_for_again(monkeypatch, n_signals):
    votes = np.random.default_rng(0).integers(-1, 2, (500, n_signals))
    signals = WeakSignals.from_votes(votes)
    weights = np.random.default_rng(1).integers(0, 2, 500).astype(float)
    counted = PatternCounts(signals, weights).signals
    rows = WeakSignals.from_votes(counted.votes, counts=counted.counts).patterns
    searches = []
    monkeypatch.setattr(weak_signals, "find_patterns", searches.append)
    found = counted.patterns
    assert not searches
    np.testing.assert_array_equal(found.codes, rows.codes)
    np.testing.assert_array_equal(found.counts, rows.counts)
    np.testing.assert_array_equal(found.inverse, rows.inverse)
    assert found.codes.flags.f_contiguous


def test_repeated_cells_are_added_up():
    """Some versions of SciPy do so only when asked; readers count on it."""
    cells = Cells(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 1, 1]))
    stored = store_cells(cells, (2, 2))
    assert stored.nnz == 2
    assert stored.has_canonical_format
