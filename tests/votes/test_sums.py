"""Rows that stand for many examples: counted, weighed, added up, sampled."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from corral import ConstrainedLabeler, WeakSignals
from corral.datasets import random_votes
from corral.errors import SignalsError

VOTES, _ = random_votes(3_000)
ROWS, INVERSE, COUNTS = np.unique(
    VOTES, axis=0, return_inverse=True, return_counts=True
)
COUNTED = WeakSignals.from_votes(ROWS, counts=COUNTS)
RNG = np.random.default_rng(0)
THREE = RNG.integers(-1, 3, size=(500, 4))


def counted(votes, **options):
    return WeakSignals.from_votes(votes, **options).distinct()


def same(a, b):
    """The same distinct rows, counts and meaning, in any order of rows."""
    assert a.classes.tolist() == b.classes.tolist()
    assert (a.names, a.kind) == (b.names, b.kind)
    tables = [np.column_stack([x.F.toarray(), x.counts]) for x in (a, b)]
    np.testing.assert_array_equal(*(t[np.lexsort(t.T)] for t in tables))
    return True


# -- counts ------------------------------------------------------------------------------


def test_counted_rows_are_the_examples_they_stand_for():
    whole = WeakSignals.from_votes(VOTES)
    for name in ("coverage", "overlaps", "conflicts"):
        np.testing.assert_allclose(getattr(COUNTED, name), getattr(whole, name))
    assert f"{len(ROWS)} rows for 3000 examples" in repr(COUNTED)
    assert COUNTED.take([3, 1]).row_counts.tolist() == COUNTS[[3, 1]].tolist()
    assert same(whole.distinct(), COUNTED.distinct())


def test_weights_multiply_counts_and_stay_with_their_rows():
    weights = RNG.random(len(ROWS))
    weights[:7] = 0
    weighed = COUNTED.weighted(weights)
    total = (weights * COUNTS).sum()
    assert weighed.counts.sum() == pytest.approx(total)
    assert weighed.distinct().counts.sum() == pytest.approx(total)
    assert weighed.distinct().n_rows == len(ROWS) - 7
    part = weighed.take([9, 3, 8]).split_by(np.array([0, 1, 0])).harden()
    assert part.counts.sum() == pytest.approx((weights * COUNTS)[[9, 3, 8]].sum())
    by_row = ConstrainedLabeler(0.3).fit(COUNTED, sample_weight=weights)
    by_example = ConstrainedLabeler(0.3).fit(
        VOTES, sample_weight=weights[INVERSE.ravel()]
    )
    np.testing.assert_allclose(
        by_row.labels_[INVERSE.ravel()], by_example.labels_, atol=1e-9
    )


@pytest.mark.parametrize(
    ("counts", "word"),
    [([1], "each of the 2 rows"), ([1, 0], "above zero"), (["a", 1], "above zero")],
)
def test_bad_counts(counts, word):
    with pytest.raises(SignalsError, match=word):
        WeakSignals.from_votes([[0, 1], [1, 1]], counts=counts)


# -- sums --------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 499), max_size=4, unique=True), st.randoms())
def test_chunks_add_up_to_the_whole_in_any_order(edges, random):
    chunks = np.split(THREE, sorted(edges))
    random.shuffle(chunks)
    total = reduce(add, (counted(c, classes=[0, 1, 2]) for c in chunks))
    whole = counted(THREE, classes=[0, 1, 2])
    assert same(total, whole)
    assert total.counts.sum() == 500
    if edges:  # and bit for bit: the order of the rows is that of their content
        np.testing.assert_array_equal(total.counts, (whole + total).counts / 2)


def test_signals_are_matched_by_name():
    votes = THREE[:, :2]
    mine = counted(votes, names=["x", "y"])
    total = mine + counted(votes[:, ::-1], names=["y", "x"])
    assert total.names == ("x", "y")
    np.testing.assert_array_equal(total.counts, 2 * mine.counts)


def test_sparse_dense_and_one_vs_rest():
    wide = np.full((30, 40), -1)
    wide[np.arange(30), RNG.integers(40, size=30)] = RNG.integers(3, size=30)
    rows, columns = np.nonzero(wide >= 0)
    sparse = counted(csr_array((wide[rows, columns], (rows, columns)), (30, 40)))
    dense = RNG.integers(-1, 3, size=(20, 40))
    assert same(sparse + counted(dense), counted(np.concatenate([wide, dense])))
    said = RNG.integers(-1, 2, size=(3, 50, 2)).astype(float)
    parts = [WeakSignals.from_one_vs_rest(said[:, a:b]) for a, b in ((0, 20), (20, 50))]
    assert same(reduce(add, parts), WeakSignals.from_one_vs_rest(said).distinct())


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (counted(THREE[:, :3]), "3 came"),
        (counted(THREE, classes=[2, 1, 0]), "classes="),
        (counted([["a", "b", "a", "b"]]), "classes="),
        (WeakSignals.from_one_vs_rest(np.eye(3)[:, None]), "one-vs-rest"),
        (WeakSignals.from_probabilities([[0.2, 0.7, 0.3, 0.1]]), "hard"),
    ],
)
def test_what_does_not_add_up(other, word):
    with pytest.raises(SignalsError, match=word):
        counted(THREE) + other
    with pytest.raises(TypeError):
        counted(THREE) + 1


def test_other_names_do_not_add_up():
    x, z = (counted(THREE[:, :2], names=["x", other]) for other in "yz")
    with pytest.raises(SignalsError, match="y, z"):
        x + z
