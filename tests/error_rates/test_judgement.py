import numpy as np
import pytest

from corral import WeakSignals
from corral.datasets import random_votes
from corral.error_rates.features import vote_features
from corral.error_rates.judgement import judge


def judged(votes, **options):
    return judge(vote_features(WeakSignals.from_votes(votes, **options)))


def test_rules_are_not_learned_and_raters_are(rules):
    assert judged(rules()[0]).learned == pytest.approx(0, abs=1e-3)
    votes, _ = random_votes(2000, [0.8] * 10, coverage=0.5)
    # Nine others, less two: 1 - (2 / 9)^2.
    assert judged(votes).learned == pytest.approx(1 - 4 / 81, abs=0.01)


def test_two_others_are_too_few():
    votes, _ = random_votes(2000, [0.8, 0.8, 0.8], coverage=1.0)
    assert judged(votes).learned == pytest.approx(0, abs=1e-9)


def test_a_rater_among_skewed_raters_is_a_rater():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.05).astype(int)
    votes = np.where(rng.random((400, 20)) < 0.9, y[:, None], 1 - y[:, None])
    assert (judged(votes).learned > 0.9).all()


@pytest.mark.parametrize(("share", "skewed"), [(0.5, False), (0.9, True)])
def test_skew(share, skewed):
    rng = np.random.default_rng(0)
    y = (rng.random(3000) > share).astype(int)
    votes = np.where(rng.random((3000, 8)) < 0.9, y[:, None], 1 - y[:, None])
    votes = np.where(rng.random((3000, 8)) < 0.5, votes, -1)
    assert judged(votes).skewed is skewed


def test_one_signal_alone_makes_no_skew(rules):
    votes, _ = rules()
    dense = np.zeros(len(votes), int)  # always says the first class
    assert not judged(np.column_stack([votes, dense])).skewed


def test_saying_no_is_not_learned():
    rng = np.random.default_rng(0)
    said = (rng.random((8, 300, 3)) < 0.4).astype(float)
    found = judge(vote_features(WeakSignals.from_one_vs_rest(said)))
    assert (found.learned == 0).all()
