"""The maximum-entropy centre of the space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corral.checks import check_number, check_positive
from corral.constraints import LabelSpace
from corral.solvers.dual_solver import solve_dual
from corral.solvers.potentials import POTENTIALS
from corral.solvers.solution import Keeps, Solution


@dataclass(frozen=True)
class Entropy:
    """The least committed labels under which every signal errs as often as expected.

    Of all labels in the space those with the greatest entropy, asymptotically the mean of
    all 0/1 labelings in it. Error rates may be exact, at most, at least or between.
    Labels of an example add up to one, whatever the signals are, unless the task is
    multi-label.

    Parameters
    ----------
    slack : float
        How cheap it is to miss an error rate where not all can be met: the entropy per
        example, in nats, is weighed against squared misses over twice this. Small values
        meet rates exactly where that is possible.
    iterations : int
        Most steps. A dozen are usual.

    Notes
    -----
    The dual has one unknown per constraint and is smooth. It is solved by Newton's method,
    from 500 constraints on by L-BFGS-B. `Solution.gap` certifies the result: no labels
    have an objective that is better by more, in nats per example.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, Entropy
    >>> votes = [["a", "a", "b"], ["b", "a", None], ["c", "c", "c"], [None, "b", "b"]]
    >>> labeler = ConstrainedLabeler(0.3, solver=Entropy()).fit(votes)
    >>> labeler.labels_.round(2)[0]
    array([0.64, 0.29, 0.07])
    >>> labeler.implied_error_rates_.round(3).tolist()
    [0.3, 0.3, 0.3]
    """

    slack: float = 1e-4
    iterations: int = 500

    joint: ClassVar[bool] = True
    takes_bounds: ClassVar[bool] = True
    is_expected: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = "examples"  # labels of an example belong together

    @property
    def advice(self) -> str:
        """What to do if a solve did not converge."""
        return "Allow the solver more, e.g. `iterations=5000`, or a smaller slack"

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_number("slack", self.slack)
        check_positive("iterations", self.iterations)

    def solve(
        self, space: LabelSpace, _rng: np.random.Generator | None = None
    ) -> Solution:
        """Find labels in a space; nothing is random."""
        independent = space.multilabel or space.design.n_labels == 1
        potential = POTENTIALS["bernoulli" if independent else "simplex"]
        return solve_dual(space, potential, self.slack, self.iterations)
