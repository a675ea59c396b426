import numpy as np
import pytest
from sklearn.base import clone

import corral
from corral import ConstrainedLabeler, FromLabels, WeakSignals
from corral.datasets import random_votes
from corral.decisions import is_winner
from corral.errors import SignalsError
from corral.study import signal_values

ACCURACIES = [0.9, 0.75, 0.7, 0.6]
LABELERS = {
    "auto": ConstrainedLabeler("auto"),
    "uniform": ConstrainedLabeler(0.3),
    "a signal": ConstrainedLabeler(
        {"a": 0.1, "b": 0.25, "c": 0.3, "d": 0.4}, "entropy"
    ),
    "majority": corral.MajorityVote(),
}


def by_hand(before, after, covered, still):
    """What flips and what accuracy is lost, from labels with and without a signal."""
    other = ~(is_winner(before) & is_winner(after)).any(axis=1)
    best = is_winner(np.where(still[:, None], after, 0.5))
    likely = (before * best).sum(axis=1) / best.sum(axis=1)
    lost = (before.max(axis=1) - likely)[covered].sum() / len(covered)
    return pytest.approx((other & still).mean()), pytest.approx(lost)


@pytest.fixture(scope="module")
def votes():
    return random_votes(600, ACCURACIES, coverage=0.5)[0]


@pytest.fixture(scope="module")
def signals(votes):
    return WeakSignals.from_votes(votes, names=list("abcd"))


@pytest.mark.parametrize("name", LABELERS)
@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
def test_the_same_as_leaving_signals_out_by_hand(name, votes, signals):
    labeler = clone(LABELERS[name]).fit(signals)
    found = corral.value_of_signal(labeler, signals)
    silent = votes.copy()
    silent[:, 1] = -1
    less = WeakSignals.from_votes(silent, classes=[0, 1], names=list("abcd"))
    after = clone(labeler).fit(less).labels_
    covered, still = signals.covered, less.covered
    assert found.only[1] == pytest.approx((covered & ~still).mean())
    expected = by_hand(labeler.labels_, after, covered, still)
    assert (found.flips[1], found.worth[1]) == expected
    assert (found.worth >= 0).all()
    assert found.uncovered == pytest.approx((~covered).mean())
    expected = corral.signal_errors(signals, labeler.labels_)
    np.testing.assert_allclose(found.errors, expected)


def test_the_best_signal_is_worth_most_and_copies_nothing(votes):
    votes = np.column_stack([votes, votes[:, 3]])
    rates = 1 - np.array([*ACCURACIES, ACCURACIES[3]])
    labeler = ConstrainedLabeler(rates, "entropy").fit(votes)
    found = corral.value_of_signal(labeler, votes)
    assert found.worth.argmax() == 0
    assert found.droppable.tolist() == [False, False, False, True, True]
    assert "s3, s4" in str(found)


def test_labels_of_single_rows_stay_with_them():
    votes, truth = random_votes(400, ACCURACIES, coverage=0.5)
    known = np.where(np.arange(400) < 50, truth, -1)
    labeler = ConstrainedLabeler(FromLabels(known)).fit(votes)
    found = corral.value_of_signal(labeler, votes)
    silent = votes.copy()
    silent[:, 0] = -1
    less = WeakSignals.from_votes(silent, classes=[0, 1])
    after = FromLabels(known, WeakSignals.from_votes(votes)).estimate(less)
    after = after.model.labels(less)
    expected = by_hand(labeler.labels_, after, labeler.covered_, less.covered)
    assert found.flips[0] == expected[0]


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
def test_constraints_of_a_signal_go_with_it_and_come_back(signals):
    precise = [corral.Precision("a", 1, at_least=0.8)]
    labeler = ConstrainedLabeler(0.3, "entropy", constraints=precise).fit(signals)
    found = corral.value_of_signal(labeler, signals)
    assert found.worth[0] > 0
    assert labeler.constraints == precise
    less = signals.without(1)
    after = clone(labeler).fit(less).labels_
    expected = by_hand(labeler.labels_, after, signals.covered, less.covered)
    assert (found.flips[1], found.worth[1]) == expected


def test_multilabel_and_soft_signals():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((3, 50, 3)) < 0.5, rng.random((3, 50, 3)), np.nan)
    signals = WeakSignals.from_one_vs_rest(said)
    for options in ({"multilabel": True}, {}):
        labeler = ConstrainedLabeler(0.3, "entropy", **options).fit(signals)
        found = corral.value_of_signal(labeler, signals)
        assert (found.worth > 0).all()
        assert found.errors.shape == (3,)


def test_what_is_left_says_one_half():
    said = np.array([[[0.6], [0.7], [np.nan]], [[np.nan], [0.5], [np.nan]]])
    signals = corral.WeakSignals.from_one_vs_rest(said, classes=[0, 1])
    found = corral.value_of_signal(corral.MajorityVote().fit(signals), signals)
    assert found.only[0] == pytest.approx(2 / 3)


def test_a_signal_that_never_votes(votes):
    votes = np.column_stack([votes, np.full(len(votes), -1)])
    labeler = ConstrainedLabeler("auto")
    with pytest.warns(corral.errors.SignalsWarning, match="never vote"):
        labeler.fit(votes)
    found = corral.value_of_signal(labeler, votes)
    assert found.worth[-1] == found.flips[-1] == found.only[-1] == 0
    assert np.isnan(found.errors[-1])
    assert found.droppable[-1]


def test_what_would_take_minutes_is_refused(votes, monkeypatch):
    monkeypatch.setattr(signal_values, "MAX_REFIT_CELLS", 100)
    labeler = ConstrainedLabeler("auto").fit(votes)
    with pytest.raises(SignalsError, match="minutes"):
        corral.value_of_signal(labeler, votes)
    assert "minutes" in corral.inspect(votes).skipped[0]


def draw_rules(seed=0, n=2000):
    """Four rules: "busy" votes on most examples of its class and is always right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    fires = {"busy": (0.9, 0.0), "few": (0.2, 0.0), "loose": (0.3, 0.2)}
    votes = [
        np.where(rng.random(n) < np.where(truth, *p), 1, -1) for p in fires.values()
    ]
    votes.append(np.where(rng.random(n) < np.where(truth, 0.3, 0.4), 0, -1))
    return WeakSignals.from_votes(np.column_stack(votes), names=[*fires, "noisy"])


def test_a_rule_whose_error_is_assumed_is_checked_not_fixed():
    signals = draw_rules()
    found = corral.value_of_signal(ConstrainedLabeler().fit(signals), signals)
    assert found.assumed.all()
    assert "Check noisy" in str(found)  # which all others contradict
    assert "Fix" not in str(found)


def test_without_true_labels_a_rule_is_only_expected_to_be_wrong():
    signals = draw_rules()
    rates = {"busy": 0.01, "few": 0.01, "loose": 0.4, "noisy": 0.4}
    labeler = ConstrainedLabeler(rates, "entropy").fit(signals)
    found = corral.value_of_signal(labeler, signals)
    assert not found.assumed.any()
    action, worst, _, why = next(found.advice())
    assert action == "check"
    assert found.names[worst] in {"loose", "noisy"}
    assert "expected" in why


def test_true_labels_name_the_culprit_if_they_are_enough():
    # Both rules are wrong on a quarter of their votes; "often" votes on more rows.
    truth = np.tile([0, 1], 200)
    wrong = np.tile([True, False, False, False], 100)
    often, seldom = np.where(wrong, 1 - truth, truth), np.where(wrong, 1 - truth, truth)
    often[300:], seldom[100:] = -1, -1
    votes = np.column_stack([seldom, often, np.where(truth, 1, -1)])
    signals = WeakSignals.from_votes(votes, names=["seldom", "often", "one class"])
    for n_labelled, expected in ((400, "fix"), (8, "check")):
        gold = [*truth[:n_labelled].tolist(), *[None] * (400 - n_labelled)]
        found = corral.inspect(signals, gold=gold).values
        action, worst, _, why = next(found.advice())
        assert (action, found.names[worst]) == (expected, "often")
        assert f"{min(n_labelled, 300)} votes on labelled rows" in why
