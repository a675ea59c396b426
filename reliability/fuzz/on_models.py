"""Panels, comparisons, grades, several classes at once, weights and end models."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import corral
from reliability.fuzz.labelers import LABELERS, fit, names
from reliability.fuzz.on_labelers import (
    Case,
    assert_probabilities,
    assert_same,
    assert_same_fit,
)
from reliability.fuzz.on_results import assert_shares
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks
from reliability.fuzz.values import floats, mostly, odd, texts

seeds = st.integers(0, 2**32 - 1)


# -- panels -------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A task of judges, of which some rows have a human label."""

    task: Task
    gold: NDArray[np.int64]
    options: dict[str, Any]


@st.composite
def judged(draw: st.DrawFn) -> Judged:
    """Any judges and any human labels, mostly enough of them."""
    task = draw(tasks(kinds=("votes", "probabilities"), max_n=40, max_m=4, max_k=4))
    task = task.take(rows=np.tile(np.arange(task.n), 60 // task.n + 1))
    rng = np.random.default_rng(draw(seeds))
    said = task.said if task.kind == "votes" else np.nan_to_num(task.said).argmax(2)
    votes = said[np.arange(task.n), rng.integers(0, task.m, task.n)]
    right = rng.random(task.n) < draw(st.sampled_from([0.0, 0.7, 1.0]))
    gold = np.where(right, votes, rng.integers(0, task.k, task.n))
    gold[rng.random(task.n) < draw(st.sampled_from([0.0, 0.5, 0.8]))] = -1
    options: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "slices": st.sampled_from([[*range(task.n)], ["x", "y"] * task.n]).map(
                    lambda values: {"s": values[: task.n]}
                ),
                "level": mostly(st.sampled_from([0.5, 0.9, 0.999]), floats),
                "sampling": mostly(
                    st.just(rng.uniform(0.1, 1, task.n)), st.just([0.0] * task.n)
                ),
            },
        )
    )
    return Judged(task, gold, options)


@holds_for(judged(), cost=37)
def panels(case: Judged) -> None:
    """Shares of a panel are in their intervals, and its labels are probabilities."""
    found = corral.panel(case.task.signals(), gold=case.gold, **case.options)
    with must_work():
        assert_probabilities(found.labels_, case.task.n, case.task.k)
        for estimate in (found.shares, found.labels_alone):
            for part in (estimate.low, estimate.value, estimate.high):
                assert_shares(part)
            assert (estimate.low <= estimate.value + 1e-9).all()
            assert (estimate.value <= estimate.high + 1e-9).all()
        assert abs(found.shares.value.sum() - 1) < 1e-6
        assert str(found)
        json.dumps(found.to_dict(), allow_nan=False)


# -- comparisons --------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """Comparisons of items, by a table of columns and options."""

    table: dict[str, list[Any]]
    options: dict[str, Any]


@st.composite
def compared(draw: st.DrawFn) -> Compared:
    """Any comparisons, mostly of a few items, with verdicts of all kinds."""
    items = draw(st.lists(texts.filter(str.strip), min_size=2, max_size=5, unique=True))
    n, rng = draw(st.integers(1, 40)), np.random.default_rng(draw(seeds))
    pairs = np.array([rng.choice(len(items), 2, replace=False) for _ in range(n)])
    words = draw(
        mostly(
            st.sampled_from([["a", "b"], ["a", "b", "tie"], ["left", "right", None]]),
            st.lists(odd, min_size=1, max_size=3),
        )
    )
    table = {
        "a": [items[i] for i in pairs[:, 0]],
        "b": [items[i] for i in pairs[:, 1]],
        "winner": [words[i] for i in rng.integers(0, len(words), n)],
        "judge": [f"j{i}" for i in rng.integers(0, 3, n)],
        "topic": [f"t{i}" for i in rng.integers(0, 2, n)],
        "prompt": [f"p{i}" for i in rng.integers(0, 30, n)],
        "times": rng.integers(0, 4, n).tolist(),
    }
    options: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "judge": st.just("judge"),
                "first": st.sampled_from(["a", None]),
                "slices": st.just("topic"),
                "counts": st.just("times"),
                "task": st.sampled_from(["prompt", "topic"]),
                "prior": mostly(st.sampled_from([5.0, 0.1, float("inf")]), odd),
                "unconnected": st.just("separate"),
                "level": mostly(st.sampled_from([0.5, 0.9]), odd),
            },
        )
    )
    return Compared(table, options)


@holds_for(compared(), cost=10)
def comparisons(case: Compared) -> None:
    """Strengths are finite, preferences are shares in their intervals, or are refused."""
    found = corral.preferences(case.table, **case.options)
    with must_work():
        assert np.isfinite(found.strengths).all(), found.strengths
        assert (found.interval[:, 0] <= found.strengths + 1e-9).all()
        assert (found.strengths <= found.interval[:, 1] + 1e-9).all()
        first, *others = found.items
        for other in others:
            # Items that no chain of comparisons joins are rightly not compared.
            if found.group[0] == found.group[found.items.index(other)]:
                middle, low, high = found.preference(first, other)
                assert 0 <= low <= middle <= high <= 1, (low, middle, high)
        assert str(found)
        json.dumps(found.to_dict(), allow_nan=False)


# -- other kinds of classes ---------------------------------------------------------


@holds_for(st.tuples(tasks(), seeds), cost=30)
def grades(case: tuple[Task, int]) -> None:
    """Grades: permuting rows permutes the labels, turning the scale round turns them."""
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


MULTILABEL = ("default", "given rate", "entropy", "projection", "majority vote")


@holds_for(
    st.builds(Case, st.sampled_from(MULTILABEL), tasks(kinds=("one-vs-rest",)), seeds),
    cost=13,
)
def several_classes_at_once(case: Case) -> None:
    """Multi-label: every entry is a share; permuting rows and classes permutes them."""
    task, rng = case.task, case.rng
    rows, order = rng.permutation(task.n), rng.permutation(task.k)
    one = fit(case.labeler, task.signals(), multilabel=True)
    with must_work():
        assert one.labels_.shape == (task.n, task.k)
        assert np.isfinite(one.labels_).all()
        assert_shares(one.labels_)
        chosen = one.predict(task.signals())
        assert set(np.unique(chosen).tolist()) <= {-1, 0, 1}
        moved = task.take(rows=rows).swap(order).signals()
        other = fit(case.labeler, moved, multilabel=True)
        assert_same_fit(one, other, one.labels_[rows], other.labels_[:, order])


# -- weights ------------------------------------------------------------------------


@holds_for(st.builds(Case, names, tasks(), seeds), cost=9)
def weights_of_examples(case: Case) -> None:
    """Weights that are whole numbers equal so many rows; a weight of zero, none at all."""
    task, rng = case.task, case.rng
    times = rng.integers(0, 3, task.n)
    times[rng.integers(task.n)] = 1
    rows = np.repeat(np.arange(task.n), times)
    weighed = LABELERS[case.labeler]().fit(task.signals(), sample_weight=times)
    with must_work():
        assert_probabilities(weighed.labels_, task.n, task.k)
        repeated = fit(case.labeler, task.take(rows=rows).signals())
        assert_same_fit(weighed, repeated, weighed.labels_[rows], repeated.labels_)


BALANCED = [
    name for name in LABELERS if "class_balance" in LABELERS[name]().get_params()
]


@holds_for(
    st.tuples(
        tasks(max_n=15),
        st.sampled_from(BALANCED),
        seeds,
    ),
    cost=6,
)
def known_balance(case: tuple[Task, str, int]) -> None:
    """Labels with any shares of classes that are given are probabilities, or refused."""
    task, name, seed = case
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(task.k, rng.choice([0.01, 1, 100])))
    labeler = fit(name, task.signals(), class_balance=shares, uncovered="prior")
    with must_work():
        assert_probabilities(labeler.labels_, task.n, task.k)
        assert_same(labeler.predict_proba(task.signals()), labeler.labels_)
    silent = task.spoken.sum(axis=1) == 0
    if silent.any() and not name.startswith("minimax"):
        assert_same(labeler.labels_[silent], np.tile(shares, (silent.sum(), 1)), 1e-3)


# -- end models ---------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """Features, soft labels and options of an end model."""

    features: NDArray[np.float64]
    labels: Any
    options: dict[str, Any]
    fitting: dict[str, Any]


@st.composite
def trainings(draw: st.DrawFn) -> Training:
    """Any features and soft labels, whole, partial or missing."""
    n, d, k = draw(st.integers(1, 20)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(seeds))
    features = rng.normal(size=(n, d)) * 10 ** draw(st.sampled_from([-3, 0, 3]))
    soft = rng.dirichlet(np.ones(k), n)
    form = draw(st.sampled_from(["soft", "hard", "partial", "missing", "any", "codes"]))
    labels: Any = soft
    if form == "hard":
        labels = np.eye(k)[soft.argmax(axis=1)]
    elif form == "partial":
        labels = soft * rng.random((n, 1))
    elif form == "missing":
        labels = np.where(rng.random((n, 1)) < 0.4, np.nan, soft)
    elif form == "any":
        entry = st.one_of(st.floats(-0.1, 1.1), floats)
        row = st.lists(entry, min_size=k, max_size=k)
        labels = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    elif form == "codes":
        labels = soft.argmax(axis=1)
    options = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "prior": mostly(st.sampled_from(["labels", None, [1 / k] * k]), odd),
                "min_weight": mostly(st.sampled_from([1e-6, 0.3]), odd),
                "class_weight": mostly(st.sampled_from(["balanced", None]), odd),
                "uncovered_weight": mostly(st.floats(0, 1), odd),
            },
        )
    )
    fitting = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "sample_weight": st.just(rng.integers(0, 3, n)),
                "covered": st.just(rng.random(n) < 0.7),
            },
        )
    )
    return Training(features, labels, options, fitting)


@holds_for(trainings(), cost=6)
def end_models(case: Training) -> None:
    """A classifier on any soft labels predicts probabilities, or says what is wrong."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    # That is said by the classifier, which is the user's.
    warnings.simplefilter("ignore", ConvergenceWarning)
    model = corral.SoftLabelClassifier(
        LogisticRegression(solver="newton-cholesky", max_iter=500), **case.options
    )
    model.fit(case.features, case.labels, **case.fitting)
    with must_work():
        p = model.predict_proba(case.features)
        assert_probabilities(p, len(case.features), len(model.classes_))
        answers = model.predict(case.features).tolist()
        assert set(answers) <= set(model.classes_.tolist())
