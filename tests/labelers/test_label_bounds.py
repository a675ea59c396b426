"""Bounds on the labels of single examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import (
    ClassBalance,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    WeakSignals,
    signal_errors,
)
from corral.errors import ParameterError, SignalsError
from corral.labelers.label_bounds import make_bounds

RNG = np.random.default_rng


def votes_of(k, n=12, m=3, seed=0):
    rng = RNG(seed)
    votes = rng.integers(0, k, (n, m))
    votes[rng.random((n, m)) < 0.3] = -1
    votes[:k] = np.arange(k)[:, None]
    return WeakSignals.from_votes(votes)


@given(st.integers(0, 1000), st.integers(2, 4), st.booleans())
def test_pull_is_the_derivative_of_the_violations(seed, k, weighted):
    signals, rng = votes_of(k, seed=seed), RNG(seed)
    weights = rng.random(len(signals)) if weighted else None
    asked = [
        Precision("s1", 1, at_least=0.7),
        ClassBalance(0, at_least=0.1, at_most=0.4),
        GroupShare(np.arange(12) % 2, 1, 1, at_most=0.5),
    ]
    bounds, _ = make_bounds([0.1, 0.2, 0.3], asked, signals, weights)
    columns = 1 if k == 2 else k
    one, other = rng.random((2, len(signals), columns))
    multipliers = rng.normal(size=len(bounds))
    change = bounds.violation(other) - bounds.violation(one)
    slope = bounds.pull(multipliers)
    # Linear, so the derivative tells the whole change.
    np.testing.assert_allclose((slope * (other - one)).sum(), multipliers @ change)


def test_violations_are_errors_beyond_their_bounds():
    signals = votes_of(2)
    y = RNG(1).random((12, 1))
    bounds, rates = make_bounds([0.1, 0.2, 0.3], None, signals, None)
    errors = signal_errors(signals, np.column_stack([1 - y, y]))
    np.testing.assert_allclose(bounds.violation(y), errors - [0.1, 0.2, 0.3])
    assert bounds.worst(y) == pytest.approx((errors - rates.rates).max())
    assert make_bounds(0.5, None, signals, None)[0].worst(np.full((12, 1), 0.5)) == 0


def test_constraints_replace_rates_and_go_both_ways():
    signals = votes_of(2)
    asked = [ErrorRate("s0", at_least=0.2, at_most=0.4), ErrorRate("s1", equal=0.3)]
    bounds, _ = make_bounds(0.1, asked, signals, None)
    assert bounds.names == ("s0", "s1", "s2", "s0", "s1")
    y = np.full((12, 1), 0.5)
    np.testing.assert_allclose(bounds.violation(y), [0.1, 0.2, 0.4, -0.3, -0.2])
    only, _ = make_bounds(None, asked, signals, None)
    assert only.names == ("s0", "s1", "s0", "s1")


def test_what_cannot_be_a_bound_is_refused():
    signals = votes_of(2)
    with pytest.raises(ParameterError, match="Known labels are for Constrained"):
        make_bounds(0.1, [Known([0], [1])], signals, None)
    with pytest.raises(ParameterError, match="give error_rates, constraints or both"):
        make_bounds(None, None, signals, None)
    with pytest.raises(SignalsError, match="no signal votes on any example"):
        make_bounds(0.1, None, signals, np.zeros(12))
