"""Dawid and Skene's model, its one-coin form, and data programming."""

import numpy as np
import pytest

from corral import (
    DataProgramming,
    DawidSkene,
    MajorityVote,
    OneCoinDawidSkene,
    WeakSignals,
)
from corral.errors import ConvergenceWarning, ParameterError, SignalsWarning

BOTH = pytest.mark.parametrize("method", [DawidSkene, OneCoinDawidSkene])
EXAMPLE_C1 = np.array([[1, 1, -1], [1, 0, 1], [0, 0, 0], [-1, 1, 1]])
ACCURACIES = np.array([0.8, 0.7, 0.6])


def crowd(n=1_500, m=12, k=3, seed=0, coverage=0.5):
    """Workers with confusion matrices of their own: votes, truth, matrices."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    sharp = rng.uniform(1, 6, (m, k, 1)) * np.eye(k)
    matrices = (
        rng.dirichlet(np.ones(k), (m, k)) * 0.5 + 0.5 * sharp / sharp.sum(2)[:, :, None]
    )
    drawn = rng.random((n, m, 1)) > matrices[:, truth].cumsum(axis=2).transpose(1, 0, 2)
    votes = np.minimum(drawn.sum(axis=2), k - 1)
    votes[rng.random((n, m)) > coverage] = -1
    return votes, truth, matrices


def textbook(votes, rounds, one_coin=False):
    """Dawid-Skene as the paper has it, one example after the other."""
    n, m = votes.shape
    k = votes.max() + 1
    labels = np.array([[(row == c).sum() for c in range(k)] for row in votes], float)
    labels /= labels.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        prior = labels.mean(axis=0)
        confusion = np.zeros((m, k, k))
        for i in range(m):
            voted = votes[:, i] >= 0
            for v in range(k):
                confusion[i, :, v] = labels[votes[:, i] == v].sum(axis=0)
            if one_coin:
                right = labels[voted, votes[voted, i]].mean()
                confusion[i] = np.where(np.eye(k) > 0, right, (1 - right) / (k - 1))
        confusion = np.maximum(confusion, 1e-10)
        confusion /= confusion.sum(axis=2, keepdims=True)
        scores = np.tile(np.log(prior), (n, 1))
        for j, row in enumerate(votes):
            for i, v in enumerate(row):
                if v >= 0:
                    scores[j] += np.log(confusion[i, :, v])
        labels = np.exp(scores - scores.max(axis=1, keepdims=True))
        labels /= labels.sum(axis=1, keepdims=True)
    return labels, prior, confusion


@BOTH
def test_the_textbook_loop(method):
    votes, _, _ = crowd(n=200)
    votes = votes[(votes >= 0).any(axis=1)]
    labels, prior, confusion = textbook(votes, 5, method is OneCoinDawidSkene)
    with pytest.warns(ConvergenceWarning, match=method.__name__):
        labeler = method(smoothing=0, max_iter=5, tolerance=0).fit(votes)
    np.testing.assert_allclose(labeler.labels_, labels, atol=1e-9)
    np.testing.assert_allclose(labeler.class_balance_, prior, atol=1e-9)
    np.testing.assert_allclose(labeler.confusion_, confusion, atol=1e-9)
    assert labeler.n_iter_ == 5


def test_confusion_is_recovered():
    votes, truth, matrices = crowd(n=20_000)
    labeler = DawidSkene().fit(votes)
    np.testing.assert_allclose(labeler.confusion_.sum(axis=2), 1)
    assert np.abs(labeler.confusion_ - matrices).mean() < 0.03
    shares = np.bincount(truth) / len(truth)
    np.testing.assert_allclose(labeler.class_balance_, shares, atol=0.02)
    vote = MajorityVote().fit(votes).score(votes, truth)
    assert labeler.score(votes, truth) > vote + 0.02
    right = [np.mean((v == truth)[v >= 0]) for v in votes.T]
    np.testing.assert_allclose(labeler.accuracies_, right, atol=0.03)


@pytest.mark.parametrize(
    "labeler",
    [DawidSkene(smoothing=0), OneCoinDawidSkene(smoothing=0), DataProgramming()],
)
def test_a_round_never_lowers_the_likelihood(labeler):
    votes, _, _ = crowd()
    history = labeler.fit(votes).history_
    assert (np.diff(history) > -1e-9 * abs(history[0])).all()


@BOTH
def test_a_given_class_balance_stays(method):
    votes, _, _ = crowd()
    given = [0.5, 0.3, 0.2]
    labeler = method(class_balance=given).fit(votes)
    np.testing.assert_allclose(labeler.class_balance_, given)
    silent = np.full((1, 12), -1)
    np.testing.assert_allclose(labeler.predict_proba(silent), [given])


def test_one_vs_rest_signals_have_yes_and_no():
    votes, truth, _ = crowd(n=3_000)
    w = np.eye(3)[votes].transpose(1, 0, 2)
    w[votes.T < 0] = np.nan
    signals = WeakSignals.from_one_vs_rest(w)
    labeler = DawidSkene().fit(signals)
    assert labeler.confusion_.shape == (36, 3, 2)
    np.testing.assert_allclose(labeler.confusion_.sum(axis=2), 1)
    yes = labeler.confusion_[:, :, 1].reshape(12, 3, 3)
    assert (yes.mean(axis=0).argmax(axis=1) == np.arange(3)).all()
    assert labeler.score(signals, truth) > 0.8


def rules(n=600, m=6, seed=0):
    """Rules that speak on 40% of their class and on 10% of the other: votes, truth."""
    rng = np.random.default_rng(seed)
    truth, about = rng.integers(0, 2, n), np.arange(m) % 2
    speaks = rng.random((n, m)) < np.where(truth[:, None] == about, 0.4, 0.1)
    votes = np.where(speaks, about, -1)
    covered = (votes >= 0).any(axis=1)
    return votes[covered], truth[covered]


def test_rules_tell_nothing_if_abstains_are_ignored():
    votes, _ = rules()
    with pytest.warns(SignalsWarning, match=r"100% of the votes .*\(s0, s1"):
        DawidSkene(abstains="ignore").fit(votes)


def test_abstains_are_one_more_answer_of_rules():
    """As the textbook loop has it, with an abstain as the last of k + 1 answers."""
    votes, truth = rules()
    shares = np.stack([(votes == c).sum(axis=1) for c in range(2)], axis=1)
    labels = shares / shares.sum(axis=1, keepdims=True)
    for _ in range(4):
        prior = labels.mean(axis=0)
        confusion = np.array(
            [
                [labels[column == v].sum(axis=0) for v in (0, 1, -1)]
                for column in votes.T
            ]
        ).transpose(0, 2, 1)
        confusion /= confusion.sum(axis=2, keepdims=True)
        labels = prior * np.prod(
            [confusion[i][:, column].T for i, column in enumerate(votes.T)], axis=0
        )
        labels /= labels.sum(axis=1, keepdims=True)
    with pytest.warns(ConvergenceWarning):
        labeler = DawidSkene(smoothing=0, max_iter=4, tolerance=0).fit(votes)
    assert labeler.abstains_are_answers_
    np.testing.assert_allclose(labeler.labels_, labels, atol=1e-9)
    np.testing.assert_allclose(labeler.confusion_, confusion[:, :, :2], atol=1e-9)
    silent = labeler.predict_proba(np.full((1, 6), -1))
    np.testing.assert_allclose(silent, [labeler.class_balance_])
    settled = DawidSkene().fit(votes).score(votes, truth)
    assert settled > MajorityVote().fit(votes).score(votes, truth) - 0.02


def test_abstains_of_a_crowd_are_no_answers_unless_asked_for():
    votes, _, _ = crowd()
    votes[:, 0] = np.where(votes[:, 0] >= 0, 0, -1)  # one worker who always says 0
    assert not DawidSkene().fit(votes).abstains_are_answers_
    assert DawidSkene(abstains="answer").fit(votes).abstains_are_answers_
    with pytest.raises(ParameterError, match="abstains"):
        DawidSkene(abstains="count").fit(votes)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "published"),
    [("youtube", 83.56), ("cdr", 57.90), ("commercial", 88.31), ("yelp", 75.20)],
)
def test_published_figures_for_rules(data, name, published):
    """F1 of Dawid-Skene in the published comparison on these sets."""
    with np.load(data / "votes" / f"{name}.npz") as held:
        votes, gold = held["train_votes"], held["train_labels"]
    labeler = DawidSkene(abstains="answer", smoothing=0, max_iter=500, tolerance=1e-10)
    found = labeler.fit(votes).predict(votes)
    right = ((found == 1) & (gold == 1)).sum()
    f1 = 200 * right / ((found == 1).sum() + (gold == 1).sum())
    assert f1 == pytest.approx(published, abs=0.005)


@pytest.mark.data
def test_bluebirds(data):
    folder = data / "crowd" / "bluebirds"
    answers, truth = (
        np.genfromtxt(folder / f"{part}.csv", int, delimiter=",", skip_header=1)
        for part in ("answers", "truth")
    )
    task, worker, label = answers.T
    signals = WeakSignals.from_long({"task": task, "worker": worker, "label": label})
    gold = np.empty(len(truth), int)
    gold[truth[:, 0]] = truth[:, 1]
    gold = gold[np.asarray(signals.index)]
    error = {
        type(method): 1 - method.fit(signals).score(signals, gold)
        for method in (DawidSkene(), MajorityVote())
    }
    assert error[DawidSkene] == pytest.approx(0.102, abs=0.0005)
    assert error[MajorityVote] == pytest.approx(0.241, abs=0.0005)


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


def test_one_sided_signals_are_held_at_the_prior():
    votes, _ = rules()
    with pytest.warns(SignalsWarning, match=r"100% of the votes .* \(s0, s1, s2, s3,"):
        labeler = DataProgramming(ties="abstain").fit(votes)
    np.testing.assert_array_equal(labeler.accuracies_, 0.7)
    baseline = MajorityVote(ties="abstain").fit_predict(votes)
    np.testing.assert_array_equal(labeler.predict(votes), baseline)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior_accuracy": 1.0}, "prior_accuracy must be more than 0 and less"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"class_balance": [0, 1]}, "above 0 and below 1"),
    ],
)
def test_options_of_data_programming_are_checked(options, message):
    with pytest.raises(ParameterError, match=message):
        DataProgramming(**options).fit(EXAMPLE_C1)
