"""Minimise the dual: Newton's method, or L-BFGS-B where there are many rows.

Rows with an interval make kinks at multiplier zero. A Newton step minimises the quadratic
model with its kinks exactly, so that rows whose bound does not bind drop out as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corral._types import FloatArray
from corral.solvers.dual import DualPoint, DualProblem

DECREASE = 1e-4
"""Share of the decrease promised by the model that a step must bring (Armijo)."""
SMALLEST_STEP = 1e-10
PATIENCE = 3
"""Exchanges of many rows that may fail to help before rows are exchanged one by one."""

CORRECTIONS = {100_000: 30, np.inf: 10}
"""Steps that L-BFGS-B remembers, by the most unknowns; a step is two numbers for each."""

Watch = Callable[[DualPoint], object]


def minimise(
    problem: DualProblem,
    point: DualPoint,
    slack: float,
    tolerance: float,
    budget: int,
    watch: Watch = bool,
) -> DualPoint:
    """Bring the duality gap below `tolerance` in at most `budget` steps from a point."""
    if not problem.curved:
        return _quasi_newton(problem, point, slack, tolerance, budget, watch)
    lower, upper = problem.rho * problem.lower, problem.rho * problem.upper
    for _ in range(budget):
        if problem.gap(point, slack) <= tolerance:
            break
        start, slope = point.multipliers, problem.gradient(point, slack)
        hessian = problem.hessian(point, slack)
        # In units in which every multiplier has curvature one; rounding must not make
        # the model indefinite.
        scale = np.sqrt(np.diag(hessian))
        model = hessian / np.outer(scale, scale) + 1e-12 * np.eye(len(scale))
        linear = model @ (start * scale) - slope / scale
        target = minimise_kinked(model, linear, lower / scale, upper / scale, start)
        step = target / scale - start
        found = _search_step(problem, point, step, slope, slack)
        if found is None:
            break
        point = found
        watch(point)
    return point


def _search_step(
    problem: DualProblem,
    point: DualPoint,
    step: FloatArray,
    slope: FloatArray,
    slack: float,
) -> DualPoint | None:
    """The first of step, step / 2, step / 4, ... that brings enough; None if none does."""
    start, before = point.multipliers, problem.value(point, slack)
    promised = slope @ step + problem.kinks(start + step) - problem.kinks(start)
    rounding = 8 * np.finfo(float).eps * abs(before)
    share = 1.0
    while share > SMALLEST_STEP:
        new = problem.at(start + share * step, curved=True)
        change = problem.value(new, slack) - before
        if change <= DECREASE * share * promised + rounding:
            return new
        share /= 2
    return None


def minimise_kinked(
    h: FloatArray,
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    guess: FloatArray,
) -> FloatArray:
    """Minimise ``x h x / 2 - c x + sum max(lower x, upper x)``; `h` (r, r) definite.

    Where ``lower == upper``, ``x`` is free; where one is infinite, ``x`` stays on the other
    side of zero. Of `guess` only the signs matter.

    Block principal pivoting: guess which of ``x`` are positive, negative or zero, solve,
    exchange those that turn out wrong. If exchanging many does not help, the last one
    alone is exchanged, which ends after finitely many steps (Judice and Pires 1994).
    """
    free = lower == upper
    side = np.where(free, 1.0, np.sign(guess))
    side[np.where(side > 0, upper == np.inf, lower == -np.inf) & (side != 0)] = 0
    small = 1e-12 * (1 + np.abs(c).max(initial=0))
    fewest, tries = len(c) + 1, PATIENCE
    x = np.zeros(len(c))
    for _ in range(100 + 2 * len(c)):
        on = np.flatnonzero(side)
        x[:] = 0
        slope = np.where(side > 0, upper, lower)
        if len(on):
            x[on] = np.linalg.solve(h[np.ix_(on, on)], (c - slope)[on])
        rest = c - h @ x
        over, under = rest > upper + small, rest < lower - small
        crossed = ~free & (side * x < -small)
        wrong = np.flatnonzero(crossed | ((side == 0) & (over | under)))
        if not len(wrong):
            break
        if len(wrong) < fewest:
            fewest, tries = len(wrong), PATIENCE
        elif tries:
            tries -= 1
        else:
            wrong = wrong[-1:]
        side[wrong] = np.where(side[wrong] != 0, 0, np.where(over[wrong], 1, -1))
    # Rounding must not push a multiplier beyond zero to where the bound is infinite: the
    # value would be, too.
    x[((x < 0) & (lower == -np.inf)) | ((x > 0) & (upper == np.inf))] = 0
    return x


def _quasi_newton(
    problem: DualProblem,
    point: DualPoint,
    slack: float,
    tolerance: float,
    budget: int,
    watch: Watch,
) -> DualPoint:
    from scipy.optimize import minimize

    lower, upper, rho = problem.lower, problem.upper, problem.rho
    scale = np.sqrt(rho)
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    least = np.where((lower == upper) | (has_lower & ~has_upper), -np.inf, 0)
    most = np.where(has_upper, np.inf, 0)
    # A kink becomes two multipliers that are not negative.
    both = np.flatnonzero((lower < upper) & has_lower & has_upper)
    pairs = np.column_stack([least, most])
    bounds = np.vstack([pairs, np.tile([0, np.inf], (len(both), 1))])
    above = np.where(has_upper, upper, np.where(has_lower, lower, 0))
    best = point

    def split(x: FloatArray) -> FloatArray:
        multipliers = x[: len(rho)].copy()
        multipliers[both] -= x[len(rho) :]
        return multipliers / scale

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        nonlocal best
        best = problem.at(split(x), curved=False)
        slope = problem.gradient(best, slack)
        first, second = x[: len(rho)] / scale, x[len(rho) :] / scale[both]
        kinks = rho * above @ first - (rho * lower)[both] @ second
        gradient = np.append(
            (slope + rho * above) / scale, -((slope + rho * lower) / scale)[both]
        )
        smooth = problem.value(best, slack) - problem.kinks(best.multipliers)
        return float(smooth + kinks), gradient

    def stop(_: FloatArray) -> None:
        watch(best)
        if problem.gap(best, slack) <= tolerance:
            raise StopIteration

    multipliers = point.multipliers * scale
    start = np.append(multipliers, np.maximum(-multipliers[both], 0))
    start[both] = np.maximum(multipliers[both], 0)
    remembered = next(n for most, n in CORRECTIONS.items() if len(start) <= most)
    options = {"maxiter": budget, "maxfun": 2 * budget, "maxcor": remembered}
    options |= {"ftol": 0, "gtol": 0}  # `stop` says when it is enough
    found = minimize(
        value,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=stop,
        options=options,
    )
    return problem.at(split(found.x), curved=False)
