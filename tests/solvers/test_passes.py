"""Steps in one compiled call against the same steps in parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from corral import Adagrad, ConstrainedLabeler, WeakSignals
from corral.constraints import LabelSpace, label_space, row_rates
from corral.constraints.designs import SparseVoteDesign, VoteDesign, base
from corral.errors import ConvergenceWarning
from corral.solvers import walk
from corral.solvers.passes import PASSES
from corral.solvers.starts import UniformStart
from corral.solvers.walk import Walk


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


def walk_of(signals, weights=None):
    design = label_space(signals, weights=weights).design
    return Walk(design, [UniformStart(design.weights)])


@pytest.mark.parametrize("design", PASSES)
@given(seed=st.integers(0, 10_000), n_classes=st.sampled_from([2, 3, 9]))
def test_a_fused_step_equals_its_parts(design, seed, n_classes):
    """Three steps: in one call, in parts, and in NumPy."""
    signals = signals_of(design, seed, n_classes)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, len(signals))
    found = []
    for threshold, fused in ((0, True), (0, False), (10**12, False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(base, "COMPILED_FROM", threshold)
            if not fused:
                patch.setattr(walk, "PASSES", {})
            walker = walk_of(signals, weights)
            assert isinstance(walker.design, design)
            assert (walker._pass is not None) is fused
            v = np.random.default_rng(seed).normal(size=(3, 1, walker.design.n_rows))
            totals = [walker.step(multipliers, map) for multipliers in v]
            found.append((np.stack(totals), walker.labels()))
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
        monkeypatch.setattr(base, "COMPILED_FROM", threshold)
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
    monkeypatch.setattr(base, "COMPILED_FROM", 0)
    signals = signals_of(SparseVoteDesign, 0, n_classes)
    space = label_space(signals)
    rates = row_rates(signals, space.rows, np.full(signals.n_signals, 0.2))
    space = LabelSpace(space.design, space.rows, rates)
    space.design.block = 16
    solver, rng = Adagrad(iterations=30, tolerance=1e-9), np.random.default_rng(0)
    alone = solver.solve(space, rng)
    monkeypatch.setattr(walk, "PARALLEL_FROM", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    shared = solver.solve(space, rng)
    np.testing.assert_array_equal(alone.labels, shared.labels)
    np.testing.assert_array_equal(alone.history, shared.history)
    assert alone.excess == shared.excess
    np.testing.assert_array_equal(shared.state.labels(space.design), alone.labels)
