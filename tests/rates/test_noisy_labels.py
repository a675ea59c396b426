import numpy as np
from corral.rates.noisy_labels import fit_noisy_labels, weigh_raters

from corral import WeakSignals
from corral.model import softmax, vote_features


def features_of(votes):
    return vote_features(WeakSignals.from_votes(votes, classes=[0, 1]))


def add_raters(votes, y, accuracies, seed=0):
    rng = np.random.default_rng(seed)
    right = rng.random((len(y), len(accuracies))) < accuracies
    return np.column_stack([votes, np.where(right, y[:, None], 1 - y[:, None])])


def panel(votes, raters):
    return np.arange(votes.shape[1]) >= votes.shape[1] - raters


def test_labels_beat_the_rater_and_the_rules(rules):
    votes, y = rules(4000)
    both = add_raters(votes, y, [0.8])
    signals = WeakSignals.from_votes(both, classes=[0, 1])
    features = vote_features(signals)
    weights, bias = fit_noisy_labels(features, panel(both, 1))
    labels = softmax(features.matrix @ weights + bias)[signals.patterns.inverse]
    assert (labels.argmax(axis=1) == y).mean() > 0.8 + 0.03


def test_better_raters_weigh_more(rules):
    votes, y = rules(6000)
    both = add_raters(votes, y, [0.95, 0.6])
    features = features_of(both)
    weights = weigh_raters(features, panel(both, 2))
    lift = np.abs(weights[:, 1] - weights[:, 0])
    owner = features.column - votes.shape[1]
    assert lift[owner == 0].min() > 2 * lift[owner == 1].max()
    assert (weights[owner < 0] == 0).all()


def test_raters_with_shared_errors_weigh_less(rules):
    votes, y = rules(6000)
    apart = add_raters(votes, y, [0.8, 0.8])
    twice = np.column_stack([apart[:, :-1], apart[:, -2]])
    lifts = []
    for both in (apart, twice):
        weights = weigh_raters(features_of(both), panel(both, 2))
        lifts.append(np.abs(np.diff(weights[-4:])).mean())
    assert lifts[1] < 0.6 * lifts[0]
