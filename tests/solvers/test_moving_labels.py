"""Labels on their way: closed forms against loops over starts and examples."""

import numpy as np
import pytest
from corral.constraints.designs import ValueDesign
from corral.solvers.moving_labels import (
    MovingExamples,
    MovingLabels,
    MovingPatterns,
    expected_label,
    start_labels,
)
from hypothesis import given
from hypothesis import strategies as st

from corral.solvers import adagrad_kernels

PATTERNS, LABELS = 6, 2


def design_of(rng, pattern=None, n=PATTERNS):
    """Two rows on six patterns, with weights; `pattern` says which examples share one."""
    values = [rng.random((1, PATTERNS)) for _ in range(LABELS)]
    sample_weight = rng.random(n)
    weights = np.bincount(
        np.arange(n) if pattern is None else pattern, sample_weight, PATTERNS
    )
    rows = np.arange(LABELS)
    return ValueDesign(values, rows, rows, weights, pattern, sample_weight)


@given(
    st.floats(-2, 2),
    st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_expected_label_is_the_mean_over_uniform_starts(s, bounds):
    lo, hi = bounds
    u = (np.arange(200_000) + 0.5) / 200_000
    mean = np.clip(u + s, lo, hi).mean()
    found = expected_label(np.array([s]), np.array([lo]), np.array([hi]))
    np.testing.assert_allclose(found, mean, atol=1e-5)


@pytest.mark.parametrize("form", [False, True], ids=["numpy", "compiled"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_are_between_their_bounds_and_at_them_exactly(dtype, form):
    """After many steps `s` is large; what is left of it must not look like a label."""
    rng = np.random.default_rng(0)
    s = (rng.normal(size=1000) * rng.choice([1, 30, 1000], 1000)).astype(dtype)
    lo, hi = np.sort(rng.random((2, 1000)), axis=0).astype(dtype)
    lo[::3], hi[::5] = 0, 1
    found = np.empty_like(s)
    if form:
        adagrad_kernels.expected_label(s, lo, hi, found)
    else:
        found = expected_label(s, lo, hi)
    assert found.dtype == dtype
    assert ((found >= lo) & (found <= hi)).all()
    below, above = s <= lo - 1, s >= hi
    np.testing.assert_array_equal(found[below], lo[below])
    np.testing.assert_array_equal(found[above], hi[above])


@pytest.mark.parametrize("seed", range(20))
def test_given_starts_add_up_to_a_loop_over_the_examples(compiled, seed):
    rng = np.random.default_rng(seed)
    n = 30
    pattern, starts = rng.integers(0, PATTERNS, n), rng.random((1, n, LABELS))
    design = design_of(rng, pattern, n)
    s = rng.normal(size=(LABELS, PATTERNS))
    lo, hi = np.sort(rng.random((2, LABELS, PATTERNS)), axis=0)
    expected, labels = np.zeros((LABELS, PATTERNS)), np.empty((n, LABELS))
    for j, at in enumerate(pattern):
        labels[j] = np.clip(starts[0, j] + s[:, at], lo[:, at], hi[:, at])
        expected[:, at] += design.sample_weight[j] * labels[j]
    for a, b in ((0, PATTERNS), (2, 5)):
        examples = np.flatnonzero((pattern >= a) & (pattern < b))
        examples = examples[np.argsort(pattern[examples], kind="stable")]
        part = MovingPatterns(design, a, b, starts, examples)
        assert part.compiled is compiled
        for array, given_ in zip(part.arrays, (s, lo, hi), strict=False):
            array[0] = given_[:, a:b]
        np.testing.assert_allclose(part.sums()[0], expected[:, a:b], atol=1e-12)
        where, found = part.example_labels()
        np.testing.assert_array_equal(found, labels[where])


def test_labels_are_weighed_by_examples(compiled):
    design = design_of(np.random.default_rng(0))
    part = MovingLabels(design, 1, 3)
    np.testing.assert_array_equal(part.means(), np.full((1, LABELS, 2), 0.5))
    weighed = np.tile(design.weights[1:3] / 2, (LABELS, 1))
    np.testing.assert_allclose(part.sums()[0], weighed, atol=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_examples_move_like_patterns_of_one_example(compiled, seed):
    """Labels that are moved and clipped step by step, or by three numbers at the end."""
    rng = np.random.default_rng(seed)
    design, starts = design_of(rng), rng.random((2, PATTERNS, LABELS))
    (single,) = start_labels(design, starts)
    assert isinstance(single, MovingExamples)
    design.inverse = np.arange(PATTERNS)
    (shared,) = start_labels(design, starts)
    assert isinstance(shared, MovingPatterns)
    steps = rng.normal(size=(5, 2, design.n_rows))
    for v in steps:
        np.testing.assert_allclose(single.step(v), shared.step(v), atol=1e-12)
        np.testing.assert_allclose(single.descent(v), shared.descent(v), atol=1e-12)
    for one, two in zip(single.example_labels(), shared.example_labels(), strict=True):
        if isinstance(one, slice):
            one = np.arange(PATTERNS)[one]
        np.testing.assert_allclose(one, two, atol=1e-12)
    np.testing.assert_allclose(single.labels(), shared.labels(), atol=1e-12)


@pytest.mark.parametrize("n_starts", [1, 3])
def test_many_steps_at_once_are_the_steps_one_by_one(compiled, n_starts):
    rng = np.random.default_rng(0)
    design = design_of(rng)
    steps = rng.normal(size=(n_starts, 7, design.n_rows))
    at_once, one_by_one = (MovingLabels(design, 1, 5, n_starts) for _ in range(2))
    at_once.advance(steps)
    for v in steps.swapaxes(0, 1):
        totals = one_by_one.step(v)
    np.testing.assert_array_equal(at_once.labels(), one_by_one.labels())
    np.testing.assert_allclose(at_once.totals(), totals, atol=1e-12)
