"""Other methods on the same votes."""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.labelers import LABELERS
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.paired_gain import EQUAL, paired_gain
from corral.reports.phrases import say_count, say_points, say_sample, say_share
from corral.reports.sections import MethodLine, MethodsSection
from corral.study import LEFT_OUT, score_labels, try_methods

MOST_CELLS = 8_000_000
"""Patterns times signals times classes up to which all methods are tried."""
FAST = ("majority-vote", "averaging", "constrained")
"""Those that are tried beyond."""


def compare_methods(votes: LabelledVotes, seed: int) -> MethodsSection:
    """Compute the section of methods."""
    skipped: tuple[str, ...] = ()
    names = [name for name in LABELERS if name not in LEFT_OUT]
    if votes.n_cells > MOST_CELLS:
        names = [name for name in names if name in FAST]
        skipped = (
            f"Only {', '.join(FAST)} were tried: other methods would take minutes on "
            f"{votes.n_patterns:,} distinct rows of votes for "
            f"{say_count(votes.signals.n_classes, 'class', 'classes')}; corral.compare "
            "tries them.",
        )
    own = type(votes.labeler)
    # Options of the user are in the first line; a name stands for the defaults.
    names = [name for name in names if LABELERS[name] is not own or _is_changed(votes)]
    tried = {name: LABELERS[name]().set_params(random_state=seed) for name in names}
    positive = 1 if votes.signals.n_classes == 2 else None
    lines = [_line("these labels", votes, votes.labels, None, "", positive)]
    better: set[str] = set()
    for one in try_methods(tried, votes.signals):
        if one.labels is None:
            lines.append(
                MethodLine(one.name, None, None, None, None, None, None, one.remark)
            )
        else:
            if _is_better(votes, one.labels):
                better.add(one.name)
            lines.append(
                _line(one.name, votes, one.labels, one.seconds, one.remark, positive)
            )
    f1_of = "macro" if positive is None else votes.class_names[positive]
    return MethodsSection(_verdict(lines, better, votes), tuple(lines), f1_of, skipped)


def _is_changed(votes: LabelledVotes) -> bool:
    """Whether the labeler has options of the user."""
    return repr(votes.labeler) != repr(type(votes.labeler)())


def _is_better(votes: LabelledVotes, labels: FloatArray) -> bool:
    """Whether true labels show other labels to be right more often."""
    if not votes.known_counts.any():
        return False
    right, own_right = votes.score(labels), votes.score(votes.labels)
    found = paired_gain(right, own_right, votes.known_counts)
    return found.is_shown and found.mean > 0


def _line(
    name: str,
    votes: LabelledVotes,
    labels: FloatArray,
    seconds: float | None,
    remark: str,
    positive: int | None,
) -> MethodLine:
    accuracy = f1 = log_loss = brier = None
    at = np.flatnonzero(votes.known_counts)
    if len(at):
        assert votes.truth is not None
        accuracy, f1, log_loss, brier = score_labels(
            labels[at], votes.truth[at], votes.known_counts[at], positive
        )
    changed = votes.changed(labels)
    return MethodLine(name, changed, accuracy, f1, log_loss, brier, seconds, remark)


def _verdict(lines: list[MethodLine], better: set[str], votes: LabelledVotes) -> str:
    """Whether another method is worth a try; `better` are those shown to be better."""
    own, others = lines[0], [line for line in lines[1:] if line.changed is not None]
    if not others:
        return "No other method could label these votes."
    if own.accuracy is None:
        far = max(others, key=lambda line: line.changed or 0)
        near = min(others, key=lambda line: line.changed or 0)
        if (far.changed or 0) < 0.01:
            return (
                "All methods give nearly the same labels, so the choice among them hardly "
                "matters: spend time on signals."
            )
        return (
            f"Methods differ on up to {say_share(far.changed or 0)} of the labels "
            f"({far.name}; {near.name} is nearest with {say_share(near.changed or 0)}): "
            f"true labels of {say_sample(float(votes.covered_counts.sum()))} would tell "
            "which is right."
        )
    shown = [line for line in others if line.name in better]
    best = max(shown or others, key=lambda line: line.accuracy or 0)
    gain = (own.accuracy or 0) - (best.accuracy or 0)
    if abs(gain) < EQUAL:
        return (
            f"No other method does better: the best of them, {best.name}, is right as "
            f"often as these labels ({say_share(own.accuracy)})."
        )
    if gain > 0:
        return (
            f"No other method does better: the best of them, {best.name}, is right on "
            f"{say_share(best.accuracy or 0)}, these labels on {say_share(own.accuracy)}."
        )
    if not shown:
        return (
            f"No other method is shown to do better: the best of them, {best.name}, is "
            f"right on {say_share(best.accuracy or 0)}, these labels on "
            f"{say_share(own.accuracy)}, but the true labels are too few to tell that from "
            "chance."
        )
    return (
        f"{best.name} is right on {say_share(best.accuracy or 0)}, {say_points(gain)} more "
        f"than these labels ({say_share(own.accuracy)}): try it on examples that did not "
        "help to choose it."
    )
