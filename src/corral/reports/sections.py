"""What a report holds: one result per section, each with its verdict in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corral._types import FloatArray
from corral.error_rates.rates import name_source
from corral.reports.phrases import say_share
from corral.results import (
    Facts,
    Part,
    Result,
    Table,
    bars,
    dots,
    histogram,
    join_names,
    matrix,
    shorten,
)

if TYPE_CHECKING:  # a table that is refused does not wait for what labels
    from corral.solvers.feasibility import Feasibility
    from corral.study import Sensitivity
    from corral.training import Reliability

Interval = tuple[float, float]
MOST_WORTH = 20
"""Signals whose worth is drawn; beyond the first few, hardly any has some."""
LEAST_WORTH = 0.0005
"""Below this, all bars would be as long as none."""
LONGEST_LIST = 80
"""Characters of a list of classes."""


def numbers(values: Sequence[float | None]) -> FloatArray:
    """Numbers, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], float)


def ends_of(pairs: Sequence[Interval | None]) -> FloatArray:
    """(n, 2) ends of intervals, NaN for None."""
    return np.array(
        [(np.nan, np.nan) if pair is None else pair for pair in pairs], float
    )


@dataclass(frozen=True, repr=False)
class Summary(Result):
    """The labels beside a majority vote.

    Attributes
    ----------
    verdict : str
    method : str
        The labeler.
    note : str
        How it found the labels.
    n_examples, n_covered : float
        All, and those that any signal votes on.
    n_signals : int
    counted_signals : float
        The same if signals that repeat others count in part.
    classes : tuple of str
    expected_accuracy : float or None
        Mean confidence of the covered examples: how often labels are right if they are
        as sure as they should be. None: a majority vote does not say how sure it is.
    changed : float
        Share of the covered examples that a majority vote labels otherwise, or leaves
        tied.
    tied_votes : float
        Share of the covered examples on which the majority vote is tied.
    n_gold : float
        Covered examples with a true label; 0 if there are none.
    accuracy, vote_accuracy : float or None
        Of the labels and of the majority vote, on these; ties count in parts.
    gain_interval : pair of float or None
        Where the difference of the two may be, with probability 0.9 (a sign test).
    warnings : tuple of str
        What was warned of while fitting.
    """

    verdict: str
    method: str
    note: str
    n_examples: float
    n_covered: float
    n_signals: int
    counted_signals: float
    classes: tuple[str, ...]
    expected_accuracy: float | None
    changed: float
    tied_votes: float
    n_gold: float
    accuracy: float | None
    vote_accuracy: float | None
    gain_interval: Interval | None
    warnings: tuple[str, ...]

    @property
    def title(self) -> str:
        return "Summary"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        accuracy = (
            "Accuracy",
            "unknown",
            "a majority vote does not say how sure it is",
        )
        if self.accuracy is not None and self.vote_accuracy is not None:
            beside = f"majority vote {say_share(self.vote_accuracy)}"
            note = f"{beside}, on {self.n_gold:,.0f} examples"
            accuracy = ("Accuracy", say_share(self.accuracy), note)
        elif self.expected_accuracy is not None:
            share = say_share(self.expected_accuracy)
            note = "if the probabilities are calibrated"
            accuracy = ("Expected accuracy", share, note)
        covered = say_share(self.n_covered / self.n_examples)
        tied = f"of the labels; the vote is tied on {say_share(self.tied_votes)}"
        count = f"worth {self.counted_signals:,.1f} independent signals; "
        count += f"{len(self.classes)} classes"
        yield Facts(
            (
                ("Covered", covered, f"of {self.n_examples:,.0f} examples have a vote"),
                accuracy,
                ("Differs from majority vote", say_share(self.changed), tied),
                ("Signals", f"{self.n_signals:,}", count),
            )
        )
        for warning in self.warnings:
            yield f"Warning: {warning}"


@dataclass(frozen=True)
class SignalLine:
    """What one signal does, and how often it is wrong.

    Attributes
    ----------
    name : str
    votes_for : tuple of str
        The classes that it votes for.
    coverage, overlaps, conflicts : float
        Share of the examples on which it votes, on which another does, too, and on which
        another contradicts it.
    vote_share : float
        The part that it has in a vote: one if it repeats no other signal.
    expected_error : float or None
        What the labeler believes, if it believes anything.
    expected_interval : pair of float or None
        Where that may be, with probability 0.9, if it was estimated.
    learned : float or None
        How far the votes, or labels, tell it; the rest is assumed. None: it was given.
    implied_error : float or None
        How often it is wrong if the labels are right; None: it never votes.
    gold_error : float or None
        How often it is wrong, by true labels.
    gold_interval : pair of float or None
        Where that may be, with probability 0.9.
    n_gold : float
        Its votes on examples with a true label.
    worth : float or None
        Accuracy that is lost without it, judged by the labels found with it.
    """

    name: str
    votes_for: tuple[str, ...]
    coverage: float
    overlaps: float
    conflicts: float
    vote_share: float
    expected_error: float | None
    expected_interval: Interval | None
    learned: float | None
    implied_error: float | None
    gold_error: float | None
    gold_interval: Interval | None
    n_gold: float
    worth: float | None


@dataclass(frozen=True, repr=False)
class SignalsSection(Result):
    """All signals, in the order given."""

    verdict: str
    lines: tuple[SignalLine, ...]

    @property
    def title(self) -> str:
        return "Signals"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        lines = self.lines
        errors = {
            "expected": [line.expected_error for line in lines],
            "implied": [line.implied_error for line in lines],
            "true": [line.gold_error for line in lines],
        }
        series = {
            name: numbers(values)
            for name, values in errors.items()
            if any(value is not None for value in values)
        }
        intervals = {
            "expected": ends_of([line.expected_interval for line in lines]),
            "true": ends_of([line.gold_interval for line in lines]),
        }
        names = [line.name for line in lines]
        if series:
            yield dots(
                "How often signals err",
                f"Errors of {len(lines)} signals: {', '.join(series)}.",
                names,
                series,
                intervals=intervals,
                label="votes that are wrong",
            )
        worth = np.nan_to_num(numbers([line.worth for line in lines]))
        order = np.argsort(-worth, kind="stable")[:MOST_WORTH]
        if worth.max(initial=0) >= LEAST_WORTH:
            most = (
                f"{names[order[0]]} adds most: {worth[order[0]]:.1%} of the accuracy."
            )
            yield bars(
                "What every signal adds",
                most,
                [names[i] for i in order],
                {"accuracy lost": worth[order]},
                label="accuracy lost without the signal",
            )
        columns: dict[str, Any] = {
            "signal": names,
            "votes for": [shorten(", ".join(x.votes_for), LONGEST_LIST) for x in lines],
            "coverage": [line.coverage for line in lines],
            "overlaps": [line.overlaps for line in lines],
            "conflicts": [line.conflicts for line in lines],
            "expected error": errors["expected"],
            "90% interval": [line.expected_interval for line in lines],
            "source": [_name_source(line) for line in lines],
            "implied error": errors["implied"],
            "true error": errors["true"],
            "true, 90% interval": [line.gold_interval for line in lines],
            "weight": [line.vote_share for line in lines],
            "worth": [line.worth for line in lines],
        }
        columns = {
            name: column
            for name, column in columns.items()
            if any(cell is not None for cell in column)
        }
        formats = dict.fromkeys(columns, ".1%") | {"weight": ".2f"}
        formats |= {"90% interval": ".0%", "true, 90% interval": ".0%"}
        yield Table(columns, "What every signal does", formats, MEANINGS)


MEANINGS = {
    "coverage": "Share of the examples on which the signal votes.",
    "overlaps": "Share of the examples on which another signal votes, too.",
    "conflicts": "Share of the examples on which another signal contradicts it.",
    "expected error": "How often the labeler believes the signal to be wrong: learned from "
    "votes or labels, assumed where these do not tell, or given by you.",
    "implied error": "How often the signal is wrong if the labels are right.",
    "weight": "1 for a unique signal, 1/10 for each of ten copies.",
    "worth": "Accuracy that is lost without it, judged by the labels found with it.",
}


def _name_source(line: SignalLine) -> str:
    """Where the expected error comes from."""
    if line.expected_error is None:
        return ""
    if line.learned is None:
        return "given" if line.expected_interval is None else "estimated"
    return name_source(line.learned)


@dataclass(frozen=True)
class SignalPair:
    """Two signals that contradict each other.

    Attributes
    ----------
    first, second : str
    n_common : float
        Pairs of votes on the same example.
    n_contradicting : float
        Those of them that cannot both be right.
    """

    first: str
    second: str
    n_common: float
    n_contradicting: float


@dataclass(frozen=True, repr=False)
class AgreementSection(Result):
    """Which signals agree, where both vote.

    Attributes
    ----------
    verdict : str
    names : tuple of str
        The signals of the matrix, those that agree side by side.
    agreement : tuple of tuples of float or None
        Share of their pairs of votes on the same example that do not contradict; None
        without such pairs.
    common : tuple of tuples of float
        How many such pairs there are: one per common example for signals that name
        classes, perhaps several for one-vs-rest signals.
    agreeing : float or None
        Share of all pairs of votes on the same example that do not contradict.
    alpha : float or None
        Krippendorff's, which is 0 for agreement by chance and 1 for full agreement; for
        signals that name classes.
    alpha_interval : pair of float or None
        Where that may be, with probability 0.9; None where the data are too few to say.
    pairs : tuple of SignalPair
        Of the matrix, those that contradict each other most often.
    others : tuple of str
        Signals that are not in the matrix.
    """

    verdict: str
    names: tuple[str, ...]
    agreement: tuple[tuple[float | None, ...], ...]
    common: tuple[tuple[float, ...], ...]
    agreeing: float | None
    alpha: float | None
    alpha_interval: Interval | None
    pairs: tuple[SignalPair, ...]
    others: tuple[str, ...]

    @property
    def title(self) -> str:
        return "Agreement and conflict"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        if self.agreeing is not None and len(self.names) > 1:
            yield matrix(
                "Agreement of every pair",
                self.names,
                np.array([numbers(row) for row in self.agreement]),
                np.array(self.common),
                measure="Agreement",
                limits=(0.0, 1.0),
                unit="pairs of votes",
            )
        if self.alpha is not None:
            span = ""
            if self.alpha_interval is not None:
                span = " (90% interval {:.2f} to {:.2f})".format(*self.alpha_interval)
            yield (
                f"Over all signals, Krippendorff's alpha is {self.alpha:.2f}{span}: 0 is "
                "agreement by chance, 1 full agreement."
            )
        if pairs := self.pairs:
            yield Table(
                {
                    "signal": [pair.first for pair in pairs],
                    "and": [pair.second for pair in pairs],
                    "contradicting": [pair.n_contradicting for pair in pairs],
                    "pairs of votes": [pair.n_common for pair in pairs],
                    "share": [pair.n_contradicting / pair.n_common for pair in pairs],
                },
                "Pairs that contradict each other most often",
                {"contradicting": ",.0f", "pairs of votes": ",.0f", "share": ".1%"},
            )
        if self.others:
            yield (
                f"{len(self.others):,} more signals, contradicted less often: "
                f"{join_names(self.others, 1000)}"
            )


@dataclass(frozen=True)
class ClassShare:
    """How frequent a class is among covered examples.

    Attributes
    ----------
    value : str
    labels : float
        Mean probability.
    answers : float
        Share of the examples of which it is the likeliest class; ties count in parts.
    votes : float
        The same for a majority vote.
    gold : float or None
        Share of the covered examples with a true label.
    """

    value: str
    labels: float
    answers: float
    votes: float
    gold: float | None


@dataclass(frozen=True, repr=False)
class LabelsSection(Result):
    """Class shares, confidence and, with true labels, reliability.

    Attributes
    ----------
    verdict : str
    shares : tuple of ClassShare
    edges : (b + 1,) tuple of float
        Of the histogram of confidence: the probability of the likeliest class.
    counts : (b,) tuple of float
        Covered examples per bin.
    sure, unsure : float
        Shares of the covered examples with a confidence of at least 0.9, and with one
        within a quarter of the way from a guess to certainty.
    reliability : Reliability or None
    """

    verdict: str
    shares: tuple[ClassShare, ...]
    edges: tuple[float, ...]
    counts: tuple[float, ...]
    sure: float
    unsure: float
    reliability: Reliability | None

    @property
    def title(self) -> str:
        return "Labels"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        names = [share.value for share in self.shares]
        series: dict[str, Any] = {
            "labels": [share.labels for share in self.shares],
            "answers": [share.answers for share in self.shares],
            "majority vote": [share.votes for share in self.shares],
            "true": [share.gold for share in self.shares],
        }
        if self.shares[0].gold is None:
            del series["true"]
        yield Table(
            {"class": names, **series},
            "Class shares among covered examples",
            dict.fromkeys(series, ".1%"),
            {
                "labels": "Mean probability.",
                "answers": "Share of the examples of which it is the likeliest class.",
                "majority vote": "The same for a majority vote.",
            },
        )
        most = max(self.shares, key=lambda share: share.labels)
        yield bars(
            "Class shares",
            f"{most.value} is the most frequent class, {most.labels:.1%} of the labels.",
            names,
            {name: each for name, each in series.items() if name != "answers"},
            label="share of the covered examples",
        )
        yield histogram(
            "Confidence of the labels",
            f"{self.sure:.1%} of {sum(self.counts):,.0f} labels are at least 90% sure.",
            self.edges,
            {"labels": self.counts},
            label="probability of the likeliest class",
        )
        if self.reliability is not None:
            yield from self.reliability.parts()


@dataclass(frozen=True, repr=False)
class ConstraintsSection(Result):
    """Whether what was asked can hold, and what hangs on it.

    Attributes
    ----------
    verdict : str
    status : str or None
        Of the solver; None for a labeler without constraints.
    feasibility : Feasibility or None
    sensitivity : Sensitivity or None
    skipped : tuple of str
        What was not computed, and why.
    """

    verdict: str
    status: str | None
    feasibility: Feasibility | None
    sensitivity: Sensitivity | None
    skipped: tuple[str, ...]

    @property
    def title(self) -> str:
        return "Constraints"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        if self.feasibility is not None and not self.feasibility.feasible:
            yield from self.feasibility.parts()
        if self.sensitivity is not None:
            yield from self.sensitivity.parts()
        yield from self.skipped


@dataclass(frozen=True)
class MethodLine:
    """What another method makes of the same votes.

    Attributes
    ----------
    name : str
    changed : float or None
        Share of the covered examples that it labels otherwise than the report, or leaves
        tied.
    accuracy, f1, log_loss, brier : float or None
        With true labels.
    seconds : float or None
        None for the labels reported on, which were there already.
    remark : str
        Why it refused, or what it warned of.
    """

    name: str
    changed: float | None
    accuracy: float | None
    f1: float | None
    log_loss: float | None
    brier: float | None
    seconds: float | None
    remark: str


@dataclass(frozen=True, repr=False)
class MethodsSection(Result):
    """Other methods on the same votes; the first line is what is reported on."""

    verdict: str
    lines: tuple[MethodLine, ...]
    f1_of: str
    skipped: tuple[str, ...]

    @property
    def title(self) -> str:
        return "Methods compared"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        lines = self.lines
        columns: dict[str, Any] = {"method": [line.name for line in lines]}
        if lines[0].accuracy is not None:
            columns["accuracy"] = [line.accuracy for line in lines]
            columns[f"F1 ({self.f1_of})"] = [line.f1 for line in lines]
            columns["log-loss"] = [line.log_loss for line in lines]
            columns["Brier"] = [line.brier for line in lines]
        columns["other labels"] = [line.changed for line in lines]
        columns["seconds"] = [line.seconds for line in lines]
        columns["remark"] = [line.remark for line in lines]
        yield Table(
            columns,
            "The labels of this report, then other methods with their defaults",
            {"accuracy": ".1%", "other labels": ".1%", "seconds": ".2f"},
            {"other labels": "Covered examples that the method labels otherwise."},
        )
        yield from self.skipped


@dataclass(frozen=True, repr=False)
class Provenance(Result):
    """Where a report comes from.

    Attributes
    ----------
    version : str
        Of corral.
    python : str
    created : str
        Universal time, ISO 8601.
    command : str
        The call in Python or in a shell.
    data : str
        What was read.
    reading : str
        How votes were read.
    data_hash : str
        SHA-256 of the votes (and true labels), whatever the order of the rows and
        whatever they were read from.
    labeler : str
        The method and its options.
    seed : str
    """

    version: str
    python: str
    created: str
    command: str
    data: str
    reading: str
    data_hash: str
    labeler: str
    seed: str

    @property
    def title(self) -> str:
        return "Provenance"

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
