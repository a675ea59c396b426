"""Solve many small problems, compare with fifty digits, and store how far off."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from mpmath import mpf
from scipy.optimize import lsq_linear

from corral import ConstrainedLabeler, Status
from corral.errors import CorralError, CorralWarning
from reliability.numbers.cases import KINDS, SOLVERS, Case, make_case
from reliability.numbers.large import find_failures, run_large
from reliability.numbers.reference import Problem
from reliability.results import commit, store

ROUNDING = 1e-11
"""By how much a certificate in double precision may be off."""


def run_numbers(cases: int) -> bool:
    """So many cases per solver and kind of constraint; whether all certificates hold."""
    found: dict[str, Any] = {"commit": commit(), "solvers": {}, "failures": []}
    began = time.monotonic()
    for solver in SOLVERS:
        for kind in KINDS:
            table = found["solvers"].setdefault(solver, {})
            table[kind] = _run_cell(solver, kind, cases, found["failures"])
            found["seconds"] = round(time.monotonic() - began, 1)
            store("numbers", found)
            print(solver, kind, table[kind], flush=True)
    found["large"] = run_large()
    missed = find_failures(found["large"])
    found["seconds"] = round(time.monotonic() - began, 1)
    store("numbers", found)
    for failure in missed:
        print(f"failed: {failure}", flush=True)
    return not found["failures"] and not missed


def _run_cell(
    solver: str, kind: str, cases: int, failures: list[Any]
) -> dict[str, Any]:
    """All cases of a solver and a kind of constraint."""
    cell = {"cases": 0, "refused": 0, "not converged": 0, "no reference": 0, "off": 0.0}
    for seed in range(cases):
        case = make_case(kind, seed, exact=solver == "adagrad")
        cell["cases"] += 1
        try:
            off = check_case(case, solver)
        except CorralError:
            cell["refused"] += 1
        except AssertionError as error:
            failures.append(
                {"solver": solver, "kind": kind, "seed": seed, "why": str(error)[:300]}
            )
        else:
            if isinstance(off, str):
                cell[off] += 1
            else:
                cell["off"] = max(cell["off"], off)
    return cell


def check_case(case: Case, name: str) -> float | str:
    """How far labels are from the reference; raises if a certificate is not true."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CorralWarning)
        labeler = ConstrainedLabeler(
            case.rates,
            case.solver(name),
            constraints=case.constraints,
            allow_above_chance=True,
        ).fit(case.signals)
    solution, space = labeler.solution_, labeler.space_
    assert np.isfinite(solution.labels).all()
    assert np.isfinite(solution.residual).all()
    if name == "adagrad":
        return _check_least_squares(solution, space)
    problem = Problem(space, solution.model.potential, case.slack)
    start = [mpf(float(x)) for x in solution.model.multipliers]
    best = problem.solve(start)
    if best is None:
        return "no reference"
    multipliers, there = best
    worse = float(problem.dual(multipliers) - problem.primal(start))
    assert worse <= solution.gap * (1 + 1e-6) + ROUNDING, (
        f"the objective is {worse:.3g} below the best; certified {solution.gap:.3g}"
    )
    if solution.status is Status.NOT_CONVERGED:
        return "not converged"
    labels = np.array(there["labels"], float).T
    return float(np.abs(solution.labels[:, problem.used] - labels).max())


def _check_least_squares(solution: Any, space: Any) -> float | str:
    """Adagrad certifies the mean square residual only: nothing is lower than it says."""
    weights = np.tile(space.design.weights, space.design.n_labels)
    root = np.sqrt(space.row_weight)
    a = space.matrix() * weights
    found = lsq_linear(root[:, None] * a, root * space.c, bounds=(0, 1), method="bvls")
    total = space.row_weight.sum()
    least = 2 * found.cost / total
    own = float((space.row_weight * solution.residual**2).sum() / total)
    assert own - solution.excess**2 <= least + 1e-9, (
        f"{own:.3g} is certified within {solution.excess**2:.3g}; {least:.3g} is possible"
    )
    if solution.status is Status.NOT_CONVERGED:
        return "not converged"
    return max(0.0, float(np.sqrt(max(own, 0)) - np.sqrt(max(least, 0))))
