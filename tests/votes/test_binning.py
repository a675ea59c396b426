"""Probabilities rounded to bins: the same signals, and the error that is reported."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from corral.constraints.designs import signal_design
from hypothesis import given, settings
from hypothesis import strategies as st

from corral import (
    Adagrad,
    Averaging,
    ConstrainedLabeler,
    MajorityVote,
    WeakSignals,
    signal_errors,
)
from corral.constraints import LabelSpace, label_space
from corral.errors import SignalsError
from corral.votes import soft_source

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


KINDS = ["two classes", "classes", "one column", "one-vs-rest"]
every_kind = pytest.mark.parametrize("kind", KINDS)
any_kind = st.sampled_from(KINDS)


def rounded(w, bins):
    return np.floor(w * bins + 0.5) / bins


def plain(make, w):
    """The rounded values without bins; rounded classes need not add up to one."""
    if make == WeakSignals.from_probabilities and w.ndim == 3:
        stored = WeakSignals.from_probabilities(np.full_like(w, 0.25))._data
        values = tuple(np.ascontiguousarray(w[:, :, c].T) for c in range(w.shape[2]))
        return WeakSignals(replace(stored, values=values))
    return make(w)


# -- what it is -----------------------------------------------------------------------


@given(any_kind, st.integers(1, 60), st.integers(0, 10_000))
def test_values_are_the_nearest_on_the_grid(kind, bins, seed):
    make, w = draw(kind, np.random.default_rng(seed))
    exact, binned = make(w), make(w, bins=bins)
    np.testing.assert_array_equal(binned.columns, exact.columns)
    largest, total, size = 0.0, 0.0, 0
    for found, wanted in zip(binned.values, exact.values, strict=True):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
        np.testing.assert_allclose(found * bins, np.rint(found * bins), atol=1e-9)
        off = np.abs(found - wanted)[~np.isnan(wanted)]
        largest, total, size = max(largest, *off), total + off.sum(), size + off.size
    error = binned.rounding_error
    assert largest <= 0.5 / bins + 1e-12
    assert error.largest == pytest.approx(largest)
    assert error.mean == pytest.approx(total / size)
    assert error.mean <= error.largest


@given(any_kind, st.integers(1, 60), st.integers(0, 10_000))
def test_no_error_rate_moves_by_more_than_is_reported(kind, bins, seed):
    rng = np.random.default_rng(seed)
    make, w = draw(kind, rng)
    exact, binned = make(w), make(w, bins=bins)
    labels = rng.dirichlet(np.full(exact.n_classes, 0.1), len(exact))
    moved = np.abs(signal_errors(binned, labels) - signal_errors(exact, labels))
    bound = binned.rounding_error.by_signal
    assert bound.shape == moved.shape
    np.testing.assert_array_equal(np.isnan(bound), np.isnan(moved))
    assert (moved <= bound + 1e-9)[~np.isnan(bound)].all()


def test_by_hand():
    w = np.array([[0.52, 0.1, nan], [0.9, 0.34, nan], [0.95, nan, nan]])
    signals = WeakSignals.from_probabilities(w, bins=10)
    expected = [[0.5, 0.9, 1.0], [0.1, 0.3, nan], [nan, nan, nan]]
    np.testing.assert_allclose(signals.values[0], expected)
    error = signals.rounding_error
    assert error.largest == pytest.approx(0.05)
    assert error.mean == pytest.approx((0.02 + 0 + 0.05 + 0 + 0.04) / 5)
    np.testing.assert_allclose(error.by_signal, [0.07 / 3, 0.02, nan])
    assert repr(signals) == (
        "WeakSignals(3 examples, 3 signals, 2 classes, class probabilities in 10 bins "
        "(rounding error 0.022))"
    )
    assert signals.bins == 10
    assert not signals.is_hard
    with pytest.raises(SignalsError, match="soft signals have no votes"):
        _ = signals.votes


def test_without_bins_nothing_is_rounded():
    signals = WeakSignals.from_probabilities([[0.3, 0.1]])
    assert signals.bins is signals.rounding_error is None
    assert not signals.has_patterns
    with pytest.raises(SignalsError, match="soft signals have no votes"):
        _ = signals.patterns


def test_certain_signals_lose_nothing():
    w = np.round(draw("one-vs-rest", np.random.default_rng(0))[1])
    signals = WeakSignals.from_one_vs_rest(w, bins=7)
    assert signals.is_hard
    error = signals.rounding_error
    assert error.largest == error.mean == 0
    np.testing.assert_array_equal(error.by_signal, [[0, 0, 0], [0, 0, nan], [0, 0, 0]])
    binary = WeakSignals.from_one_vs_rest(np.round(w[:, :, :1]), bins=7)
    assert binary.rounding_error.by_signal.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(signals.votes, WeakSignals.from_one_vs_rest(w).votes)


def test_single_precision_is_kept():
    w = np.random.default_rng(0).random((50, 3), np.float32)
    assert WeakSignals.from_probabilities(w, bins=9).values[0].dtype == np.float32


# -- the same as the rounded values ---------------------------------------------------


@every_kind
@pytest.mark.parametrize("compiled", [False, True])
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
def test_labels_are_those_of_the_rounded_values(kind, compiled, labeler, monkeypatch):
    monkeypatch.setattr(signal_design, "COMPILED_FROM", 0 if compiled else 10**12)
    make, w = draw(kind, np.random.default_rng(1))
    binned, same = make(w, bins=4), plain(make, rounded(w, 4))
    weights = np.random.default_rng(2).uniform(0.5, 2, len(binned))
    for sample_weight in (None, weights):
        labeler.fit(same, sample_weight=sample_weight)
        expected, covered = labeler.labels_, labeler.covered_
        found = labeler.fit(binned, sample_weight=sample_weight)
        np.testing.assert_allclose(found.labels_, expected, atol=1e-9)
        np.testing.assert_array_equal(found.covered_, covered)


@every_kind
def test_many_examples_share_a_pattern(kind):
    make, w = draw(kind, np.random.default_rng(1), n=4000, m=2)
    signals = make(w, bins=2)
    assert signals.has_patterns
    assert len(signals.patterns) < 1500
    design = label_space(signals).design
    assert design.n_patterns == len(signals.patterns)
    assert design.weights.sum() == design.n_examples == 4000


@settings(max_examples=10)
@given(any_kind, st.integers(0, 10_000))
def test_many_bins_change_labels_little(kind, seed):
    # Many examples: the steps of toys are so long that a gradient near zero decides.
    make, w = draw(kind, np.random.default_rng(seed), n=20_000)
    labels = []
    for signals in (make(w), make(w, bins=30_000)):
        space = label_space(signals)
        space = LabelSpace(space.design, space.rows, np.full(len(space.rows), 0.2))
        solution = Adagrad(iterations=20).solve(space, np.random.default_rng(0))
        labels.append(space.design.by_example(solution.labels.T))
    np.testing.assert_allclose(labels[1], labels[0], atol=1e-3)


@every_kind
def test_derived_signals(kind):
    make, w = draw(kind, np.random.default_rng(3))
    binned, same = make(w, bins=4), plain(make, rounded(w, 4))
    for name in ("covered", "coverage", "overlaps", "conflicts", "uncovered"):
        np.testing.assert_array_equal(getattr(binned, name), getattr(same, name))
    rows = [5, 3, 3, 9]
    part = binned.take(rows)
    assert part.bins == 4
    assert part.rounding_error is None, "what was rounded is gone"
    for found, wanted in zip(part.values, same.take(rows).values, strict=True):
        np.testing.assert_allclose(found, wanted)
    np.testing.assert_array_equal(binned.harden().votes, same.harden().votes)
    again = pickle.loads(pickle.dumps(binned))
    assert repr(again) == repr(binned)
    for found in binned.values:
        assert not found.flags.writeable


@every_kind
def test_new_examples_need_no_bins(kind, tmp_path):
    make, w = draw(kind, np.random.default_rng(3))
    labeler = ConstrainedLabeler(0.2).fit(make(w, bins=4))
    labeler.save(tmp_path / "it.corral")
    loaded = ConstrainedLabeler.load(tmp_path / "it.corral")
    np.testing.assert_allclose(
        labeler.predict_proba(make(w, bins=4)), labeler.labels_, atol=1e-9
    )
    np.testing.assert_array_equal(labeler.predict_proba(w), loaded.predict_proba(w))
    np.testing.assert_allclose(
        labeler.predict_proba(plain(make, rounded(w, 4))), labeler.labels_, atol=1e-9
    )
    told = labeler.explain(7)
    np.testing.assert_array_equal(told.probabilities, labeler.labels_[7])
    assert (
        told.votes
        == ConstrainedLabeler(0.2).fit(plain(make, rounded(w, 4))).explain(7).votes
    )


def test_named_signals_are_matched():
    make, w = draw("one-vs-rest", np.random.default_rng(3))
    fitted = make(w, bins=4, names=["a", "b", "c"])
    moved = make(w[[2, 0, 1]], bins=4, names=["c", "a", "b"])
    labeler = ConstrainedLabeler(0.2).fit(fitted)
    np.testing.assert_allclose(
        labeler.predict_proba(moved), labeler.labels_, atol=1e-12
    )


def test_more_patterns_than_allowed_are_sampled():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 4000)
    w = (rng.random((4000, 3)) + truth[:, None]) / 2
    signals = WeakSignals.from_probabilities(w, bins=20)
    whole = ConstrainedLabeler(0.25).fit(signals).labels_
    part = ConstrainedLabeler(0.25, max_patterns=1000).fit(signals)
    assert part.solution_.rows_used == 1000
    assert np.abs(part.labels_ - whole).mean() < 0.02


# -- counts, frames, files ------------------------------------------------------------


def test_rows_may_be_counted():
    make, w = draw("two classes", np.random.default_rng(4))
    counts = np.arange(1, len(w) + 1)
    counted = make(w, bins=5, counts=counts)
    whole = make(np.repeat(w, counts, axis=0), bins=5)
    assert counted.rounding_error.mean == pytest.approx(whole.rounding_error.mean)
    np.testing.assert_allclose(
        counted.rounding_error.by_signal, whole.rounding_error.by_signal
    )
    np.testing.assert_allclose(
        np.repeat(ConstrainedLabeler(0.2).fit(counted).labels_, counts, axis=0),
        ConstrainedLabeler(0.2).fit(whole).labels_,
        atol=1e-9,
    )


def test_data_frames():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame({"a": [0.52, 0.9, None], "b": [0.1, 0.34, 0.5]})
    signals = WeakSignals.from_frame(frame, probabilities=True, bins=10)
    np.testing.assert_allclose(signals.values[0], [[0.5, 0.9, nan], [0.1, 0.3, 0.5]])
    with pytest.raises(SignalsError, match="go with `probabilities=True`"):
        WeakSignals.from_frame(frame, bins=10)


@pytest.mark.parametrize("bins", [0, -1, 2.5, "many", True, 10**6])
def test_bad_bins(bins):
    for make in (WeakSignals.from_probabilities, WeakSignals.from_one_vs_rest):
        data = [[0.2, 0.4]] if "prob" in make.__name__ else [[[0.2], [0.4]]]
        with pytest.raises(SignalsError, match="bins"):
            make(data, bins=bins)


@given(st.integers(1, 300))
def test_blocks_change_nothing(block):
    make, w = draw("one-vs-rest", np.random.default_rng(0))
    expected = make(w, bins=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soft_source, "BLOCK", block)
        found = make(w, bins=6)
    np.testing.assert_array_equal(found.patterns.codes, expected.patterns.codes)
    assert found.rounding_error.mean == pytest.approx(expected.rounding_error.mean)
