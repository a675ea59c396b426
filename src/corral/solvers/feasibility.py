"""Which constraints cannot hold together, and the smallest change that lets them.

The elastic form of the constraints lets every bound move, at a price:

    minimise   sum_r weight_r * change_r
    so that    l_r - change_r <= e_r(y) <= u_r + change_r

over all labels ``y``. It is a linear program with one column per (pattern, label column). A
sum of absolute changes is least where few bounds move, which makes the answer short. Its
multipliers prove which rows clash: only rows with a multiplier are part of the proof. Rows
without which the rest still clashes are then left out, one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, identity, vstack

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import System
from corral.errors import ParameterError
from corral.progress import progress
from corral.results import Part, Result, Table
from corral.solvers.centres import solve_dual
from corral.solvers.dual import Half, Simplex

MAX_PROGRAM_LABELS = 200_000
"""Labels up to which a linear program is solved; beyond, least squares through the dual."""
MAX_MINIMAL_LABELS = 20_000
"""Labels up to which a conflict is made minimal, which takes one program per row."""
TIE_BREAK = 1e-6
SLACK = 1e-7
SMALL = 1e-6
"""Changes and multipliers below this count as zero."""


@dataclass(frozen=True, repr=False)
class Feasibility(Result):
    """What `feasibility` found; print it."""

    names: tuple[str, ...]  # one per constraint
    lower: FloatArray  # (r,) what is asked
    upper: FloatArray
    nearest: FloatArray  # (r,) values of the constraints after the smallest change
    change: FloatArray  # (r,) how far an upper bound must rise, or a lower (< 0) fall
    conflict: BoolArray  # (r,) constraints that cannot hold together
    method: str  # what is smallest: the sum of changes, or of their squares

    @property
    def feasible(self) -> bool:
        """Whether some labels meet all constraints."""
        return not (np.abs(self.change) > SMALL).any()

    @property
    def mended(self) -> tuple[FloatArray, FloatArray]:
        """(r,) lower and (r,) upper bounds after the change; some labels meet them."""
        down, up = np.minimum(self.change, 0), np.maximum(self.change, 0)
        return self.lower + down, self.upper + up

    title = "Whether the constraints can hold together"

    def parts(self) -> Iterator[Part]:
        if self.feasible:
            yield f"feasible: some labels meet all {len(self.names)} constraints"
            return
        moved = np.abs(self.change) > SMALL
        yield (
            f"infeasible: {int(self.conflict.sum())} of {len(self.names)} constraints "
            f"(marked *) cannot hold together; the smallest change moves {moved.sum()}"
        )
        order = np.argsort(~self.conflict, kind="stable")
        bounds = list(map(_format_bounds, self.lower, self.upper))
        yield Table(
            {
                "clash": ["*" if self.conflict[r] else "" for r in order],
                "constraint": [self.names[r] for r in order],
                "asked": [bounds[r] for r in order],
                "nearest": self.nearest[order],
                "change": np.where(moved, self.change, np.nan)[order],
            },
            formats={"change": "+.3f"},
        )
        yield f"(smallest: {self.method})"


def _format_bounds(lower: float, upper: float) -> str:
    if lower == upper:
        return f"= {upper:.3g}"
    if np.isinf(lower) and np.isinf(upper):
        return "anything"
    if np.isinf(lower):
        return f"<= {upper:.3g}"
    return f">= {lower:.3g}" if np.isinf(upper) else f"{lower:.3g} to {upper:.3g}"


def feasibility(target: Any, signals: Any = None) -> Feasibility:
    """Find which constraints clash, and the smallest change after which all can hold.

    Parameters
    ----------
    target : ConstrainedLabeler or System
        A labeler, or the constraints themselves.
    signals : as for `ConstrainedLabeler.fit`
        The signals whose labels the constraints of a labeler are on.

    Returns
    -------
    Feasibility
        The sum of all changes is the smallest there is; of several such changes, that
        of the later constraints. Beyond 200,000 labels (distinct rows times label columns)
        it is the sum of squares, and beyond 20,000 a conflict may name more than it needs.

    Examples
    --------
    >>> import corral
    >>> votes = [[1, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 0]]
    >>> labeler = corral.ConstrainedLabeler(0.2, "entropy")
    >>> print(corral.feasibility(labeler, votes))
    infeasible: 2 of 3 constraints (marked *) cannot hold together; the smallest change
    moves 1
    <BLANKLINE>
    clash  constraint  asked  nearest  change
    *      s0          = 0.2    0.200
    *      s2          = 0.2    0.800  +0.600
           s1          = 0.2    0.200
    <BLANKLINE>
    (smallest: sum of changes, by a linear program)
    """
    system, joint = target, True
    if hasattr(target, "make_system"):
        if signals is None:
            raise ParameterError(
                "feasibility of a labeler needs the votes, feasibility(labeler, votes): a "
                "labeler does not keep them."
            )
        system, solver = target.make_system(signals)
        joint = solver.joint
    if not isinstance(system, System):
        raise ParameterError(
            "feasibility takes a ConstrainedLabeler and votes, or a System; "
            f"{type(target).__name__} was given."
        )
    simplex = joint and not system.multilabel and system.n_labels > 1
    size = system.n_labels * system.n_rows
    if size > MAX_PROGRAM_LABELS:
        # The violation that is left is itself the proof that its rows clash.
        solution = solve_dual(system, Simplex() if simplex else Half(), SLACK, 2000)
        change = np.where(np.abs(solution.residual) > 1e-4, solution.residual, 0.0)
        nearest, conflict = solution.implied_error_rates, change != 0
        method = "sum of squared changes, by the dual"
    else:
        program = _Program(system, simplex)
        change, nearest, multiplier = program.solve(np.arange(len(system)))
        method = "sum of changes, by a linear program"
        conflict = np.abs(multiplier) > SMALL
        if np.abs(change).max(initial=0) <= SMALL:
            conflict[:] = False
        elif size <= MAX_MINIMAL_LABELS:
            conflict = program.minimal(np.flatnonzero(conflict))
    bounds = system.lower, system.upper
    return Feasibility(system.names, *bounds, nearest, change, conflict, method)


class _Program:
    """The elastic linear program of a system."""

    def __init__(self, system: System, simplex: bool) -> None:
        self.system = system
        weights = np.tile(system.weights, system.n_labels)
        self.a = csr_array(system.coefficients.T * weights / system.size[:, None])
        one = identity(system.n_rows)
        self.sums = hstack([one] * system.n_labels) if simplex else None

    def solve(self, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Changes, values and multipliers of all rows, if only `rows` are asked for."""
        from scipy.optimize import linprog

        system, n, r = self.system, self.a.shape[1], len(rows)
        constant = system.constant[rows]
        lower, upper = system.lower[rows] - constant, system.upper[rows] - constant
        above, below = np.isfinite(upper), np.isfinite(lower)
        one, none = identity(r), csr_array((r, r))
        bounds = [
            csr_array(hstack([self.a[rows], -one, none]))[above],
            csr_array(hstack([-self.a[rows], none, -one]))[below],
        ]
        sums = None
        if self.sums is not None:
            sums = hstack([self.sums, csr_array((self.sums.shape[0], 2 * r))])
        # Of equally small changes the price prefers the last rows: the answer is unique.
        each = system.weight[rows] * (1 - TIE_BREAK * np.arange(r) / r)
        price = np.concatenate([np.zeros(n), each, each])
        most = np.append(np.ones(n), np.full(2 * r, np.inf))
        found = linprog(
            price,
            A_ub=vstack(bounds),
            b_ub=np.append(upper[above], -lower[below]),
            A_eq=sums,
            b_eq=None if sums is None else np.ones(sums.shape[0]),
            bounds=np.column_stack([np.zeros(len(most)), most]),
            method="highs",
        )
        change, multiplier = np.zeros((2, len(system)))
        change[rows] = found.x[n : n + r] - found.x[n + r :]
        duals = np.abs(found.ineqlin.marginals)
        multiplier[rows[above]] += duals[: int(above.sum())]
        multiplier[rows[below]] += duals[int(above.sum()) :]
        return change, self.a @ found.x[:n] + system.constant, multiplier

    def minimal(self, rows: IntArray) -> BoolArray:
        """(r,) a smallest set of rows that clash."""
        with progress("finding the conflict", len(rows)) as bar:
            for row in rows.tolist():
                others = rows[rows != row]
                if len(others) and np.abs(self.solve(others)[0]).max() > SMALL:
                    rows = others
                bar.advance()
        conflict = np.zeros(len(self.system), bool)
        conflict[rows] = True
        return conflict
