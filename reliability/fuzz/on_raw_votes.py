"""What `corral.label` must do with whatever is given to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corral
from corral import WeakSignals
from reliability.fuzz.on_labelers import assert_probabilities, assert_same
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks
from reliability.fuzz.values import class_values, floats, integers, odd, texts

cells = st.one_of(
    st.just(st.integers(0, 2)),
    st.just(st.integers(-1, 3)),
    st.just(st.sampled_from(["a", "b", "", None])),
    st.just(st.sampled_from([0.0, 1.0, math.nan])),
    st.lists(texts, min_size=1, max_size=4).map(st.sampled_from),
    st.lists(integers, min_size=1, max_size=4).map(st.sampled_from),
    st.lists(floats, min_size=1, max_size=4).map(st.sampled_from),
    st.lists(odd, min_size=1, max_size=4).map(st.sampled_from),
    st.just(odd),
)


@st.composite
def nested(draw: st.DrawFn) -> Any:
    """Rows of cells; now and then ragged, empty, flat, or an array of some type."""
    cell, few = draw(cells), st.integers(0, 5)
    n, m = draw(few), draw(st.one_of(st.integers(1, 4), st.integers(0, 4)))
    ragged = draw(st.integers(0, 9)) == 0
    rows = [
        draw(st.lists(cell, min_size=0 if ragged else m, max_size=m)) for _ in range(n)
    ]
    forms = ["list", "list", "object", "object", "array", "flat", "cube", "tuple"]
    form = draw(st.sampled_from(forms))
    if form == "object" and not ragged:
        array = np.empty((n, m), object)
        for at in np.ndindex(n, m):
            array[at] = rows[at[0]][at[1]]
        return array
    if form == "array":
        try:
            return np.array(rows)
        except (ValueError, OverflowError):
            return rows
    if form == "flat":
        return rows[0] if rows else rows
    if form == "cube":
        return [rows, rows]
    return tuple(map(tuple, rows)) if form == "tuple" else rows


@st.composite
def label_options(draw: st.DrawFn) -> dict[str, Any]:
    """Options of `corral.label`, mostly of the right type."""
    choices = {
        "classes": st.one_of(class_values, odd, st.lists(odd, max_size=3)),
        "abstain": st.one_of(odd, st.lists(odd, max_size=2)),
        "normalise": st.one_of(st.booleans(), odd),
        "probabilities": st.one_of(st.booleans(), odd),
        "bins": st.one_of(st.integers(-1, 20), odd),
        "labeler": st.one_of(st.sampled_from(["constrained", "majority-vote"]), odd),
        "error_rates": st.one_of(floats, odd, st.lists(floats, max_size=4)),
        "prefix": odd,
    }
    most = draw(st.sampled_from([0, 0, 1, 3]))
    chosen = draw(
        st.lists(st.sampled_from(sorted(choices)), max_size=most, unique=True)
    )
    return {name: draw(choices[name]) for name in chosen}


@holds_for(st.tuples(nested(), label_options()), cost=3)
def anything_is_labelled_or_refused(case: tuple[Any, dict[str, Any]]) -> None:
    """Whatever is given is labelled, or refused with a message of corral's own."""
    votes, options = case
    if options.get("labeler") != "constrained" and "labeler" in options:
        options = {k: v for k, v in options.items() if k != "error_rates"}
    labels = corral.label(votes, **options)
    with must_work():
        assert labels.ndim == 2
        assert_probabilities(labels, len(votes), labels.shape[1])


@dataclass(frozen=True)
class NamedTask:
    """Votes with the classes called by values of a user's."""

    task: Task
    values: list[Any]
    abstain: Any


@st.composite
def named_tasks(draw: st.DrawFn) -> NamedTask:
    """Votes for classes of any name, and a value for no vote that is none of them."""
    values = draw(class_values)
    task = draw(tasks(kinds=("votes",), max_n=12, max_m=4, max_k=len(values)))
    kind = type(values[0])
    other = {str: texts, int: st.integers(-5, 99), float: st.just(-7.0)}.get(kind)
    silent = st.none() if other is None else st.one_of(st.none(), other)
    abstain = draw(silent.filter(lambda v: v not in values))
    return NamedTask(task, values, abstain)


@holds_for(named_tasks(), cost=8)
def names_of_classes(case: NamedTask) -> None:
    """Labels do not depend on what classes are called."""
    task, k = case.task, case.task.k
    votes = np.empty(task.said.shape, object)
    for at in np.ndindex(*votes.shape):
        code = task.said[at]
        votes[at] = case.abstain if code < 0 else case.values[code]
    read = WeakSignals.from_votes(
        votes.tolist(), classes=case.values[:k], abstain=case.abstain
    )
    with must_work():
        assert read.classes.tolist() == case.values[:k]
        plain = np.asarray(read.votes)
        np.testing.assert_array_equal(plain, task.said)
        solver = corral.Adagrad(iterations=20)
        named = corral.ConstrainedLabeler(0.2, solver).fit(read)
        coded = corral.ConstrainedLabeler(0.2, solver).fit(task.signals())
        np.testing.assert_array_equal(named.labels_, coded.labels_)
        answers, codes = named.predict(read), coded.predict(task.signals())
    for answer, code in zip(answers.tolist(), codes.tolist(), strict=True):
        assert code < 0 or answer == case.values[code], (answer, code)


@holds_for(tasks(kinds=("votes",), max_m=5), cost=13)
def forms_of_votes(task: Task) -> None:
    """Sparse and long forms equal the array."""
    from scipy.sparse import csr_array

    rows, columns = np.nonzero(task.said >= 0)
    cast = task.said[rows, columns]
    options: dict[str, Any] = {"classes": list(range(task.k))}
    sparse = csr_array((cast, (rows, columns)), shape=task.said.shape)
    p = corral.ConstrainedLabeler().fit(task.signals()).labels_
    with must_work():
        read = WeakSignals.from_votes(sparse, **options)
        assert_same(corral.ConstrainedLabeler().fit(read).labels_, p)
        long = {"task": rows, "worker": columns, "label": cast}
        crowd = WeakSignals.from_long(long, **options)
        q = corral.ConstrainedLabeler().fit(crowd).labels_
        assert_same(q, p[np.asarray(crowd.index)])
