"""Multi-label tasks without given rates: every class for itself, signals pooled."""

import numpy as np
import pytest
from corral.labelers.by_class import shrink
from scipy.special import expit, logit
from sklearn.base import clone

import corral
from corral import (
    Agreement,
    Averaging,
    ConstrainedLabeler,
    DataProgramming,
    DawidSkene,
    FromLabels,
    MajorityVote,
    MeTaL,
    OneCoinDawidSkene,
    Rates,
    WeakSignals,
    WeightedVote,
)
from corral.errors import ParameterError, SignalsError, SignalsWarning
from corral.labelers import Labeler, labeler_of

RIGHT = [0.95, 0.9, 0.8, 0.7, 0.6, 0.6]
TAGS = ["comedy", "crime", "love", "music", "news", "war"]
LABELERS = {
    "auto": ConstrainedLabeler(),
    "auto, entropy": ConstrainedLabeler(solver="entropy"),
    "agreement": ConstrainedLabeler(Agreement()),
    "majority": MajorityVote(),
    "averaging": Averaging(),
    "weighted": WeightedVote(accuracies=RIGHT),
    "data programming": DataProgramming(prior_accuracy=dict.fromkeys("abcdef", 0.7)),
    "metal": MeTaL(precision=[0.7] * 6),
    "dawid-skene": DawidSkene(),
    "one-coin": OneCoinDawidSkene(),
}
NOT_POOLED = ("majority", "averaging", "weighted")


def tagged(n=300, seed=1, soft=False, bins=None):
    """Signals of six raters on six tags, and the tags."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 6)) < np.linspace(0.1, 0.5, 6)).astype(int)
    right = np.array(RIGHT)[:, None, None]
    w = np.where(rng.random((6, n, 6)) < right, truth, 1 - truth).astype(float)
    w = np.clip(w, 0.15, 0.8) if soft else w
    w[rng.random(w.shape) > 0.8] = np.nan
    w[:, 0] = np.nan
    signals = WeakSignals.from_one_vs_rest(
        w, classes=TAGS, names=[*"abcdef"], bins=bins
    )
    return signals, truth


@pytest.fixture(params=LABELERS)
def labeler(request):
    return clone(LABELERS[request.param]).set_params(multilabel=True)


@pytest.mark.parametrize("form", [{}, {"soft": True}, {"soft": True, "bins": 20}])
def test_every_labeler_labels_every_class(labeler, form, tmp_path):
    signals, truth = tagged(**form)
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
    assert str(again.explain(7, signals)) == str(labeler.explain(7))
    rates = getattr(labeler, "error_rates_", np.zeros((6, 6)))
    assert rates.shape == (6, 6)
    assert np.isfinite(rates).all()


@pytest.mark.parametrize("name", NOT_POOLED)
def test_what_is_not_learned_is_that_of_every_class_alone(name):
    signals, _ = tagged()
    labeler = clone(LABELERS[name])
    found = clone(labeler).set_params(multilabel=True).fit(signals).labels_
    for k, tag in enumerate(TAGS):
        alone = clone(labeler).fit(signals.about(tag)).labels_[:, 1]
        np.testing.assert_allclose(found[:, k], alone)


@pytest.mark.parametrize("name", ["auto", "dawid-skene", "one-coin"])
def test_classes_with_few_votes_learn_from_the_others(name):
    right, loss = np.zeros(2), np.zeros(2)
    for seed in range(6):
        signals, truth = tagged(80, seed)
        labeler = clone(LABELERS[name])
        pooled = clone(labeler).set_params(multilabel=True).fit(signals).labels_
        alone = [clone(labeler).fit(signals.about(t)).labels_[:, 1] for t in TAGS]
        for i, p in enumerate((pooled, np.stack(alone, axis=1))):
            likely = np.where(truth, p, 1 - p)[1:]
            right[i] += (likely > 0.5).mean() / 6
            loss[i] -= np.log(np.clip(likely, 1e-3, 1)).mean() / 6
    assert right[0] > right[1]
    assert loss[0] < loss[1] + 0.005  # the default is cautious either way
    if name != "auto":
        assert loss[0] < loss[1] - 0.01


def test_a_signal_that_is_good_on_some_classes_only_stays_so():
    rng = np.random.default_rng(0)
    truth = (rng.random((3000, 4)) < 0.4).astype(int)
    right = np.full((5, 1, 4), 0.8)
    right[0, 0, :2], right[0, 0, 2:] = 0.95, 0.55
    w = np.where(rng.random((5, 3000, 4)) < right, truth, 1 - truth)
    for labeler in (ConstrainedLabeler(multilabel=True), DawidSkene(multilabel=True)):
        rates = labeler.fit(WeakSignals.from_one_vs_rest(w)).error_rates_
        assert (rates[0, :2] < 0.12).all()
        assert (rates[0, 2:] > 0.4).all()


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
    signals, truth = tagged(400)
    known = np.where(np.arange(400)[:, None] < 80, truth, -1)
    free = ConstrainedLabeler(multilabel=True).fit(signals)
    helped = ConstrainedLabeler(FromLabels(known), multilabel=True).fit(signals)
    true = corral.signal_errors(signals, truth)
    off = [np.abs(one.error_rates_ - true).mean() for one in (helped, free)]
    assert off[0] < off[1]
    sample = FromLabels(truth[:80], signals[:80])
    apart = ConstrainedLabeler(sample, multilabel=True).fit(signals)
    np.testing.assert_allclose(apart.labels_, helped.labels_, atol=1e-6)
    with pytest.raises(ParameterError, match=r"0 and 1 of the shape \(400, 6\)"):
        ConstrainedLabeler(FromLabels(truth[:, 0]), multilabel=True).fit(signals)


def test_rates_of_estimators_without_labels_are_pooled():
    class Odd:
        def estimate(self, signals, weights=None):
            rate = np.linspace(0.1, 0.3, signals.n_signals) + signals.coverage / 50
            return Rates(rate, np.full(signals.n_signals, 0.05), "made up")

    signals, _ = tagged()
    found = ConstrainedLabeler(Odd(), multilabel=True).fit(signals).rates_
    rates = np.stack([Odd().estimate(signals.about(t)).error_rates for t in TAGS], 1)
    variance = (0.05 / (rates * (1 - rates))) ** 2
    group = np.repeat(np.arange(6), 6)
    want = expit(shrink(logit(rates).ravel(), variance.ravel(), group))
    np.testing.assert_allclose(found.error_rates, want.reshape(6, 6))
    assert found.model is None
    assert found.learned is None


def test_rules_that_only_say_yes():
    w = np.full((4, 40, 3), np.nan)
    w[0, :20, 0] = w[1, 10:25, 0] = w[2, 5:30, 1] = w[3, 20:, 1] = 1
    signals = WeakSignals.from_one_vs_rest(w)
    labels = ConstrainedLabeler(multilabel=True).fit(signals).labels_
    assert (labels[:25, 0] > 0.8).all()
    assert (labels[25:, 0] == 0.5).all()  # nobody knows
    assert (labels[:, 2] == 0.5).all()
    balance = [0.2, 0.3, 0.1]
    labeler = ConstrainedLabeler(multilabel=True, class_balance=balance).fit(signals)
    assert (labeler.labels_[25:, 0] == 0.2).all()
    assert (labeler.labels_[:, 2] == 0.1).all()
    assert (labeler.labels_[:25, 0] > 0.8).all()


def test_a_warning_names_the_classes():
    w = np.full((4, 40, 3), np.nan)
    w[:2, :, 0] = w[2:, :, 1] = np.arange(40) % 2
    signals = WeakSignals.from_one_vs_rest(w, classes=["a", "b", "c"])
    with pytest.warns(SignalsWarning, match="^classes a, b: fewer than 3") as caught:
        OneCoinDawidSkene(multilabel=True).fit(signals)
    assert len(caught) == 1


def test_weights_and_counts_are_examples():
    signals, _ = tagged(100)
    for labeler in (ConstrainedLabeler(), DawidSkene()):
        labeler.set_params(multilabel=True)
        twice = signals.take(np.repeat(np.arange(100), 2))
        want = clone(labeler).fit(twice).labels_[::2]
        found = clone(labeler).fit(signals, sample_weight=np.full(100, 2.0)).labels_
        np.testing.assert_allclose(found, want, atol=1e-8)


def test_what_is_refused():
    signals, _ = tagged(50)
    with pytest.raises(ParameterError, match="from_one_vs_rest; these are class votes"):
        DawidSkene(multilabel=True).fit([[0, 1, 1], [1, 0, 1]])
    with pytest.raises(ParameterError, match="multilabel must be"):
        MeTaL(multilabel="yes").fit(signals)
    with pytest.raises(AttributeError, match="no confusions"):
        DawidSkene(multilabel=True).fit(signals).confusion_  # noqa: B018
    with pytest.raises(ParameterError, match=r"corral.report\(signals.about\(c\)\)"):
        corral.report(signals, labeler=ConstrainedLabeler(multilabel=True))
    assert labeler_of("dawid-skene", multilabel=True).multilabel
    with pytest.raises(SignalsError, match="'x' is none of the classes"):
        signals.about("x")
    with pytest.raises(SignalsError, match="name one class of an example"):
        WeakSignals.from_votes([[0, 1], [1, 1]]).about(1)
