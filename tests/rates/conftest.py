"""Votes that the tests of several estimators share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def rules():
    return make_rules


def make_rules(n=3000, seed=0, precision=0.8, coverage=0.2):
    """Four rules a class, each firing for one class only."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    right, wrong = 2 * precision * coverage, 2 * (1 - precision) * coverage
    fires = [
        np.where(rng.random(n) < np.where(y == c, right, wrong), c, -1)
        for c in (0, 1)
        for _ in range(4)
    ]
    return np.column_stack(fires), y
