"""The fused pass over soft signals, against NumPy and against the textbook loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.textbook import textbook

from corral import Adagrad, WeakSignals
from corral.constraints import LabelSpace, label_space
from corral.constraints.designs import base, values
from corral.solvers import soft_walk, walk

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
    monkeypatch.setattr(base, "COMPILED_FROM", 0)


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
            patch.setattr(base, "COMPILED_FROM", threshold)
            patch.setattr(values, "BLOCK", 1)  # several ranges
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


def test_large_soft_signals_take_the_fused_pass(compiled):
    signals = WeakSignals.from_one_vs_rest(one_vs_rest(np.random.default_rng(0)))
    binned = WeakSignals.from_one_vs_rest(one_vs_rest(np.random.default_rng(0)), bins=3)
    for solver in (Adagrad(), Adagrad(starts=2)):
        for made, fused in ((signals, True), (binned, solver.is_expected)):
            design = label_space(made).design
            starts = solver._starts(design, np.random.default_rng(0))
            walked = soft_walk.fused_walk(design, starts)
            assert isinstance(walked, soft_walk.SoftWalk) is fused


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
            walked = soft_walk.fused_walk(design, starts)
            assert {array.dtype for array in walked._state} == {np.dtype(dtype)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("starts", ["expected", 3])
def test_threads_change_nothing(dtype, starts, compiled, monkeypatch):
    rng = np.random.default_rng(0)
    signals = WeakSignals.from_one_vs_rest(one_vs_rest(rng, 5000, 7, 2, dtype))
    monkeypatch.setattr(values, "BLOCK", 1)
    solver = Adagrad(iterations=50, starts=starts)
    alone = solve(space_of(signals), solver)
    assert len(label_space(signals).design.ranges()) > 3
    monkeypatch.setattr(walk, "PARALLEL_FROM", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    shared = solve(space_of(signals), solver)
    np.testing.assert_array_equal(alone.labels, shared.labels)
    np.testing.assert_array_equal(alone.history, shared.history)
    design = label_space(signals).design
    np.testing.assert_array_equal(
        alone.state.labels(design), shared.state.labels(design)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_replay_gives_the_same_bits(dtype, compiled):
    rng = np.random.default_rng(0)
    signals = WeakSignals.from_one_vs_rest(one_vs_rest(rng, 3000, 6, 3, dtype))
    solution = solve(space_of(signals), Adagrad())
    design = label_space(signals).design
    np.testing.assert_array_equal(solution.state.labels(design), solution.labels)


def test_a_replay_of_few_examples_is_close_to_the_fit(compiled, monkeypatch):
    rng = np.random.default_rng(0)
    w = one_vs_rest(rng, 3000, 6, 2, np.float32)
    signals = WeakSignals.from_one_vs_rest(w)
    solution = solve(space_of(signals), Adagrad())
    monkeypatch.setattr(base, "COMPILED_FROM", 10**12)
    few = signals.take(slice(10, 20))
    again = solution.state.labels(label_space(few).design)
    np.testing.assert_allclose(again, solution.labels[:, 10:20], atol=MOST)


def test_layouts_change_nothing(compiled, tmp_path):
    """A view of a file, strided, as columns or as rows, and a copy in memory."""
    rng = np.random.default_rng(0)
    w = one_vs_rest(rng, 900, 6, 2, np.float32)
    expected = solve(space_of(WeakSignals.from_one_vs_rest(w)), Adagrad()).labels
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "f.npy", np.asfortranarray(w))
    np.save(tmp_path / "wide.npy", np.repeat(w, 2, axis=1))
    maps = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("w", "f")]
    maps.append(np.load(tmp_path / "wide.npy", mmap_mode="r")[:, ::2])
    for mapped in maps:
        signals = WeakSignals.from_one_vs_rest(mapped)
        assert np.shares_memory(signals.values[0], mapped)
        found = solve(space_of(signals), Adagrad()).labels
        np.testing.assert_array_equal(found, expected)


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
