"""``corral.suggest``: random rows that have a vote and no label yet."""

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.errors import ParameterError

VOTES, TRUTH = random_votes(300, [0.9, 0.7, 0.6], coverage=0.6)
COVERED = np.flatnonzero((VOTES >= 0).any(axis=1))


def draw(k, votes=VOTES, **options):
    """Positions of the rows of the form."""
    rows = corral.suggest(votes, k, **options).rows["row"]
    return np.array(rows, int) - 1


def test_rows_are_distinct_covered_and_reproducible():
    rows = draw(40, random_state=3)
    assert len(set(rows.tolist())) == 40
    assert np.isin(rows, COVERED).all()
    np.testing.assert_array_equal(rows, draw(40, random_state=3))
    np.testing.assert_array_equal(np.sort(draw(len(COVERED))), COVERED)


def test_labelled_rows_are_not_drawn_but_stand_below_with_their_labels():
    gold = np.full(300, -1)
    gold[first] = TRUTH[first := draw(20)]
    rows = draw(30, gold=gold)
    assert not set(rows[:30].tolist()) & set(first.tolist())
    assert rows[30:].tolist() == sorted(first)
    labels = corral.suggest(VOTES, 30, gold=gold).rows["label"]
    assert labels == [""] * 30 + [str(TRUTH[i]) for i in rows[30:]]


def test_random_rows_are_a_fair_sample():
    doubt = 1 - corral.ConstrainedLabeler().fit(VOTES).labels_.max(axis=1)
    drawn = np.concatenate([draw(20, random_state=seed) for seed in range(60)])
    assert doubt[drawn].mean() == pytest.approx(doubt[COVERED].mean(), abs=0.01)


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_what_is_refused(k):
    with pytest.raises(ParameterError):
        corral.suggest(VOTES, k)


def test_fewer_rows_than_asked_for_are_all_drawn():
    assert sorted(draw(len(COVERED) + 1)) == sorted(COVERED)
