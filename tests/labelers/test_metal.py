import numpy as np
import pytest

from corral import MeTaL, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError
from corral.labelers.metal import MomentFit

EXAMPLE_C1 = [[1, 1, -1], [1, 0, 1], [0, 0, 0], [-1, 1, 1]]
HALF = np.array([0.5, 0.5])


def problem_of(votes, balance=HALF, penalty=0.0, precision=0.7):
    signals = votes if isinstance(votes, WeakSignals) else WeakSignals.from_votes(votes)
    each = np.full(signals.schema.n_columns, precision)
    return MomentFit(signals, balance, each, penalty)


def test_example_c2():
    problem = problem_of(EXAMPLE_C1)
    np.testing.assert_allclose(problem.share, [0.25, 0.5, 0.5, 0.5, 0.25, 0.5])
    loss, gradient = problem.loss_and_gradient(problem.initial)
    mu = problem.initial - 0.01 * gradient
    assert loss == pytest.approx(0.487678, abs=1e-6)
    expected = [
        *([0.353856, 0.00075], [0.005, 0.70164], [0.703285, 0.0085]),
        *([0.0015, 0.70164], [0.353856, 0.00075], [0.005, 0.70164]),
    ]
    np.testing.assert_allclose(mu, expected, atol=1e-5)
    labeler = MeTaL(start=1.0).fit(EXAMPLE_C1)
    assert labeler.history_[-1] == pytest.approx(0.013601, abs=1e-5)
    np.testing.assert_allclose(
        labeler.labels_[:, 1], [0.855090, 0.648823, 0.000081, 0.855090], atol=1e-5
    )


def textbook(votes, mu, balance, penalty, initial):
    """Loss of dense matrices: all votes of all signals, also those never cast."""
    n, m = votes.shape
    k = len(balance)
    hot = (votes[:, :, None] == np.arange(k)).reshape(n, m * k).astype(float)
    overlap = hot.T @ hot / n
    mask = 1 - np.kron(np.eye(m), np.ones((k, k)))
    fit = (mask * (overlap - mu @ np.diag(balance) @ mu.T) ** 2).sum()
    fit += ((mu @ balance - np.diag(overlap)) ** 2).sum()
    away = penalty**2 * ((mu - initial) ** 2).sum()
    return fit + away + penalty / 2 * (mu**2).sum()


@pytest.mark.parametrize(("n", "m", "k"), [(200, 4, 3), (12, 30, 3)])
def test_loss_and_gradient(n, m, k):
    """With many signals the matrix is never formed; the numbers are the same."""
    rng = np.random.default_rng(m)
    votes = rng.integers(-1, k, (n, m))
    votes[:, 0] = np.arange(n) % k
    balance = np.array([0.2, 0.3, 0.5])
    problem = problem_of(votes, balance, penalty=0.3)
    mu = rng.random((m * k, k))
    loss, gradient = problem.loss_and_gradient(mu)
    expected = textbook(votes, mu, balance, 0.3, problem.initial)
    assert loss == pytest.approx(expected, rel=1e-9)
    direction, h = rng.standard_normal(mu.shape), 1e-6
    slope = [problem.loss_and_gradient(mu + s * h * direction)[0] for s in (1, -1)]
    assert (gradient * direction).sum() == pytest.approx(
        (slope[0] - slope[1]) / (2 * h), rel=1e-5
    )


def test_too_large_steps_are_reported():
    votes, _ = random_votes(500, np.linspace(0.6, 0.9, 40), coverage=1.0)
    with pytest.raises(ParameterError, match=r"a learning_rate of 0\.3 is too large"):
        MeTaL(learning_rate=0.3).fit(votes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": 0}, "precision must be above 0"),
        ({"learning_rate": -1}, "learning_rate must be"),
        ({"start": 0}, "start must be"),
        ({"penalty": -1}, "penalty must be"),
        ({"class_balance": [1, 0]}, "above 0 and below 1"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        MeTaL(**options).fit(EXAMPLE_C1)


@pytest.mark.filterwarnings("ignore")  # of the peer
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("balance", [None, [0.4, 0.3, 0.2, 0.1]])
def test_snorkel_gives_the_same_labels(n_classes, balance):
    reason = "snorkel is an extra: make test EXTRAS=all"
    model = pytest.importorskip("snorkel.labeling.model", reason=reason)
    rng = np.random.default_rng(n_classes)
    truth = rng.choice(n_classes, 5_000, p=None if balance is None or n_classes == 2
                       else balance)  # fmt: skip
    right = rng.random((5_000, 8)) < rng.uniform(0.5, 0.9, 8)
    votes = np.where(right, truth[:, None], rng.integers(0, n_classes, (5_000, 8)))
    votes[rng.random(votes.shape) < 0.5] = -1
    if balance is not None:
        balance = [0.7, 0.3] if n_classes == 2 else balance
    theirs = model.LabelModel(n_classes, verbose=False)
    theirs.fit(votes, class_balance=balance, seed=1, progress_bar=False)
    part = np.random.RandomState(1).random_sample()  # as it draws its start
    ours = MeTaL(class_balance=balance, start=part).fit(votes)
    expected = theirs.predict_proba(votes)
    np.testing.assert_allclose(ours.labels_, expected, atol=1e-4)
    assert (ours.labels_.argmax(1) == expected.argmax(1)).mean() > 0.999
    np.testing.assert_allclose(ours.accuracies_, theirs.get_weights(), atol=1e-3)
