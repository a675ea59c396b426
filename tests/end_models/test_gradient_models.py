"""Classifiers that learn a gradient step at a time: logistic and PyTorch alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import softmax

from corral import LogisticModel, TorchModel
from corral.end_models.gradient_model import score_slope
from corral.errors import ParameterError

RNG = np.random.default_rng


def task(seed=0, n=30, d=4, k=3):
    rng = RNG(seed)
    X = rng.normal(size=(n, d)) * [1, 5, 0.1, 1] + [0, 3, 0, 1]
    return X, rng.normal(size=(n, k))


def standardised(seed=0, n=30, d=4, k=3):
    X, slope = task(seed, n, d, k)
    return (X - X.mean(axis=0)) / X.std(axis=0), slope


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)  # threads of a busy machine wait for each other
    return torch


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_the_slope_by_scores_is_the_derivative(seed, k):
    rng, tiny = RNG(seed), 1e-6
    scores, slope = rng.normal(size=(2, 1, k))
    found = score_slope(softmax(scores, axis=1), slope)
    moved = scores + tiny * np.vstack([np.eye(k), -np.eye(k)])
    values = softmax(moved, axis=1) @ slope[0]
    np.testing.assert_allclose(
        found[0], (values[:k] - values[k:]) / (2 * tiny), atol=1e-7
    )


@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
def test_a_step_of_logistic_regression_is_the_derivative_by_its_weights(
    seed, k, intercept
):
    X, slope = task(seed, k=k)
    model = LogisticModel(1.0, "descent", intercept).begin(X, np.arange(k), RNG(0))
    start = RNG(seed).normal(size=model.weights_.shape)

    def objective(weights):
        model.weights_ = weights
        return (model.predict_proba(X) * slope).sum()

    tiny = 1e-6 * np.eye(start.size).reshape(-1, *start.shape)
    expected = [(objective(start + e) - objective(start - e)) / 2e-6 for e in tiny]
    model.weights_ = start
    model.step(X, lambda _: slope)
    np.testing.assert_allclose((start - model.weights_).ravel(), expected, atol=1e-6)


@pytest.mark.parametrize("rule", ["adam", "descent"])
def test_sparse_features_are_as_good_as_dense(rule):
    X, slope = task()
    X[RNG(1).random(X.shape) < 0.6] = 0
    found = []
    for features in (X, csr_array(X)):
        model = LogisticModel(0.1, rule).begin(features, np.arange(3), RNG(0))
        for _ in range(5):
            model.step(features, lambda _: slope)
        found.append(model.predict_proba(features))
    np.testing.assert_allclose(*found, atol=1e-12)


def test_standardising_makes_units_irrelevant():
    X, slope = task()
    X[:, 2] = 7.0  # a constant feature teaches nothing, and does not divide by zero
    found = []
    for features in (X, 1000 * X - 5):
        model = LogisticModel(0.1).begin(features, np.arange(3), RNG(0))
        for _ in range(5):
            model.step(features, lambda _: slope)
        found.append(model.predict_proba(features))
    np.testing.assert_allclose(*found, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "shape", "message"),
    [
        (LogisticModel(rule="newton"), (4, 2), "rule must be one of"),
        (
            LogisticModel(learning_rate=0),
            (4, 2),
            "learning_rate must be a number above",
        ),
        (LogisticModel(), (4, 2, 2), "features \\(n, d\\); the shape given is"),
    ],
)
def test_bad_models_are_refused(model, shape, message):
    with pytest.raises(ParameterError, match=message):
        model.begin(np.zeros(shape), np.arange(2), RNG(0))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "one row per example"),
        (np.empty((3, 0)), "one row per example"),
        ([[1.0, np.nan, 0, 0]], "must be finite"),
        ([["a", "b", "c", "d"]], "must be numbers"),
        (
            [[1.0, 2.0]],
            "trained on features of shape \\(4,\\) an example; \\(2,\\) came",
        ),
    ],
)
def test_bad_features_are_refused(X, message):
    model = LogisticModel().begin(task()[0], np.arange(2), RNG(0))
    with pytest.raises(ParameterError, match=message):
        model.predict(X)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("rule", ["adam", "descent"])
def test_torch_and_numpy_take_the_same_steps(torch, k, rule):
    X, slope = standardised(k=k)
    module = torch.nn.Linear(4, 1 if k == 2 else k).double()
    for parameter in module.parameters():
        torch.nn.init.zeros_(parameter)
    make = {"adam": torch.optim.Adam, "descent": torch.optim.SGD}[rule]
    models = [
        LogisticModel(0.1, rule).begin(X, np.arange(k), RNG(0)),
        TorchModel(module, lambda p: make(p, lr=0.1)).begin(X, np.arange(k), RNG(0)),
    ]
    for _ in range(10):
        one, other = (model.step(X, lambda p: slope * p) for model in models)
        np.testing.assert_allclose(one, other, atol=1e-9)
    np.testing.assert_allclose(*(model.predict_proba(X) for model in models), atol=1e-9)


def test_one_score_for_two_classes_is_the_score_of_the_second(torch):
    X, _ = standardised()

    class Flat(torch.nn.Linear):
        def forward(self, x):
            return super().forward(x).ravel()

    single = Flat(4, 1)
    double = torch.nn.Linear(4, 2)
    with torch.no_grad():
        double.weight[:] = torch.cat([torch.zeros(1, 4), single.weight])
        double.bias[:] = torch.cat([torch.zeros(1), single.bias])
    one, two = (
        TorchModel(m).begin(X, np.arange(2), RNG(0)).predict_proba(csr_array(X))
        for m in (single, double)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_dropout_follows_the_generator_and_leaves_what_is_global(torch):
    X, slope = standardised()
    module = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.Dropout(), torch.nn.Linear(8, 3)
    )
    before, kept = torch.get_rng_state(), module[0].weight.clone()

    def trained(seed):
        model = TorchModel(module).begin(X, np.arange(3), RNG(seed))
        return [model.step(X, lambda _: slope) for _ in range(3)][-1]

    np.testing.assert_array_equal(trained(0), trained(0))
    assert (trained(0) != trained(1)).any()
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(module[0].weight, kept)
    settled = TorchModel(module).begin(X, np.arange(3), RNG(0))
    np.testing.assert_array_equal(settled.predict_proba(X), settled.predict_proba(X))


def test_modules_are_checked(torch):
    X, _ = standardised()
    with pytest.raises(ParameterError, match=r"module must be a torch.nn.Module; 3"):
        TorchModel(3).begin(X, np.arange(3), RNG(0))
    narrow = TorchModel(torch.nn.Linear(4, 2)).begin(X, np.arange(3), RNG(0))
    with pytest.raises(ParameterError, match="3 scores for each of 30 examples"):
        narrow.predict(X)
