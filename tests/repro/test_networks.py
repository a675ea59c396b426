"""The paper's networks, and classifiers that learn a gradient step at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repro.gradient_models import LogisticModel, TorchModel
from repro.networks import SoftLabelCNN, SoftLabelMLP

from corral.errors import ParameterError

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch", reason="networks need torch")
    torch.set_num_threads(1)  # threads of a busy machine wait for each other
    return torch


NETWORKS = {
    "mlp": (SoftLabelMLP, {"hidden": (16,), "learning_rate": 0.01}, (5,)),
    "cnn": (SoftLabelCNN, {"learning_rate": 0.005, "dropout": 0.1}, (8, 9)),
    "colour cnn": (SoftLabelCNN, {"learning_rate": 0.005, "dropout": 0.1}, (9, 8, 3)),
}
NETWORK = pytest.mark.parametrize("name", NETWORKS)


def example(shape, n=90, k=3, seed=0):
    """Features that are bright where the class says, and soft labels around it."""
    rng = RNG(seed)
    y = np.arange(n) % k
    x = rng.normal(size=(n, *shape)) * 0.3
    for j in range(k):
        x[y == j, 2 * j : 2 * j + 2] += 1
    soft = rng.dirichlet(np.ones(k), n) * 0.3 + 0.7 * np.eye(k)[y]
    return x, soft, y


@NETWORK
@pytest.mark.parametrize("output", ["sigmoid", "softmax"])
@pytest.mark.parametrize("k", [2, 3])
def test_a_network_learns(torch, name, output, k):
    kind, options, shape = NETWORKS[name]
    x, soft, y = example(shape, k=k)
    model = kind(**options, output=output).fit(x, soft)
    p = model.predict_proba(x)
    assert p.shape == (len(x), k)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (model.predict(x) == y).mean() > 0.95
    outputs = 1 if k == 2 and output == "sigmoid" else k
    assert model.logits(x).shape == (len(x), outputs)


@pytest.mark.parametrize("optimizer", ["adam", "adagrad"])
@pytest.mark.parametrize("output", ["sigmoid", "softmax"])
def test_the_expected_loss_is_what_is_minimised(torch, output, optimizer):
    """Nothing but a bias: the prediction is the mean of the soft labels."""
    soft = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.4, 0.2, 0.4]])
    model = SoftLabelMLP(
        hidden=(), output=output, optimizer=optimizer, learning_rate=0.2, epochs=800
    ).fit(np.zeros((3, 1)), soft)
    found = model.predict_proba(np.zeros((1, 1)))[0]
    np.testing.assert_allclose(found, soft.mean(axis=0), atol=2e-3)


@NETWORK
def test_the_same_seed_gives_the_same_network_and_torch_keeps_its_state(torch, name):
    kind, options, shape = NETWORKS[name]
    x, soft, _ = example(shape)
    before = torch.random.get_rng_state()

    def found(seed):
        model = kind(**options, epochs=3, random_state=seed)
        return model.fit(x, soft).predict_proba(x)

    first = found(0)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.rand(3)
    np.testing.assert_array_equal(found(0), first)
    assert np.abs(found(1) - first).max() > 1e-4


@pytest.mark.parametrize("rows", [0.0, 3.0])
def test_a_network_learns_entries_that_do_not_add_up_to_one(torch, rows):
    """All entries 0, or all 1: shares would say a third each."""
    x = np.ones((64, 2))
    model = SoftLabelMLP(epochs=60).fit(x, np.full((64, 3), rows / 3))
    assert ((model.logits(x) > 1) == bool(rows)).all()


def test_training_that_diverges_is_an_error(torch):
    x, soft, _ = example((5,))
    with pytest.raises(ParameterError, match="diverged"):
        SoftLabelMLP(learning_rate=1e30, epochs=3).fit(1e30 * x, soft)


# -- a gradient step at a time ------------------------------------------------


def task(seed=0, n=30, d=4, k=3):
    rng = RNG(seed)
    X = rng.normal(size=(n, d)) * [1, 5, 0.1, 1] + [0, 3, 0, 1]
    return X, rng.normal(size=(n, k))


@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
def test_a_step_of_logistic_regression_is_the_derivative_by_its_weights(
    seed, k, intercept
):
    X, slope = task(seed, k=k)
    model = LogisticModel(1.0, "descent", intercept).begin(X, k, RNG(0))
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
def test_torch_and_numpy_take_the_same_steps(torch, rule):
    X, slope = task()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    module = torch.nn.Linear(4, 3).double()
    for parameter in module.parameters():
        torch.nn.init.zeros_(parameter)
    make = {"adam": torch.optim.Adam, "descent": torch.optim.SGD}[rule]
    models = [
        LogisticModel(0.1, rule).begin(X, 3, RNG(0)),
        TorchModel(module, lambda p: make(p, lr=0.1)).begin(X, 3, RNG(0)),
    ]
    for _ in range(10):
        one, other = (model.step(X, lambda p: slope * p) for model in models)
        np.testing.assert_allclose(one, other, atol=1e-9)
    np.testing.assert_allclose(*(model.predict_proba(X) for model in models), atol=1e-9)
