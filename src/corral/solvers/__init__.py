"""Solvers: which point of the space is returned, and how it is found."""

from typing import Any

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.solvers.adagrad import Adagrad as Adagrad
from corral.solvers.centres import Entropy as Entropy
from corral.solvers.centres import Projection as Projection
from corral.solvers.solution import Solution as Solution
from corral.solvers.solution import Solver as Solver
from corral.solvers.solution import Status as Status

SOLVERS: dict[str, type[Any]] = {
    "adagrad": Adagrad,
    "entropy": Entropy,
    "projection": Projection,
}
"""By the name that users give."""


def solver_of(solver: Any) -> Any:
    """The solver that a name stands for, or the object given; its options are checked."""
    if isinstance(solver, str):
        check_choice("solver", solver, SOLVERS)
        return SOLVERS[solver]()
    if isinstance(solver, type) or not hasattr(solver, "solve"):
        raise ParameterError(
            "solver must be a name or an object such as corral.Adagrad(); "
            f"{solver!r} was given."
        )
    solver.check()
    return solver
