"""Strengths per slice."""

import numpy as np

import corral


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
