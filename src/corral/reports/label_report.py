"""The report: a result made of results, computed once."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from corral.decisions import tie_share
from corral.reports.advice import (
    AdviceSection,
    choose_advice,
    describe_advice,
    find_values,
)
from corral.reports.labelled_votes import (
    LEVEL,
    MIN_GOLD,
    Interval,
    LabelledVotes,
    PairedGain,
)
from corral.reports.labels import (
    EQUAL,
    ConstraintsSection,
    LabelsSection,
    MethodsSection,
    check_constraints,
    compare_methods,
    describe_labels,
)
from corral.reports.phrases import (
    SAMPLE_SIZE,
    say_count,
    say_points,
    say_sample,
    say_share,
    say_the,
    say_verb,
)
from corral.reports.rows import RowsSection, choose_groups, describe_rows, show_rows
from corral.reports.signals import (
    AgreementSection,
    SignalsSection,
    compare_signals,
    describe_signals,
)
from corral.results import Code, Facts, Part, Result, Section, Table
from corral.study import analyse
from corral.training.calibration import wilson_intervals


@dataclass(frozen=True, repr=False)
class Summary(Result):
    """The labels beside a majority vote.

    Shares are of the covered examples: those that any signal votes on. Intervals have
    probability 0.9; that of the accuracy is Wilson's, that of the gain is of a sign test.
    """

    verdict: str
    method: str
    note: str  # how the method found the labels
    n_examples: float
    n_covered: float
    n_signals: int
    counted_signals: float  # those that repeat others count in part
    classes: tuple[str, ...]
    expected_accuracy: float | None  # if probabilities are calibrated; None: of a vote
    changed: float  # share that a majority vote labels otherwise or leaves tied
    tied_votes: float  # share that it leaves tied
    n_gold: float  # covered examples with a true label
    accuracy: float | None  # by true labels; ties count in parts
    vote_accuracy: float | None
    accuracy_interval: Interval | None
    gain_interval: Interval | None  # of the difference of the two
    warnings: tuple[str, ...]  # of the fit
    next_step: str = ""  # what to do first
    next_command: str = ""  # and what to run then

    title = "Summary"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        accuracy = "Accuracy", "unknown", "a majority vote does not say how sure it is"
        if self.accuracy_interval is not None:
            low, high = map(say_share, self.accuracy_interval)
            beside = f"majority vote {say_share(self.vote_accuracy or 0)}"
            note = f"90% interval {low} to {high}, on {self.n_gold:,.0f} examples; {beside}"
            accuracy = "Accuracy", say_share(self.accuracy or 0), note
        elif self.expected_accuracy is not None:
            share = say_share(self.expected_accuracy)
            note = "if the probabilities are calibrated; true labels would measure it"
            accuracy = "Expected accuracy", share, note
        covered = say_share(self.n_covered / self.n_examples)
        tied = f"of the labels; the vote is tied on {say_share(self.tied_votes)}"
        count = f"worth {self.counted_signals:,.1f} independent signals; "
        count += f"{len(self.classes)} classes"
        yield Facts(
            (
                accuracy,
                ("Covered", covered, f"of {self.n_examples:,.0f} examples have a vote"),
                ("Differs from majority vote", say_share(self.changed), tied),
                ("Signals", f"{self.n_signals:,}", count),
            )
        )
        yield self.next_step
        yield Code(self.next_command)
        for warning in self.warnings:
            yield f"Warning: {warning}"


def _summarise(
    votes: LabelledVotes, counted_signals: float, advice: AdviceSection, command: str
) -> Summary:
    own = vote = expected = interval = None
    gain = votes.gain(votes.labels, votes.vote_labels)
    if gain is not None:
        own, vote = (
            float(votes.known_counts @ votes.score(labels) / votes.n_gold)
            for labels in (votes.labels, votes.vote_labels)
        )
        interval = _interval(own, votes.n_gold)
    if votes.has_probabilities:
        expected = float(votes.covered_counts @ votes.confidence / votes.n_covered)
    found = Summary(
        verdict="",
        method=type(votes.labeler).__name__,
        note=votes.labeler.note_,
        n_examples=votes.n_examples,
        n_covered=votes.n_covered,
        n_signals=votes.signals.n_signals,
        counted_signals=counted_signals,
        classes=votes.class_names,
        expected_accuracy=expected,
        changed=votes.changed(votes.vote_labels),
        tied_votes=tie_share(
            votes.vote_labels[votes.covered], votes.counts[votes.covered]
        ),
        n_gold=votes.n_gold,
        accuracy=own,
        vote_accuracy=vote,
        accuracy_interval=interval,
        gain_interval=None if gain is None else gain.interval,
        warnings=votes.warnings,
    )
    said = _judge_blind(found) if gain is None else _judge_with_gold(found, gain)
    step, command = _choose_step(found, advice, command)
    return replace(found, verdict=said, next_step=step, next_command=command)


def _interval(share: float, n: float) -> Interval:
    low, high = wilson_intervals(np.array([share]), np.array([n]), LEVEL)[0]
    return float(low), float(high)


def _choose_step(
    found: Summary, advice: AdviceSection, command: str
) -> tuple[str, str]:
    """Measure the labels, then mend the signals, then use the labels."""
    if "gold" not in command:
        is_call = command.endswith(")")
        command = (
            f"{command[:-1]}, gold=labels)" if is_call else f"{command} --gold NAME"
        )
    if found.n_gold < MIN_GOLD:
        share, within = found.expected_accuracy, ""
        if share is not None and found.n_covered > SAMPLE_SIZE:
            low, high = _interval(share, SAMPLE_SIZE)
            within = f" within about {say_points((high - low) / 2)}"
        return (
            f"Next: label {say_sample(found.n_covered)} by hand, which measures the "
            f"accuracy{within}, and report again with these true labels:",
            command,
        )
    if not advice.items:
        return "Next: use the labels. If signals change, report again:", command
    short = advice.items[0].short
    return f"Next: {short[0].lower()}{short[1:]}, then report again:", command


def _judge_with_gold(found: Summary, gain: PairedGain) -> str:
    said = (
        f"The labels are right on {say_share(found.accuracy or 0)} of "
        f"{say_the(found.n_gold, 'example')} with a true label and a vote"
    )
    if found.changed == 0:
        return f"{said}; a majority vote gives the same labels."
    beside = f"a majority vote ({say_share(found.vote_accuracy or 0)})"
    is_equal = abs(gain.mean) < EQUAL
    if is_equal:
        said += f", as often as {beside}"
    else:
        more = "more" if gain.mean > 0 else "less"
        said += f", {say_points(gain.mean)} {more} than {beside}"
    if gain.n < MIN_GOLD:
        verb = say_verb(gain.n, "is", "are")
        return (
            f"{said}. {say_count(gain.n, 'true label')} {verb} too few to tell which is "
            "better: add more, of random examples."
        )
    if not gain.is_enough:
        tell = say_count(gain.n_differing, "of these tells", "of these tell")
        return f"{said}. Only {tell} the two apart, too few to tell which is better."
    if not gain.is_shown:
        chance = ":" if is_equal else ". Chance may explain that:"
        return f"{said}{chance} neither is shown to be better."
    if gain.mean > 0:
        return f"{said}: use them."
    return f"{said}: prefer the vote, or see below which signals mislead the labels."


def _judge_blind(found: Summary) -> str:
    """The verdict without true labels."""
    said = (
        f"{say_count(found.n_covered, 'example')} of {found.n_examples:,.0f} "
        f"({say_share(found.n_covered / found.n_examples)}) "
        f"{say_verb(found.n_covered, 'gets', 'get')} a label"
    )
    sample = say_sample(found.n_covered)
    if found.expected_accuracy is None:
        ties = f" ({say_share(found.tied_votes)} of them are tied)"
        return (
            f"{said}, and a majority vote does not say how sure it is"
            f"{ties if found.tied_votes else ''}. Label {sample} by hand to see how far to "
            "trust it."
        )
    right = say_share(found.expected_accuracy)
    said += f" that is expected to be right {right} of the time"
    if found.changed == 0:
        return f"{said}; a majority vote gives the same labels."
    return (
        f"{said}; a majority vote would label {say_share(found.changed)} of them otherwise "
        f"or leave them tied. Label {sample} by hand to see how far to trust either."
    )


@dataclass(frozen=True, repr=False)
class Provenance(Result):
    """Where a report comes from; `data_hash` does not depend on the order of rows."""

    version: str
    python: str
    created: str
    command: str
    data: str
    reading: str
    data_hash: str
    labeler: str
    seed: str

    title = "Provenance"

    def parts(self) -> Iterator[Part]:
        yield (
            "The same command on the same data, with the same seed and version, gives this "
            "report again; the hash tells whether votes are the same."
        )
        facts = {
            "data": self.data,
            "read as": self.reading,
            "SHA-256 of the votes": self.data_hash,
            "labeler": self.labeler,
            "command": self.command,
            "seed": self.seed,
            "versions": f"corral {self.version}, Python {self.python}",
            "made": self.created,
        }
        yield Table({"fact": list(facts), "value": list(facts.values())})


@dataclass(frozen=True, eq=False, repr=False)
class LabelReport(Result):
    """What `corral.report` found: print it, show it in a notebook, or `write` a page.

    Attributes
    ----------
    name : str
        What the labels are of; the title of the page.
    summary : Summary
        The labels beside a majority vote.
    signals : SignalsSection
    agreement : AgreementSection
    labels : LabelsSection
    constraints : ConstraintsSection
    advice : AdviceSection
    rows : RowsSection
        Rows worth reading.
    methods : MethodsSection
    provenance : Provenance
    """

    name: str
    summary: Summary
    signals: SignalsSection
    agreement: AgreementSection
    labels: LabelsSection
    constraints: ConstraintsSection
    advice: AdviceSection
    rows: RowsSection
    methods: MethodsSection
    provenance: Provenance

    @property
    def verdicts(self) -> dict[str, str]:
        """The sentence of every section that has one, by section."""
        found = {f.name: getattr(self, f.name) for f in fields(self)[1:-1]}
        return {name: section.verdict for name, section in found.items()}

    @property
    def title(self) -> str:
        return self.name

    def parts(self) -> Iterator[Part]:
        yield from self.summary.parts()
        for f in fields(self)[2:]:
            section = getattr(self, f.name)
            yield Section(section.title, tuple(section.parts()))


def compute_report(
    votes: LabelledVotes,
    *,
    title: str,
    data: str,
    command: str,
    change: float,
    seed: int,
) -> LabelReport:
    """Compute every section; what two of them need is computed once.

    `data` and `command` say what the votes were read from and what asked for the report;
    error rates are moved by `change`.
    """
    y: Any = None
    if votes.truth is not None:
        # -1 is the last of these.
        y = np.array([*votes.signals.classes.tolist(), None], object)[votes.truth]
    analysis = analyse(votes.signals, votes.labeler, y)
    skipped: list[str] = []
    values = find_values(votes, skipped)
    advice = choose_advice(votes, analysis, values, seed, skipped)
    groups = choose_groups(votes)
    # All rows are fetched by one question to whoever has them.
    shown = iter(show_rows(votes, [rows for _, rows in (*advice, *groups)]))
    items = tuple(replace(item, rows=tuple(next(shown))) for item, _ in advice)
    filled = tuple(replace(group, rows=tuple(next(shown))) for group, _ in groups)
    own_seed = votes.labeler.random_state
    advised = describe_advice(items, skipped)
    return LabelReport(
        name=title,
        summary=_summarise(votes, float(analysis.share.sum()), advised, command),
        signals=describe_signals(votes, analysis, values),
        agreement=compare_signals(votes, analysis, seed),
        labels=describe_labels(votes),
        constraints=check_constraints(votes, change),
        advice=advised,
        rows=describe_rows(votes, filled),
        methods=compare_methods(votes, seed),
        provenance=Provenance(
            version=version("corral"),
            python=platform.python_version(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            command=command,
            data=data,
            reading=votes.signals.reading,
            data_hash=votes.hash(),
            labeler=" ".join(repr(votes.labeler).split()),
            seed=f"{seed}; of the labeler: "
            f"{'not set' if own_seed is None else own_seed}",
        ),
    )
