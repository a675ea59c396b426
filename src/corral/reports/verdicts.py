"""What a report concludes and advises: a sentence or two per section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from corral import study
from corral._types import FloatArray, IntArray
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.rows import ReportRow, RowGroup, choose_rows
from corral.results.text import (
    say_count,
    say_interval,
    say_names,
    say_points,
    say_share,
    say_verb,
)
from corral.study.analysis import mean_rates
from corral.study.comparison import MIN_GOLD, PairedGain
from corral.study.signal_values import MIN_SHARE
from corral.training import Reliability

if TYPE_CHECKING:
    from corral.reports.label_report import LabelShares, Summary

SAMPLE_SIZE = 50
"""Random examples whose true labels tell how good labels are."""
MIN_VOTES = 10
"""Votes from which on a signal is judged by them."""
MOSTLY_AGREE, OFTEN_DISAGREE = 0.9, 0.6
"""Shares of agreeing pairs: at least the first, and below the second."""
CHANCE_FACTOR = 2.0
"""How many times what chance explains makes a calibration error a fault."""
MIN_CALIBRATION_ERROR = 0.02
"""Calibration errors below this do no harm."""
MIN_GAIN = 0.0005
"""Accuracies that differ by less are called equal."""
MAX_ADVICE_ROWS = 8
"""Rows per advice."""
MAX_DROPPED_NAMES = 5
"""Signals that are named in an advice."""


def judge_labels(found: Summary, gain: PairedGain | None) -> str:
    """How good the labels are; `gain` over a majority vote is None without true labels."""
    share = say_share(found.n_covered / found.n_examples)
    same = "; a majority vote gives the same labels."
    if gain is None:
        gets = say_verb(found.n_covered, "gets", "get")
        said = (
            f"{found.expected} {say_count(found.n_covered, 'example')} of "
            f"{found.n_examples:,.0f} ({share}) {gets} a label"
        )
        if not found.changed:
            return said + same
        tied = found.tied_votes
        return (
            f"{said}; a majority vote would label {say_share(found.changed)} of them "
            f"otherwise, and leaves {say_share(tied)} tied."
        )
    assert found.accuracy_interval is not None
    said = (
        f"The labels are right on {say_share(found.accuracy or 0)} of "
        f"{say_count(found.n_gold, 'example')} with a true label and a vote "
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
    return f"{said}: prefer the vote until the worst signals are fixed."


def judge_signals(votes: LabelledVotes, found: study.Analysis) -> str:
    """Which signals to look at first.

    The best that is known of an error is what true labels say, then what the labeler
    expects, then what the labels imply; an assumed error is not known.
    """
    m, n_voted = len(found.names), found.coverage * found.n_examples
    n_known, by_gold = _gold_errors(found)
    has_gold = ~np.isnan(by_gold)
    expected = None if found.learned is None else 1 - found.learned
    believed: Any = found.implied_error_rates if expected is None else expected
    learned = getattr(getattr(votes.labeler, "rates_", None), "learned", None)
    assumed = np.zeros(m, bool)
    if learned is not None:
        assumed = mean_rates(votes.signals, learned) < 0.5
    errors = np.where(has_gold, by_gold, np.where(assumed, np.nan, believed))
    judged = np.flatnonzero(~np.isnan(errors) & (n_voted >= MIN_VOTES))
    said = "The votes do not tell how often signals err."
    if len(judged):
        bad = judged[errors[judged] > votes.bad_error]
        among = bad if len(bad) else judged
        worst = among[(errors * found.coverage)[among].argmax()]
        source = (
            "if the labels are right" if expected is None else "as the labeler expects"
        )
        its = f"{say_count(n_voted[worst], 'vote')} {source}"
        if has_gold[worst]:
            its = f"{say_count(n_known[worst], 'vote')} with a true label"
        name = say_names([found.names[worst]])
        said = f"No signal stands out; most mistakes come from {name}, "
        if len(bad):
            are = say_verb(len(bad), "is", "are")
            said = f"{len(bad):,} of {say_count(m, 'signal')} {are} hardly better than "
            said += f"a guess: look at {name} first, "
        said += f"wrong on {say_share(float(errors[worst]))} of its {its}."
        if not errors[worst]:
            said = "No signal was seen wrong."
        if many := int((assumed & (n_voted > 0)).sum()):
            said += f" The expected error of {say_count(many, 'signal')} is mostly "
            said += "assumed: the votes do not tell it."
    elif found.clashes:
        most = int(np.where(n_voted > 0, found.conflicts, -1).argmax())
        share = say_share(float(found.conflicts[most]))
        said += (
            f" Look first at {say_names([found.names[most]])}: others contradict it on "
        )
        said += f"{share} of the examples."
    else:
        said = (
            f"No signal has {MIN_VOTES} votes, or no two contradict each other. {said}"
        )
    if silent := [found.names[i] for i in np.flatnonzero(n_voted == 0)]:
        never = say_verb(len(silent), "votes", "vote")
        said += (
            f" {say_count(len(silent), 'signal')} never {never}: {say_names(silent)}."
        )
    return said


def _gold_errors(found: study.Analysis) -> tuple[FloatArray, FloatArray]:
    """(m,) votes with a true label; (m,) errors by these, NaN where they are few."""
    gold = found.gold
    if gold is None:
        return np.zeros(len(found.names)), np.full(len(found.names), np.nan)
    n_known = gold.correct + gold.incorrect
    return n_known, np.where(n_known >= MIN_VOTES, gold.error_rates, np.nan)


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


def judge_shares(
    votes: LabelledVotes, labels: LabelShares, found: Reliability | None
) -> str:
    """The most frequent class, and whether probabilities are calibrated."""
    answers = labels.shares["answers"]
    first = int(answers.argmax())
    said = f"{say_share(float(answers[first]))} of the labels are "
    said += say_names([labels.classes[first]])
    if not votes.has_probabilities:
        return (
            f"{said}. A majority vote names a winner and does not say how sure that is: "
            "to train on soft labels, use another labeler."
        )
    said += (
        f"; {say_share(labels.sure)} of the examples have a confidence of at least 0.9"
    )
    if found is None:
        return f"{said}. Train on soft labels, which keep this doubt."
    n = float(found.counts.sum())
    if n < MIN_GOLD:
        return (
            f"{said}. {say_count(n, 'true label')} {say_verb(n, 'is', 'are')} too few to "
            "tell whether the probabilities are calibrated."
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
        return f"{said}. The probabilities are calibrated: {beside}."
    how = "too confident" if confidence > accuracy else "not confident enough"
    if gap < off / 2:
        how = "too confident in places and not confident enough in others"
    return f"{said}. Labels are {how} ({beside}): corral.calibrate can repair that."


def judge_rows(n_examples: float, groups: tuple[RowGroup, ...]) -> str:
    """How many rows there are to read, by reason."""
    if not groups:
        return "No row stands out: all are covered, and no two signals contradict."
    sizes = ", ".join(f"{group.n_examples:,.0f} {group.kind}" for group in groups)
    first = groups[0]
    n = sum(len(group.rows) for group in groups)
    return (
        f"Of {say_count(n_examples, 'example')}, {sizes}; {say_count(n, 'row')} "
        f"below {say_verb(n, 'stands', 'stand')} for them. Begin with the {first.kind} "
        f"{say_verb(first.n_examples, 'one', 'ones')}."
    )


@dataclass(frozen=True)
class Advice:
    """One thing to do."""

    action: str  # "fix", "check", "drop" or "write"
    short: str = field(repr=False)  # what, in a few words
    sentence: str  # what, and why
    rows: tuple[ReportRow, ...] = ()  # to do it with


Choice = tuple[str, str, str, IntArray]
"""Action, what to do in a few words, why, and positions of the rows to do it with."""
NO_ROWS: IntArray = np.array([], int)


def choose_advice(
    votes: LabelledVotes,
    analysis: study.Analysis,
    values: study.SignalValues | None,
) -> list[tuple[Advice, IntArray]]:
    """What to do next, and positions of the rows to do it with."""
    items: list[Choice] = []
    if values is not None:
        items += _advise_on_signals(votes, analysis, values)
    uncovered = votes.n_examples - votes.n_covered
    if uncovered / votes.n_examples >= MIN_SHARE:
        why = (
            f"{say_count(uncovered, 'example')} "
            f"({say_share(uncovered / votes.n_examples)}) "
            f"{say_verb(uncovered, 'gets', 'get')} no label. The group of uncovered rows "
            "below shows some."
        )
        short = "Write a signal for what no signal votes on"
        items.append(("write", short, why, NO_ROWS))
    return [
        (Advice(action, short, f"{short}: {why}"), rows)
        for action, short, why, rows in items
    ]


def _advise_on_signals(
    votes: LabelledVotes, analysis: study.Analysis, values: study.SignalValues
) -> Iterator[Choice]:
    """Which signal to fix, which to check and which to drop."""
    n_known, errors = _gold_errors(analysis)
    known = ~np.isnan(errors)
    values = values.judged_by(errors)
    # As in the verdict on signals, first one that tells little.
    is_bad = values.errors > votes.bad_error
    is_bad &= values.coverage * votes.n_examples >= MIN_VOTES
    bad = replace(values, errors=np.where(is_bad, values.errors, 0)).to_fix
    worst = values.to_fix if bad is None else bad
    if worst is not None:
        rows = _find_mistakes(votes, worst)
        of = (
            f"its {say_count(n_known[worst], 'vote')} with a true label"
            if known[worst]
            else "its votes if the labels are right"
        )
        why = (
            f"it is wrong on {say_share(float(values.errors[worst]))} of {of}, or "
            f"about {say_share(float(values.wrong[worst]))} of all examples."
            + (" These are its likeliest mistakes." if len(rows) else "")
        )
        what = "Fix" if is_bad[worst] else "Read the mistakes of"
        yield "fix", f"{what} {say_names([values.names[worst]])}", why, rows
    if (doubted := values.to_check) is not None:
        rows = _find_mistakes(votes, doubted)
        why = (
            f"other signals contradict it on "
            f"{say_share(float(values.conflicts[doubted]))} of all examples, and the "
            "votes do not tell which is right."
            + (" Read a few: here it was outvoted." if len(rows) else "")
        )
        yield "check", f"Check {say_names([values.names[doubted]])}", why, rows
    yield from _advise_to_drop(votes, values, errors)


def _advise_to_drop(
    votes: LabelledVotes, values: study.SignalValues, errors: FloatArray
) -> Iterator[Choice]:
    """Signals that can be missed; `errors` are by true labels, NaN where unknown."""
    droppable = values.droppable & (values.coverage > 0)
    if votes.n_gold:
        # A signal that is right more often than the labels should count more, not less.
        right = votes.known_counts @ votes.score(votes.labels)
        droppable &= ~(errors < 1 - right / votes.n_gold)
    if not droppable.any():
        return
    bad = droppable & (errors > votes.bad_error)
    names = [values.names[i] for i in np.flatnonzero(droppable)]
    short, why = f"Drop {say_names(names)}", "without it hardly a label changes."
    if bad.any():
        worst = int(np.where(bad, errors, -1).argmax())
        short = f"Drop {say_names([values.names[worst]])}"
        wrong = say_share(float(errors[worst]))
        why = f"true labels find it wrong on {wrong} of its votes, and {why}"
    elif len(names) > 1:
        short = f"Drop one of {say_names(names, MAX_DROPPED_NAMES)}"
        why += " Look again then: of two copies each can go, but not both."
    yield "drop", short, why, NO_ROWS


def _find_mistakes(votes: LabelledVotes, signal: int) -> IntArray:
    """Rows on which a signal is likeliest to be wrong."""
    hard, judged = votes.hard, votes.labels
    mine = np.flatnonzero(hard.schema.signal == signal)
    known = (votes.truth >= 0)[:, None]
    judged = np.where(known, np.eye(judged.shape[1])[votes.truth], judged)
    right = judged @ hard.schema.supports[mine].T
    said = hard.F[:, mine].toarray()[hard.row_of] > 0
    doubt = np.where(said, right, 1.0).min(axis=1, initial=1.0)
    return choose_rows(votes, doubt < 0.5, doubt, MAX_ADVICE_ROWS)


def judge_advice(items: tuple[Advice, ...]) -> str:
    """What to do first, and what then."""
    if not items:
        return "Nothing stands out: every signal adds something, and all are covered."
    first, *others = (item.short for item in items)
    said = f"{first} first" if others else first
    for short in others[:2]:
        said += f", then {short[0].lower()}{short[1:]}"
    return f"{said}."
