"""The Euclidean projection onto the space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from corral.checks import check_choice, check_number, check_positive
from corral.constraints import LabelSpace
from corral.solvers.dual_solver import solve_dual
from corral.solvers.potentials import POTENTIALS
from corral.solvers.solution import Keeps, Solution


@dataclass(frozen=True)
class Projection:
    """The labels of the space that are nearest to where labels start.

    What the paper's solver looks for, without a step size: the answer does not depend on
    the number of examples or of steps. Labels are in the box, one column per class. Error
    rates may be exact, at most, at least or between.

    Parameters
    ----------
    start : "half" or "uniform"
        All labels start at one half; or at random between 0 and 1, and the labels are the
        mean over all such starts (in closed form, no seed).
    slack : float
        How cheap it is to miss an error rate where not all can be met: half the mean
        squared move of a label is weighed against squared misses over twice this.
    iterations : int
        Most steps. Two to twenty are usual.

    Notes
    -----
    The dual has one unknown per constraint and a piecewise continuous second derivative. It
    is solved by a semismooth Newton method, from 500 constraints on by L-BFGS-B.
    `Solution.gap` certifies the result, in squared label units per example.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, Projection
    >>> votes = [[1, -1], [1, 1], [0, 0], [-1, 0]]
    >>> labeler = ConstrainedLabeler(error_rates=0.25, solver=Projection())
    >>> labeler.fit(votes).predict_proba(votes)[:, 1].round(2).tolist()
    [0.65, 0.8, 0.2, 0.35]
    """

    start: Literal["half", "uniform"] = "half"
    slack: float = 1e-6
    iterations: int = 500

    joint: ClassVar[bool] = False
    takes_bounds: ClassVar[bool] = True
    is_expected: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = "entries"

    @property
    def advice(self) -> str:
        """What to do if a solve did not converge."""
        return "Allow the solver more, e.g. `iterations=5000`, or a smaller slack"

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_choice("start", self.start, ("half", "uniform"))
        check_number("slack", self.slack)
        check_positive("iterations", self.iterations)

    def solve(
        self, space: LabelSpace, _rng: np.random.Generator | None = None
    ) -> Solution:
        """Find labels in a space; nothing is random."""
        return solve_dual(space, POTENTIALS[self.start], self.slack, self.iterations)
