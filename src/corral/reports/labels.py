"""What the labels are: their classes and confidence, what they hang on, other methods."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.decisions import winner_shares
from corral.errors import CorralError, CorralWarning
from corral.labelers import LABELERS, ConstrainedLabeler
from corral.reports.labelled_votes import MIN_GOLD, LabelledVotes
from corral.reports.phrases import (
    say_count,
    say_names,
    say_points,
    say_sample,
    say_share,
    say_verb,
)
from corral.results import Part, Result, Table, bars, histogram
from corral.solvers import Status
from corral.solvers.feasibility import SMALL, Feasibility, feasibility
from corral.study import LEFT_OUT, Sensitivity, score_labels, sensitivity, try_methods
from corral.training import Reliability, reliability

SURE = 0.9
BINS = 20
"""Of the histogram of confidence."""
CHANCE_FACTOR = 2.0
"""How many times what chance explains makes a calibration error a fault."""
MIN_CALIBRATION_ERROR = 0.02
"""Calibration errors below this do no harm."""
MAX_CLASH_ENTRIES = 2_000_000
"""Distinct rows times label columns up to which clashes are looked for."""
MAX_MOVE_CELLS = 100_000_000
"""Distinct rows times signals times classes up to which rates are moved one by one."""
MIN_CHANGE = 0.01
"""Share of labels that change from which an error rate, or a method, matters."""
MAX_METHOD_CELLS = 8_000_000
"""Distinct rows times signals times classes up to which all methods are tried."""
FAST_METHODS = ("majority-vote", "averaging", "constrained")
"""Those that are tried beyond."""
EQUAL = 0.0005
"""Accuracies that differ by less are called equal."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelsSection(Result):
    """Class shares, confidence and, with true labels, reliability of covered examples.

    `shares` of classes are mean probabilities ("labels"), how often one is the likeliest
    class ("answers"), the same for a majority vote and, if known, true shares ("true").
    """

    verdict: str
    classes: tuple[str, ...]
    shares: dict[str, FloatArray]  # (k,) each
    edges: FloatArray  # (b + 1,) of bins of confidence, the highest probability
    counts: FloatArray  # (b,) examples in them
    sure: float  # share of the examples with a confidence of at least 0.9
    unsure: float  # share nearer to a guess than a quarter of the way to certainty
    reliability: Reliability | None

    title = "Labels"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
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
        soft = self.shares["labels"]
        most = self.classes[soft.argmax()]
        yield bars(
            "Class shares",
            f"{most} is the most frequent class, {soft.max():.1%} of the labels.",
            self.classes,
            {name: each for name, each in self.shares.items() if name != "answers"},
            label="share of the covered examples",
        )
        yield histogram(
            "Confidence of the labels",
            f"{self.sure:.1%} of {sum(self.counts):,.0f} labels are at least 90% sure.",
            self.edges,
            self.counts,
            label="probability of the likeliest class",
        )
        if self.reliability is not None:
            yield from self.reliability.parts()


def describe_labels(votes: LabelledVotes) -> LabelsSection:
    """Compute the section of labels."""
    k, covered = votes.signals.n_classes, votes.covered_counts / votes.n_covered
    shares = {
        "labels": covered @ votes.labels,
        "answers": covered @ winner_shares(votes.labels),
        "majority vote": covered @ winner_shares(votes.vote_labels),
    }
    found = None
    if votes.n_gold:
        assert votes.truth is not None
        at = np.flatnonzero(votes.known_counts)
        truth, weights = votes.truth[at], votes.known_counts[at]
        found = reliability(votes.labels[at], truth, sample_weight=weights)
        shares["true"] = np.bincount(truth, weights, k) / votes.n_gold
    edges = np.linspace(1 / k, 1, BINS + 1)
    # Rounding may put a confidence a little outside of what is possible.
    bins = np.searchsorted(edges, votes.confidence, side="right") - 1
    counts: Any = np.bincount(bins.clip(0, BINS - 1), votes.covered_counts, BINS)
    sure, unsure = (
        float(covered @ each)
        for each in (votes.confidence >= SURE, votes.confidence < votes.unsure_below)
    )
    first = int(shares["answers"].argmax())
    verdict = (
        f"{say_share(float(shares['answers'][first]))} of the labels are "
        f"{say_names([votes.class_names[first]])}"
        + _judge_confidence(votes, sure, unsure, found)
    )
    return LabelsSection(
        verdict, votes.class_names, shares, edges, counts, sure, unsure, found
    )


def _judge_confidence(
    votes: LabelledVotes, sure: float, unsure: float, found: Reliability | None
) -> str:
    if not votes.has_probabilities:
        return (
            ". A majority vote names a winner and does not say how sure that is: "
            "to train on soft labels, use another labeler."
        )
    said = (
        f"; {say_share(sure)} of the examples have a confidence of at least {SURE:g}, and "
        f"{say_share(unsure)} one below {votes.unsure_below:.2f}"
    )
    if found is None:
        return f"{said}: train on soft labels, which keep this doubt."
    n = float(found.counts.sum())
    if n < MIN_GOLD:
        return (
            f"{said}. {say_count(n, 'true label')} {say_verb(n, 'is', 'are')} too few to "
            "tell whether probabilities can be taken at their word."
        )
    confidence = float(found.counts @ found.confidence / n)
    accuracy = float(found.counts @ found.accuracy / n)
    # By chance the mean differs by so much if every probability is exactly right.
    spread = votes.known_counts @ (votes.confidence * (1 - votes.confidence))
    by_chance = CHANCE_FACTOR * float(np.sqrt(spread)) / n
    off, gap = found.calibration_error, abs(confidence - accuracy)
    beside = f"confidence is {confidence:.2f} on average, accuracy {accuracy:.2f}"
    explained = off < CHANCE_FACTOR * found.noise and gap < by_chance
    if off < MIN_CALIBRATION_ERROR or explained:
        return f"{said}. Probabilities can be taken at their word: {beside}."
    how = "too sure" if confidence > accuracy else "not sure enough"
    if gap < off / 2:
        how = "too sure in places and not sure enough in others"
    return f"{said}. Labels are {how} ({beside}): corral.calibrate can repair that."


@dataclass(frozen=True, repr=False)
class ConstraintsSection(Result):
    """Whether what was asked can hold, and what hangs on it."""

    verdict: str
    status: str | None  # of the solver; None for a labeler without constraints
    feasibility: Feasibility | None
    sensitivity: Sensitivity | None
    skipped: tuple[str, ...]  # what was not computed, and why

    title = "Constraints"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        if self.feasibility is not None and not self.feasibility.feasible:
            yield from self.feasibility.parts()
        if self.sensitivity is not None:
            yield from self.sensitivity.parts()
        yield from self.skipped


def check_constraints(votes: LabelledVotes, change: float) -> ConstraintsSection:
    """Compute the section of constraints."""
    labeler: Any = votes.labeler
    if not isinstance(labeler, ConstrainedLabeler):
        said = (
            f"{type(labeler).__name__} has no error rates to meet, so there is nothing to "
            "relax; ConstrainedLabeler has."
        )
        return ConstraintsSection(said, None, None, None, ())
    skipped: list[str] = []
    status = labeler.solution_.status
    clashes = moved = None
    # Of estimated rates no constraint was asked for.
    if status is not Status.ESTIMATED:
        size = votes.signals.n_rows * votes.signals.n_classes
        if size > MAX_CLASH_ENTRIES:
            skipped.append(
                f"Clashes were not looked for among {size:,} labels, which would take "
                "minutes; corral.feasibility does."
            )
        else:
            clashes = feasibility(labeler, votes.signals)
    if votes.n_cells > MAX_MOVE_CELLS:
        skipped.append(
            f"Error rates were not moved: {votes.size} would take minutes; "
            "corral.sensitivity does it."
        )
    else:
        try:
            with warnings.catch_warnings():
                # They are about moved rates, which nobody asked for.
                warnings.simplefilter("ignore", CorralWarning)
                moved = sensitivity(labeler, votes.signals, change=change)
        except CorralError as error:
            skipped.append(f"Error rates were not moved: {error}")
    said = _judge_clashes(labeler, clashes)
    if moved is not None:
        said += f" {judge_sensitivity(moved)}"
    return ConstraintsSection(said, status.value, clashes, moved, tuple(skipped))


def _judge_clashes(labeler: Any, found: Feasibility | None) -> str:
    status = labeler.solution_.status
    if status is Status.ESTIMATED:
        off = float(np.abs(labeler.solution_.residual).max(initial=0))
        if off < 0.05:
            return (
                "Error rates were estimated, and with these labels every signal's error "
                f"rate is within {max(off, 0.01):.2f} of its estimate; no constraint needs "
                "relaxing."
            )
        return (
            "Error rates were estimated; under the labels the signal furthest off errs "
            f"{off:.2f} from its rate, so take that rate as a guess."
        )
    if found is None:
        return f"The solver ended with the status {status.value}."
    many = say_count(len(found.names), "constraint")
    if found.feasible:
        if len(found.names) == 1:
            return "The one constraint can hold: nothing needs to be relaxed."
        return f"All {many} can hold together: nothing needs to be relaxed."
    moved = np.flatnonzero(np.abs(found.change) > SMALL)
    most = moved[np.abs(found.change[moved]).argmax()]
    bound = found.upper[most] if found.change[most] > 0 else found.lower[most]
    return (
        f"{int(found.conflict.sum()):,} of {many} cannot hold together: relax "
        f"{say_count(len(moved), 'of them', 'of them')}, first "
        f"{say_names([found.names[most]])} from {bound:.2f} to "
        f"{bound + found.change[most]:.2f}."
    )


def judge_sensitivity(moved: Sensitivity) -> str:
    """Which error rate to check first."""
    worst = np.maximum(moved.lower, moved.higher)
    if worst.max(initial=0) < MIN_CHANGE:
        every = max(moved.all_lower, moved.all_higher)
        return (
            f"No single error rate matters: off by {moved.change:g}, each changes less "
            f"than {say_share(MIN_CHANGE)} of the labels (all of them together "
            f"{say_share(every)})."
        )
    at = int(worst.argmax())
    more = int((worst >= MIN_CHANGE).sum()) - 1
    others = (
        f", and {more:,} more {say_verb(more, 'matters', 'matter')}" if more else ""
    )
    return (
        f"Check the error rate of {say_names([moved.names[at]])} first: off by "
        f"{moved.change:g}, {say_share(float(worst[at]))} of the labels change{others}."
    )


@dataclass(frozen=True, eq=False, repr=False)
class MethodsSection(Result):
    """Other methods on the same votes; NaN where a method refused, or no truth is known."""

    verdict: str
    methods: tuple[str, ...]  # first "these labels", which are reported on
    changed: FloatArray  # (r,) covered examples labelled otherwise, or left tied
    accuracy: FloatArray  # (r,)
    f1: FloatArray
    log_loss: FloatArray
    brier: FloatArray
    seconds: FloatArray
    remarks: tuple[str, ...]  # why a method refused, or what it warned of
    f1_of: str  # the class that `f1` is of, or "macro"
    skipped: tuple[str, ...]

    title = "Methods compared"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        columns: dict[str, Any] = {
            "method": self.methods,
            "accuracy": self.accuracy,
            f"F1 ({self.f1_of})": self.f1,
            "log-loss": self.log_loss,
            "Brier": self.brier,
            "other labels": self.changed,
            "seconds": self.seconds,
            "remark": self.remarks,
        }
        if np.isnan(self.accuracy[0]):
            for name in list(columns)[1:5]:
                del columns[name]
        yield Table(
            columns,
            "The labels of this report, then other methods with their defaults",
            {"accuracy": ".1%", "other labels": ".1%", "seconds": ".2f"},
            {"other labels": "Covered examples that the method labels otherwise."},
        )
        yield from self.skipped


def compare_methods(votes: LabelledVotes, seed: int) -> MethodsSection:
    """Compute the section of methods."""
    skipped: tuple[str, ...] = ()
    names = [name for name in LABELERS if name not in LEFT_OUT]
    if votes.n_cells > MAX_METHOD_CELLS:
        names = [name for name in names if name in FAST_METHODS]
        skipped = (
            f"Only {', '.join(FAST_METHODS)} were tried: for other methods {votes.size} "
            "would take minutes; corral.compare tries them.",
        )
    own = type(votes.labeler)
    if repr(votes.labeler) == repr(own()):  # its defaults are in the first line
        names = [name for name in names if LABELERS[name] is not own]
    tried = {name: LABELERS[name]().set_params(random_state=seed) for name in names}
    positive = 1 if votes.signals.n_classes == 2 else None
    at = np.flatnonzero(votes.known_counts)

    scores = np.full((len(tried) + 1, 6), np.nan)  # changed, four scores, seconds

    def score(line: int, labels: FloatArray) -> None:
        scores[line, 0] = votes.changed(labels)
        if votes.truth is not None and len(at):
            known = votes.truth[at], votes.known_counts[at]
            scores[line, 1:5] = score_labels(labels[at], *known, positive)

    score(0, votes.labels)
    remarks, better = [""], []
    for line, one in enumerate(try_methods(tried, votes.signals), 1):
        remarks.append(one.remark)
        if one.labels is None:
            continue
        score(line, one.labels)
        scores[line, 5] = one.seconds
        gain = votes.gain(one.labels, votes.labels)
        if gain is not None and gain.is_shown and gain.mean > 0:
            better.append(line)
    f1_of = "macro" if positive is None else votes.class_names[positive]
    methods = ("these labels", *tried)
    changed, accuracy, f1, log_loss, brier, seconds = scores.T
    verdict = _judge_methods(methods, changed, accuracy, better, votes.n_covered)
    return MethodsSection(
        verdict,
        methods,
        changed,
        accuracy,
        f1,
        log_loss,
        brier,
        seconds,
        tuple(remarks),
        f1_of,
        skipped,
    )


def _judge_methods(
    methods: tuple[str, ...],
    changed: FloatArray,
    accuracy: FloatArray,
    better: list[int],
    n_covered: float,
) -> str:
    """Whether another method is worth a try; `better` are shown to be better."""
    others = np.flatnonzero(~np.isnan(changed))[1:]
    if not len(others):
        return "No other method could label these votes."
    if np.isnan(accuracy[0]):
        far, near = (others[f(changed[others])] for f in (np.argmax, np.argmin))
        if changed[far] < MIN_CHANGE:
            return (
                "All methods give nearly the same labels, so the choice among them hardly "
                "matters: spend time on signals."
            )
        return (
            f"Methods differ on up to {say_share(float(changed[far]))} of the labels "
            f"({methods[far]}; {methods[near]} is nearest with "
            f"{say_share(float(changed[near]))}): true labels of {say_sample(n_covered)} "
            "would tell which is right."
        )
    best = max(better or others, key=lambda line: accuracy[line])
    name, gain = methods[best], float(accuracy[best] - accuracy[0])
    ours, theirs = (say_share(float(accuracy[line])) for line in (0, best))
    if abs(gain) < EQUAL:
        return (
            f"No other method does better: the best of them, {name}, is right as "
            f"often as these labels ({ours})."
        )
    if gain < 0:
        return (
            f"No other method does better: the best of them, {name}, is right on "
            f"{theirs}, these labels on {ours}."
        )
    if not better:
        return (
            f"No other method is shown to do better: the best of them, {name}, is "
            f"right on {theirs}, these labels on {ours}, but the true labels are too few "
            "to tell that from chance."
        )
    return (
        f"{name} is right on {theirs}, {say_points(gain)} more than these labels "
        f"({ours}): try it on examples that did not help to choose it."
    )
