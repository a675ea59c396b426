"""Whether what was asked of labels can hold, and how far they hang on it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from corral.errors import CorralError, CorralWarning
from corral.labelers import ConstrainedLabeler
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.phrases import say_count, say_names, say_share, say_verb
from corral.reports.sections import ConstraintsSection
from corral.solvers import Status
from corral.solvers.feasibility import SMALL, Feasibility, feasibility
from corral.study import Sensitivity, sensitivity

MOST_ENTRIES = 2_000_000
"""Patterns times label columns up to which clashes are looked for."""
MOST_CELLS = 100_000_000
"""Patterns times signals times classes up to which rates are moved one by one."""
MATTERS = 0.01
"""Share of labels that change from which an error rate matters."""


def check_constraints(votes: LabelledVotes, change: float) -> ConstraintsSection:
    """Compute the section of constraints."""
    labeler: Any = votes.labeler
    if not isinstance(labeler, ConstrainedLabeler):
        said = (
            f"{type(labeler).__name__} has no error rates to meet, so there is nothing to "
            "relax; ConstrainedLabeler has."
        )
        return ConstraintsSection(said, None, None, None, ())
    status = labeler.solution_.status
    skipped: list[str] = []
    found = _find_clashes(labeler, status, skipped)
    moved = _move_rates(votes, change, skipped)
    verdict = " ".join([_say_feasible(labeler, status, found), _say_moved(moved)])
    return ConstraintsSection(
        verdict.strip(), status.value, found, moved, tuple(skipped)
    )


def _find_clashes(
    labeler: Any, status: Status, skipped: list[str]
) -> Feasibility | None:
    """Which constraints clash; of estimated rates none was asked for."""
    if status is Status.ESTIMATED:
        return None
    space = getattr(labeler, "space_", None)
    if space is None:
        skipped.append(
            "Clashes: constraints are not saved with a labeler; fit it to see them."
        )
        return None
    size = space.design.n_labels * space.design.n_patterns
    if size > MOST_ENTRIES:
        skipped.append(
            f"Clashes were not looked for among {size:,} labels, which would take "
            "minutes; corral.feasibility does."
        )
        return None
    return feasibility(labeler)


def _move_rates(
    votes: LabelledVotes, change: float, skipped: list[str]
) -> Sensitivity | None:
    if votes.n_cells > MOST_CELLS:
        skipped.append(
            f"Error rates were not moved: {votes.n_patterns:,} distinct rows of votes of "
            f"{say_count(votes.signals.n_signals, 'signal')} for "
            f"{say_count(votes.signals.n_classes, 'class', 'classes')} would take minutes; "
            "corral.sensitivity does it."
        )
        return None
    try:
        with warnings.catch_warnings():
            # They are about moved rates, which nobody asked for.
            warnings.simplefilter("ignore", CorralWarning)
            return sensitivity(votes.labeler, votes.signals, change=change)
    except CorralError as error:
        skipped.append(f"Error rates were not moved: {error}")
        return None


def _say_feasible(labeler: Any, status: Status, found: Feasibility | None) -> str:
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
    if found.feasible:
        if len(found.names) == 1:
            return "The one constraint can hold: nothing needs to be relaxed."
        return (
            f"All {say_count(len(found.names), 'constraint')} can hold together: nothing "
            "needs to be relaxed."
        )
    moved = np.flatnonzero(np.abs(found.change) > SMALL)
    most = moved[np.abs(found.change[moved]).argmax()]
    bound = found.upper[most] if found.change[most] > 0 else found.lower[most]
    return (
        f"{int(found.conflict.sum()):,} of {say_count(len(found.names), 'constraint')} "
        f"cannot hold together: relax {say_count(len(moved), 'of them', 'of them')}, "
        f"first {say_names([found.names[most]])} from {bound:.2f} to "
        f"{bound + found.change[most]:.2f}."
    )


def _say_moved(moved: Sensitivity | None) -> str:
    if moved is None:
        return ""
    worst = np.maximum(moved.lower, moved.higher)
    both = max(moved.all_lower, moved.all_higher)
    if not len(worst) or worst.max() < MATTERS:
        return (
            f"No single error rate matters: off by {moved.change:g}, each changes less "
            f"than {say_share(MATTERS)} of the labels (all of them together "
            f"{say_share(both)})."
        )
    at = int(worst.argmax())
    many = int((worst >= MATTERS).sum())
    matter = say_verb(many - 1, "matters", "matter")
    others = "" if many == 1 else f", and {many - 1:,} more {matter}"
    return (
        f"Check the error rate of {say_names([moved.names[at]])} first: off by "
        f"{moved.change:g}, {say_share(float(worst[at]))} of the labels change{others}."
    )
