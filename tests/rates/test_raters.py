import numpy as np
import pytest
from corral.rates.raters import find_panel, find_raters
from corral.rates.vote_features import vote_features

from corral import WeakSignals
from corral.datasets import random_votes


def features_of(votes):
    return vote_features(WeakSignals.from_votes(votes, classes=range(votes.max() + 1)))


def panel_of(votes):
    features = features_of(votes)
    return find_panel(features, find_raters(features))


def test_raters_name_all_classes_and_rules_one(rules):
    votes, y = rules()
    assert find_raters(features_of(votes)).max() < 0.1
    raters, _ = random_votes(len(y), [0.8, 0.7, 0.9], coverage=0.7)
    assert find_raters(features_of(raters)).min() == 1


def test_few_votes_are_like_those_of_the_others():
    votes, _ = random_votes(2000, [0.8] * 6, coverage=0.5)
    votes[np.flatnonzero(votes[:, 0] >= 0)[2:], 0] = -1
    assert find_raters(features_of(votes))[0] > 0.6


@pytest.mark.parametrize("raters", [1, 3])
def test_raters_among_rules_are_a_panel(rules, raters):
    votes, y = rules()
    rng = np.random.default_rng(0)
    said = np.where(rng.random((len(y), raters)) < 0.8, y[:, None], 1 - y[:, None])
    panel, clearness = panel_of(np.column_stack([votes, said]))
    assert panel.tolist() == [False] * votes.shape[1] + [True] * raters
    assert clearness == 1


def test_there_is_no_panel_without_rules(rules):
    votes, _ = random_votes(1000, [0.8] * 6, coverage=1.0)
    assert panel_of(votes)[1] == 0
    assert panel_of(rules()[0])[1] == 0


def test_workers_who_are_given_their_examples_are_no_rules():
    votes, _ = random_votes(1000, [0.8] * 21, coverage=1.0)
    rng = np.random.default_rng(0)
    for row in votes:  # everybody but the first answers a quarter, five on each
        row[1 + rng.choice(20, 15, replace=False)] = -1
    panel, clearness = panel_of(votes)
    assert panel[0]
    assert clearness == 0


def test_rules_must_name_what_raters_name(rules):
    votes, y = rules()
    rng = np.random.default_rng(0)
    other = np.where(rng.random(len(y)) < 0.7, 2, y)  # a class that no rule names
    assert panel_of(np.column_stack([votes, other]))[1] == 0
