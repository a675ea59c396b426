"""From a space and a potential to a certified solution, through the dual."""

from __future__ import annotations

from functools import cache
from itertools import takewhile

import numpy as np
from threadpoolctl import ThreadpoolController

from corral.constraints import LabelSpace
from corral.progress import progress
from corral.solvers.dual import DualPoint, DualProblem, Multipliers
from corral.solvers.newton import minimise
from corral.solvers.potentials import Potential
from corral.solvers.solution import TOLERANCE, Solution, Status, status_of
from corral.solvers.threads import open_threads

GAP = 1e-9
"""Duality gap per example that counts as solved: nats, or squared label units."""
EARLY_GAP = 1e-3
"""The same while slack is still being taken away."""
EARLY_SLACKS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Slack is taken away in stages, each from where the last one ended. Where rates cannot be
met multipliers grow like one over slack, and a cold start there takes many steps."""
SAMPLE_FROM = 200_000
"""Patterns from which a sample is solved first: passes over all are what takes time."""


def _ignore(_: DualPoint) -> None:
    """Steps on a sample are not counted."""


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes a while


def solve_dual(
    space: LabelSpace, potential: Potential, slack: float, iterations: int
) -> Solution:
    """The labels of a space that a potential prefers.

    Parameters
    ----------
    space : LabelSpace
    potential : Potential
    slack : float
        How cheap it is to miss a rate; see `corral.solvers.dual`.
    iterations : int
        Most steps over all stages.
    """
    misses: list[float] = []
    # Products of small matrices: threads inside each cost more than they bring, and
    # starve on busy machines. Large passes are shared out as a whole by `open_threads`.
    with (
        _blas().limit(limits=1, user_api="blas"),
        progress("solving", iterations) as bar,
        open_threads(space.design) as each,
    ):
        problem = DualProblem(space, potential, each)

        def watch(point: DualPoint) -> None:
            misses.append(float(problem.mean_square(point.errors)))
            bar.advance()

        curved = problem.curved
        stages = [*takewhile(lambda s: s > slack, EARLY_SLACKS), slack]
        large = space.design.n_patterns >= SAMPLE_FROM
        point = problem.at(np.zeros(problem.n_rows), curved=curved and not large)
        watch(point)
        if large:
            rough = problem.on_sample(point)
            guess = rough.at(point.multipliers, curved=curved)
            for stage in stages:
                guess = minimise(rough, guess, stage, EARLY_GAP, iterations, _ignore)
            stages = [slack]
            point = problem.at(guess.multipliers, curved=curved)
            watch(point)
        for stage in stages:
            goal = GAP if stage == slack else EARLY_GAP
            left = iterations + 1 - len(misses)
            point = minimise(problem, point, stage, goal, left, watch)
        model = Multipliers(point.multipliers, potential.name)
        labels = model.labels(space.design)
        excess = problem.excess(labels, point.errors)
    gap = problem.gap(point, slack)
    missed = float(problem.mean_square(point.errors))
    residual = problem.violation(point.errors)
    # A large slack lets errors be missed that could be met; that is no lack of steps, but
    # they are missed.
    status = status_of(residual, missed, excess, TOLERANCE)
    return Solution(
        labels=labels,
        example_labels=None,
        status=status if gap <= GAP else Status.NOT_CONVERGED,
        iterations=len(misses) - 1,
        residual=residual,
        implied_error_rates=point.errors,
        excess=float(np.sqrt(min(excess, missed))),
        tolerance=TOLERANCE,
        history=np.sqrt([*misses[:-1], missed]),
        rows_used=space.design.n_examples,
        model=model,
        gap=gap,
    )
