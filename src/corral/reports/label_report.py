"""The report: a result made of results, computed once."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from corral import study
from corral._types import FloatArray
from corral.decisions import tie_share, winner_shares
from corral.errors import CorralError
from corral.io.reader import Votes
from corral.labelers.labelled import SCREEN_SIGNALS, LabelAccuracy, find_accuracy
from corral.reports import verdicts
from corral.reports.rows import (
    LabelledVotes,
    RowGroup,
    choose_groups,
    show_rows,
    table_of,
)
from corral.reports.verdicts import SAMPLE_SIZE, Advice, choose_advice
from corral.results import (
    Chart,
    Code,
    Facts,
    Part,
    Result,
    Section,
    Table,
    histogram,
)
from corral.results.text import say_count, say_share
from corral.study.comparison import MIN_GOLD, paired_gain
from corral.training.calibration import Reliability, reliability

MAX_COMPARED_SIGNALS = 200
"""Signals up to which agreement is measured, which takes a matrix of them."""
FIRST_SCREEN = ("advice", "signals")
"""Sections that a terminal shows."""
HIGH_CONFIDENCE = 0.9
N_BINS = 20
"""Of the histogram of confidence."""
N_RESAMPLES = 200
"""For the intervals of agreement."""


@dataclass(frozen=True, repr=False)
class Summary(Result):
    """How good the labels are, beside a majority vote, and what to do next.

    Shares are of the covered examples: those that any signal votes on.
    """

    verdict: str
    n_examples: float
    n_covered: float
    n_signals: int
    counted_signals: float  # those that repeat others count in part
    classes: tuple[str, ...]
    accuracy: LabelAccuracy  # by true labels, or a range that the votes allow
    changed: float  # share that a majority vote labels otherwise or leaves tied
    tied_votes: float  # share that it leaves tied
    warnings: tuple[str, ...]  # of the fit
    next_step: str = ""  # what to do first
    next_command: str = "corral.label(votes, gold=labels)"  # and what to run then

    title = "Summary"

    @property
    def is_measured(self) -> bool:
        """Whether there are true labels enough to judge the labels by."""
        return self.accuracy.n_gold >= MIN_GOLD

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        yield self.next_step
        if self.next_command:  # none of a copy of standard input
            yield Code(self.next_command)
        found, value = self.accuracy, "unknown"
        note = "votes alone cannot say more; true labels can"
        if found.labels is not None:
            value = say_share(found.labels.value)
            ends = f"{found.labels.low:.0%} to {found.labels.high:.0%}"
            note = f"90% interval {ends}, on {found.n_gold:,.0f} examples"
        elif found.low is not None:
            value = f"{say_share(found.low)} to {say_share(found.high or 1)}"
        covered = say_share(self.n_covered / self.n_examples)
        tied = f"of the labels; the vote is tied on {say_share(self.tied_votes)}"
        count = f"worth {self.counted_signals:,.1f} independent signals; "
        count += f"{len(self.classes)} classes"
        yield Facts(
            (
                ("Accuracy", value, note),
                ("Covered", covered, f"of {self.n_examples:,.0f} examples have a vote"),
                ("Differs from majority vote", say_share(self.changed), tied),
                ("Signals", f"{self.n_signals:,}", count),
            )
        )
        for warning in self.warnings:
            yield f"Warning: {warning}"


def _summarise(
    votes: LabelledVotes,
    accuracy: LabelAccuracy,
    counted_signals: float,
    advice: tuple[Advice, ...],
) -> Summary:
    gain = None
    learned = getattr(getattr(votes.labeler, "rates_", None), "accuracy", None)
    if votes.n_gold and learned is None:  # labels that saw the truth are no fair match
        right, by_vote = votes.score(votes.labels), votes.score(votes.vote_labels)
        gain = paired_gain(right, by_vote, votes.known_counts)
    found = Summary(
        verdict="",
        n_examples=votes.n_examples,
        n_covered=votes.n_covered,
        n_signals=votes.signals.n_signals,
        counted_signals=counted_signals,
        classes=votes.class_names,
        accuracy=accuracy,
        changed=votes.changed(votes.vote_labels),
        tied_votes=tie_share(votes.vote_labels, votes.covered_counts),
        warnings=votes.warnings,
    )
    said = verdicts.judge_labels(found, gain)
    return replace(found, verdict=said, next_step=_choose_step(found, advice))


def _choose_step(found: Summary, advice: tuple[Advice, ...]) -> str:
    """Measure the labels, then mend the signals, then let labels learn from true ones."""
    if not found.is_measured:
        sample = say_count(min(found.n_covered, SAMPLE_SIZE), "random row")
        return f"Next: label {sample} by hand. That measures and improves all labels:"
    if not advice:
        return "Next: let the labels learn from the true ones:"
    short = advice[0].short
    with_rows = " with the rows below" if advice[0].rows else ""
    return (
        f"Next: {short[0].lower()}{short[1:]}{with_rows}, then let the labels learn from "
        "the true ones:"
    )


@dataclass(frozen=True, eq=False, repr=False)
class LabelShares(Result):
    """Class shares and confidence of covered examples.

    `shares` of classes are mean probabilities ("labels"), how often one is the likeliest
    class ("answers"), the same for a majority vote and, if known, true shares ("true").
    """

    classes: tuple[str, ...]
    shares: dict[str, FloatArray]  # (k,) each
    edges: FloatArray  # (b + 1,) of bins of confidence, the highest probability
    counts: FloatArray  # (b,) examples in them
    sure: float  # share of the examples with a confidence of at least 0.9

    title = "Labels"

    def parts(self) -> Iterator[Part]:
        yield histogram(
            "Confidence of the labels",
            f"{self.sure:.1%} of {sum(self.counts):,.0f} labels are at least 90% sure.",
            self.edges,
            self.counts,
            label="probability of the likeliest class",
        )
        yield Table(
            {"class": self.classes, **self.shares},
            "Class shares among covered examples",
            dict.fromkeys(self.shares, ".1%"),
            {
                "labels": "Mean probability.",
                "answers": "Share of the examples of which it is the likeliest class.",
                "majority vote": "The same for a majority vote.",
            },
        )


def _share_labels(votes: LabelledVotes) -> tuple[LabelShares, Reliability | None]:
    k, covered = votes.signals.n_classes, votes.covered_counts / votes.n_covered
    shares = {
        "labels": covered @ votes.labels,
        "answers": covered @ winner_shares(votes.labels),
        "majority vote": covered @ winner_shares(votes.vote_labels),
    }
    measured = None
    if votes.n_gold:
        at = np.flatnonzero(votes.known_counts)
        truth, weights = votes.truth[at], votes.known_counts[at]
        measured = reliability(votes.labels[at], truth, sample_weight=weights)
        shares["true"] = np.bincount(truth, weights, k) / votes.n_gold
    edges = np.linspace(1 / k, 1, N_BINS + 1)
    # Rounding may put a confidence a little outside of what is possible.
    bins = np.searchsorted(edges, votes.confidence, side="right") - 1
    counts: Any = np.bincount(bins.clip(0, N_BINS - 1), votes.covered_counts, N_BINS)
    sure = float(covered @ (votes.confidence >= HIGH_CONFIDENCE))
    return LabelShares(votes.class_names, shares, edges, counts, sure), measured


@dataclass(frozen=True, eq=False, repr=False)
class LabelReport(Result):
    """What `corral.report` found: print it, show it in a notebook, or `write` a page.

    It is made of what other functions give; None where there is nothing to say.
    """

    name: str  # what the labels are of; the title of the page
    summary: Summary  # how good the labels are, and what to do next
    advice: tuple[Advice, ...]  # what to do, the most useful first, with rows
    rows: tuple[RowGroup, ...]  # worth reading
    signals: study.Analysis  # of `corral.analyse`
    values: study.SignalValues | None  # of `corral.value_of_signal`
    agreement: study.RaterAgreement | None  # of `corral.agreement`
    labels: LabelShares
    reliability: Reliability | None  # of `corral.reliability`, with true labels
    provenance: dict[str, str]  # of what, by what and when it was made
    verdicts: dict[str, str]  # the sentence that opens a section
    skipped: dict[str, str]  # what was not computed, and why, by section

    @property
    def title(self) -> str:
        return self.name

    def parts(self) -> Iterator[Part]:
        yield from self.summary.parts()
        labels = () if self.reliability is None else self.reliability.parts()
        agreement = () if self.agreement is None else self.agreement.parts()
        facts = {"fact": list(self.provenance), "value": [*self.provenance.values()]}
        for key, title, parts in (
            ("advice", "What to do next", self._advice_parts()),
            ("rows", "Rows worth reading", self._row_parts()),
            ("signals", "Signals", self._signal_parts()),
            ("agreement", "Agreement and conflict", agreement),
            ("labels", "Labels", (*self.labels.parts(), *labels)),
            ("provenance", "Provenance", (Table(facts),)),
        ):
            said = (each[key] for each in (self.verdicts, self.skipped) if key in each)
            if shown := (*said, *parts):
                yield Section(title, shown, brief=key not in FIRST_SCREEN)

    def _advice_parts(self) -> Iterator[Part]:
        for at, item in enumerate(self.advice, 1):
            yield f"{at}. {item.sentence}"
            if item.rows:
                yield Section(f"Rows for {at}.", (table_of(item.rows),), brief=True)

    def _row_parts(self) -> Iterator[Part]:
        for group in self.rows:
            shown = f"{len(group.rows)} of {group.n_examples:,.0f} examples"
            parts = (group.why, table_of(group.rows, shown))
            yield Section(group.kind.capitalize(), parts)

    def _signal_parts(self) -> Iterator[Part]:
        yield self.signals.worst_first(most=SCREEN_SIGNALS)
        values = () if self.values is None else self.values.parts()
        yield from (p for p in (*self.signals.parts(), *values) if isinstance(p, Chart))
        if more := self.signals.tables[1:]:
            yield Section("What signals get wrong", tuple(more), brief=True)


def compute_report(
    votes: LabelledVotes,
    found: Votes,
    *,
    title: str,
    data: str,
    seed: int,
) -> LabelReport:
    """Compute every section; what two of them need is computed once."""
    labeler, signals = votes.labeler, votes.signals
    u, m, k = signals.n_rows, signals.n_signals, signals.n_classes
    slow = f"{u:,} distinct rows of {m:,} signals and {k:,} classes take minutes."
    # -1, an unknown class, is the last of these.
    y = np.array([*signals.classes.tolist(), None], object)[votes.truth]
    known = y if votes.n_gold else None
    accuracy = find_accuracy(labeler, signals, known)
    analysis = study.analyse(signals, labeler, known)
    values, skipped = None, {}
    try:
        values = study.value_of_signal(labeler, signals)
    except CorralError as error:
        skipped["advice"] = f"No signal was left out in turn: {error}"
    advice, groups = choose_advice(votes, analysis, values), choose_groups(votes)
    # All rows are fetched by one question to whoever has them.
    shown = iter(show_rows(votes, found, [rows for _, rows in (*advice, *groups)]))
    items = tuple(replace(item, rows=next(shown)) for item, _ in advice)
    filled = tuple(replace(group, rows=next(shown)) for group, _ in groups)

    measured = None
    if m > MAX_COMPARED_SIGNALS:
        skipped["agreement"] = f"Pairs of signals were not compared: {slow}"
    elif not analysis.overlaps.any():
        skipped["agreement"] = "No two signals vote on the same example."
    elif signals.schema.names_classes:
        measured = study.agreement(signals, resamples=N_RESAMPLES, random_state=seed)
    labels, calibration = _share_labels(votes)
    own_seed = "not set" if labeler.random_state is None else labeler.random_state
    return LabelReport(
        name=title,
        summary=_summarise(votes, accuracy, float(analysis.share.sum()), items),
        advice=items,
        rows=filled,
        signals=analysis,
        values=values,
        agreement=measured,
        labels=labels,
        reliability=calibration,
        provenance={
            "data": data,
            "reading": signals.reading,
            "labeler": " ".join(repr(labeler).split()),
            "command": "corral.report(votes)",
            "seed": f"{seed}; of the labeler: {own_seed}",
            "version": version("corral-labels"),
            "python": platform.python_version(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        verdicts={"labels": verdicts.judge_calibration(votes, calibration)},
        skipped=skipped,
    )
