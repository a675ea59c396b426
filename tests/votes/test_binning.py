"""Probabilities rounded to bins: the same signals, a little off."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import (
    Adagrad,
    Averaging,
    ConstrainedLabeler,
    MajorityVote,
    WeakSignals,
    signal_errors,
)
from corral.errors import SignalsError

nan = np.nan


def draw(kind, rng, n=60, m=3):
    """A constructor, and probabilities for it."""
    if kind == "two classes":
        make, w = WeakSignals.from_probabilities, rng.random((n, m))
    elif kind == "classes":
        make, w = WeakSignals.from_probabilities, rng.dirichlet(np.ones(4), (n, m))
    elif kind == "one column":
        make, w = WeakSignals.from_one_vs_rest, rng.random((m, n, 1))
    else:
        make, w = WeakSignals.from_one_vs_rest, rng.random((m, n, 3))
        w[1, :, 2] = nan
    silent = rng.random(w.shape[:2]) < 0.2
    silent.flat[:1] = False
    w[silent] = nan
    return make, w


def said(signals):
    return signals.probabilities[signals.row_of]


KINDS = ["two classes", "classes", "one column", "one-vs-rest"]
every_kind = pytest.mark.parametrize("kind", KINDS)
any_kind = st.sampled_from(KINDS)


@given(any_kind, st.integers(1, 60), st.integers(0, 10_000))
def test_values_are_the_nearest_on_the_grid(kind, bins, seed):
    make, w = draw(kind, np.random.default_rng(seed))
    exact, binned = make(w), make(w, bins=bins)
    wanted, found = said(exact), said(binned)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found * bins, np.rint(found * bins), atol=1e-9)
    off = np.abs(found - wanted)[~np.isnan(wanted)]
    assert off.max() <= 0.5 / bins + 1e-12


@given(any_kind, st.integers(1, 60), st.integers(0, 10_000))
def test_error_rates_move_by_half_a_bin_at_most(kind, bins, seed):
    rng = np.random.default_rng(seed)
    make, w = draw(kind, rng)
    exact, binned = make(w), make(w, bins=bins)
    labels = rng.dirichlet(np.full(exact.n_classes, 0.1), len(exact))
    moved = np.abs(signal_errors(binned, labels) - signal_errors(exact, labels))
    assert np.nanmax(moved) <= 0.5 / bins + 1e-9


def test_certain_signals_stay_hard():
    w = np.round(draw("one-vs-rest", np.random.default_rng(0))[1])
    signals = WeakSignals.from_one_vs_rest(w, bins=7)
    assert signals.is_hard
    np.testing.assert_array_equal(said(signals), said(WeakSignals.from_one_vs_rest(w)))


# -- the same as the rounded values -------------------------------------------------


@every_kind
@pytest.mark.parametrize(
    "labeler",
    [
        ConstrainedLabeler(0.2),
        ConstrainedLabeler(0.2, Adagrad(starts=2), random_state=0),
        MajorityVote(),
        Averaging(),
    ],
    ids=["expected", "starts", "majority", "averaging"],
)
def test_labels_are_those_of_the_rounded_values(kind, labeler):
    make, w = draw(kind, np.random.default_rng(1))
    binned = make(w, bins=4)
    weights = np.random.default_rng(2).uniform(0.5, 2, len(binned))
    for sample_weight in (None, weights):
        labeler.fit(binned.by_example(), sample_weight=sample_weight)
        expected, covered = labeler.labels_, labeler.covered_
        found = labeler.fit(binned, sample_weight=sample_weight)
        np.testing.assert_allclose(found.labels_, expected, atol=1e-9)
        np.testing.assert_array_equal(found.covered_, covered)


@every_kind
def test_new_examples_need_no_bins(kind, tmp_path):
    make, w = draw(kind, np.random.default_rng(3))
    binned = make(w, bins=4)
    labeler = ConstrainedLabeler(0.2).fit(binned)
    labeler.save(tmp_path / "it.corral")
    loaded = ConstrainedLabeler.load(tmp_path / "it.corral")
    for same in (binned, binned.by_example()):
        found = labeler.predict_proba(same)
        np.testing.assert_allclose(found, labeler.labels_, atol=1e-9)
    np.testing.assert_array_equal(labeler.predict_proba(w), loaded.predict_proba(w))


@pytest.mark.parametrize("bins", [0, -1, 2.5, "many", True, 10**6])
def test_bad_bins(bins):
    for make in (WeakSignals.from_probabilities, WeakSignals.from_one_vs_rest):
        data = [[0.2, 0.4]] if "prob" in make.__name__ else [[[0.2], [0.4]]]
        with pytest.raises(SignalsError, match="bins"):
            make(data, bins=bins)
