"""ALL, Stoch-GALL and DCWS: worked examples, derivatives and public data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from repro.adversarial import (
    AdversarialLabeler,
    Bounds,
    BoxAdversary,
    DataConsistentLabeler,
    Lagrangian,
    Problem,
    SimplexAdversary,
    project_to_simplex,
)
from repro.gradient_models import LogisticModel

from corral import WeakSignals, signal_errors

RNG = np.random.default_rng


@pytest.fixture
def breast_cancer(data):
    """Three soft signals, and features and classes, of 227 examples and 171 others."""
    folder = data / "breast-cancer"
    names = "data_features", "data_labels", "test_features", "test_labels"
    arrays = [np.load(folder / f"{name}.npy") for name in names]
    signals = WeakSignals.from_probabilities(np.load(folder / "weak_signals.npy"))
    return signals, arrays[0], arrays[1].ravel(), arrays[2], arrays[3].ravel()


def right(labeler, X, y):
    return (labeler.model_.predict_proba(X).argmax(axis=1) == y).mean()


@given(st.integers(0, 1000), st.integers(2, 4))
def test_pull_is_the_derivative_of_the_violations(seed, k):
    rng = RNG(seed)
    votes = rng.integers(-1, k, (12, 3))
    votes[:k] = np.arange(k)[:, None]
    signals = WeakSignals.from_votes(votes, abstain=-1)
    bounds = Bounds(signals, [0.1, 0.2, 0.3])
    one, other = rng.random((2, 12, bounds.system.n_labels))
    multipliers = rng.normal(size=len(bounds))
    change = bounds.violation(other) - bounds.violation(one)
    slope = bounds.pull(multipliers)
    # Linear, so the derivative tells the whole change.
    np.testing.assert_allclose((slope * (other - one)).sum(), multipliers @ change)


# -- ALL ----------------------------------------------------------------------


@pytest.fixture
def example_e1():
    w = np.array([[0.9, 0.2, 0.6], [0.7, 0.4, 0.1]])
    bounds = Bounds(WeakSignals.from_probabilities(w.T), [0.3, 0.3])
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
    p, y = RNG(0).random((2, 3))
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


@pytest.mark.data
@pytest.mark.parametrize(("bound", "least"), [("true", 0.92), (0.3, 0.91)])
def test_all_on_breast_cancer(breast_cancer, bound, least):
    signals, X, y, new, truth = breast_cancer
    rates = signal_errors(signals, y) if bound == "true" else bound
    labeler = AdversarialLabeler(error_rates=rates).fit(signals, X)
    assert right(labeler, X, y) >= least
    assert right(labeler, new, truth) >= 0.95
    assert labeler.history_[-1] == 0


# -- Stoch-GALL ---------------------------------------------------------------


@given(
    st.integers(1, 6).flatmap(
        lambda k: arrays(float, (3, k), elements=st.floats(-1e3, 1e3))
    )
)
def test_the_projection_is_the_nearest_point(v):
    x = project_to_simplex(v)
    assert (x >= 0).all()
    np.testing.assert_allclose(x.sum(axis=1), 1)
    # Nothing in the simplex, so no corner of it, lies further along v - x.
    gap = (v - x).max(axis=1) - ((v - x) * x).sum(axis=1)
    np.testing.assert_allclose(gap, 0, atol=1e-9 * (1 + np.abs(v).max()))


@pytest.mark.parametrize("k", [2, 3])
def test_the_adversary_stays_in_bounds_and_contradicts(k):
    """With room to do so, it says what the classifier does not."""
    votes = np.arange(60)[:, None] % k * np.ones(2, int)
    bounds = Bounds(WeakSignals.from_votes(votes), 0.25)
    adversary = SimplexAdversary(bounds, np.full(60, 1 / 60), 0.1)
    p = np.where(np.arange(k) == votes[:, :1], 0.9, 0.1 / (k - 1))
    for _ in range(2000):
        adversary.step(p)
    assert bounds.worst(adversary.y) < 0.02
    assert (bounds.violation(adversary.y) > -0.02).all()  # all that was allowed
    assert ((adversary.y >= 0) & (adversary.y <= 1)).all()


def test_answers_may_agree_with_the_classifier():
    """As in the authors' code, where the bounds have room."""
    votes = np.arange(6)[:, None] % 2 * np.ones(2, int)
    bounds = Bounds(WeakSignals.from_votes(votes), 1.0)
    second = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    p = np.column_stack([1 - second, second])
    for to, said in (("max", second < 0.5), ("min", second > 0.5)):
        adversary = SimplexAdversary(bounds, np.full(6, 1 / 6), 0.1)
        for _ in range(10):
            adversary.step(p, to)
        np.testing.assert_array_equal(adversary.y[:, 0] > 0.5, said)


# -- DCWS ---------------------------------------------------------------------

Y = np.array([[0.7], [0.6], [0.4], [0.2]])


@pytest.fixture
def example_f1():
    signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    bounds = Bounds(signals, 0.0)
    problem = Problem(None, signals, bounds, np.full(4, 1 / 4), RNG(0))
    game = Lagrangian(problem, 10.0, 0.01)
    game.multipliers, game.slack = np.array([0.5, 0.2]), np.array([0.1, 0])
    return game


def value(game, y, multipliers, slack):
    """The published objective."""
    distance = ((y - game.target) ** 2).sum() / (2 * len(y))
    beyond = game.bounds.violation(y) - slack
    return distance + 10 * slack.mean() + multipliers @ beyond


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


@pytest.mark.data
def test_dcws_on_breast_cancer(breast_cancer):
    signals, X, y, new, truth = breast_cancer
    model = LogisticModel(1e-3, "descent", intercept=False)
    rates, found = signal_errors(signals, y), []
    for seed in range(3):
        labeler = DataConsistentLabeler(
            error_rates=rates, model=model, random_state=seed
        )
        labeler.fit(signals, X)
        found.append([right(labeler, X, y), right(labeler, new, truth)])
    assert (np.mean(found, axis=0) >= 0.93).all()
