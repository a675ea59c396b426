"""What every solver returns, and how it says whether to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from corral._types import FloatArray
from corral.errors import ConvergenceWarning, InfeasibleWarning, warn_user

TOLERANCE = 0.01
"""Accuracy that counts as converged: a root mean square over the rows, of error rates."""
ROW_TOLERANCE = 2
"""How many times the tolerance a single row may be off: a mean hides one of many rows."""


class Status(StrEnum):
    """How a solve ended. See `Solution.message` for what it means."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    MISSED = "missed"
    NOT_CONVERGED = "not converged"


@dataclass(frozen=True)
class Solution:
    """Labels inside (or nearest to) the space, with a certificate.

    Attributes
    ----------
    labels : (u, n_labels) array of float
        Labels of the distinct rows, each in [0, 1].
    status : Status
    iterations : int
    residual : (r,) array of float
        ``A y - c``: implied minus expected error of every row.
    implied_error_rates : (r,) array of float
        Error of every row under the labels.
    excess : float
        Certified: the root mean square residual is at most this far above the
        least that any labels reach. In units of an error rate.
    history : (iterations + 1,) array of float
        Root mean square residual at the start and after every step.
    gap : float
        Certified: how far the solver's own objective is at most from its optimum. For
        `Adagrad` that is the mean square residual, so the square of `excess`.
    multipliers : (r,) array of float, or (starts, iterations, r) for `Adagrad`
        What labels any other votes: weights of the rows, or the record of the steps.
    names : tuple of str
        One per row.
    """

    labels: FloatArray
    status: Status
    iterations: int
    residual: FloatArray
    implied_error_rates: FloatArray
    excess: float
    history: FloatArray
    gap: float
    multipliers: FloatArray
    names: tuple[str, ...] = ()

    @property
    def rms_residual(self) -> float:
        """Root mean square residual, in units of an error rate."""
        return float(self.history[-1])

    @property
    def message(self) -> str:
        """The status in words."""
        largest = float(np.abs(self.residual).max(initial=0))
        if self.status is Status.FEASIBLE:
            return f"labels meet every rate and constraint, to within {largest:.1g}"
        missed = f"{self.rms_residual:.2g} on average"
        if self.status is Status.MISSED:
            return (
                f"labels miss a rate by {largest:.3g}; others could come "
                "nearer. " + self._furthest_off("found")
            )
        if self.status is Status.INFEASIBLE:
            # With a large slack, and not for lack of steps, nearer ones may be left.
            near = "near them" if self.excess > TOLERANCE else "the nearest"
            return (
                f"no labels meet every rate and constraint; these are {near}, and miss by "
                f"{missed} (proven to within {max(self.excess, 1e-6):.1g})"
            )
        return (
            f"stopped after {self.iterations} iterations: labels miss rates by {missed}, "
            f"which may be {self.excess:.2g} more than they must"
        )

    def _furthest_off(self, how: str) -> str:
        found, off = self.implied_error_rates, self.residual
        listed = ", ".join(
            f"{self.names[r]} (expected {found[r] - off[r]:.2f}, {how} {found[r]:.2f})"
            for r in np.argsort(-np.abs(off))[:3]
        )
        return f"Furthest off: {listed}"

    def warn(self, advice: str, *, named: bool) -> None:
        """Warn if the solve is unfinished; also if rates are missed, where `named`.

        One rate for all signals is often meant to be out of reach. Where rates were given
        one by one, a miss is worth a warning.
        """
        missed = named and self.status is Status.MISSED
        if missed or self.status is Status.NOT_CONVERGED:
            warn_user(f"{self.message}. {advice}.", ConvergenceWarning)
        elif named and self.status is Status.INFEASIBLE:
            text = f"{self.message}. {self._furthest_off('nearest')}."
            warn_user(text, InfeasibleWarning)


def status_of(residual: FloatArray, mean_square: float, gap: float) -> Status:
    """Status of labels that a solver is done with.

    Feasible: the mean of the residual (r,) is within the tolerance, and every row within
    twice that. If not, `gap`, which bounds how far `mean_square` is above the least, may
    prove that no labels are. Else rates are missed that could perhaps be met.
    """
    largest = np.abs(residual).max(initial=0)
    if mean_square <= TOLERANCE**2 and largest <= ROW_TOLERANCE * TOLERANCE:
        return Status.FEASIBLE
    return Status.INFEASIBLE if mean_square > gap else Status.MISSED
