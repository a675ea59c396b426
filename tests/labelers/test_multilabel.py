"""Examples with any number of classes: given rates, learned rates, silent classes."""

import numpy as np
import pytest
from sklearn.base import clone

from corral import (
    Adagrad,
    Agreement,
    Averaging,
    ClassBalance,
    ConstrainedLabeler,
    DawidSkene,
    Entropy,
    ErrorRate,
    FromLabels,
    Known,
    MajorityVote,
    Precision,
    Projection,
    WeakSignals,
    WeightedVote,
    signal_errors,
)
from corral.errors import ParameterError, SignalsError
from corral.labelers import Labeler
from corral.labelers.multilabel import shrink

TAGS = ["sport", "music", "film"]
SOLVERS = {
    "adagrad": Adagrad(iterations=400),
    "entropy": Entropy(1e-6),
    "projection": Projection(),
}


def tagged(soft=False, n=150, m=5, seed=0):
    """One-vs-rest signals (m, n, 3) of examples with 0 to 3 tags, and the tags."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 3)) < [0.6, 0.5, 0.3]).astype(int)
    w = np.where(rng.random((m, n, 3)) < 0.75, truth, 1 - truth).astype(float)
    w = np.clip(w, 0.1, 0.8) if soft else w
    w[rng.random(w.shape) < 0.3] = np.nan
    w[:, 0] = np.nan
    w[:, 1, 2] = np.nan
    return w, truth


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


@pytest.mark.parametrize("soft", [False, True])
def test_every_column_is_a_task_of_its_own(solver, soft):
    w, _ = tagged(soft)
    signals = WeakSignals.from_one_vs_rest(w, classes=TAGS)
    rates = np.linspace(0.25, 0.4, 15).reshape(5, 3)
    labeler = ConstrainedLabeler(rates, solver, multilabel=True).fit(signals)
    for k in range(3):
        one = WeakSignals.from_one_vs_rest(w[:, :, k : k + 1])
        alone = ConstrainedLabeler(rates[:, k], solver).fit(one)
        near = {"rtol": 0, "atol": 1e-4}
        np.testing.assert_allclose(labeler.labels_[:, k], alone.labels_[:, 1], **near)
    np.testing.assert_allclose(
        labeler.predict_proba(signals), labeler.labels_, atol=1e-9
    )


def test_predictions_are_indicators(solver):
    w, truth = tagged()
    signals = WeakSignals.from_one_vs_rest(w, classes=TAGS)
    labeler = ConstrainedLabeler(0.25, solver, multilabel=True).fit(signals)
    predicted = labeler.predict(signals)
    assert predicted.shape == (150, 3)
    assert set(np.unique(predicted[1:])) == {0, 1}
    assert (predicted[0] == -1).all()  # no signal votes on it
    assert np.mean(predicted[1:] == truth[1:]) > 0.8
    assert labeler.labels_.sum(axis=1).max() > 1.5
    np.testing.assert_array_equal(labeler.fit_predict(signals), predicted)
    halves = (np.abs(labeler.labels_ - 0.5) < 1e-9) / 2
    right = np.prod(np.where(halves > 0, 0.5, predicted == truth), axis=1)
    assert labeler.score(signals, truth) == pytest.approx(right[1:].mean())
    unknown = truth.astype(float)
    unknown[5:60, 1] = np.nan
    kept = np.r_[1:5, 60:150]
    assert labeler.score(signals, unknown) == pytest.approx(right[kept].mean())
    with pytest.raises(
        ParameterError, match=r"\(150, 3\).*; 3 was given, in row"
    ) as bad:
        labeler.score(signals, truth * 3)
    assert "the shape given" not in str(bad.value)
    with pytest.raises(ParameterError, match=r"the shape given is \(149, 3\)"):
        labeler.score(signals, truth[1:])
    answered = labeler.set_params(uncovered="prior").predict(signals)
    assert (answered[0] == 0).all()


def test_entries_that_no_signal_speaks_of_get_the_class_balance(solver):
    w, _ = tagged()
    signals = WeakSignals.from_one_vs_rest(w)
    labeler = ConstrainedLabeler(0.3, solver, multilabel=True).fit(signals)
    assert labeler.labels_[1, 2] == 0.5
    assert (labeler.labels_[0] == 0.5).all()
    balance = [0.6, 0.7, 0.8]  # need not add up to one
    labeler.set_params(class_balance=balance).fit(signals)
    assert labeler.labels_[1, 2] == 0.8
    assert labeler.labels_[0].tolist() == balance
    assert labeler.set_params(uncovered="prior").predict(signals)[0].tolist() == [1] * 3
    with pytest.raises(ParameterError, match="shares from 0 to 1"):
        labeler.set_params(class_balance=[0.5, 0.5, 1.5]).fit(signals)


def test_ties_of_entries():
    w = np.array([[[1, 0]], [[0, 0]]])  # two signals, one example, two tags
    signals = WeakSignals.from_one_vs_rest(np.repeat(w, 200, axis=1))
    labeler = ConstrainedLabeler(0.3, "entropy", multilabel=True).fit(signals)
    assert labeler.tie_share_ == 0.5
    assert labeler.predict(signals)[0].tolist() == [0, 0]
    labeler.set_params(ties="abstain")
    assert labeler.predict(signals)[0].tolist() == [-1, 0]
    drawn = labeler.set_params(ties="random", random_state=0).predict(signals)
    assert 0.3 < drawn[:, 0].mean() < 0.7
    assert (drawn[:, 1] == 0).all()


def test_constraints_and_known_labels():
    w, truth = tagged()
    signals = WeakSignals.from_one_vs_rest(w, classes=TAGS)
    asked = [
        ErrorRate(at_most=0.4),
        ErrorRate("s1", "film", at_most=0.2),
        ClassBalance("sport", equal=0.7),
        ClassBalance("music", equal=0.6),
        Precision("s0", "film", at_least=0.8),
        Known([0, 3], truth[[0, 3]]),
    ]
    labeler = ConstrainedLabeler(None, "entropy", constraints=asked, multilabel=True)
    labeler.fit(signals)
    shares = labeler.labels_.mean(axis=0)
    np.testing.assert_allclose(shares[:2], [0.7, 0.6], atol=1e-3)
    np.testing.assert_array_equal(labeler.labels_[[0, 3]], truth[[0, 3]])
    assert labeler.implied_error_rates_[1, 2] <= 0.2 + 1e-3
    assert labeler.covered_[0]
    with pytest.raises(ParameterError, match="0 and 1"):
        labeler.set_params(constraints=[Known([0], [[0.5, 0, 1]])]).fit(signals)


def test_a_guess_is_wrong_one_time_in_two():
    w, truth = tagged()
    signals = WeakSignals.from_one_vs_rest(w)
    with pytest.raises(ParameterError, match="above chance"):
        ConstrainedLabeler(0.4).fit(signals)
    labeler = ConstrainedLabeler(0.4, "entropy", multilabel=True).fit(signals)
    np.testing.assert_allclose(labeler.implied_error_rates_, 0.4, atol=1e-3)
    with pytest.raises(ParameterError, match=r"above chance, 0\.5"):
        ConstrainedLabeler(0.6, multilabel=True).fit(signals)
    true = signal_errors(signals, truth)
    ConstrainedLabeler(true, "entropy", multilabel=True).fit(signals)  # and no warning


@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
@pytest.mark.parametrize("silent", ["by its weights", "by one half"])
def test_a_class_without_votes_leaves_the_others(silent):
    rng = np.random.default_rng(0)
    said = rng.integers(0, 2, (3, 30, 2)).astype(float)
    said[:, 1:, 0] = np.nan  # of the first class, only the first example is voted on
    weights = np.ones(30)
    if silent == "by its weights":
        weights[0] = 0
    else:
        said[:, 0, 0] = 0.5
    signals = WeakSignals.from_one_vs_rest(said, classes=["a", "b"])
    labeler = ConstrainedLabeler(multilabel=True).fit(signals, sample_weight=weights)
    alone = ConstrainedLabeler(multilabel=True).fit(
        WeakSignals.from_one_vs_rest(said[:, 1:], classes=["a", "b"])
    )
    if silent == "by its weights":
        np.testing.assert_allclose(labeler.labels_[1:], alone.labels_, atol=1e-6)
    assert labeler.labels_[:, 0] == pytest.approx(0.5)


# -- every labeler, rates learned class by class --------------------------------

RIGHT = [0.95, 0.9, 0.8, 0.7, 0.6, 0.6]
SIX_TAGS = ["comedy", "crime", "love", "music", "news", "war"]
LABELERS = {
    "auto": ConstrainedLabeler(),
    "auto, entropy": ConstrainedLabeler(solver="entropy"),
    "majority": MajorityVote(),
    "averaging": Averaging(),
    "weighted": WeightedVote(accuracies=RIGHT),
}
NOT_POOLED = ("majority", "averaging", "weighted")


def six_tags(n=300, seed=1, soft=False):
    """Signals of six raters on six tags, and the tags."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 6)) < np.linspace(0.1, 0.5, 6)).astype(int)
    right = np.array(RIGHT)[:, None, None]
    w = np.where(rng.random((6, n, 6)) < right, truth, 1 - truth).astype(float)
    w = np.clip(w, 0.15, 0.8) if soft else w
    w[rng.random(w.shape) > 0.8] = np.nan
    w[:, 0] = np.nan
    return WeakSignals.from_one_vs_rest(w, classes=SIX_TAGS, names=[*"abcdef"]), truth


@pytest.fixture(params=LABELERS)
def labeler(request):
    return clone(LABELERS[request.param]).set_params(multilabel=True)


@pytest.mark.parametrize("soft", [False, True])
def test_every_labeler_labels_every_class(labeler, soft, tmp_path):
    signals, truth = six_tags(soft=soft)
    labels = labeler.fit(signals).labels_
    assert labels.shape == truth.shape
    heard = signals.covered
    assert heard.sum() == 299
    right = np.where(np.abs(labels - 0.5) < 1e-9, 0.5, (labels > 0.5) == truth)
    assert right[heard].mean() > 0.85
    assert (labeler.predict(signals)[0] == -1).all()
    assert labeler.score(signals, truth) > 0.45  # right in all six classes
    np.testing.assert_allclose(labeler.predict_proba(signals), labels, atol=1e-8)
    labeler.save(tmp_path / "l.corral")
    again = Labeler.load(tmp_path / "l.corral")
    np.testing.assert_allclose(again.predict_proba(signals), labels, atol=1e-6)
    assert str(again.explain(7, signals)) == str(labeler.explain(7, signals))
    rates = getattr(labeler, "error_rates_", np.zeros((6, 6)))
    assert rates.shape == (6, 6)
    assert np.isfinite(rates).all()


@pytest.mark.parametrize("name", NOT_POOLED)
def test_what_is_not_learned_is_that_of_every_class_alone(name):
    signals, _ = six_tags()
    labeler = clone(LABELERS[name])
    found = clone(labeler).set_params(multilabel=True).fit(signals).labels_
    for k, tag in enumerate(SIX_TAGS):
        alone = clone(labeler).fit(signals.for_class(tag)).labels_[:, 1]
        np.testing.assert_allclose(found[:, k], alone)


def test_classes_with_few_votes_learn_from_the_others():
    right, loss = np.zeros(2), np.zeros(2)
    for seed in range(6):
        signals, truth = six_tags(80, seed)
        pooled = ConstrainedLabeler(multilabel=True).fit(signals).labels_
        alone = [
            ConstrainedLabeler().fit(signals.for_class(t)).labels_[:, 1]
            for t in SIX_TAGS
        ]
        for i, p in enumerate((pooled, np.stack(alone, axis=1))):
            likely = np.where(truth, p, 1 - p)[1:]
            right[i] += (likely > 0.5).mean() / 6
            loss[i] -= np.log(np.clip(likely, 1e-3, 1)).mean() / 6
    assert right[0] > right[1]
    assert loss[0] < loss[1] + 0.005  # the default is cautious either way


def test_a_signal_that_is_good_on_some_classes_only_stays_so():
    rng = np.random.default_rng(0)
    truth = (rng.random((3000, 4)) < 0.4).astype(int)
    right = np.full((5, 1, 4), 0.8)
    right[0, 0, :2], right[0, 0, 2:] = 0.95, 0.55
    w = np.where(rng.random((5, 3000, 4)) < right, truth, 1 - truth)
    labeler = ConstrainedLabeler(multilabel=True).fit(WeakSignals.from_one_vs_rest(w))
    rates = labeler.error_rates_
    assert rates[0, :2].max() + 0.15 < rates[0, 2:].min()


def test_shrinking_is_the_random_effects_mean():
    values = np.array([0.0, 2.0, 1.0, 4.0, 7.0])
    variances = np.array([0.5, 0.2, 0.4, 1.0, 0.3])
    group = np.array([3, 3, 3, 8, 8])
    # DerSimonian and Laird, by hand, with one variance between for both groups.
    scatter = room = 0.0
    for g in (3, 8):
        x, w = values[group == g], 1 / variances[group == g]
        scatter += (w * (x - (w @ x) / w.sum()) ** 2).sum()
        room += w.sum() - (w**2).sum() / w.sum()
    between = (scatter - 3) / room
    assert between > 0
    want = values.copy()
    for g in (3, 8):
        own = group == g
        w = 1 / (variances[own] + between)
        centre = (w @ values[own]) / w.sum()
        share = between / (between + variances[own])
        want[own] = centre + share * (values[own] - centre)
    np.testing.assert_allclose(shrink(values, variances, group), want)


def test_labels_move_the_rates_of_their_class():
    signals, truth = six_tags(400)
    known = np.where(np.arange(400)[:, None] < 80, truth, -1)
    free = ConstrainedLabeler(multilabel=True).fit(signals)
    helped = ConstrainedLabeler(FromLabels(known), multilabel=True).fit(signals)
    true = signal_errors(signals, truth)
    off = [np.abs(one.error_rates_ - true).mean() for one in (helped, free)]
    assert off[0] < off[1]
    sample = FromLabels(truth[:80], signals[:80])
    apart = ConstrainedLabeler(sample, multilabel=True).fit(signals)
    np.testing.assert_allclose(apart.labels_, helped.labels_, atol=1e-6)
    with pytest.raises(ParameterError, match="not one of the classes"):
        ConstrainedLabeler(FromLabels(truth[:, 0]), multilabel=True).fit(signals)


def test_gold_may_be_known_of_some_classes_only():
    signals, truth = six_tags(200)
    gold = np.where(np.arange(200)[:, None] < 80, truth, -1.0)
    gold[:, 1], gold[:40, 2] = -1, np.nan  # of "crime" none, of "love" half
    labeler = ConstrainedLabeler(multilabel=True).fit(signals, gold=gold)
    np.testing.assert_array_equal(labeler.labels_[:80, 0], truth[:80, 0])
    np.testing.assert_array_equal(labeler.labels_[40:80, 2], truth[40:80, 2])
    assert ((labeler.labels_[:, 1] > 0) & (labeler.labels_[:, 1] < 1)).all()
    with pytest.raises(ParameterError, match="at least one true label"):
        labeler.fit(signals, gold=np.full((200, 6), -1.0))


def test_what_is_refused_of_many_classes():
    signals, _ = six_tags(50)
    with pytest.raises(ParameterError, match="from_one_vs_rest; these are class votes"):
        MajorityVote(multilabel=True).fit([[0, 1, 1], [1, 0, 1]])
    with pytest.raises(ParameterError, match="multilabel must be"):
        DawidSkene(multilabel=True).fit(signals)
    with pytest.raises(ParameterError, match="only rates"):
        ConstrainedLabeler(Agreement(), multilabel=True).fit(signals)
    with pytest.raises(SignalsError, match="'x' is not one of the classes"):
        signals.for_class("x")
    with pytest.raises(SignalsError, match="name one class of an example"):
        WeakSignals.from_votes([[0, 1], [1, 1]]).for_class(1)
