"""The default is a reference; what is known is a constraint; gold moves it."""

import numpy as np
import pytest

from corral import (
    ConstrainedLabeler,
    ErrorRate,
    FromLabels,
    Known,
    MajorityVote,
    WeakSignals,
)
from corral.datasets import random_votes
from corral.errors import ParameterError
from corral.solvers import Status
from corral.votes.weak_signals import NO_YES

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def task():
    votes, truth = random_votes(3000, [0.85, 0.75, 0.7, 0.6], coverage=0.8, seed=1)
    return WeakSignals.from_votes(votes, names=NAMES), truth


def test_a_known_rate_is_met_with_a_certificate_and_the_others_are_estimated(task):
    signals, _ = task
    free = ConstrainedLabeler().fit(signals)
    known = ConstrainedLabeler({"a": 0.15}).fit(signals)
    assert known.implied_error_rates_[0] == pytest.approx(0.15, abs=1e-3)
    assert known.solution_.status is Status.FEASIBLE
    assert known.solution_.gap < 1e-6
    assert known.rates_.sources == ("given", *free.rates_.sources[1:])
    np.testing.assert_allclose(known.error_rates_[1:], free.error_rates_[1:])
    bound = ConstrainedLabeler(constraints=[ErrorRate("a", equal=0.15)]).fit(signals)
    np.testing.assert_allclose(bound.labels_, known.labels_, atol=1e-6)


def test_a_rate_that_the_reference_has_changes_nothing(task):
    signals, _ = task
    free = ConstrainedLabeler().fit(signals)
    same = dict(zip(NAMES, free.implied_error_rates_.tolist(), strict=True))
    again = ConstrainedLabeler(same).fit(signals)
    np.testing.assert_allclose(again.labels_, free.labels_, atol=1e-4)


def test_gold_moves_all_labels_and_measures_them(task):
    signals, truth = task
    rng = np.random.default_rng(0)
    gold = np.where(rng.random(len(truth)) < 0.05, truth, -1)
    free = ConstrainedLabeler().fit(signals)
    moved = ConstrainedLabeler().fit(signals, gold=gold)
    rest = (gold < 0) & signals.covered
    right = truth[:, None] == signals.classes
    losses = [
        -np.log((one.labels_ * right).sum(axis=1)[rest]).mean() for one in (free, moved)
    ]
    assert losses[1] < losses[0]
    accuracy = moved.rates_.accuracy
    assert 0 <= accuracy.low <= accuracy.value <= accuracy.high <= 1
    same = ConstrainedLabeler(FromLabels(gold)).fit(signals)
    np.testing.assert_allclose(same.labels_[rest], moved.labels_[rest])
    told = np.flatnonzero(gold >= 0)
    assert (moved.labels_[told, truth[told]] == 1).all()  # true labels win
    assert moved.covered_[told].all()


def test_gold_and_what_is_known_go_together(task):
    signals, truth = task
    gold = [y if j < 60 else None for j, y in enumerate(truth.tolist())]
    rows = np.arange(60)
    known = Known(rows, truth[rows])
    labeler = ConstrainedLabeler({"a": 0.15}, constraints=[known])
    labeler.fit(signals, gold=gold)
    assert labeler.implied_error_rates_[0] == pytest.approx(0.15, abs=1e-3)
    assert (labeler.predict(signals)[:60] == truth[:60]).mean() > 0.5
    assert (labeler.labels_[rows, truth[rows]] == 1).all()


@pytest.mark.parametrize("rates", [0.1, None])
def test_gold_needs_a_reference(task, rates):
    signals, truth = task
    asked = None if rates else [ErrorRate("a", equal=0.1)]
    with pytest.raises(ParameterError, match="gold"):
        ConstrainedLabeler(rates, constraints=asked).fit(signals, gold=truth)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("multilabel", [False, True])
def test_gold_helps_votes_and_probabilities_of_one_class_or_many(soft, multilabel):
    rng = np.random.default_rng(0)
    truth = rng.random((800, 3)) < [0.5, 0.3, 0.2]
    said = np.where(rng.random((5, 800, 3)) < 0.75, truth, ~truth).astype(float)
    said = np.clip(said, 0.1, 0.8) if soft else said
    said[rng.random(said.shape) < 0.4] = np.nan
    signals = WeakSignals.from_one_vs_rest(said)
    if not multilabel:
        signals, truth = (
            signals.for_class(0),
            np.column_stack([~truth[:, 0], truth[:, 0]]),
        )
    labeler = ConstrainedLabeler(multilabel=multilabel)
    gold = np.where(np.arange(800)[:, None] < 80, truth, -1.0)
    given = (
        gold if multilabel else np.where(gold[:, 0] < 0, None, NO_YES[truth[:, 1] * 1])
    )

    def log_loss(labels):
        return -np.log(np.where(truth, labels, 1 - labels)[80:]).mean()

    free = log_loss(labeler.fit(signals).labels_)
    assert log_loss(labeler.fit(signals, gold=given).labels_) < free
    np.testing.assert_array_equal(labeler.labels_[:80], truth[:80])


def test_copies_count_once(task):
    signals, _ = task
    row, at = signals.cells()
    dense = np.full((signals.n_rows, 4), -1)
    dense[row, signals.schema.signal[at]] = signals.schema.says[at]
    votes = dense[signals.row_of]
    once, copied = (
        ConstrainedLabeler().fit(v) for v in (votes, votes[:, [0, 1, 2, 3, 3, 3]])
    )
    np.testing.assert_allclose(copied.labels_, once.labels_, atol=1e-9)
    few = votes[:40]  # so few that all may be right
    more = ConstrainedLabeler().fit(few[:, [0, 1, 2, 3, 3, 3]]).labels_
    assert np.abs(more - ConstrainedLabeler().fit(few).labels_).max() > 1e-3


def test_balanced_answers_find_more_of_a_rare_class_and_keep_probabilities(tmp_path):
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) < 0.1).astype(int)
    right = rng.random((4000, 3)) < 0.75
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    gold = np.where(np.arange(4000) < 200, truth, -1)
    plain, balanced = (
        ConstrainedLabeler(answers=answers).fit(votes, gold=gold)
        for answers in ("likeliest", "balanced")
    )
    np.testing.assert_array_equal(plain.labels_, balanced.labels_)
    found = [one.predict(votes)[truth == 1].mean() for one in (plain, balanced)]
    assert found[1] > found[0]
    assert balanced.score(votes, truth) == pytest.approx(
        (balanced.predict(votes) == truth).mean()
    )
    balanced.save(tmp_path / "a.corral")
    loaded = ConstrainedLabeler.load(tmp_path / "a.corral")
    np.testing.assert_array_equal(loaded.predict(votes), balanced.predict(votes))


@pytest.mark.parametrize("how", ["counts", "weights"])
def test_gold_of_counted_and_of_weighted_rows_is_gold_of_repeated_ones(how):
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 2, (60, 4))
    times = rng.integers(1, 5, 60)
    gold = np.where(np.arange(60) < 30, rng.integers(0, 2, 60), -1)
    again = np.repeat(np.arange(60), times)
    repeated = ConstrainedLabeler().fit(votes[again], gold=gold[again])
    if how == "counts":
        counted = WeakSignals.from_votes(votes, counts=times)
        labeler = ConstrainedLabeler().fit(counted, gold=gold)
    else:
        labeler = ConstrainedLabeler().fit(votes, sample_weight=times, gold=gold)
    np.testing.assert_allclose(
        labeler.predict_proba(votes), repeated.predict_proba(votes), atol=1e-5
    )
    np.testing.assert_allclose(labeler.error_rates_, repeated.error_rates_, atol=1e-4)


@pytest.mark.parametrize("multilabel", [False, True])
def test_moves_of_a_row_add_up_with_gold_on_one_vs_rest_signals(multilabel):
    rng = np.random.default_rng(0)
    said = rng.choice([-1.0, 0.0, 1.0], (3, 50, 3), p=[0.5, 0.2, 0.3])
    signals = WeakSignals.from_one_vs_rest(said)
    truth = rng.integers(0, 3, 50)
    gold = np.where(np.arange(50) < 30, truth, -1)
    if multilabel:
        gold = np.where(gold[:, None] < 0, -1.0, np.eye(3)[gold])
    labeler = ConstrainedLabeler(multilabel=multilabel).fit(signals, gold=gold)
    for row in (31, 40, 49):
        told, label = labeler.explain(row, signals), labeler.labels_[row]
        odds = np.log(label / (1 - label)) if multilabel else np.log(label)
        wanted = odds if multilabel else odds - odds.mean()
        np.testing.assert_allclose(told.moves.sum(axis=0), wanted, atol=1e-9)


def test_a_class_that_nobody_said_is_never_a_balanced_answer():
    signals = WeakSignals.from_votes([[0, 1], [1, 1], [-1, -1]], classes=[0, 1, 2])
    labeler = MajorityVote(answers="balanced", uncovered="prior").fit(signals)
    assert 2 not in labeler.predict(signals).tolist()
