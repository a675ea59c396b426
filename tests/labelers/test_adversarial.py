"""Adversarial label learning: the worked example, derivatives and breast cancer."""

import numpy as np
import pytest

from corral import AdversarialLabeler, WeakSignals, signal_errors
from corral.labelers.adversarial import BoxAdversary
from corral.labelers.label_bounds import make_bounds


@pytest.fixture
def example_e1():
    w = np.array([[0.9, 0.2, 0.6], [0.7, 0.4, 0.1]])
    signals = WeakSignals.from_probabilities(w.T)
    bounds, _ = make_bounds([0.3, 0.3], None, signals, None)
    return BoxAdversary(bounds, np.full(3, 1 / 3), 2.5)


def test_example_e1(example_e1):
    p = np.full((3, 2), 0.5)
    violation = example_e1.bounds.violation(example_e1.y)
    np.testing.assert_allclose(violation, [0.2, 0.2], atol=1e-5)
    gradient = example_e1.gradient(p, violation)
    np.testing.assert_allclose(gradient[:, 0], [0.6, -0.4, -0.3], atol=1e-5)
    example_e1.step(p)
    np.testing.assert_allclose(example_e1.y[:, 0], [1, 0.1, 0.2], atol=1e-5)
    np.testing.assert_allclose(example_e1.multipliers, [-0.5, -0.5], atol=1e-5)


def test_gradients_are_the_derivatives_of_the_game(example_e1):
    """By labels and by probabilities; the published penalty is n times as strong."""
    rng = np.random.default_rng(0)
    p, y = rng.random((2, 3))
    example_e1.multipliers = np.array([-0.3, -0.7])

    def value(p, y):
        g = example_e1.bounds.violation(y[:, None])
        penalty = 3 * 2.5 / 2 * (np.maximum(g, 0) ** 2).sum()
        return (p * (1 - y) + (1 - p) * y).mean() + example_e1.multipliers @ g - penalty

    tiny = 1e-6 * np.eye(3)
    by_label = [(value(p, y + e) - value(p, y - e)) / 2e-6 for e in tiny]
    by_p = [(value(p + e, y) - value(p - e, y)) / 2e-6 for e in tiny]
    example_e1.y = y[:, None]
    both = np.column_stack([1 - p, p])
    found = example_e1.gradient(both, example_e1.bounds.violation(y[:, None]))
    np.testing.assert_allclose(found[:, 0], by_label, atol=1e-7)
    slope = example_e1.slope(both)  # p stands in both columns
    np.testing.assert_allclose(slope[:, 1] - slope[:, 0], by_p, atol=1e-7)


def test_it_ends_where_nothing_moves():
    """One feature that says nothing: the classifier stays where it is."""
    votes, X = [[1, 1], [0, 0]] * 5, np.zeros((10, 1))
    labeler = AdversarialLabeler(0.5).fit(votes, X=X)
    assert labeler.converged_
    assert labeler.n_iter_ < 10
    np.testing.assert_allclose(labeler.labels_, 0.5)


@pytest.mark.data
@pytest.mark.parametrize(("bound", "least"), [("true", 0.92), (0.3, 0.91)])
def test_breast_cancer(breast_cancer, bound, least):
    signals, X, y, new, truth = breast_cancer
    rates = signal_errors(signals, y) if bound == "true" else bound
    labeler = AdversarialLabeler(rates).fit(signals, X=X)
    assert (labeler.model_.predict(X) == y).mean() >= least
    assert (labeler.model_.predict(new) == truth).mean() >= 0.95
    assert labeler.history_[-1] == 0
