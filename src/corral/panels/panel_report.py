"""`study_panel`: from votes and labelled rows to a `PanelReport`, which prints it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.checks import check_positive, check_share, make_generator
from corral.decisions import winner_shares
from corral.panels import inputs, judges
from corral.panels.agreement import Judge, find_agreement
from corral.panels.alt_test import EPSILON, Replacement, run_alt_test
from corral.panels.automation import Automation, find_automation
from corral.panels.difference_estimator import (
    Estimate,
    PanelEstimator,
    Slice,
    find_slices,
)
from corral.panels.drift import Drift, Snapshot, find_drift
from corral.panels.gate import Gate, check_requirements, list_measures
from corral.panels.judges import Dependence, Gain, JudgeAblation
from corral.panels.systems import SystemDifferences, compare_systems
from corral.results import Part, Result, Section, Table, dots, join_names, matrix
from corral.results.text import MAX_LINES
from corral.votes import WeakSignals

REPEAT_CORRELATION = 0.5
"""Correlation of errors from which on two judges are said to repeat each other."""


@dataclass(frozen=True, eq=False, repr=False)
class PanelReport(Result):
    """What `corral.panel` found; print it."""

    names: tuple[str, ...]  # the judges
    classes: NDArray[Any]
    n_rows: int
    n_labelled: int
    level: float  # probability of all intervals
    shares: Estimate  # (k,) each: of every class among all rows
    labels_alone: Estimate  # the same by the labelled rows alone
    vote: FloatArray  # (k,) of the majority vote as they are
    slices: tuple[Slice, ...]
    judges: tuple[Judge, ...]
    answers: tuple[Judge, Judge]  # the majority vote, and the labels of the panel
    grade: Estimate | None  # mean of the classes, if they are numbers with an order
    dependence: Dependence
    over_best: Gain  # how much more often the panel is right than its best judge
    over_vote: Gain  # and than the vote
    absences: tuple[JudgeAblation, ...]  # without each judge; up to 50 judges
    more_labels: int  # how many more would halve the intervals of the shares
    worth_labels: float  # how many labels alone would tell the shares as well
    labels_from: str  # "panel"; "vote" or a judge if labelled rows say it is better
    labels_: FloatArray = field(repr=False)  # (n, k) a label for every row
    estimator: PanelEstimator = field(repr=False)
    pattern_labels: FloatArray = field(repr=False)  # (u, k) of the estimator's patterns
    chances: FloatArray = field(repr=False)  # (n,) of having been labelled
    places: dict[str, tuple[IntArray, NDArray[Any]]] = field(repr=False)
    """By column of slices: (n,) the slice of every row, and the names of slices."""
    replacements: tuple[Replacement, ...] = ()  # if several people answered
    systems: SystemDifferences | None = None
    gate: Gate | None = None
    drift: Drift | None = None
    automation: Automation | None = None

    def predict(self) -> NDArray[Any]:
        """(n,) the likeliest class of every row."""
        return self.classes[self.labels_.argmax(axis=1)]

    def label_columns(self) -> dict[str, NDArray[Any]]:
        """What `corral.label` adds to a table, and what `automate` decided."""
        names = self.classes.tolist()
        columns: dict[str, NDArray[Any]]
        columns = {f"p_{name}": self.labels_[:, c] for c, name in enumerate(names)}
        columns |= {"label": self.predict(), "confidence": self.labels_.max(axis=1)}
        if (done := self.automation) is not None:
            place = np.zeros(self.n_rows, int)
            place[done.queue_] = np.arange(len(done.queue_)) + 1
            columns |= {"decided": done.decided_, "read_next": place}
            columns["sampling"] = done.sampling_
        return columns

    def automate(
        self,
        *,
        error: float = 0.05,
        confidence: float = 0.9,
        n_next: int | None = None,
        random_state: Any = 0,
    ) -> Automation:
        """Which rows judges may decide, and which people read next.

        Parameters
        ----------
        error, confidence : float
            At most this share of the decided rows is wrong, with this probability.
        n_next : int, optional
            How many rows people will read next; default: all that are not decided. The
            fewer, the more doubtful they are.
        random_state : int, Generator or None
            For the order in which rows are read.
        """
        return find_automation(
            *(self.estimator, self.pattern_labels, self.chances),
            make_generator(random_state),
            error=error,
            confidence=confidence,
            n_next=n_next,
        )

    def check(self, require: str | Sequence[str]) -> Gate:
        """Whether requirements hold, such as ``"kappa(best) >= 0.6"``."""
        return check_requirements(self, require)

    def compare_systems(
        self, system: ArrayLike, items: Sequence[Any] | None = None
    ) -> SystemDifferences:
        """Compare the systems of the rows (n,) with the first of them.

        Rows with the same value in `items` (n,) are of one item; default: each is its own.
        """
        return compare_systems(self, system, items)

    def since(
        self, earlier: PanelReport | str | PathLike[str], look: int | None = None
    ) -> Drift:
        """What changed since an earlier panel, or one that was saved.

        `look` is how many panels have been compared with it, with this one; default: one
        more than the earlier panel was itself.
        """
        if isinstance(earlier, PanelReport):
            before = earlier._snapshot()
        else:
            before = Snapshot.load(earlier)
        if look is not None:
            check_positive("look", look)
        return find_drift(before, self._snapshot(), look or before.look + 1, self.level)

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the numbers that may change, for `since` of a later panel."""
        self._snapshot().save(path)

    def _snapshot(self) -> Snapshot:
        look = 0 if self.drift is None else self.drift.look
        return Snapshot.take(list_measures(self), self.level, look)

    title = "What the judges are worth"

    def parts(self) -> Iterator[Part]:
        m, (vote, labels) = len(self.names), self.answers
        right, low, high = labels.accuracy.three
        yield (
            f"Labels are right on about {right:.0%} of rows ({low:.0%} to {high:.0%}, from "
            f"{self.n_labelled:,} labelled rows); a majority vote on "
            f"{vote.accuracy.value:.0%}."
        )
        yield (
            f"{m} judge{'s' * (m > 1)} on {self.n_rows:,} rows; intervals of "
            f"{self.level:.0%}"
        )
        asked = (self.gate, self.systems, self.automation, self.drift)
        for found in asked:
            if found is not None:
                yield Section(found.title, tuple(found.parts()))
        if any(asked):
            yield Section("Judges and shares", tuple(self._usual_parts()))
        else:
            yield from self._usual_parts()

    def _usual_parts(self) -> Iterator[Part]:
        yield from self._agreement_parts()
        yield from self._share_parts()
        for column in dict.fromkeys(each.column for each in self.slices):
            yield self._slice_table(column)
        yield from self._judge_parts()
        yield from self._conclusions()

    def _agreement_parts(self) -> Iterator[Part]:
        found = [*sorted(self.judges, key=lambda judge: -judge.hits), *self.answers]
        classes = list(map(str, self.classes.tolist()))
        is_ordered = found[0].rank_correlation is not None

        def pick(measure: Callable[[Judge], Estimate | None]) -> list[Estimate | None]:
            # A rule that always says the same agrees with nobody beyond chance.
            return [measure(each) if each.says.sum() > 1 else None for each in found]

        shown: dict[str, list[Estimate | None]]
        shown = {"accuracy": [each.accuracy for each in found]}
        kappa = "weighted kappa" if is_ordered else "kappa"
        shown[kappa] = pick(lambda each: each.kappa)
        if is_ordered:
            shown["rank correlation"] = pick(lambda each: each.rank_correlation)
        elif len(classes) == 2:
            shown["TPR"] = pick(lambda each: each.recall.pick(1))
            shown["TNR"] = pick(lambda each: each.recall.pick(0))
        meanings = {
            "kappa": "Cohen's kappa: accuracy beyond chance.",
            "TPR": f"How often it says {classes[-1]} where people do.",
            "TNR": f"How often it says {classes[0]} where people do.",
        }
        names = {"agreement with people": [each.name for each in found]}
        yield _list_estimates(names, shown, meanings)
        lines = [(e, c) for e in found for c in np.flatnonzero(e.says).tolist()]
        by_class = {"precision": [each.precision.pick(c) for each, c in lines]}
        if len(classes) > 2 or is_ordered:
            by_class["recall"] = [each.recall.pick(c) for each, c in lines]
        names = {"agreement by class": [each.name for each, _ in lines]}
        names["class"] = [classes[c] for _, c in lines]
        yield _list_estimates(names, by_class, most=2 * len(classes))
        if self.grade is not None:
            mean, low, high = self.grade.three
            yield f"The mean grade is {mean:.2f} ({low:.2f} to {high:.2f})."
        if tests := self.replacements:
            yield Table(
                {
                    "judge": [each.name for each in tests],
                    "winning rate": [each.winning_rate for each in tests],
                    "advantage": [each.advantage for each in tests],
                    "may replace": [each.may_replace for each in tests],
                },
                "May a judge replace an annotator? (alt-test)",
                formats={"winning rate": ".2f", "advantage": ".2f"},
            )

    def _share_parts(self) -> Iterator[Part]:
        own, alone = self.shares, self.labels_alone
        ends = [np.column_stack([each.low, each.high]) for each in (own, alone)]
        names = list(map(str, self.classes.tolist()))
        columns: dict[str, Any] = {
            "class": names,
            "share": own.value,
            "interval": list(ends[0]),
            "labels alone": alone.value,
            "their interval": list(ends[1]),
            "vote": self.vote,
        }
        meanings = {
            "share": "Share of all rows, from the judges and the labels.",
            "labels alone": "Share of all rows, from the labels alone.",
            "vote": "Share of the answers of the majority vote.",
        }
        yield Table(columns, meanings=meanings)
        said = ", ".join(
            f"{name} {value:.1%}" for name, value in zip(names, own.value, strict=True)
        )
        yield dots(
            "The share of every class",
            f"Shares: {said}.",
            names,
            {name: columns[name] for name in meanings},
            intervals={"share": ends[0], "labels alone": ends[1]},
            label=f"share of the rows, with intervals of {self.level:.0%}",
            sort=False,
        )

    def _slice_table(self, column: str) -> Table:
        # Of two classes, the second says it all.
        shown = range(len(self.classes)) if len(self.classes) > 2 else (1,)
        lines = [(s, c) for s in self.slices if s.column == column for c in shown]
        return Table(
            {
                "slice": [each.name for each, _ in lines],
                "rows": [each.n_rows for each, _ in lines],
                "labelled": [each.n_labelled for each, _ in lines],
                "class": [str(self.classes[c]) for _, c in lines],
                "share": [each.share[c] for each, c in lines],
                "interval": [(each.low[c], each.high[c]) for each, c in lines],
                "vote": [each.vote[c] for each, c in lines],
            },
            f"Shares by {column}",
        )

    def _judge_parts(self) -> Iterator[Part]:
        if len(self.judges) == 1:
            return
        judges = sorted(self.judges, key=lambda judge: -judge.hits)
        names = [judge.name for judge in judges]
        losses = {each.name: each.loss for each in self.absences}
        correlation = self.dependence.correlation
        place = [self.names.index(name) for name in names]
        nearest = [self.dependence.find_nearest(i) for i in place]
        found = [
            (None, None) if j is None else (correlation[i, j], self.names[j])
            for i, j in zip(place, nearest, strict=True)
        ]
        columns = {
            "judge": names,
            "error correlation": [each for each, _ in found],
            "closest judge": [name for _, name in found],
            "log-loss if dropped": [losses.get(name) for name in names],
        }
        formats = {"error correlation": ".2f", "log-loss if dropped": "+.3f"}
        yield Table(columns, formats=formats)
        yield dots(
            "How often judges are right",
            f"{names[0]} is right most often, on {judges[0].accuracy.value:.1%}.",
            names,
            {"accuracy": [judge.accuracy.three[0] for judge in judges]},
            intervals={"accuracy": [judge.accuracy.three[1:] for judge in judges]},
            label="accuracy",
        )
        yield matrix(
            "How far judges err together",
            self.names,
            correlation,
            np.isfinite(correlation) * float(self.n_labelled),
            measure="correlation of errors",
            unit="labelled rows",
        )

    def _conclusions(self) -> Iterator[str]:
        low, high = self.dependence.effective_interval
        if len(self.names) == 1:
            yield _say_gain("the judge, corrected,", "as it is", self.over_best)
        else:
            yield (
                f"The {len(self.names)} judges are worth {self.dependence.effective:.1f} "
                f"independent ones ({low:.1f} to {high:.1f})."
            )
            chosen = "the judge that labels would choose"
            yield _say_gain("the panel", chosen, self.over_best)
            yield _say_gain("the panel", "the majority vote", self.over_vote)
        if self.labels_from != "panel":
            vote = self.labels_from == "vote"
            whose = "the majority vote" if vote else self.labels_from
            yield f"Uncertain rows therefore get the class of {whose}."
        drop = [each.name for each in self.absences if each.is_needless]
        if drop and len(drop) < len(self.names):
            yield f"Any one of these may be dropped: {join_names(drop, 65)}."
        correlation = self.dependence.correlation
        a, b = np.nonzero(np.triu(np.nan_to_num(correlation), 1) >= REPEAT_CORRELATION)
        order = np.argsort(-correlation[a, b], kind="stable")
        repeats = [f"{self.names[a[i]]} and {self.names[b[i]]}" for i in order]
        if repeats:
            yield f"These repeat each other: {join_names(repeats, 70)}."
        if np.isfinite(self.worth_labels):
            yield (
                f"{self.more_labels:,} more labels would halve the intervals; the panel "
                f"makes {self.n_labelled:,} labels worth {self.worth_labels:,.0f}."
            )
        else:
            yield "Shares have no intervals: every row has a human label."


def _list_estimates(
    names: dict[str, list[str]],
    found: Mapping[str, Sequence[Estimate | None]],
    meanings: dict[str, str] | None = None,
    most: int = MAX_LINES,
) -> Table:
    """A table of estimates with their intervals, beside what they are of."""
    columns: dict[str, Any] = dict(names)
    for name, estimates in found.items():
        three = [
            (None, None, None) if each is None else each.three for each in estimates
        ]
        columns[name] = [value for value, *_ in three]
        columns[f"{name} interval"] = [ends for _, *ends in three]
    formats = dict.fromkeys(columns, ".2f")
    return Table(columns, formats=formats, meanings=meanings or {}, most=most)


def _say_gain(one: str, other: str, gain: Gain) -> str:
    kind = "gain" if gain.value >= 0 else "loss"
    clear = "not significant" if gain.low <= 0 <= gain.high else "significant"
    return (
        f"On the labelled rows {one} is right on {gain.accuracy:.1%}, {other} on "
        f"{gain.other:.1%} (an abstention counts as a guess); the {kind} is {clear} "
        f"({100 * gain.low:+.1f} to {100 * gain.high:+.1f} points)."
    )


def study_panel(
    signals: WeakSignals,
    truth: IntArray,
    *,
    slices: Mapping[str, ArrayLike] | None,
    sampling: ArrayLike | None,
    level: float,
    random_state: Any,
    people: IntArray | None = None,
    ordered: bool = False,
    epsilon: float = EPSILON,
) -> PanelReport:
    """The work of `corral.panel` once votes are read.

    `truth` (n,) holds positions of classes, -1 where unknown, `people` (n, a) those that
    several people gave; `slices` (n,) values by name.
    """
    check_share("level", level, "between 0 and 1")
    check_share("epsilon", epsilon)
    rng = make_generator(random_state)
    names, n = signals.names, len(signals)
    coded = {
        name: inputs.code_slices(name, values, n)
        for name, values in (slices or {}).items()
    }
    panel = inputs.read_panel(signals)
    sample = inputs.take_sample(panel, truth, sampling)
    estimator = PanelEstimator.fit(panel, sample, level)

    shares, alone = estimator.shares(), estimator.labels_alone()
    own, plain = shares.variance.sum(), alone.variance.sum()
    # Of n rows alone, shares have the variance s (1/n - 1/N).
    s = plain / max(1 / len(sample) - 1 / n, 1e-12)
    worth = 1 / (own / s + 1 / n) if sampling is None and plain > 0 else np.inf
    hits = judges.find_hits(estimator, rng)
    labels, labels_from = judges.choose_labels(estimator, hits, names)
    grade = None
    if ordered and signals.classes.dtype.kind in "iuf":
        grade = estimator.find_mean(signals.classes.astype(float))
    votes = panel.votes[panel.inverse]
    agree = partial(find_agreement, estimator, ordered=ordered)
    return PanelReport(
        names=names,
        classes=signals.classes,
        n_rows=n,
        n_labelled=len(sample),
        level=level,
        shares=shares,
        labels_alone=alone,
        vote=estimator.vote_shares(),
        slices=tuple(
            each
            for name, (codes, values) in coded.items()
            for each in find_slices(estimator, name, codes, values)
        ),
        judges=tuple(
            agree(name, estimator.panel.hard[:, i]) for i, name in enumerate(names)
        ),
        answers=(
            agree("majority vote", winner_shares(estimator.panel.shares)),
            agree("labels", winner_shares(labels)),
        ),
        grade=grade,
        dependence=judges.find_dependence(estimator, rng),
        over_best=judges.find_gain(estimator, hits.panel, hits.best),
        over_vote=judges.find_gain(estimator, hits.panel, hits.vote),
        absences=judges.ablate_judges(estimator, signals),
        more_labels=judges.count_labels(len(sample), n, 0.5) - len(sample),
        worth_labels=worth,
        labels_from=labels_from,
        labels_=labels[panel.inverse],
        estimator=estimator,
        pattern_labels=labels,
        chances=np.full(n, len(sample) / n)
        if sampling is None
        else np.asarray(sampling, float),
        places=coded,
        replacements=()
        if people is None
        else tuple(
            run_alt_test(votes[:, i], people, name, epsilon=epsilon)
            for i, name in enumerate(names)
        ),
    )
