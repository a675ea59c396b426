"""Solvers: which point of the space is returned, and how it is found."""

from typing import Any

from corral.errors import ParameterError
from corral.solvers.adagrad import Adagrad
from corral.solvers.centres import Entropy, Projection
from corral.solvers.solution import Solution, Solver, Status

SOLVERS: dict[str, type[Any]] = {
    "adagrad": Adagrad,
    "entropy": Entropy,
    "projection": Projection,
}
"""By the name that users give."""

__all__ = [
    "SOLVERS",
    "Adagrad",
    "Entropy",
    "Projection",
    "Solution",
    "Solver",
    "Status",
    "solver_of",
]


def solver_of(solver: Any) -> Any:
    """The solver that a name stands for, or the object given; its options are checked.

    Examples
    --------
    >>> from corral.solvers import solver_of
    >>> solver_of("entropy")
    Entropy(slack=0.0001, iterations=500)
    """
    if isinstance(solver, str):
        if solver not in SOLVERS:
            names = ", ".join(map(repr, SOLVERS))
            raise ParameterError(
                f"must be one of {names}; {solver!r} was given.", parameter="solver"
            )
        return SOLVERS[solver]()
    if isinstance(solver, type) or not hasattr(solver, "solve"):
        raise ParameterError(
            "solver must be a name or an object such as corral.Adagrad(); "
            f"{solver!r} was given."
        )
    solver.check()
    return solver
