"""Solvers by the name that users give."""

from __future__ import annotations

from typing import Any

from corral.errors import ParameterError
from corral.solvers.adagrad import Adagrad
from corral.solvers.entropy import Entropy
from corral.solvers.projection import Projection

SOLVERS: dict[str, type[Any]] = {
    "adagrad": Adagrad,
    "entropy": Entropy,
    "projection": Projection,
}


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
