"""What is said of labels: analyses, advice, reports, scores."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corral
from corral import WeakSignals
from corral.errors import ParameterError
from reliability.fuzz.labelers import LABELERS, fit
from reliability.fuzz.on_labelers import assert_probabilities
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks
from reliability.fuzz.values import texts

FAST = ("default", "majority vote", "averaging", "Dawid-Skene", "given rate", "entropy")


@dataclass(frozen=True)
class Labelled:
    """A task with true labels, as far as they are known (-1: not)."""

    task: Task
    truth: list[int]
    labeler: str


@st.composite
def labelled(draw: st.DrawFn) -> Labelled:
    """Any task with any true labels."""
    task = draw(tasks(max_n=25, max_m=5, max_k=4))
    truth = draw(
        st.lists(st.integers(-1, task.k - 1), min_size=task.n, max_size=task.n)
    )
    return Labelled(task, truth, draw(st.sampled_from(FAST)))


def assert_shares(values: Any) -> None:
    """Numbers are NaN (unknown) or between 0 and 1."""
    x = np.asarray(values, float)
    assert ((x >= -1e-12) & (x <= 1 + 1e-12) | np.isnan(x)).all(), x


@holds_for(labelled(), cost=11)
def analyses(case: Labelled) -> None:
    """Analyses give shares between 0 and 1, or say what is missing."""
    signals = case.task.signals()
    labeler = fit(case.labeler, signals)
    # Nothing may be left to analyse: all that is said may be equal probabilities.
    found = corral.analyse(signals, labeler, case.truth)
    with must_work():
        for name in ("coverage", "overlaps", "conflicts"):
            assert_shares(getattr(found, name))
        assert str(found)


@holds_for(labelled(), cost=4)
def agreement(case: Labelled) -> None:
    """Agreement is at most one, and its intervals are in order."""
    found = corral.agreement(case.task.signals(), resamples=5, level=0.8)
    with must_work():
        assert str(found)
        json.dumps(found.to_dict(), allow_nan=False)


@holds_for(labelled(), cost=18)
def scores(case: Labelled) -> None:
    """Scores and calibrated labels are shares."""
    signals = case.task.signals()
    labeler = fit(case.labeler, signals)
    # There may be no example that has a vote and whose class is known.
    assert_shares(labeler.score(signals, case.truth))
    with must_work():
        table = corral.reliability(labeler, case.truth, bins=4)
        assert str(table)
        calibrated = corral.calibrate(labeler, case.truth).apply(labeler.labels_)
        assert_probabilities(calibrated, case.task.n, case.task.k)
        compared = corral.compare(signals, case.truth, ["majority-vote", "constrained"])
        assert_shares(compared.accuracy)
        assert str(compared)


@holds_for(labelled(), cost=30)
def advice(case: Labelled) -> None:
    """Advice is given for every labeler, or refused with a reason."""
    signals = case.task.signals()
    labeler = fit(case.labeler, signals)
    # What no signal votes on is not suggested, and one half is no vote.
    votes = int(signals.harden().covered.sum())
    with must_work():
        if k := min(3, votes):
            rows = corral.suggest_labels(labeler, signals, k, random_state=0)
            assert len(set(rows.tolist())) == len(rows) == k
            assert str(corral.redundancy(signals))
        assert str(corral.value_of_signal(labeler, signals))
        if type(labeler).__name__ == "ConstrainedLabeler":
            assert str(corral.sensitivity(labeler, signals))
    try:
        corral.suggest_labels(labeler, signals, votes + 1)
    except ParameterError:
        return
    raise AssertionError("more rows are suggested than there are with votes")


class _Page(HTMLParser):
    """Tags and scripts of a page, and whether anything is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            loads = name in ("src", "href") and not (value or "").startswith(
                ("#", "data:")
            )
            if name.startswith("on") or loads:
                self.bad.append(f"{tag} {name}={value}")


ATTACKS = st.sampled_from(
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</style><svg onload=alert(1)>",
        "javascript:alert(1)",
        "{{7*7}}",
        "${7*7}",
        "]]><x>",
        "&lt;b&gt;",
        "\u202eevil",
        "\x1b]0;title\x07",
    ]
)


@dataclass(frozen=True)
class Named:
    """A task whose signals, classes and examples are called by hostile texts."""

    task: Task
    signals: list[str]
    classes: list[str]
    examples: list[str]


@st.composite
def hostile_names(draw: st.DrawFn) -> Named:
    """Any names, attacks among them."""
    task = draw(tasks(kinds=("votes",), max_n=8, max_m=3, max_k=3))
    word = st.one_of(ATTACKS, texts.filter(str.strip))

    def some(n: int) -> list[str]:
        return draw(st.lists(word, min_size=n, max_size=n, unique=True))

    examples = draw(st.lists(word, min_size=task.n, max_size=task.n))
    return Named(task, some(task.m), some(task.k), examples)


@holds_for(hostile_names(), cost=50)
def reports(case: Named) -> None:
    """A report runs, loads and breaks nothing, whatever names say."""
    words = np.array([*case.classes, None], object)
    signals = WeakSignals.from_votes(
        words[case.task.said], classes=case.classes, names=case.signals
    )
    report = corral.report(
        signals, text=case.examples, title=case.examples[0], random_state=0
    )
    with must_work():
        html, text, values = report.to_html(), str(report), report.to_dict()
    page = _Page()
    page.feed(html)
    assert not page.bad, page.bad
    assert page.tags["script"] == 1, "its own, which has a hash"
    assert not page.tags.keys() & {"img", "iframe", "object", "embed", "x"}, page.tags
    assert not any(ord(c) < 32 and c != "\n" for c in text), repr(text)
    json.dumps(values, allow_nan=False)


@holds_for(
    st.tuples(tasks(max_n=10, max_m=4), st.sampled_from(sorted(LABELERS))), cost=7
)
def printed(case: tuple[Task, str]) -> None:
    """A text never holds what a terminal would run."""
    task, name = case
    labeler = fit(name, task.signals())
    with must_work():
        for text in (str(labeler.explain(0)), labeler.note_, repr(labeler)):
            assert "\x1b" not in text
        tie = labeler.tie_share_
    assert 0 <= tie <= 1 or math.isnan(tie)
