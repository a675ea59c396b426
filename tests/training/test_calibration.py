"""Calibration helps where labels are off, and does little where they are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from corral import ConstrainedLabeler, WeakSignals, calibrate, reliability
from corral.datasets import random_votes
from corral.errors import CorralError
from corral.training import calibration as calibrator

SEEDS = st.integers(0, 10_000)


def task(seed, n, k, slope=1.0, bias=0.0):
    """Labels (n, k), and classes drawn from what a calibration should make of them."""
    rng = np.random.default_rng(seed)
    labels = softmax(rng.normal(0, 1.5, (n, k)), axis=1)
    true = softmax(slope * np.log(labels) + bias, axis=1)
    return labels, (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)


@settings(max_examples=50)
@given(SEEDS, st.floats(0.01, 1000), st.sampled_from(["best", "worst", "first"]))
def test_extremes_come_to_an_end(seed, scale, truth):
    rng = np.random.default_rng(seed)
    labels = softmax(rng.normal(0, scale, (30, 3)), axis=1)
    ends = {"best": labels.argmax(axis=1), "worst": labels.argmin(axis=1)}
    y = ends.get(truth, np.zeros(30, int))
    found = calibrate(labels, y, sample_weight=10 ** rng.uniform(-9, 9, 30))
    assert 0 < found.slope < np.inf
    assert np.isfinite(found.apply(labels)).all()


@settings(max_examples=25)
@given(SEEDS)
def test_two_classes_keep_their_order(seed):
    rng = np.random.default_rng(seed)
    p = np.sort(rng.random(50))
    labels = np.column_stack([1 - p, p])
    found = calibrate(labels, rng.integers(0, 2, 50))
    assert found.slope > 0
    assert (np.diff(found.apply(labels)[:, 1]) > 0).all()


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 4))
def test_weights_are_repeats_and_order_does_not_matter(seed, k):
    labels, y = task(seed, 40, k)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 3, 40)
    times[0] = 1
    rows = rng.permutation(np.repeat(np.arange(40), times))
    a = calibrate(labels, y, sample_weight=times)
    b = calibrate(labels[rows], y[rows])
    assert a.slope == pytest.approx(b.slope, rel=1e-5)
    np.testing.assert_allclose(a.bias, b.bias, atol=1e-5)
    assert a.n_labelled == b.n_labelled == len(rows)


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 4))
def test_classes_may_come_in_any_order(seed, k):
    labels, y = task(seed, 40, k)
    order = np.random.default_rng(seed).permutation(k)
    a = calibrate(labels, y)
    b = calibrate(labels[:, order], y, classes=order)
    assert a.slope == pytest.approx(b.slope, rel=1e-5)
    np.testing.assert_allclose(a.bias[order], b.bias, atol=1e-5)


@settings(max_examples=10)
@given(SEEDS, st.sampled_from([1.0, 16.0]))
def test_the_fit_is_the_optimum(seed, strength):
    labels, y = task(seed, 30, 3)
    logs = np.log(labels)

    def loss(at):
        t, b = np.exp(at[0]), at[1:]
        likely = log_softmax(t * logs + b, axis=1)[np.arange(30), y].sum()
        return strength * (t - 1 - at[0] + (b**2).sum() / 2) - likely

    best = minimize(loss, np.zeros(4), method="BFGS").x
    found, _ = calibrator._fit(logs, y, np.ones(30), strength)
    np.testing.assert_allclose(found[0], np.exp(best[0]), rtol=1e-4)
    np.testing.assert_allclose(found[1:], best[1:], atol=1e-4)


@pytest.mark.parametrize("strength", [4.0, 64.0])
def test_the_evidence_is_the_probability_of_the_labels(strength):
    # Uniform labels leave the slope to its prior. The evidence is then an integral over
    # the bias, of which only the difference d ~ N(0, 2 / s) counts.
    y = np.array([0] * 12 + [1] * 8)
    labels = np.full((20, 2), 0.5)

    def joint(d):
        prior = np.exp(-(d**2) * strength / 4) / np.sqrt(4 * np.pi / strength)
        return prior * (1 + np.exp(-d)) ** -12 * (1 + np.exp(d)) ** -8

    exact = np.log(quad(joint, -10, 10)[0])
    _, found = calibrator._fit(np.log(labels), y, np.ones(20), strength)
    assert found == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(("slope", "shift"), [(0.3, 0.0), (2.0, 0.5), (1.0, -1.0)])
def test_many_labels_find_the_truth(slope, shift):
    bias = np.array([shift, 0, -shift])
    found = calibrate(*task(1, 20_000, 3, slope, bias))
    assert found.slope == pytest.approx(slope, rel=0.05)
    np.testing.assert_allclose(found.bias, bias, atol=0.08)


@pytest.mark.parametrize("k", [2, 5])
def test_labels_that_are_right_are_left_alone(k):
    labels, y = task(2, 20_000, k)
    found = calibrate(labels, y)
    np.testing.assert_allclose(found.apply(labels), labels, atol=0.02)


def test_a_labeler_without_its_silent_examples():
    votes, y = random_votes(400, [0.9, 0.8, 0.7], coverage=0.4)
    labeler = ConstrainedLabeler(0.05, "entropy").fit(votes)
    known = [int(v) if i < 100 else None for i, v in enumerate(y)]
    covered = labeler.covered_[:100]
    found = calibrate(labeler, known)
    same = calibrate(labeler.labels_[:100][covered], y[:100][covered])
    assert found.n_labelled == covered.sum() < 100
    assert found.slope == pytest.approx(same.slope)
    assert found.slope < 1


# -- labels next to the classes that are known ----------------------------------------

LABELS = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]


@pytest.mark.parametrize("unknown", [None, float("nan"), -1, ""])
def test_examples_without_a_class_are_left_out(unknown):
    found = calibrate(LABELS, [1, unknown, 0])
    same = calibrate([LABELS[0], LABELS[2]], [1, 0])
    assert (found.slope, found.n_labelled) == (same.slope, 2)


def test_frames_and_single_precision_are_read():
    pd = pytest.importorskip("pandas")
    y = pd.Series(["b", pd.NA, "a"], dtype="string")
    found = calibrate(pd.DataFrame(LABELS), y, classes=["a", "b"])
    assert found.slope == calibrate(LABELS, [1, None, 0]).slope
    labels = np.random.default_rng(0).dirichlet(np.ones(50), 3).astype(np.float32)
    assert calibrate(labels, [3, 4, 5]).n_labelled == 3


@pytest.mark.parametrize("ask", [calibrate, reliability])
@pytest.mark.parametrize(
    ("labels", "y", "options"),
    [
        *((labels, [0], {}) for labels in ([0.5], [[1.0]], [["x", "y"]], [[0.5, 0.6]])),
        *((labels, [0], {}) for labels in ([[1.5, -0.5]], [[0.5, np.nan]])),
        *(
            (LABELS, y, {})
            for y in ([0, 1], [[0], [1], [1, 0]], list("aba"), [None] * 3)
        ),
        (LABELS, [0, None, None], {"sample_weight": [0, 1, 1]}),
        (LABELS, [0, 1, 0], {"sample_weight": [1, 1]}),
        (LABELS, [0, 1, 0], {"classes": ["a", "b", "c"]}),
        (LABELS, [0, 1, 0], {"classes": "ab"}),
    ],
)
def test_bad_input_is_refused(ask, labels, y, options):
    with pytest.raises(CorralError):
        ask(labels, y, **options)


def test_a_labeler_knows_its_classes():
    labeler = ConstrainedLabeler(0.1, "entropy").fit([["a", "b"], ["a", "a"]])
    assert calibrate(labeler, ["b", "a"]).classes.tolist() == ["a", "b"]
    with pytest.raises(CorralError, match="classes"):
        calibrate(labeler, ["b", "a"], classes=["a", "b"])


def test_rows_of_a_labeler_count_as_often_as_they_were_fitted():
    votes, truth = random_votes(600, [0.9, 0.7, 0.6], coverage=0.8)
    rows, counts = np.unique(
        np.column_stack([votes, truth]), axis=0, return_counts=True
    )
    counted = WeakSignals.from_votes(rows[:, :-1], counts=counts)
    each = calibrate(ConstrainedLabeler().fit(votes), truth)
    all_at_once = calibrate(ConstrainedLabeler().fit(counted), rows[:, -1])
    assert all_at_once.slope == pytest.approx(each.slope, rel=1e-4)
    assert all_at_once.n_labelled == each.n_labelled
