"""What a user should know of a solve."""

from __future__ import annotations

import warnings

import numpy as np

from corral.constraints import LabelSpace
from corral.errors import ConvergenceWarning, InfeasibleWarning, SignalsWarning
from corral.signals import WeakSignals
from corral.solvers import Solution, Status

LEVEL = 5
"""Frames from here to the line that called `fit`."""


def warn_of(
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
        Whether somebody stands behind the rates. One rate for all is often meant to be
        out of reach.
    """
    silent = sorted(set(range(signals.n_signals)) - set(space.rows.signal.tolist()))
    if silent:
        listed = ", ".join(signals.names[i] for i in silent)
        _warn(f"signals that never vote are left out: {listed}", SignalsWarning)
    if solution.status is Status.NOT_CONVERGED:
        _warn(f"{solution.message}. {advice}.", ConvergenceWarning)
    if solution.status is Status.INFEASIBLE and named:
        found, names = solution.implied_error_rates, space.rows.names(signals)
        allowed = space.nearest(found)
        listed = ", ".join(
            f"{names[r]} (expected {allowed[r]:.2f}, nearest {found[r]:.2f})"
            for r in np.argsort(-np.abs(solution.residual))[:3]
        )
        _warn(f"{solution.message}. Furthest off: {listed}.", InfeasibleWarning)


def _warn(message: str, category: type[Warning]) -> None:
    warnings.warn(message, category, stacklevel=LEVEL + 1)
