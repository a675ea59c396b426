"""What a report concludes: one sentence or two per section, and how they say numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from corral import study
from corral._types import BoolArray, FloatArray
from corral.reports.labelled_votes import MIN_GOLD, LabelledVotes, PairedGain
from corral.results import shorten
from corral.solvers import Status
from corral.solvers.feasibility import SMALL, Feasibility
from corral.study.analysis import mean_rates
from corral.training import Reliability

if TYPE_CHECKING:
    from corral.reports.label_report import Summary
    from corral.reports.rows import RowGroup

SAMPLE_SIZE = 100
"""Random examples whose true labels tell how good labels are."""
MAX_NAME_LENGTH = 40
"""Characters of a name within a sentence."""
BAD_ERROR = 0.8
"""Part of the error of a guess from which a signal tells little."""
MIN_VOTES = 10
"""Votes from which on a signal is judged by them."""
MOSTLY_AGREE, OFTEN_DISAGREE = 0.9, 0.6
"""Shares of agreeing pairs: at least the first, and below the second."""
CHANCE_FACTOR = 2.0
"""How many times what chance explains makes a calibration error a fault."""
MIN_CALIBRATION_ERROR = 0.02
"""Calibration errors below this do no harm."""
MIN_CHANGE = 0.01
"""Share of labels that change from which an error rate, or a method, matters."""
MIN_GAIN = 0.0005
"""Accuracies that differ by less are called equal."""


def say_share(share: float) -> str:
    """A percentage that is never wrongly all or nothing.

    Examples
    --------
    >>> from corral.reports.verdicts import say_share
    >>> say_share(0.8613), say_share(1.0), say_share(0.99999), say_share(0.0002)
    ('86.1%', '100%', 'over 99.9%', 'under 0.1%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if share >= 0.9995 else f"{share:.1%}"


def say_points(difference: float) -> str:
    """A difference of shares: 2.3 points."""
    points = f"{abs(difference) * 100:.1f}"
    return f"{points} point{'' if points == '1.0' else 's'}"


def say_interval(ends: tuple[float, float]) -> str:
    """90% interval 67.8% to 79.9%."""
    return f"90% interval {say_share(ends[0])} to {say_share(ends[1])}"


def say_count(number: float, noun: str, plural: str | None = None) -> str:
    """1,843 examples; 1 class."""
    word = noun if round(number) == 1 else plural or f"{noun}s"
    return f"{number:,.0f} {word}"


def say_the(number: float, noun: str) -> str:
    """The 1,843 examples; the one example."""
    one = round(number) == 1
    return f"the one {noun}" if one else f"the {say_count(number, noun)}"


def say_verb(number: float, singular: str, plural: str) -> str:
    """The form of a verb for a number of things."""
    return singular if round(number) == 1 else plural


def say_sample(number: float) -> str:
    """Examples to label by hand, of so many."""
    if number > SAMPLE_SIZE:
        return "a hundred random examples"
    one = round(number) == 1
    return "the one example" if one else f"all {say_count(number, 'example')}"


def say_names(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more.

    Examples
    --------
    >>> from corral.reports.verdicts import say_names
    >>> say_names(["a", "b"]), say_names(["a", "b", "c", "d", "e"])
    ('“a” and “b”', '“a”, “b”, “c” and 2 more')
    """
    shown = [f"“{shorten(name, MAX_NAME_LENGTH)}”" for name in names[:most]]
    rest = len(names) - len(shown)
    last = f"{rest:,} more" if rest else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def judge_labels(found: Summary, gain: PairedGain | None) -> str:
    """How good the labels are; `gain` over a majority vote is None without true labels."""
    share = say_share(found.n_covered / found.n_examples)
    same = "; a majority vote gives the same labels."
    if gain is None:
        gets = say_verb(found.n_covered, "gets", "get")
        said = (
            "Votes alone cannot say how often the labels are right. "
            f"{say_count(found.n_covered, 'example')} of {found.n_examples:,.0f} ({share}) "
            f"{gets} a label"
        )
        if found.expected_accuracy is None:
            tied = f" ({say_share(found.tied_votes)} of them are tied)"
            tied = tied if found.tied_votes else ""
            return f"{said}; a majority vote does not say how sure it is{tied}."
        right = say_share(found.expected_accuracy)
        said += f", expected to be right {right} of the time if probabilities are "
        said += "calibrated"
        other = f"; a majority vote would label {say_share(found.changed)} of them "
        return said + (
            f"{other}otherwise or leave them tied." if found.changed else same
        )
    assert found.accuracy_interval is not None
    said = (
        f"The labels are right on {say_share(found.accuracy or 0)} of "
        f"{say_the(found.n_gold, 'example')} with a true label and a vote "
        f"({say_interval(found.accuracy_interval)})"
    )
    if not found.changed:
        return said + same
    beside = f"a majority vote ({say_share(found.vote_accuracy or 0)})"
    is_equal = abs(gain.mean) < MIN_GAIN
    more = f"{say_points(gain.mean)} {'more' if gain.mean > 0 else 'less'} than"
    said += f", {'as often as' if is_equal else more} {beside}"
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
    return f"{said}: prefer the vote until the signals that err most are mended."


def judge_signals(votes: LabelledVotes, found: study.Analysis) -> str:
    """Which signals to look at first.

    The best that is known of an error is what true labels say, then what the labeler
    expects, then what the labels imply; an assumed error is not known.
    """
    m, gold = len(found.names), found.gold
    assert found.implied_error_rates is not None  # as there is a labeler
    seen = np.zeros(m) if gold is None else gold.correct + gold.incorrect
    has_gold: BoolArray = seen >= MIN_VOTES
    expected = np.full(m, np.nan) if found.learned is None else 1 - found.learned
    learned = getattr(getattr(votes.labeler, "rates_", None), "learned", None)
    assumed = np.zeros(m, bool)
    if learned is not None:
        assumed = mean_rates(votes.signals, learned) < 0.5
    errors = np.where(np.isnan(expected), found.implied_error_rates, expected)
    errors = np.where(assumed, np.nan, errors)
    if gold is not None:
        errors = np.where(has_gold, gold.error_rates, errors)
    cast = found.coverage * found.n_examples
    is_voting: BoolArray = cast > 0
    judged = np.flatnonzero(is_voting & ~np.isnan(errors) & (cast >= MIN_VOTES))
    if len(judged):
        limit = BAD_ERROR * (1 - 1 / votes.signals.n_classes)
        bad = judged[errors[judged] > limit]
        among = bad if len(bad) else judged
        worst = among[(errors * found.coverage)[among].argmax()]
        name, share = say_names([found.names[worst]]), say_share(float(errors[worst]))
        if has_gold[worst]:
            its = f"{say_count(seen[worst], 'vote')} with a true label"
        elif np.isnan(expected[worst]):
            its = f"{say_count(cast[worst], 'vote')} if the labels are right"
        else:
            its = f"{say_count(cast[worst], 'vote')} as the labeler expects"
        said = f"No signal stands out; most mistakes come from {name}, "
        if len(bad):
            are = say_verb(len(bad), "is", "are")
            said = (
                f"{len(bad):,} of {say_count(m, 'signal')} {are} hardly better than a "
            )
            said += f"guess: look at {name} first, "
        said += f"wrong on {share} of its {its}."
        if not errors[worst]:
            said = "No signal was seen wrong."
        if many := int((assumed & is_voting).sum()):
            said += f" The expected error of {say_count(many, 'signal')} is mostly "
            said += "assumed: the votes do not tell it."
    elif (is_voting & ~np.isnan(errors)).any():
        said = (
            f"No signal has {MIN_VOTES} votes: too few to tell how often signals err."
        )
    elif found.clashes:
        most = int(np.where(is_voting, found.conflicts, -1).argmax())
        said = (
            "The votes do not tell how often signals err. Look first at "
            f"{say_names([found.names[most]])}: others contradict it on "
            f"{say_share(float(found.conflicts[most]))} of the examples."
        )
    else:
        said = (
            "No two signals contradict each other, so the votes do not tell how often "
            "signals err."
        )
    if silent := [found.names[i] for i in np.flatnonzero(~is_voting)]:
        never = say_verb(len(silent), "votes", "vote")
        said += f" {say_count(len(silent), 'signal')} never {never}: "
        said += f"{say_names(silent)}."
    return said


def judge_agreement(
    found: study.Analysis, measured: study.RaterAgreement | None, names_classes: bool
) -> str:
    """How far signals agree where several vote, and which two do not."""
    if np.isnan(found.contradicting):
        return (
            "No two signals vote on the same example, so nothing says which of them are "
            "right: write signals that overlap."
        )
    if not found.clashes:
        return (
            "Signals never contradict each other where several vote, so only true labels "
            "can show their errors."
        )
    worst = found.clashes[0]
    agreeing = 1 - found.contradicting
    level = "often disagree" if agreeing < OFTEN_DISAGREE else "agree in part"
    level = "mostly agree" if agreeing >= MOSTLY_AGREE else level
    # One-vs-rest signals may have several votes each on one example.
    shared = "common examples" if names_classes else "pairs of their votes"
    beyond = ""
    if measured is not None and not np.isnan(measured.alpha):
        beyond = f" (Krippendorff's alpha {measured.alpha:.2f})"
    return (
        f"Where several signals vote they {level}: {say_share(agreeing)} of the pairs of "
        f"votes do not contradict{beyond}. {say_names([worst.first])} and "
        f"{say_names([worst.second])} clash most, on {worst.n_contradicting:,.0f} of "
        f"{worst.n_common:,.0f} {shared}."
    )


def judge_confidence(
    votes: LabelledVotes, sure: float, unsure: float, found: Reliability | None
) -> str:
    """Whether probabilities can be taken at their word."""
    if not votes.has_probabilities:
        return (
            ". A majority vote names a winner and does not say how sure that is: "
            "to train on soft labels, use another labeler."
        )
    said = (
        f"; {say_share(sure)} of the examples have a confidence of at least 0.9, and "
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


def judge_constraints(
    labeler: Any, found: Feasibility | None, moved: study.Sensitivity | None
) -> str:
    """Whether what was asked can hold, and which rate to check."""
    status = labeler.solution_.status
    if status is Status.ESTIMATED:
        off = float(np.abs(labeler.solution_.residual).max(initial=0))
        said = (
            "Error rates were estimated; under the labels the signal furthest off errs "
            f"{off:.2f} from its rate, so take that rate as a guess."
        )
        if off < 0.05:
            said = (
                "Error rates were estimated, and with these labels every signal's error "
                f"rate is within {max(off, 0.01):.2f} of its estimate; no constraint needs "
                "relaxing."
            )
    elif found is None:
        said = f"The solver ended with the status {status.value}."
    elif found.feasible:
        all_of_them = f"All {len(found.names):,} constraints can hold together"
        one = "The one constraint can hold"
        said = (
            f"{all_of_them if len(found.names) > 1 else one}: nothing needs relaxing."
        )
    else:
        relaxed = np.flatnonzero(np.abs(found.change) > SMALL)
        most = relaxed[np.abs(found.change[relaxed]).argmax()]
        bound = found.upper[most] if found.change[most] > 0 else found.lower[most]
        said = (
            f"{int(found.conflict.sum()):,} of "
            f"{say_count(len(found.names), 'constraint')} cannot hold together: relax "
            f"{len(relaxed):,} of them, first {say_names([found.names[most]])} from "
            f"{bound:.2f} to {bound + found.change[most]:.2f}."
        )
    return said if moved is None else f"{said} {judge_sensitivity(moved)}"


def judge_sensitivity(moved: study.Sensitivity) -> str:
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


def judge_methods(found: study.Comparison, better: list[int], n_covered: float) -> str:
    """Whether another method is worth a try; `better` are shown to be better."""
    assert found.changed is not None
    changed: FloatArray = found.changed
    accuracy, methods = found.accuracy, found.methods
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
    if better:
        return (
            f"{name} is right on {theirs}, {say_points(gain)} more than these labels "
            f"({ours}): try it on examples that did not help to choose it."
        )
    beside = f"is right on {theirs}, these labels on {ours}"
    if abs(gain) < MIN_GAIN:
        beside = f"is right as often as these labels ({ours})"
    elif gain > 0:
        beside += ", but the true labels are too few to tell that from chance"
    shown = "is shown to do" if gain >= MIN_GAIN else "does"
    return f"No other method {shown} better: the best of them, {name}, {beside}."


def judge_rows(votes: LabelledVotes, groups: tuple[RowGroup, ...]) -> str:
    """How many rows there are to read, by reason."""
    if not groups:
        return "No row stands out: all are covered, and no two signals contradict."
    sizes = ", ".join(
        f"{group.n_examples:,.0f} {group.kind} "
        + (
            f"({say_share(group.n_examples / votes.n_gold)} of "
            f"{say_the(votes.n_gold, 'example')} with a true label and a vote)"
            if group.kind == "wrong"
            else f"({say_share(group.n_examples / votes.n_examples)})"
        )
        for group in groups
    )
    first = groups[0]
    n = sum(len(group.rows) for group in groups)
    return (
        f"Of {say_count(votes.n_examples, 'example')}, {sizes}; {say_count(n, 'row')} "
        f"below {say_verb(n, 'stands', 'stand')} for them. Begin with the {first.kind} "
        f"{say_verb(first.n_examples, 'one', 'ones')}."
    )
