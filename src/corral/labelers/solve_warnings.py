"""Warnings about a solve: unfinished, rates that cannot be met, signals without votes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corral.constraints import LabelSpace
from corral.errors import (
    ConvergenceWarning,
    InfeasibleWarning,
    SignalsWarning,
    warn_user,
)
from corral.signals import WeakSignals
from corral.solvers import Solution, Status


def warn_about(
    solution: Solution,
    space: LabelSpace,
    signals: WeakSignals,
    advice: str,
    *,
    named: bool,
) -> None:
    """Warn: always if a solve is unfinished, by name if rates cannot be met.

    Parameters
    ----------
    solution : Solution
    space : LabelSpace
    signals : WeakSignals
    advice : str
        What to do if it is unfinished.
    named : bool
        Whether the rates were given one by one, so that a miss is worth a warning. One rate
        for all is often meant to be out of reach.
    """
    silent = sorted(set(range(signals.n_signals)) - set(space.rows.signal.tolist()))
    if silent:
        listed = ", ".join(signals.names[i] for i in silent)
        warn_user(f"signals that never vote are left out: {listed}", SignalsWarning)
    if solution.status is Status.NOT_CONVERGED:
        warn_user(f"{solution.message}. {advice}.", ConvergenceWarning)
    if not named:
        return
    if solution.status is Status.INFEASIBLE:
        listed = furthest_off(solution, space.rows.names(signals), "nearest")
        warn_user(f"{solution.message}. {listed}.", InfeasibleWarning)
    if solution.status is Status.MISSED:
        listed = furthest_off(solution, space.rows.names(signals), "found")
        warn_user(f"{solution.message}. {listed}. {advice}.", ConvergenceWarning)


def furthest_off(solution: Solution, names: Sequence[str], how: str) -> str:
    """The three rows that are furthest from what was expected, to be read by a person.

    Parameters
    ----------
    solution : Solution
    names : sequence of str
        One per row.
    how : str
        What the errors under the labels are called.
    """
    found, off = solution.implied_error_rates, solution.residual
    listed = ", ".join(
        f"{names[r]} (expected {found[r] - off[r]:.2f}, {how} {found[r]:.2f})"
        for r in np.argsort(-np.abs(off))[:3]
    )
    return f"Furthest off: {listed}"
