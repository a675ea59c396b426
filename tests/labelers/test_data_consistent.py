"""Data consistent weak supervision: the worked example, derivatives, breast cancer."""

import numpy as np
import pytest

from corral import DataConsistentLabeler, LogisticModel, WeakSignals, signal_errors
from corral.labelers.data_consistent import Lagrangian
from corral.labelers.feature_labeler import Problem
from corral.labelers.label_bounds import make_bounds


@pytest.fixture
def example_f1():
    signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    bounds, _ = make_bounds(0.0, None, signals, None)
    rng = np.random.default_rng(0)
    problem = Problem(None, signals, bounds, np.full(4, 1 / 4), rng)
    game = Lagrangian(problem, 10.0, 0.01)
    game.multipliers, game.slack = np.array([0.5, 0.2]), np.array([0.1, 0])
    return game


Y = np.array([[0.7], [0.6], [0.4], [0.2]])


def value(game, y, multipliers, slack):
    """The published objective."""
    distance = ((y - game.target) ** 2).sum() / (2 * len(y))
    beyond = game.bounds.violation(y) - slack
    return distance + 10 * slack.mean() + multipliers @ beyond


def test_example_f1(example_f1):
    np.testing.assert_array_equal(example_f1.target, [[1], [1], [0], [0]])
    beyond = example_f1.bounds.violation(Y) - example_f1.slack
    np.testing.assert_allclose(beyond, [0.266667, 0.333333], atol=1e-5)
    found = value(example_f1, Y, example_f1.multipliers, example_f1.slack)
    assert found == pytest.approx(0.756250, abs=1e-5)


def test_steps_follow_the_derivatives_of_the_objective(example_f1):
    game, tiny = example_f1, 1e-6
    gamma, slack = game.multipliers, game.slack

    def slope(at, n):
        moved = tiny * np.eye(n)
        return np.array([(at(e) - at(-e)) / (2 * tiny) for e in moved])

    by_label = slope(lambda e: value(game, Y + e[:, None], gamma, slack), 4)
    by_slack = slope(lambda e: value(game, Y, gamma, slack + e), 2)
    by_gamma = slope(lambda e: value(game, Y, gamma + e, slack), 2)
    found = game.slope(np.column_stack([1 - Y, Y]))
    np.testing.assert_allclose(found[:, 1], by_label, atol=1e-7)
    assert (found[:, 0] == 0).all()
    game.step(game.bounds.violation(Y))
    np.testing.assert_allclose(game.multipliers, gamma + 0.01 * by_gamma, atol=1e-7)
    np.testing.assert_allclose(
        game.slack, np.maximum(slack - 0.01 * by_slack, 0), atol=1e-7
    )


def test_examples_that_look_alike_get_labels_that_are_alike():
    """One of ten votes is wrong; the features tell."""
    X = np.repeat([[-1.0], [1.0]], 10, axis=0)
    votes = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    votes[0], votes[10] = 1, 0
    labeler = DataConsistentLabeler(0.1, random_state=0).fit(votes, X=X)
    assert labeler.predict(votes, X).tolist() == [0] * 10 + [1] * 10
    assert labeler.slack_.shape == (2,)


@pytest.mark.data
def test_breast_cancer(breast_cancer):
    signals, X, y, new, truth = breast_cancer
    model = LogisticModel(1e-3, "descent", intercept=False)
    rates, found = signal_errors(signals, y), []
    for seed in range(5):
        labeler = DataConsistentLabeler(rates, model=model, random_state=seed)
        with pytest.warns(match="not every bound is met"):
            labeler.fit(signals, X=X)
        predict = labeler.model_.predict
        found.append([(predict(X) == y).mean(), (predict(new) == truth).mean()])
    assert (np.mean(found, axis=0) >= 0.93).all()
