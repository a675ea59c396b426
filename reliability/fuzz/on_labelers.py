"""What every labeler must do with every task."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from corral import Entropy, PatternCounts, Projection
from corral.labelers import Labeler
from reliability.fuzz.labelers import INCREMENTAL, LABELERS, fit, names
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks

SAME = 1e-6
"""How far two labels may be apart that must be the same but for rounding."""
SETTLED = 1e-3
"""The same for solvers that stop at a gap, from two ways there."""


@dataclass(frozen=True)
class Case:
    """A labeler, a task, and a seed for what is done to it."""

    labeler: str
    task: Task
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        """A generator of its own."""
        return np.random.default_rng(self.seed)


def cases(**options: Any) -> st.SearchStrategy[Case]:
    """Any labeler on any task."""
    return st.builds(Case, names, tasks(**options), st.integers(0, 2**32 - 1))


def assert_probabilities(p: NDArray[np.float64], n: int, k: int) -> None:
    """Rows of `p` are probabilities of `k` classes."""
    assert p.shape == (n, k), p.shape
    assert np.isfinite(p).all(), p
    assert p.min() >= 0, p.min()
    assert p.max() <= 1 + 1e-12, p.max()
    assert np.abs(p.sum(axis=1) - 1).max() <= 1e-9, p.sum(axis=1)


def assert_same(
    p: NDArray[np.float64], q: NDArray[np.float64], near: float = SAME
) -> None:
    """Labels are the same."""
    apart = np.abs(p - q).max(initial=0.0)
    assert apart <= near, f"labels are {apart:.2g} apart"


def assert_same_fit(
    one: Labeler, other: Labeler, p: Any, q: Any, near: float = SAME
) -> None:
    """Two fits of one task give the same labels.

    Steps of Adagrad can jump back and forth and grow a difference of rounding, so that it
    ends at another point of the same space: rates are then met as well.
    """
    if np.abs(p - q).max(initial=0.0) > near and _takes_steps(one):
        met = [labeler.solution_.rms_residual for labeler in (one, other)]  # type: ignore[attr-defined]
        assert abs(met[0] - met[1]) <= 1e-3, f"rates are missed by {met}"
        return
    assert_same(p, q, near)


def _takes_steps(labeler: Labeler) -> bool:
    solution = getattr(labeler, "solution_", None)
    return solution is not None and type(solution.model).__name__ == "Trajectory"


@holds_for(cases(), cost=8)
def labels_are_probabilities(case: Case) -> None:
    """Labels are finite, in [0, 1] and add up to one; answers are classes."""
    task = case.task
    labeler = fit(case.labeler, task.signals(), uncovered="prior", ties="abstain")
    with must_work():
        assert_probabilities(labeler.labels_, task.n, task.k)
        again = labeler.predict_proba(task.signals())
        assert_same(labeler.labels_, again)
        answers = labeler.predict(task.signals())
        assert set(answers.tolist()) <= set(range(-1, task.k)), answers
        at = int(case.rng.integers(task.n))
        text = str(labeler.explain(at))
        assert text.startswith(f"example {at}:"), text
        assert np.isfinite(labeler.explain(at).moves).all()
        assert labeler.note_


@holds_for(cases(), cost=8)
def order_of_rows(case: Case) -> None:
    """Permuting rows permutes the labels."""
    order = case.rng.permutation(case.task.n)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, case.task.take(rows=order).signals())
        assert_same_fit(one, other, one.labels_[order], other.labels_)


@holds_for(cases(), cost=8)
def order_of_signals(case: Case) -> None:
    """Permuting signals changes nothing."""
    order = case.rng.permutation(case.task.m)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, case.task.take(columns=order).signals())
        assert_same_fit(one, other, one.labels_, other.labels_)


@holds_for(cases(), cost=8)
def order_of_classes(case: Case) -> None:
    """Permuting classes permutes the columns of the labels."""
    order = case.rng.permutation(case.task.k)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, case.task.swap(order).signals())
        assert_same_fit(one, other, one.labels_, other.labels_[:, order])


@holds_for(cases(), cost=8)
def repeated_rows_are_counts(case: Case) -> None:
    """Rows given so many times equal rows with counts."""
    times = case.rng.integers(1, 4, case.task.n)
    rows = np.repeat(np.arange(case.task.n), times)
    one = fit(case.labeler, case.task.signals(counts=times))
    with must_work():
        other = fit(case.labeler, case.task.take(rows=rows).signals())
        assert_same_fit(one, other, one.labels_[rows], other.labels_)


OWN_MODEL_OF_ABSTAINS = ("MeTaL", "data programming, gradient")
"""Those that learn from how often votes come among all examples, as published."""


def with_slack(labeler: str, times: float) -> dict[str, Any]:
    """Options that multiply the slack of a solver, where it has one.

    Solvers with slack weigh a miss against the mean over all examples: more of them that
    say nothing are so much less slack, and nothing else.
    """
    if labeler in ("projection", "uniform projection"):
        start = "uniform" if labeler.startswith("uniform") else "half"
        return {"solver": Projection(start, slack=Projection.slack * times)}
    if labeler in ("entropy", "default, entropy", "agreement"):
        return {"solver": Entropy(slack=Entropy.slack * times)}
    return {}


@holds_for(cases(), cost=9)
def silent_rows(case: Case) -> None:
    """Examples without votes change no other label, but for the meaning of slack."""
    n, more = case.task.n, int(case.rng.integers(1, 4))
    options = with_slack(case.labeler, (n + more) / n)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, case.task.silent(n=more).signals(), **options)
        assert_probabilities(other.labels_, n + more, case.task.k)
        if case.labeler not in OWN_MODEL_OF_ABSTAINS:
            near = SETTLED if options else SAME
            assert_same_fit(one, other, one.labels_, other.labels_[:n], near)


@holds_for(cases(), cost=8)
def silent_signals(case: Case) -> None:
    """A signal that never votes changes no label."""
    at = int(case.rng.integers(case.task.m + 1))
    wider = case.task.silent(m=1)
    order = np.insert(np.arange(case.task.m), at, case.task.m)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, wider.take(columns=order).signals())
        assert_same_fit(one, other, one.labels_, other.labels_)


@holds_for(cases(max_n=12), cost=10)
def saved_labelers(case: Case) -> None:
    """A labeler that was saved and loaded gives the same labels."""
    signals = case.task.signals()
    labeler = fit(case.labeler, signals)
    handle, path = tempfile.mkstemp(suffix=".corral")
    os.close(handle)
    with must_work():
        try:
            labeler.save(path)
            again = Labeler.load(path)
        finally:
            os.unlink(path)
        np.testing.assert_array_equal(
            again.predict_proba(signals), labeler.predict_proba(signals)
        )
        np.testing.assert_array_equal(again.predict(signals), labeler.predict(signals))
        np.testing.assert_array_equal(again.classes_, labeler.classes_)


@holds_for(
    st.builds(
        Case,
        st.sampled_from(INCREMENTAL),
        tasks(kinds=("votes",)),
        st.integers(0, 2**32 - 1),
    ),
    cost=10,  # 13, counted as less so that it has 15,000 cases of a million
)
def chunks_equal_one_pass(case: Case) -> None:
    """Chunks, in any order, equal one pass."""
    task, rng = case.task, case.rng
    signals = task.signals()
    edges = np.sort(rng.integers(0, task.n + 1, rng.integers(0, 3)))
    parts = parts_that_vote(task, rng.permutation(task.n), edges)
    whole = fit(case.labeler, signals)
    with must_work():
        chunks = [task.take(rows=rows).signals() for rows in parts]
        labeler = LABELERS[case.labeler]()
        for chunk in chunks:
            labeler.partial_fit(chunk)
        assert_same_fit(whole, labeler, whole.labels_, labeler.predict_proba(signals))
        counts = sum(map(PatternCounts, chunks[1:]), PatternCounts(chunks[0]))
        again = fit(case.labeler, counts)
        assert_same_fit(whole, again, whole.labels_, again.predict_proba(signals))


def parts_that_vote(task: Task, order: Any, edges: Any) -> list[NDArray[np.intp]]:
    """Rows of each chunk.

    Votes that are all abstains are rightly refused when they are read, so a part without
    any vote is given together with the part before it, or else the part after it.
    """
    found: list[NDArray[np.intp]] = [np.empty(0, np.intp)]
    for rows in np.split(order, edges):
        if task.spoken[found[-1]].any() and task.spoken[rows].any():
            found.append(rows)
        else:
            found[-1] = np.concatenate([found[-1], rows])
    return found
