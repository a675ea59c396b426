"""The labels beside a majority vote."""

from __future__ import annotations

from corral.decisions import tie_share
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.paired_gain import ENOUGH_GOLD, EQUAL, PairedGain, paired_gain
from corral.reports.phrases import (
    say_count,
    say_points,
    say_sample,
    say_share,
    say_the,
    say_verb,
)
from corral.reports.sections import Summary
from corral.study import Analysis


def summarise(votes: LabelledVotes, analysis: Analysis) -> Summary:
    """Compute the first section."""
    covered, known = votes.covered_counts, votes.known_counts
    own = vote = gain = expected = None
    if known.any():
        right, vote_right = votes.score(votes.labels), votes.score(votes.vote_labels)
        own = float(known @ right / known.sum())
        vote = float(known @ vote_right / known.sum())
        gain = paired_gain(right, vote_right, known)
    if votes.tells_confidence:
        expected = float(covered @ votes.confidence / covered.sum())
    facts = {
        "method": type(votes.labeler).__name__,
        "note": votes.labeler.note_,
        "n_examples": float(votes.counts.sum()),
        "n_covered": float(covered.sum()),
        "n_signals": votes.signals.n_signals,
        "counted_signals": float(analysis.share.sum()),
        "classes": votes.class_names,
        "expected_accuracy": expected,
        "changed": votes.changed(votes.vote_labels),
        "tied_votes": tie_share(
            votes.vote_labels[votes.covered], votes.counts[votes.covered]
        ),
        "n_gold": float(known.sum()),
        "accuracy": own,
        "vote_accuracy": vote,
        "gain_interval": None if gain is None else gain.interval,
        "warnings": votes.warnings,
    }
    found = Summary(verdict="", **facts)  # type: ignore[arg-type]
    return Summary(verdict=_verdict(found, gain), **facts)  # type: ignore[arg-type]


def _verdict(found: Summary, gain: PairedGain | None) -> str:
    if gain is None:
        return _verdict_without_gold(found)
    assert found.accuracy is not None
    assert found.vote_accuracy is not None
    right = (
        f"The labels are right on {say_share(found.accuracy)} of "
        f"{say_the(found.n_gold, 'example')} with a true label and a vote"
    )
    if found.changed == 0:
        return f"{right}; a majority vote gives the same labels."
    beside = f"a majority vote ({say_share(found.vote_accuracy)})"
    more = "more" if gain.mean > 0 else "less"
    compared = (
        f"{right}, as often as {beside}"
        if abs(gain.mean) < EQUAL
        else f"{right}, {say_points(gain.mean)} {more} than {beside}"
    )
    if not gain.is_enough:
        return f"{compared}. {_say_too_few(gain)}"
    if not gain.is_shown:
        return (
            f"{compared}: neither is shown to be better."
            if abs(gain.mean) < EQUAL
            else f"{compared}. Chance may explain that: neither is shown to be better."
        )
    if gain.mean > 0:
        return f"{compared}: use them."
    return (
        f"{compared}: prefer the vote, or see below which signals mislead the labels."
    )


def _say_too_few(gain: PairedGain) -> str:
    """Why true labels do not tell which of two is better."""
    if gain.n < ENOUGH_GOLD:
        return (
            f"{say_count(gain.n, 'true label')} {say_verb(gain.n, 'is', 'are')} too few "
            "to tell which is better: add more, of random examples."
        )
    if not gain.n_differing:
        return "None of these tells the two apart: too few to tell which is better."
    return (
        f"Only {say_count(gain.n_differing, 'of these tells', 'of these tell')} the two "
        "apart, too few to tell which is better."
    )


def _verdict_without_gold(found: Summary) -> str:
    share = f"({say_share(found.n_covered / found.n_examples)})"
    got = (
        f"{say_count(found.n_covered, 'example')} of {found.n_examples:,.0f} {share} "
        f"{say_verb(found.n_covered, 'gets', 'get')} a label"
    )
    sample = say_sample(found.n_covered)
    if found.expected_accuracy is None:
        return (
            f"{got}, and a majority vote does not say how sure it is"
            f"{_say_ties(found)}. Label {sample} by hand to see how far to trust it."
        )
    got += f" that is expected to be right {say_share(found.expected_accuracy)} of the time"
    if found.changed == 0:
        return f"{got}; a majority vote gives the same labels."
    return (
        f"{got}; a majority vote would label {say_share(found.changed)} of them otherwise "
        f"or leave them tied. Label {sample} by hand to see how far to trust either."
    )


def _say_ties(found: Summary) -> str:
    if not found.tied_votes:
        return ""
    return f" ({say_share(found.tied_votes)} of them are tied)"
