import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.solvers.starts import (
    GivenStart,
    SingleStart,
    UniformStart,
    expected_label,
)


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


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_are_between_their_bounds_and_at_them_exactly(dtype, compiled):
    """After many steps `s` is large; what is left of it must not look like a label."""
    rng = np.random.default_rng(0)
    s = (rng.normal(size=(1, 1000)) * rng.choice([1, 30, 1000], 1000)).astype(dtype)
    lo, hi = np.sort(rng.random((2, 1, 1000)), axis=0).astype(dtype)
    lo[:, ::3], hi[:, ::5] = 0, 1
    every = UniformStart(np.ones(1000, dtype))
    found = every.totals(s, lo, hi, (0, 1000), compiled)
    assert ((found >= lo) & (found <= hi)).all()
    below, above = s <= lo - 1, s >= hi
    np.testing.assert_array_equal(found[below], lo[below])
    np.testing.assert_array_equal(found[above], hi[above])


@pytest.mark.parametrize("compiled", [False, True])
@given(seed=st.integers(0, 10_000))
def test_given_starts_add_up_to_a_loop_over_the_examples(compiled, seed):
    rng = np.random.default_rng(seed)
    n, units, labels = 30, 6, 2
    unit, start, weights = (
        rng.integers(0, units, n),
        rng.random((n, labels)),
        rng.random(n),
    )
    s = rng.normal(size=(labels, units))
    lo, hi = np.sort(rng.random((2, labels, units)), axis=0)
    given = GivenStart(start, unit, weights, units)
    expected = np.zeros((labels, units))
    for j in range(n):
        at = unit[j]
        expected[:, at] += weights[j] * np.clip(
            start[j] + s[:, at], lo[:, at], hi[:, at]
        )
    for a, b in ((0, units), (2, 5)):
        parts = s[:, a:b], lo[:, a:b], hi[:, a:b]
        found = given.totals(*parts, (a, b), compiled)
        np.testing.assert_allclose(found, expected[:, a:b], atol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
def test_uniform_start_weighs_units(compiled):
    start = UniformStart(np.array([2.0, 4.0]))
    zero, one = np.zeros((1, 2)), np.ones((1, 2))
    assert start.totals(zero, zero, one, (0, 2), compiled).tolist() == [[1.0, 2.0]]
    assert start.totals(zero[:, :1], zero[:, :1], one[:, :1], (1, 2), compiled) == [
        [2.0]
    ]


@given(st.integers(0, 10_000))
def test_one_example_a_unit_needs_no_sorting(seed):
    rng = np.random.default_rng(seed)
    start, weights = rng.random((20, 2)), rng.random(20)
    s = rng.normal(size=(2, 20))
    lo, hi = np.sort(rng.random((2, 2, 20)), axis=0)
    single, sorted_ = (
        SingleStart(start, weights),
        GivenStart(start, np.arange(20), weights, 20),
    )
    for a, b in ((0, 20), (3, 9)):
        parts = s[:, a:b], lo[:, a:b], hi[:, a:b]
        np.testing.assert_allclose(
            single.totals(*parts, (a, b), False),
            sorted_.totals(*parts, (a, b), False),
            atol=1e-12,
        )
    np.testing.assert_array_equal(single.labels(s, lo, hi), sorted_.labels(s, lo, hi))
