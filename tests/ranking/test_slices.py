"""Strengths per slice."""

import numpy as np
import pytest

import corral
from corral.errors import ParameterError


def test_the_prior_bounds_an_item_that_always_wins_in_slices_too():
    """Without it, its strength grew with every round, until a matrix was singular."""
    rows = 3 * [("x", "y", "a")] + 2 * [("y", "z", "a")] + 2 * [("x", "z", "a")]
    columns = dict(zip(("a", "b", "winner"), zip(*rows, strict=True), strict=True))
    table = {name: list(values) for name, values in columns.items()}
    table["topic"] = ["s", "t"] * 3 + ["s"]
    for prior in (0.1, 5.0):
        found = corral.preferences(table, slices="topic", prior=prior)
        of_slices = found.slices["topic"].strengths
        assert np.isfinite(found.slices["topic"].interval).all()
        # Slices are drawn to what is said of all, which has the same prior.
        assert np.abs(of_slices).max() < 1.5 * np.abs(found.strengths).max() + 0.5


def test_slices_in_which_strengths_have_no_end_need_a_prior():
    rng = np.random.default_rng(31)
    n, k = rng.integers(6, 26), rng.integers(3, 6)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    table = {
        "a": [f"item {i}" for i in a],
        "b": [f"item {i}" for i in b],
        "winner": rng.choice(["left", "right"], n).tolist(),
        "topic": [f"topic {i}" for i in rng.integers(0, 2, n)],
        "judge": [f"judge {i}" for i in rng.integers(0, 3, n)],
    }
    options = {"slices": "topic", "judge": "judge", "unconnected": "separate"}
    with pytest.raises(ParameterError, match="prior must be finite with slices"):
        corral.preferences(table, prior=np.inf, **options)
    found = corral.preferences(table, **options)
    assert np.isfinite(found.slices["topic"].interval).all()
