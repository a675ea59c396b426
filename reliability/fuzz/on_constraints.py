"""Arbitrary rates, constraints and solvers: valid labels, true certificates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from corral import (
    Adagrad,
    ClassBalance,
    Confusion,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Projection,
    Recall,
    Status,
    feasibility,
)
from reliability.fuzz.on_labelers import assert_probabilities
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks
from reliability.fuzz.values import odd

OPTIONS = (
    *("error_rates", "solver", "constraints", "multilabel", "ties", "class_balance"),
    *("uncovered", "random_state", "max_patterns"),
)
shares = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.5, 1e-12, 1 - 1e-12, 1e-300, 0.3])
)
weights = st.one_of(st.just(1.0), st.floats(-6, 6).map(lambda e: 10.0**e))


@st.composite
def bounds(draw: st.DrawFn) -> dict[str, Any]:
    """What a share should be, and how much it counts."""
    kind = draw(st.sampled_from(["equal", "at_most", "at_least", "both"]))
    given: dict[str, Any] = {"weight": draw(weights)}
    if kind == "both":
        low, high = sorted([draw(shares), draw(shares)])
        return given | {"at_least": low, "at_most": high}
    return given | {kind: draw(shares)}


@st.composite
def constraints(draw: st.DrawFn, task: Task) -> Any:
    """Any constraint that a task can have."""
    signal, c = draw(st.integers(0, task.m - 1)), draw(st.integers(0, task.k - 1))
    other, asked = draw(st.integers(0, task.k - 1)), draw(bounds())
    groups = np.arange(task.n) % draw(st.integers(1, 3))
    rows = draw(st.lists(st.integers(0, task.n - 1), max_size=3, unique=True))
    kinds = {
        "error": lambda: ErrorRate(signal, **asked),
        "all errors": lambda: ErrorRate(**asked),
        "precision": lambda: Precision(signal, c, **asked),
        "confusion": lambda: Confusion(signal, c, other, **asked),
        "recall": lambda: Recall(f"s{signal}", c, **asked),
        "balance": lambda: ClassBalance(c, **asked),
        "group": lambda: GroupShare(groups, int(groups[-1]), c, **asked),
        "known": lambda: Known(np.array(rows, int), [c] * len(rows)),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]()


solvers = st.one_of(
    st.builds(Entropy, slack=st.sampled_from([1e-6, 1e-4, 1e-2, 1.0])),
    st.builds(
        Projection,
        st.sampled_from(["half", "uniform"]),
        slack=st.sampled_from([1e-6, 1e-4, 1e-2, 1.0]),
    ),
    st.builds(Adagrad, iterations=st.just(60), scale_free=st.booleans()),
)


@dataclass(frozen=True)
class Asked:
    """A task, and what its labels should meet."""

    task: Task
    rates: Any
    solver: Any
    constraints: tuple[Any, ...]
    balance: Any


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Any rates and constraints on any task."""
    task = draw(tasks(max_n=20, max_m=5, max_k=4))
    several = st.lists(shares, min_size=task.m, max_size=task.m)
    rates = draw(st.one_of(st.none(), shares, several, st.just("auto")))
    listed = draw(st.lists(constraints(task), max_size=3))
    balance = None
    if draw(st.integers(0, 4)) == 0:
        drawn = draw(st.lists(st.floats(0, 1), min_size=task.k, max_size=task.k))
        total = sum(drawn)
        balance = [x / total for x in drawn] if total > 0 else drawn
    return Asked(task, rates, draw(solvers), tuple(listed), balance)


@holds_for(asked(), cost=11)
def rates_and_constraints(case: Asked) -> None:
    """Labels under any rates and constraints are probabilities; verdicts are true."""
    task = case.task
    labeler = ConstrainedLabeler(
        case.rates,
        case.solver,
        constraints=list(case.constraints),
        class_balance=case.balance,
        allow_above_chance=True,
    ).fit(task.signals())
    with must_work():
        assert_true_verdict(case, labeler)


def assert_true_verdict(case: Asked, labeler: ConstrainedLabeler) -> None:
    """Labels are probabilities, and what the solver says of them is true."""
    task = case.task
    assert_probabilities(labeler.labels_, task.n, task.k)
    solution, space = labeler.solution_, labeler.space_
    assert solution.gap >= 0
    assert np.isfinite(solution.residual).all()
    off = np.abs(solution.residual).max(initial=0.0)
    if solution.status is Status.FEASIBLE:
        assert off <= 0.02, off
    for constraint in case.constraints:
        if isinstance(constraint, Known) and len(np.asarray(constraint.rows)):
            known = labeler.labels_[constraint.rows]
            assert (known.max(axis=1) == 1).all() or len(case.constraints) > 1
    if solution.status is Status.INFEASIBLE and len(space.rows) <= 12:
        assert not feasibility(labeler).feasible


@holds_for(
    st.tuples(
        tasks(kinds=("votes",), max_n=5, max_m=3, max_k=3),
        st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(OPTIONS, odd),
        ),
    ),
    cost=4,
)
def options_of_any_value(case: tuple[Task, dict[str, Any]]) -> None:
    """An option of any value is taken, or refused with a message of corral's own."""
    task, options = case
    labeler = ConstrainedLabeler(**options).fit(task.signals())
    with must_work():
        labeler.predict(task.signals())
        if not labeler.multilabel:
            assert_probabilities(labeler.labels_, task.n, task.k)
