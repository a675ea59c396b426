"""Counts of patterns: the sum of the parts is the whole, and a file of them is them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from corral import ConstrainedLabeler, PatternCounts, WeakSignals
from corral.errors import SignalsError, SignalsWarning, StorageError

RNG = np.random.default_rng(0)
VOTES = RNG.integers(-1, 3, size=(500, 4))


def counted(votes, **options):
    return PatternCounts(WeakSignals.from_votes(votes, **options))


def same(a, b):
    """The same patterns, counts and meaning."""
    assert a.signals.classes.tolist() == b.signals.classes.tolist()
    assert a.signals.names == b.signals.names
    for pair in zip(*((dense(x), x.signals.counts) for x in (a, b)), strict=True):
        np.testing.assert_array_equal(*pair)
    return True


def dense(counts):
    votes = counts.signals.votes
    return votes.toarray() - 1 if isinstance(votes, csr_array) else votes


@given(st.lists(st.integers(1, 499), max_size=4, unique=True), st.randoms())
def test_chunks_add_up_to_the_whole_in_any_order(edges, random):
    chunks = np.split(VOTES, sorted(edges))
    random.shuffle(chunks)
    total = sum_of(counted(c, classes=[0, 1, 2]) for c in chunks)
    assert same(total, counted(VOTES, classes=[0, 1, 2]))
    assert total.n_examples == len(VOTES)


def sum_of(parts):
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def test_classes_of_a_chunk_may_be_missing():
    low, high = VOTES[VOTES.max(axis=1) < 2], VOTES[VOTES.max(axis=1) == 2]
    high = np.where(high == 0, -1, high)
    both = counted(low) + counted(high)
    assert same(both, counted(high) + counted(low))
    assert same(both, counted(np.concatenate([low, high])))
    assert counted(low).signals.n_label_columns == 1
    assert both.signals.n_label_columns == 3


def test_words():
    both = counted([["b", "c"], ["c", None]]) + counted([["a", "b"]])
    assert both.signals.classes.tolist() == ["a", "b", "c"]
    assert same(both, counted([["b", "c"], ["c", None], ["a", "b"]]))


def test_signals_are_matched_by_name():
    votes = VOTES[:, :2]
    mine = counted(votes, names=["x", "y"])
    theirs = counted(votes[:, ::-1], names=["y", "x"])
    total = mine + theirs
    assert total.signals.names == ("x", "y")
    np.testing.assert_array_equal(total.signals.counts, 2 * mine.signals.counts)


def test_sparse_and_dense():
    wide = np.full((30, 40), -1)
    wide[np.arange(30), RNG.integers(40, size=30)] = RNG.integers(3, size=30)
    rows, columns = np.nonzero(wide >= 0)
    sparse = counted(csr_array((wide[rows, columns], (rows, columns)), (30, 40)))
    assert isinstance(sparse.signals.votes, csr_array)
    assert (sparse + sparse).n_examples == 60
    mixed = sparse + counted(RNG.integers(-1, 3, size=(20, 40)))
    assert mixed.n_examples == 50
    labels = ConstrainedLabeler(0.3).fit(mixed).predict_proba(wide)
    assert labels.shape == (30, 3)


def test_hard_one_vs_rest():
    said = RNG.integers(-1, 2, size=(3, 50, 2)).astype(float)
    parts = [WeakSignals.from_one_vs_rest(said[:, a:b]) for a, b in ((0, 20), (20, 50))]
    total = sum_of(map(PatternCounts, parts))
    assert same(total, PatternCounts(WeakSignals.from_one_vs_rest(said)))


def test_weights_are_counted():
    weights = RNG.random(500)
    weights[:7] = 0
    total = PatternCounts(WeakSignals.from_votes(VOTES), weights)
    assert total.n_examples == pytest.approx(weights.sum())
    expected = ConstrainedLabeler(0.3).fit(VOTES, sample_weight=weights)
    labels = ConstrainedLabeler(0.3).fit(total).predict_proba(VOTES)
    np.testing.assert_allclose(labels, expected.labels_, atol=1e-9)


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (counted(VOTES[:, :3]), "of 4 and of 3 signals"),
        (counted(VOTES, classes=[2, 1, 0]), "no common order"),
        (counted([["a", "b", "a", "b"]]), "no common order"),
        (
            PatternCounts(WeakSignals.from_one_vs_rest(np.eye(3)[:, None])),
            "class votes and one-vs-rest",
        ),
    ],
)
def test_what_does_not_add_up(other, match):
    with pytest.raises(SignalsError, match=match):
        counted(VOTES) + other
    with pytest.raises(TypeError):
        counted(VOTES) + 1


def test_other_names_do_not_add_up():
    with pytest.raises(SignalsError, match="only one side has y, z"):
        counted(VOTES[:, :2], names=["x", "y"]) + counted(
            VOTES[:, :2], names=["x", "z"]
        )


def test_soft_signals_are_refused():
    with pytest.raises(SignalsError, match="binned ones too"):
        PatternCounts(WeakSignals.from_probabilities([[0.2, 0.7]]))
    with pytest.raises(SignalsError, match="ndarray was given"):
        PatternCounts(VOTES)


@pytest.mark.parametrize("sparse", [False, True])
def test_files(tmp_path, sparse):
    votes = np.full((40, 60), -1)
    votes[np.arange(40), RNG.integers(60, size=40)] = 1
    votes[0, 0], votes[1, 3] = 0, 2
    rows, columns = np.nonzero(votes >= 0)
    stored = csr_array((votes[rows, columns], (rows, columns)), votes.shape)
    counts = counted(stored if sparse else VOTES)
    counts.save(tmp_path / "counts.corral")
    again = PatternCounts.load(tmp_path / "counts.corral")
    assert same(again, counts)
    assert same(again + counts, counts + again)


def test_a_file_of_something_else(tmp_path):
    ConstrainedLabeler(0.3).fit(VOTES).save(tmp_path / "labeler")
    with pytest.raises(StorageError, match="not a 'PatternCounts'"):
        PatternCounts.load(tmp_path / "labeler")


# -- partial_fit ---------------------------------------------------------------


@pytest.mark.parametrize("chunk", [50, 180, 500])
def test_partial_fit_is_fit(chunk):
    labeler = ConstrainedLabeler(0.3)
    for start in range(0, 500, chunk):
        labeler.partial_fit(VOTES[start : start + chunk])
    whole = ConstrainedLabeler(0.3).fit(VOTES)
    np.testing.assert_array_equal(labeler.predict_proba(VOTES), whole.labels_)
    assert labeler.solution_.rows_used == 500
    assert labeler.labels_.shape == (len(labeler.pattern_counts_), 3)


def test_fit_forgets_what_partial_fit_saw():
    labeler = ConstrainedLabeler(0.3).partial_fit(VOTES[:300]).fit(VOTES[300:])
    assert not hasattr(labeler, "pattern_counts_")
    labeler.partial_fit(VOTES[:100])
    assert labeler.pattern_counts_.n_examples == 100


def test_partial_fit_does_not_learn_from_labels():
    expected = ConstrainedLabeler(0.3).partial_fit(VOTES).labels_
    with pytest.warns(SignalsWarning, match="y is not learned from"):
        labeler = ConstrainedLabeler(0.3).partial_fit(VOTES, y=VOTES[:, 0])
    np.testing.assert_array_equal(labeler.labels_, expected)


def test_a_refused_chunk_changes_nothing():
    labeler = ConstrainedLabeler(0.3).partial_fit(VOTES)
    with pytest.raises(SignalsError, match="signals cannot be added"):
        labeler.partial_fit(VOTES[:, :3])
    assert labeler.pattern_counts_.n_examples == 500
