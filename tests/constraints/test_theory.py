"""What rows have of their own, on random instances with and without abstains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import WeakSignals
from corral.constraints import make_system
from corral.constraints.theory import own_parts


def dense(system, signals):
    """A over the examples (not distinct rows), all label columns side by side."""
    a = system.matrix().reshape(len(system), system.n_labels, -1)
    return a[:, :, signals.row_of].reshape(len(system), -1)


@st.composite
def instances(draw):
    """Signals of any kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m, k = draw(st.integers(3, 12)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    kind = draw(st.sampled_from(["votes", "full votes", "soft", "one-vs-rest"]))
    if kind == "soft":
        w = rng.random((n, m))
        w[rng.random(w.shape) < 0.2] = np.nan
        w[0] = 0.9
        return WeakSignals.from_probabilities(w)
    if kind == "one-vs-rest":
        w = rng.random((m, n, k))
        w[rng.random(w.shape) < 0.4] = np.nan
        w[:, 0] = 0.2
        return WeakSignals.from_one_vs_rest(w)
    votes = rng.integers(-1 if kind == "votes" else 0, k, (n, m))
    votes[0] = 0
    return WeakSignals.from_votes(votes, classes=range(k))


@given(instances())
def test_own_parts_are_what_least_squares_leaves(signals):
    system = make_system(signals)
    for r, part in enumerate(own_parts(system)):
        a = dense(system, signals)
        row, others = a[r], np.delete(a, r, axis=0)
        length = row @ row
        if not len(others) or length < 1e-12:
            assert part == pytest.approx(float(length >= 1e-12))
            continue
        left = row - others.T @ np.linalg.lstsq(others.T, row, rcond=1e-10)[0]
        assert part == pytest.approx(left @ left / length, abs=1e-6)
