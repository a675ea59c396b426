import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError
from corral.study.rate_changes import move_rates

ACCURACIES = [0.9, 0.8, 0.7, 0.6]


@pytest.fixture(scope="module")
def votes():
    return random_votes(500, ACCURACIES, coverage=0.6)[0]


def flipped(before, after, covered):
    return (before.argmax(axis=1) != after.argmax(axis=1))[covered].mean()


@pytest.mark.parametrize("solver", ["entropy", "projection", "adagrad"])
def test_given_rates_are_those_of_a_new_fit(votes, solver):
    rates = 1 - np.array(ACCURACIES)
    fit = ConstrainedLabeler(rates, solver).fit(votes)
    found = corral.sensitivity(fit, votes, change=0.07)
    assert found.names == ("s0", "s1", "s2", "s3")
    np.testing.assert_array_equal(found.error_rates, rates)

    def again(move):
        other = ConstrainedLabeler(rates + move, solver).fit(votes).labels_
        return flipped(fit.labels_, other, fit.covered_)

    for i in range(4):
        one = np.eye(4)[i]
        assert found.higher[i] == pytest.approx(again(0.07 * one))
        assert found.lower[i] == pytest.approx(again(-0.07 * one))
    assert found.all_higher == pytest.approx(again(np.full(4, 0.07)))
    assert found.all_lower == pytest.approx(again(np.full(4, -0.07)))
    assert found.higher.max() > 0


def test_three_classes_and_counted_rows():
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 3, (300, 4))
    signals = WeakSignals.from_votes(votes, classes=[0, 1, 2])
    counted = signals.distinct()
    rates = np.array([0.35, 0.4, 0.5, 0.6])
    fit = ConstrainedLabeler(rates, "entropy").fit(signals)
    found = corral.sensitivity(fit, signals)
    moved = rates + 0.05 * np.eye(4)[0]
    other = ConstrainedLabeler(moved, "entropy").fit(signals)
    expected = flipped(fit.labels_, other.labels_, fit.covered_)
    assert found.higher[0] == pytest.approx(expected)
    same = corral.sensitivity(fit, counted)
    np.testing.assert_allclose(same.higher, found.higher)


def test_rates_stay_between_zero_and_one(votes):
    fit = ConstrainedLabeler(0.01, "entropy").fit(votes)
    lower = corral.sensitivity(fit, votes, change=0.5).lower
    least = corral.sensitivity(fit, votes, change=0.01).lower
    np.testing.assert_allclose(lower, least)


def test_bounds_and_constraints_move_with_the_rate(votes):
    def fit(most):
        constraints = [
            corral.ErrorRate("s0", at_most=most),
            corral.ClassBalance(1, equal=0.4),
        ]
        return ConstrainedLabeler(0.3, "entropy", constraints=constraints).fit(
            WeakSignals.from_votes(votes)
        )

    before, after = fit(0.2), fit(0.3)
    found = corral.sensitivity(before, votes, change=0.1)
    expected = flipped(before.labels_, after.labels_, before.covered_)
    assert found.higher[0] == pytest.approx(expected)


def test_explicit_starts_are_the_same_every_time(votes):
    fit = ConstrainedLabeler(0.3, corral.Adagrad(starts=1)).fit(votes)
    first, second = (corral.sensitivity(fit, votes) for _ in range(2))
    np.testing.assert_array_equal(first.higher, second.higher)


def test_one_vs_rest_votes_of_a_model():
    said = np.full((2, 6, 3), -1.0)
    said[0, :3, 0], said[0, 3:, 1], said[1, 1:5, 2] = 1, 0, 1
    signals = WeakSignals.from_one_vs_rest(said)
    fit = ConstrainedLabeler("auto").fit(signals)
    moved = move_rates(fit.model_, signals.schema, np.full((2, 3), 0.1))
    assert (moved.weights < fit.model_.weights).all()
    found = corral.sensitivity(fit, signals)
    assert found.names == ("s0[0]", "s0[1]", "s1[2]")


@pytest.mark.parametrize("kind", ["labels", "constraints"])
def test_rates_of_a_reference_move_the_labels(kind):
    votes, truth = random_votes(500, ACCURACIES, coverage=0.6)
    labels = np.where(np.arange(500) < 40, truth, -1)
    asked = [corral.ClassBalance(1, equal=0.4)] if kind == "constraints" else None
    fit = ConstrainedLabeler(corral.FromLabels(labels), constraints=asked).fit(votes)
    found = corral.sensitivity(fit, votes, change=0.2)
    assert found.names == ("s0", "s1", "s2", "s3")
    assert 0 < found.higher[0] < 0.5


def test_what_cannot_be_moved_is_refused(votes):
    fit = ConstrainedLabeler(0.3).fit(votes)
    with pytest.raises(ParameterError, match="MajorityVote"):
        corral.sensitivity(corral.MajorityVote().fit(votes), votes)
    for change in (0, 1, -0.1, "much", None):
        with pytest.raises(ParameterError, match="change"):
            corral.sensitivity(fit, votes, change=change)
    only = ConstrainedLabeler(
        None, "entropy", constraints=[corral.ErrorRate(at_most=0.3)]
    )
    with pytest.raises(ParameterError, match="only constraints"):
        corral.sensitivity(only.fit(votes), votes)
    with pytest.raises(SignalsError, match="no signal votes"):
        corral.sensitivity(fit, np.full((2, 4), -1))


@pytest.mark.parametrize("kind", ["votes", "soft"])
def test_rates_of_a_model_move_the_labels_of_the_moved_model(votes, kind):
    signals = WeakSignals.from_votes(votes)
    if kind == "soft":
        w = np.where(votes < 0, np.nan, np.where(votes == 1, 0.8, 0.3))
        signals = WeakSignals.from_probabilities(w)
    fit = ConstrainedLabeler("auto").fit(signals)
    model, m = fit.model_, signals.n_signals
    found = corral.sensitivity(fit, signals, change=0.2)

    def flips(moves):
        after = move_rates(model, signals.schema, moves).labels(signals)
        return flipped(fit.labels_, after, fit.covered_)

    for i in range(m):
        assert found.higher[i] == pytest.approx(flips(0.2 * np.eye(m)[i]))
    step = np.clip(fit.error_rates_ + 0.2, 0, 1) - fit.error_rates_
    assert found.all_higher == pytest.approx(flips(step))
    assert found.higher.max() > 0
    assert found.unmoved == 0


def test_a_solver_solves_again_for_the_rates_with_most_votes(monkeypatch):
    monkeypatch.setattr("corral.study.rate_changes.MAX_SOLVED_RATES", 3)
    votes, _ = random_votes(400, np.full(5, 0.7), coverage=0.1)
    votes[:, 1] = np.where(votes[:, 1] < 0, 1, votes[:, 1])  # votes everywhere
    few = corral.sensitivity(ConstrainedLabeler(0.3).fit(votes), votes)
    chosen = np.sort(np.argsort(-(votes >= 0).sum(axis=0), kind="stable")[:3])
    assert few.names == tuple(f"s{i}" for i in chosen)
    assert few.unmoved == 2
    assert "the other 2 move in the first line" in str(few)
    votes = np.random.default_rng(0).integers(-1, 3, (200, 3))
    votes[:, 1] = np.where(votes[:, 1] < 0, 2, votes[:, 1])
    fit = ConstrainedLabeler(np.full((3, 3), 0.3)).fit(votes)  # rates of classes
    assert corral.sensitivity(fit, votes).names == ("s1[0]", "s1[1]", "s1[2]")
