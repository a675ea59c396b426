"""Compiled steps against the same steps in parts, and against the textbook loop."""

import numpy as np
import pytest
from corral.constraints.designs import (
    SparseVoteDesign,
    VoteDesign,
    signal_design,
    value_design,
)
from corral.solvers.moving_labels import MovingLabels, start_labels
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.solvers.textbook import textbook

from corral import Adagrad, ConstrainedLabeler, WeakSignals
from corral.constraints import LabelSpace, label_space, row_rates
from corral.errors import ConvergenceWarning
from corral.solvers import threads

# Labels of single-precision signals agree with the double-precision loop to this.
MOST, MEAN = 1e-4, 1e-6


def one_vs_rest(rng, n=60, m=5, k=3, dtype=np.float64, silent=0.3):
    """Signals that lean toward a truth, some abstains."""
    truth = rng.integers(0, k, n)
    w = (rng.random((m, n, k)) + (truth[:, None] == np.arange(k))) / 2
    w[rng.random(w.shape) < silent] = np.nan
    return w.astype(dtype)


def space_of(signals, rate=0.3, weights=None):
    space = label_space(signals, weights=weights)
    return LabelSpace(space.design, space.rows, np.full(len(space.rows), rate))


def solve(space, solver):
    return solver.solve(space, np.random.default_rng(0))


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setattr(signal_design, "COMPILED_FROM", 0)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 9),
    n=st.integers(1, 90),
    starts=st.sampled_from(["expected", 1, 3]),
    weighted=st.booleans(),
)
def test_compiled_and_numpy_forms_agree(seed, rows, n, starts, weighted):
    rng = np.random.default_rng(seed)
    w = one_vs_rest(rng, n, rows, k=2)
    w[0, 0] = 0.4
    weights = rng.uniform(0.5, 2, n) if weighted else None
    solver = Adagrad(iterations=30, starts=starts)
    found = []
    for threshold in (0, 10**12):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(signal_design, "COMPILED_FROM", threshold)
            patch.setattr(value_design, "BLOCK", 1)  # several ranges
            space = space_of(WeakSignals.from_one_vs_rest(w), weights=weights)
            found.append(solve(space, solver))
    fused, plain = found
    np.testing.assert_allclose(fused.labels, plain.labels, atol=1e-9)
    np.testing.assert_allclose(fused.residual, plain.residual, atol=1e-9)
    assert fused.excess == pytest.approx(plain.excess, abs=1e-6)
    if starts != "expected":
        np.testing.assert_allclose(
            fused.example_labels, plain.example_labels, atol=1e-9
        )


@pytest.mark.parametrize("scale_free", [False, True])
@pytest.mark.parametrize(("n", "m", "k"), [(400, 5, 1), (3000, 4, 3), (20_000, 20, 1)])
def test_single_precision_is_close_to_the_textbook_loop(n, m, k, scale_free, compiled):
    rng = np.random.default_rng(n)
    w = one_vs_rest(rng, n, m, max(k, 2), np.float32)[:, :, -k:]
    start = rng.random((n, k))
    solver = Adagrad(starts=start, scale_free=scale_free)
    solution = solve(space_of(WeakSignals.from_one_vs_rest(w)), solver)
    expected = textbook(w.astype(float), 0.3, start, scale_free=scale_free)
    off = np.abs(solution.example_labels - expected)
    assert off.max() < MOST
    assert off.mean() < MEAN


@pytest.mark.parametrize("scale_free", [False, True])
def test_expected_labels_in_single_and_double_precision(scale_free, compiled):
    w = one_vs_rest(np.random.default_rng(3), 20_000, 8, 2, np.float32)
    solver = Adagrad(scale_free=scale_free)
    single, double = (
        solve(space_of(WeakSignals.from_one_vs_rest(x)), solver)
        for x in (w, w.astype(float))
    )
    off = np.abs(single.labels - double.labels)
    assert off.max() < MOST
    assert off.mean() < MEAN
    np.testing.assert_allclose(single.residual, double.residual, atol=1e-5)
    assert single.status is double.status


def test_single_precision_stays_single(compiled):
    for dtype in (np.float32, np.float64):
        w = one_vs_rest(np.random.default_rng(0), dtype=dtype)
        design = label_space(WeakSignals.from_one_vs_rest(w)).design
        for solver in (Adagrad(), Adagrad(starts=2)):
            starts = solver._starts(design, np.random.default_rng(0))
            for part in start_labels(design, starts):
                assert part.compiled
                assert {array.dtype for array in part.arrays} == {np.dtype(dtype)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("starts", ["expected", 3])
def test_threads_change_nothing(dtype, starts, compiled, monkeypatch):
    rng = np.random.default_rng(0)
    signals = WeakSignals.from_one_vs_rest(one_vs_rest(rng, 5000, 7, 2, dtype))
    monkeypatch.setattr(value_design, "BLOCK", 1)
    solver = Adagrad(iterations=50, starts=starts)
    alone = solve(space_of(signals), solver)
    assert len(label_space(signals).design.ranges()) > 3
    monkeypatch.setattr(threads, "PARALLEL_FROM", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    shared = solve(space_of(signals), solver)
    np.testing.assert_array_equal(alone.labels, shared.labels)
    np.testing.assert_array_equal(alone.history, shared.history)
    design = label_space(signals).design
    np.testing.assert_array_equal(
        alone.model.labels(design), shared.model.labels(design)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_replay_gives_the_same_bits(dtype, compiled):
    rng = np.random.default_rng(0)
    signals = WeakSignals.from_one_vs_rest(one_vs_rest(rng, 3000, 6, 3, dtype))
    solution = solve(space_of(signals), Adagrad())
    design = label_space(signals).design
    np.testing.assert_array_equal(solution.model.labels(design), solution.labels)


def test_a_replay_of_few_examples_is_close_to_the_fit(compiled, monkeypatch):
    rng = np.random.default_rng(0)
    w = one_vs_rest(rng, 3000, 6, 2, np.float32)
    signals = WeakSignals.from_one_vs_rest(w)
    solution = solve(space_of(signals), Adagrad())
    monkeypatch.setattr(signal_design, "COMPILED_FROM", 10**12)
    few = signals.take(slice(10, 20))
    again = solution.model.labels(label_space(few).design)
    np.testing.assert_allclose(again, solution.labels[:, 10:20], atol=MOST)


def test_entries_that_nobody_speaks_of_do_not_move(compiled):
    w = one_vs_rest(np.random.default_rng(0), 300, 4, 2, np.float32)
    w[:, 7:50, 1] = np.nan
    solution = solve(
        space_of(WeakSignals.from_one_vs_rest(w)), Adagrad(scale_free=True)
    )
    assert (solution.labels[1, 7:50] == 0.5).all()
    start = np.random.default_rng(1).random((300, 2)).astype(np.float32)
    solution = solve(space_of(WeakSignals.from_one_vs_rest(w)), Adagrad(starts=start))
    np.testing.assert_array_equal(solution.example_labels[7:50, 1], start[7:50, 1])


# -- votes ----------------------------------------------------------------------------


def many_signals(seed, n_classes, n=200, m=60):
    """Two votes per row of many signals: rows without a vote, classes never voted for."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, max(2, n_classes - 1), (n, m))
    table = np.where(rng.random((n, m)) < 2 / m, codes + 1, 0)
    table[0] = 0
    table[1, :2] = 1, 2
    return table


def signals_of(design, seed, n_classes=4):
    if design is VoteDesign:
        votes = np.random.default_rng(seed).integers(-1, n_classes, (200, 5))
        return WeakSignals.from_votes(votes, classes=range(n_classes))
    table = csr_array(many_signals(seed, n_classes))
    return WeakSignals.from_votes(table, classes=range(1, n_classes + 1))


@pytest.mark.parametrize("design", [VoteDesign, SparseVoteDesign])
@given(seed=st.integers(0, 10_000), n_classes=st.sampled_from([2, 3, 9]))
def test_a_compiled_step_equals_its_parts(design, seed, n_classes):
    """Three steps: in one call, in compiled products around NumPy, and in NumPy."""
    signals = signals_of(design, seed, n_classes)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(signals))
    found = []
    for threshold, fused in ((0, True), (0, False), (10**12, False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(signal_design, "COMPILED_FROM", threshold)
            rows = label_space(signals, weights=weights).design
            assert isinstance(rows, design)
            part = MovingLabels(rows, 1, rows.n_patterns)
            assert part.compiled is (threshold == 0)
            part.compiled = fused
            v = np.random.default_rng(seed).normal(size=(3, 1, rows.n_rows))
            totals = [part.step(multipliers) for multipliers in v]
            found.append((np.stack(totals), part.labels()))
    for totals, labels in found[1:]:
        np.testing.assert_allclose(totals, found[0][0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(labels, found[0][1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("starts", ["expected", 2])
def test_sparse_votes_are_solved_like_dense_ones(n_classes, starts, monkeypatch):
    """Whatever the form, to rounding; few steps, as it grows along the path."""
    table = many_signals(0, n_classes)
    classes = range(1, n_classes + 1)
    dense = WeakSignals.from_votes(table - 1, classes=range(n_classes))
    sparse = WeakSignals.from_votes(csr_array(table), classes=classes)
    rng = np.random.default_rng(1)
    if starts != "expected":
        starts = rng.random((2, len(table), dense.n_label_columns))
    solver = Adagrad(iterations=10, starts=starts)
    labels = []
    for signals, threshold in ((dense, 0), (sparse, 0), (sparse, 10**12)):
        monkeypatch.setattr(signal_design, "COMPILED_FROM", threshold)
        with pytest.warns(ConvergenceWarning):
            labeler = ConstrainedLabeler(0.2, solver).fit(signals)
        replayed = labeler.predict_proba(signals)
        labels.append((labeler.labels_, replayed, labeler.implied_error_rates_))
    assert isinstance(labeler._design_, SparseVoteDesign)
    for other in labels[1:]:
        for found, expected in zip(other, labels[0], strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_threads_change_nothing_for_sparse_votes(n_classes, monkeypatch):
    monkeypatch.setattr(signal_design, "COMPILED_FROM", 0)
    signals = signals_of(SparseVoteDesign, 0, n_classes)
    space = label_space(signals)
    rates = row_rates(signals, space.rows, np.full(signals.n_signals, 0.2))
    space = LabelSpace(space.design, space.rows, rates)
    space.design.block = 16
    solver, rng = Adagrad(iterations=30, tolerance=1e-9), np.random.default_rng(0)
    alone = solver.solve(space, rng)
    monkeypatch.setattr(threads, "PARALLEL_FROM", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    shared = solver.solve(space, rng)
    np.testing.assert_array_equal(alone.labels, shared.labels)
    np.testing.assert_array_equal(alone.history, shared.history)
    assert alone.excess == shared.excess
    np.testing.assert_array_equal(shared.model.labels(space.design), alone.labels)
