"""Solvers: which point of the space is returned, and how it is found."""

from typing import Any, TypeAlias

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.solvers.adagrad import Adagrad as Adagrad
from corral.solvers.centres import Entropy as Entropy
from corral.solvers.centres import Projection as Projection
from corral.solvers.solution import Solution as Solution
from corral.solvers.solution import Status as Status

Solver: TypeAlias = Adagrad | Entropy | Projection
"""Finds labels in a space; trusts its input and sees arrays only.

`joint`: labels of an example add up to one, so a signal that names classes has one row.
`takes_bounds`: values may lie in an interval. `link`: how scores become labels. `advice`:
what to do if a solve did not converge.
"""
SOLVERS: dict[str, type[Solver]] = {
    "adagrad": Adagrad,
    "entropy": Entropy,
    "projection": Projection,
}
"""By the name that users give."""


def solver_of(solver: Any) -> Solver:
    """The solver that a name stands for, or the object given; its options are checked."""
    if isinstance(solver, str):
        check_choice("solver", solver, SOLVERS)
        return SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ParameterError(
            "solver must be a name or an object such as corral.Adagrad(); "
            f"{solver!r} was given."
        )
    solver.check()
    return solver
