import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError


@pytest.fixture(scope="module")
def votes():
    return random_votes(300, [0.9, 0.7, 0.6], coverage=0.6)[0]


@pytest.fixture(scope="module")
def labeler(votes):
    return ConstrainedLabeler().fit(votes)


@pytest.mark.parametrize("by", ["chance", "doubt"])
def test_rows_are_distinct_covered_and_reproducible(votes, labeler, by):
    rows, again = (
        corral.suggest_labels(labeler, votes, 40, by=by, random_state=3) for _ in "ab"
    )
    assert len(set(rows.tolist())) == 40
    assert labeler.covered_[rows].all()
    np.testing.assert_array_equal(rows, again)
    n = int(labeler.covered_.sum())
    every = corral.suggest_labels(labeler, votes, n, by=by)
    np.testing.assert_array_equal(np.sort(every), np.flatnonzero(labeler.covered_))
    with pytest.raises(ParameterError, match=str(n)):
        corral.suggest_labels(labeler, votes, n + 1, by=by)


@pytest.mark.parametrize("by", ["chance", "doubt"])
def test_known_rows_are_not_chosen(votes, labeler, by):
    first = corral.suggest_labels(labeler, votes, 20, by=by)
    rest = corral.suggest_labels(labeler, votes, 30, known=first, by=by)
    assert not set(rest.tolist()) & set(first.tolist())


def test_random_rows_are_a_fair_sample(votes, labeler):
    doubt = 1 - labeler.labels_.max(axis=1)
    drawn = [
        corral.suggest_labels(labeler, votes, 20, random_state=s) for s in range(60)
    ]
    fair = doubt[labeler.covered_].mean()
    assert doubt[np.concatenate(drawn)].mean() == pytest.approx(fair, abs=0.01)
    worst = corral.suggest_labels(labeler, votes, 20, by="doubt")
    assert doubt[worst].min() >= np.sort(doubt[labeler.covered_])[-20] - 1e-9


@pytest.mark.parametrize("by", ["chance", "doubt"])
def test_counted_rows_are_chosen_at_most_so_often(votes, labeler, by):
    counted = labeler.read(votes).distinct()
    times = corral.suggest_labels(labeler, counted, 150, by=by, random_state=0)
    assert (np.bincount(times) <= counted.row_counts[: times.max() + 1]).all()


def test_what_is_refused(votes, labeler):
    suggest = corral.suggest_labels
    for k in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match="k must"):
            suggest(labeler, votes, k)
    for known in ([300], [-1], [0.5], [[1]], ["a"]):
        with pytest.raises(ParameterError, match="known"):
            suggest(labeler, votes, 3, known=known)
    with pytest.raises(ParameterError, match="by"):
        suggest(labeler, votes, 3, by="luck")
    said = WeakSignals.from_one_vs_rest(np.ones((2, 4, 3)))
    many = ConstrainedLabeler(0.2, multilabel=True).fit(said)
    assert len(suggest(many, said, 2)) == 2
    with pytest.raises(ParameterError, match="one class"):
        suggest(many, said, 1, by="doubt")
