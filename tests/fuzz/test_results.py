"""What is said of labels is true of them: rules, scores, panels."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.fuzz.properties import (
    Task,
    assert_probabilities,
    assert_shares,
    fit,
    floats,
    holds,
    mostly,
    must_work,
    seeds,
    tasks,
)

import corral

# -- rules --------------------------------------------------------------------------


# -- scores and analyses ------------------------------------------------------------

FAST = ("default", "majority vote", "averaging", "Dawid-Skene", "given rate", "entropy")


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Task, list[int], str]:
    """Any task with any true labels (-1: not known), and a labeler."""
    task = draw(tasks(max_n=25, max_m=5, max_k=4))
    truth = st.lists(st.integers(-1, task.k - 1), min_size=task.n, max_size=task.n)
    return task, draw(truth), draw(st.sampled_from(FAST))


@holds(labelled(), share=0.5)
def test_analyses_and_scores_are_shares(case: Any) -> None:
    task, truth, name = case
    signals = task.signals()
    labeler = fit(name, signals)
    # Nothing may be left to analyse: all that is said may be equal probabilities.
    found = corral.analyse(signals, labeler, truth)
    with must_work():
        for part in (found.coverage, found.overlaps, found.conflicts):
            assert_shares(part)
        assert str(found)
    # There may be no example that has a vote and whose class is known.
    assert_shares(labeler.score(signals, truth))
    with must_work():
        calibrated = corral.calibrate(labeler, truth).apply(labeler.labels_)
        assert_probabilities(calibrated, task.n, task.k)
        compared = corral.compare(signals, truth, ["majority-vote", "constrained"])
        assert_shares(compared.accuracy)
        assert str(compared)


# -- panels ------------------------------------------------------------------------


@st.composite
def judged(draw: st.DrawFn) -> tuple[Task, Any, dict[str, Any]]:
    """Any judges and any human labels, mostly enough of them."""
    task = draw(tasks(kinds=("votes", "probabilities"), max_n=40, max_m=4, max_k=4))
    task = task.take(rows=np.tile(np.arange(task.n), 60 // task.n + 1))
    rng = np.random.default_rng(draw(seeds))
    said = task.said if task.kind == "votes" else np.nan_to_num(task.said).argmax(2)
    votes = said[np.arange(task.n), rng.integers(0, task.m, task.n)]
    right = rng.random(task.n) < draw(st.sampled_from([0.0, 0.7, 1.0]))
    gold = np.where(right, votes, rng.integers(0, task.k, task.n))
    gold[rng.random(task.n) < draw(st.sampled_from([0.0, 0.5, 0.8]))] = -1
    optional = {
        "slices": st.just({"s": (["x", "y"] * task.n)[: task.n]}),
        "level": mostly(st.sampled_from([0.5, 0.9, 0.999]), floats),
        "sampling": st.just(rng.uniform(0.1, 1, task.n)),
    }
    return task, gold, draw(st.fixed_dictionaries({}, optional=optional))


@holds(judged(), share=0.5)
def test_shares_of_a_panel_are_in_their_intervals(case: Any) -> None:
    task, gold, options = case
    found = corral.panel(task.signals(), gold=gold, **options)
    with must_work():
        assert_probabilities(found.labels_, task.n, task.k)
        for estimate in (found.shares, found.labels_alone):
            for part in (estimate.low, estimate.value, estimate.high):
                assert_shares(part)
            assert (estimate.low <= estimate.value + 1e-9).all()
            assert (estimate.value <= estimate.high + 1e-9).all()
        assert abs(found.shares.value.sum() - 1) < 1e-6
        assert str(found)
        json.dumps(found.to_dict(), allow_nan=False)
