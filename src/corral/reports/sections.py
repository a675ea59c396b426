"""What a report holds: one dataclass per section, each with its verdict in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a table that is refused does not wait for what labels
    from corral.advice import Sensitivity
    from corral.calibration import Reliability
    from corral.solvers.feasibility import Feasibility

Interval = tuple[float, float]


@dataclass(frozen=True)
class Summary:
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


@dataclass(frozen=True)
class SignalsSection:
    """All signals, in the order given."""

    verdict: str
    lines: tuple[SignalLine, ...]


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


@dataclass(frozen=True)
class AgreementSection:
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


@dataclass(frozen=True)
class LabelsSection:
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


@dataclass(frozen=True)
class ConstraintsSection:
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


@dataclass(frozen=True)
class MethodsSection:
    """Other methods on the same votes; the first line is what is reported on."""

    verdict: str
    lines: tuple[MethodLine, ...]
    f1_of: str
    skipped: tuple[str, ...]


@dataclass(frozen=True)
class Provenance:
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
