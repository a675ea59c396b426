"""What every labeler must do with every task: no order, copy or file changes labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.fuzz.properties import (
    LABELERS,
    MULTILABEL,
    SAME,
    Case,
    Task,
    assert_probabilities,
    assert_same,
    assert_shares,
    cases,
    fit,
    holds,
    must_work,
    seeds,
    tasks,
)

import corral
from corral import Adagrad, ConstrainedLabeler, Entropy, Projection, Status


@holds(cases())
def test_labels_are_probabilities_and_answers_are_classes(case: Case) -> None:
    task = case.task
    labeler = fit(case.labeler, task.signals(), uncovered="prior", ties="abstain")
    with must_work():
        assert_probabilities(labeler.labels_, task.n, task.k)
        assert_same(labeler.labels_, labeler.predict_proba(task.signals()))
        answers = labeler.predict(task.signals())
        assert set(answers.tolist()) <= set(range(-1, task.k)), answers
        at = int(case.rng.integers(task.n))
        told = labeler.explain(at, task.signals())
        assert np.isfinite(told.moves).all()
        assert str(told).startswith(f"example {at}:")


@holds(cases())
def test_permuting_rows_signals_and_classes_permutes_the_labels(case: Case) -> None:
    task, rng = case.task, case.rng
    rows, columns, classes = map(rng.permutation, (task.n, task.m, task.k))
    one = fit(case.labeler, task.signals())
    with must_work():
        moved = task.take(rows=rows, columns=columns).swap(classes)
        other = fit(case.labeler, moved.signals())
        assert_same(one.labels_[rows], other.labels_[:, classes])


@holds(cases(), share=2)
def test_counts_and_whole_weights_equal_so_many_rows(case: Case) -> None:
    task, rng = case.task, case.rng
    times = rng.integers(0, 3, task.n)
    times[rng.integers(task.n)] = 1
    rows, some = np.repeat(np.arange(task.n), times), times > 0
    weighed = LABELERS[case.labeler]().fit(task.signals(), sample_weight=times)
    with must_work():
        assert_probabilities(weighed.labels_, task.n, task.k)
        repeated = fit(case.labeler, task.take(rows=rows).signals())
        assert_same(weighed.labels_[rows], repeated.labels_)
        counted = fit(case.labeler, task.take(rows=some).signals(counts=times[some]))
        labels = np.repeat(counted.labels_, times[some], axis=0)
        assert_same(labels, repeated.labels_)


def with_slack(labeler: str, times: float) -> dict[str, Any]:
    """Options that multiply the slack of a solver, where it has one.

    Solvers with slack weigh a miss against the mean over all examples: more of them that
    say nothing are so much less slack, and nothing else.
    """
    if labeler == "projection":
        return {"solver": Projection(slack=Projection.slack * times)}
    if labeler in ("entropy", "default, entropy", "agreement"):
        return {"solver": Entropy(slack=Entropy.slack * times)}
    return {}


@holds(cases())
def test_silent_rows_change_no_other_label(case: Case) -> None:
    n, more = case.task.n, int(case.rng.integers(1, 4))
    options = with_slack(case.labeler, (n + more) / n)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        other = fit(case.labeler, case.task.silent(n=more).signals(), **options)
        assert_probabilities(other.labels_, n + more, case.task.k)
        if case.labeler != "MeTaL":  # it has a model of abstains, as published
            near = 1e-3 if options else SAME  # solvers stop at a gap, on two ways
            assert_same(one.labels_, other.labels_[:n], near)


@holds(cases())
def test_a_silent_signal_changes_no_label(case: Case) -> None:
    at = int(case.rng.integers(case.task.m + 1))
    order = np.insert(np.arange(case.task.m), at, case.task.m)
    one = fit(case.labeler, case.task.signals())
    with must_work():
        wider = case.task.silent(m=1).take(columns=order)
        other = fit(case.labeler, wider.signals())
        assert_same(one.labels_, other.labels_)


@holds(st.tuples(tasks(), seeds), share=0.3)
def test_grades_turn_with_their_scale(case: tuple[Task, int]) -> None:
    task, seed = case
    rows = np.random.default_rng(seed).permutation(task.n)
    labels = corral.OrdinalLabeler(uncovered="prior").fit(task.signals()).labels_
    with must_work():
        assert_probabilities(labels, task.n, task.k)
        other = corral.OrdinalLabeler().fit(task.take(rows=rows).signals())
        assert_same(other.labels_, labels[rows], 1e-4)
        back = np.arange(task.k)[::-1]
        turned = corral.OrdinalLabeler().fit(task.swap(back).signals())
        assert_same(turned.labels_[:, back], labels, 1e-4)


@holds(cases(st.sampled_from(MULTILABEL), kinds=("one-vs-rest",)), share=0.5)
def test_several_classes_at_once_in_any_order(case: Case) -> None:
    task, rng = case.task, case.rng
    rows, order = rng.permutation(task.n), rng.permutation(task.k)
    one = fit(case.labeler, task.signals(), multilabel=True)
    with must_work():
        assert one.labels_.shape == (task.n, task.k)
        assert np.isfinite(one.labels_).all()
        assert_shares(one.labels_)
        assert set(np.unique(one.predict(task.signals())).tolist()) <= {-1, 0, 1}
        moved = task.take(rows=rows).swap(order).signals()
        other = fit(case.labeler, moved, multilabel=True)
        assert_same(one.labels_[rows], other.labels_[:, order])


# -- rates and constraints ----------------------------------------------------------

shares = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0, 1e-12, 1e-300]),
)
weights = st.one_of(st.just(1.0), st.floats(-6, 6).map(lambda e: 10.0**e))
slacks = st.sampled_from([1e-6, 1e-4, 1e-2, 1.0])
solvers = st.one_of(
    st.builds(Entropy, slack=slacks),
    st.builds(Projection, slack=slacks),
    st.builds(Adagrad, iterations=st.just(60), scale_free=st.booleans()),
)


@st.composite
def constraints(draw: st.DrawFn, task: Task) -> Any:
    """Any constraint that a task can have."""
    signal, c = draw(st.integers(0, task.m - 1)), draw(st.integers(0, task.k - 1))
    other, kind = draw(st.integers(0, task.k - 1)), draw(st.integers(0, 7))
    asked: dict[str, Any] = {"weight": draw(weights)}
    form = draw(st.sampled_from(["equal", "at_most", "at_least", "both"]))
    low, high = sorted([draw(shares), draw(shares)])
    asked |= {"at_least": low, "at_most": high} if form == "both" else {form: low}
    groups = np.arange(task.n) % 2
    rows = np.array(draw(st.lists(st.integers(0, task.n - 1), unique=True)), int)[:3]
    made = (
        lambda: corral.ErrorRate(signal, **asked),
        lambda: corral.ErrorRate(**asked),
        lambda: corral.Precision(signal, c, **asked),
        lambda: corral.Confusion(signal, c, other, **asked),
        lambda: corral.Recall(signal, c, **asked),
        lambda: corral.ClassBalance(c, **asked),
        lambda: corral.GroupShare(groups, int(groups[-1]), c, **asked),
        lambda: corral.Known(rows, [c] * len(rows)),
    )
    return made[kind]()


@st.composite
def asked(draw: st.DrawFn) -> tuple[Task, Any, Any, list[Any]]:
    """A task, and what its labels should meet: rates, a solver, constraints."""
    task = draw(tasks(max_n=20, max_m=5, max_k=4))
    several = st.lists(shares, min_size=task.m, max_size=task.m)
    rates = draw(st.one_of(st.none(), shares, several, st.just("auto")))
    listed = draw(st.lists(constraints(task), max_size=3))
    return task, rates, draw(solvers), listed


@holds(asked(), share=2)
def test_verdicts_under_any_constraints_are_true(case: Any) -> None:
    task, rates, solver, listed = case
    labeler = ConstrainedLabeler(rates, solver, constraints=listed).fit(task.signals())
    with must_work():
        assert_probabilities(labeler.labels_, task.n, task.k)
        solution = labeler.solution_
        assert solution.gap >= 0
        assert np.isfinite(solution.residual).all()
        if solution.status is Status.FEASIBLE:
            assert np.abs(solution.residual).max(initial=0.0) <= 0.02
        if solution.status is Status.INFEASIBLE and len(solution.residual) <= 12:
            assert not corral.feasibility(labeler, task.signals()).feasible
        for constraint in listed:
            if isinstance(constraint, corral.Known) and len(listed) == 1:
                assert (labeler.labels_[constraint.rows].max(axis=1) == 1).all()
