"""Intervals hold what they should, as often as they say."""

import numpy as np
import pytest

import corral
from corral.datasets import random_comparisons
from corral.errors import SignalsError

STRENGTHS = {f"m{i}": s for i, s in enumerate(np.linspace(1.2, -1.2, 6))}
TRUTH = np.array(list(STRENGTHS.values()))


def find_coverage(judges, n, draws, *, shared=0.0, **options):
    """Share of 90% intervals that hold the strengths, in the units of the fit."""
    root = np.sqrt(np.mean([s**2 for s, _ in judges.values()]))
    hits = []
    for seed in range(draws):
        made = random_comparisons(n, STRENGTHS, judges, shared=shared, seed=seed)
        found = corral.preferences(made, judge="judge", **options)
        order = [found.items.index(name) for name in STRENGTHS]
        low, high = found.interval[order].T
        hits.append((low <= root * TRUTH) & (root * TRUTH <= high))
    return np.mean(hits)


def test_intervals_hold_strengths_as_often_as_they_say():
    judges = {"x": (1.3, 0.5), "y": (0.9, 0), "z": (0.6, -0.4), "spam": (0, 0)}
    assert find_coverage(judges, 600, 60) == pytest.approx(0.9, abs=0.05)


def test_many_judges_with_few_verdicts_each():
    draw = np.random.default_rng(0)
    judges = {f"w{i}": (draw.normal(1, 0.4), draw.normal(0, 0.4)) for i in range(60)}
    assert find_coverage(judges, 900, 40) == pytest.approx(0.9, abs=0.06)


def test_verdicts_on_one_task_are_not_taken_for_independent():
    judges = {f"j{i}": (1.0, 0) for i in range(6)}
    options = {"shared": 2.0, "n": 150, "draws": 30}
    plain = find_ranges(judges, **options)
    by_task = find_ranges(judges, **options, task="task")
    spread, _ = plain
    assert plain[1] < 0.75 * spread
    assert by_task[1] == pytest.approx(spread, rel=0.2)


def find_ranges(judges, n, draws, shared, **options):
    """Standard deviation of strengths over draws, and what the intervals say it is."""
    strengths, errors = [], []
    for seed in range(draws):
        made = random_comparisons(n, STRENGTHS, judges, shared=shared, seed=seed)
        found = corral.preferences(made, judge="judge", **options)
        order = [found.items.index(name) for name in STRENGTHS]
        strengths.append(found.strengths[order])
        errors.append(np.diag(found.covariance)[order])
    return np.sqrt(np.var(strengths, axis=0).mean()), np.sqrt(np.mean(errors))


@pytest.mark.parametrize("n", [1, 5])
def test_few_tasks_leave_no_intervals(n):
    """Of one task all slopes add up to zero, as if everything were known."""
    made = random_comparisons(200, STRENGTHS, {"x": (1, 0)})
    tasks = {"task": np.arange(200) % n}
    with pytest.raises(SignalsError, match=f"on {n} tasks?, too few"):
        corral.preferences(made | tasks, task="task")


def test_the_covariance_is_that_of_centred_strengths():
    made = random_comparisons(500, STRENGTHS, {"x": (1, 0), "y": (0.5, 0.2)})
    for task in (None, "task"):
        found = corral.preferences(made, judge="judge", task=task)
        np.testing.assert_allclose(found.covariance.sum(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(found.strengths.sum(), 0, atol=1e-9)


def test_ranks_say_who_may_be_above():
    made = random_comparisons(5000, {"x": 2, "y": 0, "z": 0.01}, {"j": (1, 0)})
    found = corral.preferences(made)
    ranks = dict(zip(found.items, found.ranks.tolist(), strict=True))
    assert ranks == {"x": [1, 1], "y": [2, 3], "z": [2, 3]}


def test_intervals_of_nearly_all_there_is_have_ends():
    rows = 3 * [("x", "y", "x"), ("y", "z", "y"), ("z", "x", "x"), ("y", "x", "y")]
    found = corral.preferences(rows, level=np.nextafter(1, 0))
    assert np.isfinite(found.interval).all()
