"""Examples with any number of classes, and classes that nobody voted for."""

import numpy as np
import pytest

import corral
from corral import (
    Adagrad,
    ClassBalance,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    Known,
    Precision,
    Projection,
    WeakSignals,
    signal_errors,
)
from corral.errors import ParameterError

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
    with pytest.raises(ParameterError, match="between 0 and 1"):
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
    for wrong, message in (
        (Known([0], ["film"]), "one row of 0 and 1"),
        (Known([0], [[0.5, 0, 1]]), "0 or 1, not soft"),
    ):
        with pytest.raises(ParameterError, match=message):
            labeler.set_params(constraints=[wrong]).fit(signals)


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


def test_saved_and_loaded(tmp_path):
    w, _ = tagged()
    signals = WeakSignals.from_one_vs_rest(w, classes=TAGS)
    labeler = ConstrainedLabeler(0.3, "entropy", multilabel=True).fit(signals)
    labeler.save(tmp_path / "l.corral")
    again = ConstrainedLabeler.load(tmp_path / "l.corral")
    np.testing.assert_array_equal(again.predict(signals), labeler.predict(signals))
    assert str(again.explain(2, signals)) == str(labeler.explain(2))


def test_signals_that_name_one_class_are_refused():
    with pytest.raises(ParameterError, match="from_one_vs_rest; these are class votes"):
        ConstrainedLabeler(0.1, multilabel=True).fit([[0, 1], [2, 1]])
    with pytest.raises(ParameterError, match="multilabel must be"):
        ConstrainedLabeler(multilabel="yes").fit([[0, 1], [2, 1]])


# -- classes that nobody voted for ----------------------------------------------


def test_more_classes_than_were_voted_for(solver):
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, 2, (100, 4))
    many = WeakSignals.from_votes(
        np.array(["a", "b", None], object)[votes], classes=["a", "b", "c", "d"]
    )
    labeler = ConstrainedLabeler(0.4, solver).fit(many)
    assert labeler.labels_.shape == (100, 4)
    np.testing.assert_allclose(labeler.labels_.sum(axis=1), 1)
    assert set(labeler.predict(many).tolist()) <= {"a", "b", None}
    # Errors have somewhere else to go.
    assert labeler.labels_[many.covered, 2:].mean() > 0.01
    p = labeler.predict_proba([["c", "c", "c", "d"]])
    assert p.shape == (1, 4)


def test_a_class_that_no_one_vs_rest_signal_speaks_of(solver):
    w = np.full((2, 30, 4), np.nan)
    w[0, :20, 0] = 1
    w[1, 10:, 1] = 1
    labeler = ConstrainedLabeler(0.3, solver).fit(WeakSignals.from_one_vs_rest(w))
    np.testing.assert_allclose(labeler.labels_.sum(axis=1), 1)
    np.testing.assert_allclose(labeler.labels_[:, 2], labeler.labels_[:, 3])
    assert (labeler.labels_[:10, 0] > 0.5).all()


LEARNED = [corral.DawidSkene, corral.DataProgramming, corral.MeTaL, ConstrainedLabeler]


@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
@pytest.mark.parametrize("kind", LEARNED)
@pytest.mark.parametrize("silent", ["by its weights", "by one half"])
def test_a_class_without_votes_leaves_the_others(kind, silent):
    rng = np.random.default_rng(0)
    said = rng.integers(0, 2, (3, 30, 2)).astype(float)
    said[:, 1:, 0] = np.nan  # of the first class, only the first example is voted on
    weights = np.ones(30)
    if silent == "by its weights":
        weights[0] = 0
    else:
        said[:, 0, 0] = 0.5
    signals = WeakSignals.from_one_vs_rest(said, classes=["a", "b"])
    labeler = kind(multilabel=True).fit(signals, sample_weight=weights)
    alone = kind(multilabel=True).fit(
        WeakSignals.from_one_vs_rest(said[:, 1:], classes=["a", "b"])
    )
    if silent == "by its weights":
        np.testing.assert_allclose(labeler.labels_[1:], alone.labels_, atol=1e-6)
    assert labeler.labels_[:, 0] == pytest.approx(0.5)
