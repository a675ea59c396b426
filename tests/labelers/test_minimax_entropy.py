import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral import MajorityVote, MinimaxEntropy, PatternCounts, WeakSignals
from corral.datasets import random_votes
from corral.errors import (
    ConvergenceWarning,
    ParameterError,
    SignalsWarning,
)

ITEMS = pytest.mark.parametrize("items", [True, False])
EXACT = {"inner_tolerance": 1e-9, "tolerance": 1e-5, "max_iter": 500}


def crowd(n=80, m=6, k=3, right=0.7, coverage=0.8, seed=0):
    """Votes, and the truth: workers who are often right, one row without votes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    wrong = rng.integers(0, k, (n, m))
    votes = np.where(rng.random((n, m)) < right, truth[:, None], wrong)
    votes[rng.random((n, m)) > coverage] = -1
    votes[:k], votes[k] = np.arange(k)[:, None], -1
    return votes, truth


def fitted(votes, k=3, weights=None, **options):
    signals = WeakSignals.from_votes(votes, classes=list(range(k)))
    return MinimaxEntropy(**EXACT, **options).fit(signals, sample_weight=weights)


# -- symmetries ---------------------------------------------------------------


@ITEMS
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_rows_signals_and_classes_in_any_order(items, seed):
    votes, _ = crowd(n=40, m=5, seed=seed)
    rng = np.random.default_rng(seed)
    rows, signals, classes = (rng.permutation(size) for size in (40, 5, 3))
    labeler = fitted(votes, items=items)
    moved = votes[rows][:, signals]
    moved = np.where(moved < 0, -1, classes[moved])
    other = fitted(moved, items=items)
    np.testing.assert_allclose(
        other.labels_[:, classes], labeler.labels_[rows], atol=1e-6
    )
    np.testing.assert_allclose(
        other.confusion_[:, classes][:, :, classes],
        labeler.confusion_[signals],
        atol=1e-6,
    )


@ITEMS
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_counts_are_repeated_rows(items, seed):
    """With item terms, too: examples with the same votes have the same."""
    votes, _ = crowd(n=30, m=4, seed=seed)
    times = np.random.default_rng(seed).integers(1, 5, 30)
    repeated = fitted(np.repeat(votes, times, axis=0), items=items)
    first = np.cumsum(times) - times
    for other in (
        fitted(votes, weights=times, items=items),
        MinimaxEntropy(**EXACT, items=items).fit(
            WeakSignals.from_votes(votes, counts=times)
        ),
    ):
        np.testing.assert_allclose(other.labels_, repeated.labels_[first], atol=1e-6)
        assert other.item_penalty_ == repeated.item_penalty_
    counted = PatternCounts(WeakSignals.from_votes(np.repeat(votes, times, axis=0)))
    labeler = MinimaxEntropy(**EXACT, items=items).fit(counted)
    np.testing.assert_allclose(
        labeler.predict_proba(votes), repeated.labels_[first], atol=1e-6
    )


# -- what is learned ----------------------------------------------------------


@ITEMS
def test_workers_are_known_by_their_confusion(items):
    votes, truth = crowd(n=3_000, m=8, coverage=0.9)
    votes[:, 7] = np.where(votes[:, 7] < 0, -1, (truth + 1) % 3)  # always one too far
    labeler = MinimaxEntropy(items=items).fit(votes)
    np.testing.assert_allclose(labeler.confusion_.sum(axis=2), 1)
    np.testing.assert_allclose(
        labeler.confusion_[:7].mean(axis=0), 0.1 + 0.7 * np.eye(3), atol=0.03
    )
    assert (labeler.confusion_[7, np.arange(3), [1, 2, 0]] > 0.9).all()
    wrong = [np.mean((v != truth)[v >= 0]) for v in votes.T]
    np.testing.assert_allclose(labeler.error_rates_, wrong, atol=0.03)
    assert labeler.score(votes, truth) > MajorityVote().fit(votes).score(votes, truth)
    assert labeler.converged_
    assert (labeler.item_penalty_ is not None) is items
    assert ("item" in labeler.note_) is items


def test_a_silent_signal():
    votes, _ = crowd()
    votes[:, 2] = -1
    labeler = MinimaxEntropy().fit(votes)
    assert np.isnan(labeler.confusion_[2]).all()
    assert np.flatnonzero(np.isnan(labeler.accuracies_)).tolist() == [2]
    with_it = labeler.predict_proba(np.where(np.arange(6) == 2, 1, votes))
    workers = labeler.model_.workers
    model = workers.labels(WeakSignals.from_votes(votes))
    heard = workers.labels(
        WeakSignals.from_votes(np.where(np.arange(6) == 2, 1, votes))
    )
    np.testing.assert_allclose(heard, model)  # what it says is worth nothing
    assert with_it.shape == (80, 3)


def test_class_balance_is_the_prior():
    votes, _ = crowd()
    balance = [0.2, 0.3, 0.5]
    labeler = MinimaxEntropy(class_balance=balance).fit(votes)
    np.testing.assert_allclose(labeler.labels_[3], balance)
    assert labeler.class_balance_.tolist() == balance
    even = MinimaxEntropy().fit(votes)
    assert labeler.labels_[:, 2].sum() > even.labels_[:, 2].sum()


def test_new_votes_are_labelled_by_the_workers_alone():
    votes, _ = crowd()
    labeler = MinimaxEntropy(items=True).fit(votes)
    np.testing.assert_allclose(labeler.predict_proba(votes), labeler.labels_)
    signals = WeakSignals.from_votes(votes)
    assert np.abs(labeler.model_.workers.labels(signals) - labeler.labels_).max() > 0.01
    new = np.array([[0, 0, 1, 2, 2, 2], votes[5], [-1] * 6])
    assert not (votes == new[0]).all(axis=1).any()
    by_workers = labeler.model_.workers.bias.copy()
    for i, v in enumerate(new[0]):
        by_workers += np.log(labeler.confusion_[i, :, v])
    by_workers = np.exp(by_workers) / np.exp(by_workers).sum()
    found = labeler.predict_proba(new)
    np.testing.assert_allclose(found[0], by_workers)
    np.testing.assert_allclose(found[1], labeler.labels_[5])
    np.testing.assert_allclose(found[2], 1 / 3)


def test_a_sample_of_the_patterns():
    votes, truth = crowd(n=2_000)
    labeler = MinimaxEntropy(items=True, max_patterns=300).fit(votes)
    assert labeler.labels_.shape == (2_000, 3)
    assert labeler.score(votes, truth) > 0.8
    np.testing.assert_allclose(labeler.predict_proba(votes), labeler.labels_)


def test_gamma_by_cross_validation():
    votes, _ = crowd()
    labeler = MinimaxEntropy("cross-validated").fit(votes)
    assert labeler.gamma_ == max(labeler.scores_, key=labeler.scores_.get)
    assert labeler.worker_penalty_ == 9 * labeler.gamma_
    again = MinimaxEntropy("cross-validated").fit(votes)
    assert again.scores_ == labeler.scores_
    drawn = MinimaxEntropy("cross-validated", random_state=1).fit(votes)
    assert drawn.scores_ != labeler.scores_
    same = MinimaxEntropy(labeler.gamma_).fit(votes)
    np.testing.assert_array_equal(same.labels_, labeler.labels_)
    assert same.scores_ == {}


# -- one-vs-rest --------------------------------------------------------------


def one_vs_rest(votes, no):
    said = (votes.T[:, :, None] == np.arange(votes.max() + 1)) * 1.0
    said[votes.T < 0] = np.nan
    said[said == 0] = 0 if no else np.nan
    return WeakSignals.from_one_vs_rest(said)


@pytest.mark.filterwarnings("ignore:.*only ever say one thing")
def test_signals_that_say_yes_name_their_class():
    """As published: one worker a signal and class, who could have named any class."""
    votes, _ = crowd(m=4)
    labeler = MinimaxEntropy(**EXACT).fit(one_vs_rest(votes, no=False))
    pairs = np.repeat(votes, 3, axis=1)
    said = np.where(pairs == np.tile(np.arange(3), 4), pairs, -1)
    order = np.argsort(np.tile(np.arange(3), 4), kind="stable")  # by class, then signal
    crowds = fitted(said[:, order])
    np.testing.assert_allclose(labeler.labels_, crowds.labels_, atol=1e-6)
    assert labeler.accuracies_.shape == (4, 3)
    np.testing.assert_allclose(
        labeler.confusion_[:, :, 1],
        crowds.confusion_[np.arange(12), :, np.repeat(np.arange(3), 4)],
        atol=1e-6,
    )


def test_signals_that_say_no_answer_yes_or_no():
    votes, truth = crowd(n=2_000)
    labeler = MinimaxEntropy().fit(one_vs_rest(votes, no=True))
    assert labeler.confusion_.shape == (18, 3, 2)
    np.testing.assert_allclose(labeler.confusion_.sum(axis=2), 1)
    yes = labeler.confusion_[:, :, 1].reshape(3, 6, 3).mean(axis=1)
    np.testing.assert_allclose(yes, 0.1 + 0.7 * np.eye(3), atol=0.05)
    assert (labeler.labels_.argmax(axis=1) == truth).mean() > 0.85


def test_no_to_one_of_two_classes_names_the_other():
    votes, _ = crowd(k=2)
    one_column = np.where(votes < 0, np.nan, votes).T[:, :, None]
    labeler = MinimaxEntropy().fit(WeakSignals.from_one_vs_rest(one_column))
    np.testing.assert_allclose(labeler.labels_, MinimaxEntropy().fit(votes).labels_)


# -- degenerate cases ---------------------------------------------------------


def test_signals_that_only_say_one_thing():
    votes, _ = crowd(n=400)
    keywords = np.where(votes == np.arange(6) % 3, votes, -1)
    with pytest.warns(
        SignalsWarning, match=r"100% .* say one thing \(s0, s1.*\.\.\.\)"
    ):
        labeler = MinimaxEntropy().fit(keywords)
    assert labeler.degenerate_
    assert np.abs(labeler.labels_ - 1 / 3).max() < 0.02


def test_too_strong_a_penalty_leaves_the_class_balance():
    votes = [[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, -1], [0, 0, 0], [1, 1, 0]]
    with pytest.warns(SignalsWarning, match="no label differs .* smaller gamma than 4"):
        labeler = MinimaxEntropy(4.0).fit(votes)
    assert labeler.degenerate_
    assert not MinimaxEntropy(0.01).fit(votes).degenerate_


def test_rounds_that_do_not_settle():
    votes, _ = crowd()
    with pytest.warns(ConvergenceWarning, match="not settled after 2 rounds"):
        labeler = MinimaxEntropy(max_iter=2).fit(votes)
    assert not labeler.converged_
    assert labeler.n_iter_ == len(labeler.history_) == 2
    assert "stopped before" in labeler.note_


def test_two_signals_are_too_few():
    with pytest.warns(SignalsWarning, match="fewer than 3 signals vote"):
        MinimaxEntropy(0.01).fit([[0, 0], [1, 1], [0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 0}, "gamma must be a number above zero; 0 was given"),
        ({"gamma": "cv"}, "gamma must be .* \"cross-validated\"; 'cv' was given"),
        ({"gamma": "cross-validated", "worker_penalty": 1}, "give one of them"),
        ({"items": "yes"}, "items must be True, False or \"auto\"; 'yes'"),
        ({"items": 1}, "items must be"),
        ({"items": False, "item_penalty": 1}, "item_penalty is of no use"),
        ({"item_penalty": -1}, "item_penalty must be a number above zero"),
        ({"worker_penalty": "1"}, "worker_penalty must be a number above zero"),
        ({"tolerance": 0}, "tolerance must be"),
        ({"inner_tolerance": np.nan}, "inner_tolerance must be"),
        ({"max_iter": 2.5}, "max_iter must be a positive integer"),
        ({"max_patterns": 0}, "max_patterns must be"),
        ({"class_balance": [0.5, 0.6]}, "class_balance must add up to one"),
        ({"class_balance": [0, 1]}, "a share above zero and below one"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        MinimaxEntropy(**options).fit([[0, 1, 0], [1, 1, 0]])


# -- published figures --------------------------------------------------------


@pytest.mark.data
@ITEMS
def test_sst2(data, items):
    votes = np.load(data / "sst-2" / "weak_signals.npy")
    truth = np.load(data / "sst-2" / "data_labels.npy").ravel()
    with pytest.warns(SignalsWarning, match="say one thing"):
        labeler = MinimaxEntropy(items=items).fit(votes)
    right = (labeler.labels_.argmax(axis=1) == truth).sum()
    assert abs(right - 2707) <= 5
    assert labeler.degenerate_


@pytest.mark.data
@ITEMS
def test_trec6(data, items):
    found = np.load(data / "trec" / "weak_signals.npz")
    signals = WeakSignals.from_one_vs_rest(found["signals"])
    with pytest.warns(SignalsWarning, match="say one thing"):
        labeler = MinimaxEntropy(items=items).fit(signals)
    right = (labeler.labels_.argmax(axis=1) == found["labels"]).sum()
    assert abs(right - 2454) <= 5


@pytest.mark.data
@pytest.mark.parametrize(
    ("gamma", "error"),
    [(0.25, 0.0833), (0.5, 0.0833), (1, 0.0833), (2, 0.0926), (4, 0.1019)],
)
def test_bluebirds(data, gamma, error):
    pandas = pytest.importorskip("pandas")
    folder = data / "crowd" / "bluebirds"
    signals = WeakSignals.from_long(pandas.read_csv(folder / "answers.csv"))
    truth = pandas.read_csv(folder / "truth.csv").set_index("task").label
    truth = truth[signals.index].to_numpy()
    labeler = MinimaxEntropy(gamma).fit(signals)
    assert np.mean(labeler.labels_.argmax(axis=1) != truth) == pytest.approx(
        error, abs=1e-4
    )
    vote = MajorityVote().fit(signals).labels_.argmax(axis=1)
    assert np.mean(vote != truth) == pytest.approx(0.2407, abs=1e-4)


def test_no_label_is_a_class_that_nobody_votes_for():
    votes, _ = random_votes(300, [0.9, 0.8, 0.7, 0.6], coverage=0.7)
    two = MinimaxEntropy().fit(votes).labels_
    three = MinimaxEntropy().fit(WeakSignals.from_votes(votes, classes=[0, 1, 2]))
    assert three.labels_[:, 2].max() < 1e-3
    assert (three.labels_.argmax(1) == two.argmax(1)).mean() > 0.97
