"""Stoch-GALL: the simplex, the adversary, breast cancer and ten digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corral import (
    Averaging,
    LogisticModel,
    Precision,
    StochasticGALL,
    WeakSignals,
    signal_errors,
)
from corral.datasets import digit_task
from corral.labelers.label_bounds import make_bounds
from corral.labelers.stochastic_gall import SimplexAdversary, project_to_simplex


def test_example_e2():
    rows = np.array([[0.5, 0.8, -0.2], [1.2, 0.3, -0.5], [0.2, 0.2, 0.2]])
    expected = [[0.35, 0.65, 0], [0.95, 0.05, 0], [1 / 3] * 3]
    np.testing.assert_allclose(project_to_simplex(rows), expected, atol=1e-12)


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
    np.testing.assert_allclose(project_to_simplex(x), x, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_the_adversary_stays_in_bounds_and_contradicts(k):
    """With room to do so, it says what the classifier does not."""
    votes = np.arange(60)[:, None] % k * np.ones(2, int)
    bounds, _ = make_bounds(0.25, None, WeakSignals.from_votes(votes), None)
    columns = 1 if k == 2 else k
    adversary = SimplexAdversary(bounds, np.full(60, 1 / 60), columns, 0.1)
    p = np.where(np.arange(k) == votes[:, :1], 0.9, 0.1 / (k - 1))
    for _ in range(2000):
        adversary.step(p)
    assert bounds.worst(adversary.y) < 0.02
    assert (bounds.violation(adversary.y) > -0.02).all()  # all that was allowed
    y = adversary.y
    assert (y >= 0).all()
    assert (y <= 1).all()
    if k > 2:
        np.testing.assert_allclose(y.sum(axis=1), 1)


def test_precision_bounds_move_the_labels():
    rng = np.random.default_rng(0)
    votes = np.repeat([[0, 1], [1, 0], [2, 2]], 40, axis=0)
    X = np.repeat(np.eye(3), 40, axis=0) + rng.normal(size=(120, 3)) / 10
    shares = []
    for signal in ("s0", "s1"):
        asked = [Precision(signal, k, at_least=0.9) for k in (0, 1, 2)]
        labeler = StochasticGALL(None, constraints=asked, epochs=60, random_state=0)
        shares.append(labeler.fit(votes, X=X).predict(votes, X)[:80].reshape(2, 40))
    assert (shares[0] == [[0], [1]]).mean() > 0.95
    assert (shares[1] == [[1], [0]]).mean() > 0.95


def test_the_adversary_answers_from_the_second_epoch_on():
    """Until then its labels are those of the warm-up, which nothing random touches."""
    votes = [[0, 1, 1], [1, 1, 1], [2, 0, 2]] * 10
    X = np.tile(np.eye(3), (10, 1))

    def adversarial(epochs, seed):
        labeler = StochasticGALL(0.3, epochs=epochs, random_state=seed)
        assert labeler.fit(votes, X=X).n_iter_ == epochs
        return labeler.adversarial_labels_

    warmed_up = adversarial(1, seed=0)
    np.testing.assert_array_equal(warmed_up, adversarial(1, seed=9))
    assert np.abs(adversarial(20, seed=0) - warmed_up).max() > 1e-3


def test_ten_digits_are_labelled_better_than_by_averaging():
    task = digit_task()
    labeler = StochasticGALL(task.measured_errors, random_state=0)
    with pytest.warns(match="not every bound is met"):
        # Errors where the rules were learned are a little smaller than elsewhere.
        labeler.fit(task.signals, X=task.features)
    averaging = Averaging().fit(task.signals)
    for signals, X, y in (
        (task.signals, task.features, task.labels),
        (task.test_signals, task.test_features, task.test_labels),
    ):
        assert labeler.score(signals, y, X) > averaging.score(signals, y) + 0.02


@pytest.mark.data
def test_breast_cancer_in_its_two_class_form(breast_cancer):
    signals, X, y, new, truth = breast_cancer
    model = LogisticModel(1e-3, "descent", intercept=False)
    labeler = StochasticGALL(signal_errors(signals, y), model=model, random_state=0)
    labeler.fit(signals, X=X)
    assert (labeler.model_.predict(X) == y).mean() >= 0.93
    assert (labeler.model_.predict(new) == truth).mean() >= 0.93
