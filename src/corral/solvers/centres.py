"""Centres of the space that come from a dual: maximum entropy, and projection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import ClassVar

import numpy as np
from threadpoolctl import ThreadpoolController

from corral.checks import check_number, check_positive
from corral.constraints import System
from corral.model import Link
from corral.progress import progress
from corral.solvers.dual import (
    Bernoulli,
    DualPoint,
    DualProblem,
    Half,
    Potential,
    Simplex,
)
from corral.solvers.newton import minimise
from corral.solvers.solution import Solution, Status, status_of

MIN_SAMPLED_ROWS = 200_000
"""Distinct rows from which a first guess is found on a sample: a pass over all is slow."""
MAX_GAP = 1e-9
"""Duality gap per example that counts as solved: nats, or squared label units."""
MAX_EARLY_GAP = 1e-3
"""The same while slack is still being taken away."""
EARLY_SLACKS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Slack is taken away in stages, each from where the last one ended. Where rates cannot be
met multipliers grow like one over slack, and a cold start there takes many steps."""


@dataclass(frozen=True)
class _Centre:
    """What the solvers that work on the dual have in common; nothing is random."""

    slack: float
    iterations: int = 500

    takes_bounds: ClassVar[bool] = True
    advice: ClassVar[str] = (
        "Allow more iterations, e.g. `iterations=5000`, or a smaller slack"
    )

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_number("slack", self.slack)
        check_positive("iterations", self.iterations)


@dataclass(frozen=True)
class Entropy(_Centre):
    """The least committed labels under which every signal errs as often as expected.

    Of all labels in the space those with the greatest entropy, asymptotically the mean of
    all 0/1 labelings in it. Error rates may be exact, at most, at least or between.
    Labels of an example add up to one, whatever the signals are, unless the task is
    multi-label. `Solution.gap` is in nats per example.

    Parameters
    ----------
    slack : float
        How cheap it is to miss an error rate where not all can be met: the entropy per
        example, in nats, is weighed against squared misses over twice this. Small values
        meet rates exactly where that is possible.
    iterations : int
        Most steps. A dozen are usual.

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

    joint: ClassVar[bool] = True
    link: ClassVar[Link] = "softmax"

    def solve(
        self, system: System, _rng: np.random.Generator | None = None
    ) -> Solution:
        """Find labels in a space, the nearest to its reference."""
        independent = system.multilabel or system.n_labels == 1
        potential = Bernoulli() if independent else Simplex()
        return solve_dual(system, potential, self.slack, self.iterations)


@dataclass(frozen=True)
class Projection(_Centre):
    """The labels of the space that are nearest to one half.

    What the paper's solver looks for, without a step size: the answer does not depend on
    the number of examples or of steps. Labels are in the box, one column per class. Error
    rates may be exact, at most, at least or between. `Solution.gap` is in squared label
    units per example.

    Parameters
    ----------
    slack : float
        How cheap it is to miss an error rate where not all can be met: half the mean
        squared move of a label is weighed against squared misses over twice this.
    iterations : int
        Most steps. Two to twenty are usual.

    Examples
    --------
    >>> from corral import ConstrainedLabeler, Projection
    >>> votes = [[1, -1], [1, 1], [0, 0], [-1, 0]]
    >>> labeler = ConstrainedLabeler(error_rates=0.25, solver=Projection())
    >>> labeler.fit(votes).predict_proba(votes)[:, 1].round(2).tolist()
    [0.65, 0.8, 0.2, 0.35]
    """

    slack: float = 1e-6

    joint: ClassVar[bool] = False
    link: ClassVar[Link] = "box"

    def solve(
        self, system: System, _rng: np.random.Generator | None = None
    ) -> Solution:
        """Find labels in a space."""
        return solve_dual(system, Half(), self.slack, self.iterations)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes a while


def solve_dual(
    system: System, potential: Potential, slack: float, iterations: int
) -> Solution:
    """The labels of a space that a potential prefers; see `corral.solvers.dual`."""
    misses: list[float] = []
    problem = DualProblem(system, potential)
    # Products of small matrices: threads inside each cost more than they bring.
    with (
        _blas().limit(limits=1, user_api="blas"),
        progress("solving", iterations) as bar,
    ):

        def watch(point: DualPoint) -> None:
            misses.append(float(problem.mean_square(point.errors)))
            bar.advance()

        curved = problem.curved
        stages = [*takewhile(lambda s: s > slack, EARLY_SLACKS), slack]
        large = system.n_rows >= MIN_SAMPLED_ROWS
        point = problem.at(np.zeros(len(system)), curved=curved and not large)
        watch(point)
        if large:
            rough = problem.on_sample(point)
            guess = rough.at(point.multipliers, curved=curved)
            for stage in stages:
                guess = minimise(rough, guess, stage, MAX_EARLY_GAP, iterations)
            stages = [slack]
            point = problem.at(guess.multipliers, curved=curved)
            watch(point)
        for stage in stages:
            goal = MAX_GAP if stage == slack else MAX_EARLY_GAP
            left = iterations + 1 - len(misses)
            point = minimise(problem, point, stage, goal, left, watch)
        labels = problem.labels(point.multipliers)
        excess = problem.excess(labels, point.errors)
    gap = problem.gap(point, slack)
    missed = float(problem.mean_square(point.errors))
    residual = problem.violation(point.errors)
    # With a large slack, rates may be missed that could be met, however many the steps.
    status = status_of(residual, missed, excess)
    return Solution(
        labels=labels,
        status=status if gap <= MAX_GAP else Status.NOT_CONVERGED,
        iterations=len(misses) - 1,
        residual=residual,
        implied_error_rates=point.errors,
        excess=float(np.sqrt(min(excess, missed))),
        history=np.sqrt([*misses[:-1], missed]),
        names=system.names,
        multipliers=point.multipliers,
        gap=gap,
    )
