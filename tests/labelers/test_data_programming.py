import numpy as np
import pytest
from corral.labelers.data_programming import expect_by_class, expect_jointly
from corral.rates.vote_features import vote_features

from corral import DataProgramming, MajorityVote, WeakSignals, metrics
from corral.datasets import independent_task
from corral.errors import ConvergenceWarning, ParameterError, SignalsWarning

EXAMPLE_C1 = np.array([[1, 1, -1], [1, 0, 1], [0, 0, 0], [-1, 1, 1]])
ACCURACIES = np.array([0.8, 0.7, 0.6])


def test_example_c1_one_round_of_em():
    with pytest.warns(ConvergenceWarning, match="had not settled after 1 rounds"):
        labeler = DataProgramming(prior_accuracy=ACCURACIES, max_iter=1).fit(EXAMPLE_C1)
    np.testing.assert_allclose(
        labeler.accuracies_, [0.852186, 0.723584, 0.810370], atol=1e-5
    )
    # The example also counts how likely silence is, at the shares of votes cast.
    coverage = WeakSignals.from_votes(EXAMPLE_C1).coverage
    assert coverage.tolist() == [0.75, 1, 0.75]
    silence = 2 * (3 * np.log(0.75) + np.log(0.25))
    np.testing.assert_allclose(
        labeler.history_ + silence, [-10.996581, -10.372237], atol=1e-5
    )
    assert not labeler.converged_


def test_example_c1_slope_of_the_likelihood():
    features = vote_features(WeakSignals.from_votes(EXAMPLE_C1))
    half, h = np.array([0.5, 0.5]), 1e-6
    slope = [
        (
            expect_jointly(features, half, ACCURACIES + h * unit)[1]
            - expect_jointly(features, half, ACCURACIES - h * unit)[1]
        )
        / (2 * h)
        for unit in np.eye(3)
    ]
    np.testing.assert_allclose(slope, [0.978495, 0.449223, 2.629630], atol=1e-5)


def test_em_never_lowers_the_likelihood():
    task = independent_task()
    history = DataProgramming().fit(task.votes).history_
    assert (np.diff(history) > -1e-9 * abs(history[0])).all()


def test_synthetic_signals():
    task = independent_task()
    labeler = DataProgramming(uncovered="prior").fit(task.votes)
    accuracy = metrics.accuracy(task.labels, labeler.predict(task.votes))
    assert accuracy == pytest.approx(0.6999, abs=0.002)
    assert labeler.n_iter_ == pytest.approx(53, abs=3)
    true = np.array(
        [
            np.mean((v == task.labels)[v >= 0])
            for v in task.votes.T
        ]
    )  # fmt: skip
    assert np.abs(labeler.accuracies_ - true).mean() < 0.012


def yes_and_no(n=400, m=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    right = rng.random((m, n, k)) < rng.uniform(0.6, 0.9, (m, 1, k))
    w = np.where(right, np.eye(k)[truth], 1 - np.eye(k)[truth])
    w[rng.random(w.shape) < 0.4] = np.nan
    return w


@pytest.mark.parametrize("class_balance", [None, [0.2, 0.3, 0.5]])
@pytest.mark.filterwarnings("ignore::corral.errors.ConvergenceWarning")
def test_one_vs_rest_is_one_model_a_class(class_balance):
    w = yes_and_no()
    joint = DataProgramming(class_balance=class_balance, max_iter=40)
    signals = WeakSignals.from_one_vs_rest(w)
    joint.fit(signals)
    odds = []
    for k in range(3):
        votes = np.where(np.isnan(w[:, :, k]), -1, w[:, :, k]).astype(int).T
        share = 0.5 if class_balance is None else class_balance[k]
        one = DataProgramming(class_balance=[1 - share, share], max_iter=40).fit(votes)
        np.testing.assert_allclose(joint.accuracies_[:, k], one.accuracies_, atol=1e-5)
        odds.append(one.labels_[:, 1] / one.labels_[:, 0] * (1 - share) / share)
    if class_balance is not None:
        odds = np.array(odds) * np.array(class_balance)[:, None]
    odds = np.transpose(odds)
    expected = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(joint.labels_, expected, atol=1e-4)


def test_likelihood_of_one_vs_rest_signals():
    """By enumeration of being in or out of every class."""
    w = yes_and_no(n=6)
    signals = WeakSignals.from_one_vs_rest(w)
    features = vote_features(signals)
    rng = np.random.default_rng(3)
    shares, a = np.array([0.2, 0.3, 0.5]), rng.uniform(0.5, 0.9, features.n_columns)
    about = np.asarray(signals.columns[features.column, 1])
    _, found = expect_by_class(features, shares, about, a)
    by_pair = {
        tuple(pair): x for pair, x in zip(signals.columns.tolist(), a, strict=True)
    }
    total = 0.0
    for j in range(6):
        for k in range(3):
            inside, outside = shares[k], 1 - shares[k]
            for i in range(5):
                if not np.isnan(w[i, j, k]):
                    x = by_pair[i, k]
                    inside *= x if w[i, j, k] else 1 - x
                    outside *= 1 - x if w[i, j, k] else x
            total += np.log(inside + outside)
    assert found == pytest.approx(total)


def rules(n=2_000, seed=0):
    """Six rules that fire for one class each, right four times in five."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    votes = np.full((n, 6), -1)
    for i, claim in enumerate([0, 0, 1, 1, 1, 1]):
        fires = rng.random(n) < np.where(truth == claim, 0.4, 0.1)
        votes[fires, i] = claim
    return votes, truth


def test_one_sided_signals_are_held_at_the_prior():
    votes, _ = rules()
    with pytest.warns(SignalsWarning, match=r"100% of the votes .* \(s0, s1, s2, s3,"):
        labeler = DataProgramming(ties="abstain").fit(votes)
    np.testing.assert_array_equal(labeler.accuracies_, 0.7)
    baseline = MajorityVote(ties="abstain").fit_predict(votes)
    np.testing.assert_array_equal(labeler.predict(votes), baseline)


def test_a_collapse_is_reported():
    votes, _ = rules()
    with pytest.warns(SignalsWarning, match="collapsed: 100.0% of the examples are 1"):
        DataProgramming(hold_one_sided=False).fit(votes)


def test_prior_votes_pull_to_the_prior():
    votes = independent_task().votes[:2_000]
    free, held = (
        DataProgramming(prior_accuracy=0.9, prior_votes=x, tolerance=1e-4).fit(votes)
        for x in (0, 5_000)
    )
    assert (np.abs(held.accuracies_ - 0.9) < np.abs(free.accuracies_ - 0.9)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior_accuracy": 1.0}, "prior_accuracy must be more than 0 and less"),
        ({"prior_votes": -1}, "prior_votes must be zero or a number above"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"hold_one_sided": "yes"}, "hold_one_sided must be True or False"),
        ({"class_balance": [0, 1]}, "a share above zero and below one"),
        ({"class_balance": [1e-17, 1]}, "a share above zero and below one"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        DataProgramming(**options).fit(EXAMPLE_C1)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
def test_the_paper_lets_all_be_one_class(data):
    votes = np.load(data / "sst-2" / "weak_signals.npy")
    truth = np.load(data / "sst-2" / "data_labels.npy").ravel()
    collapsed = DataProgramming(hold_one_sided=False).fit(votes)
    assert collapsed.score(votes, truth) == pytest.approx(0.536, abs=0.001)
