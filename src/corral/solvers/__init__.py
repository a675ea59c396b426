"""Solvers: which point of the space is returned, and how it is found.

Those of names that are not used are not imported.
"""

from typing import TYPE_CHECKING, Any

from corral._lazy import LazyClasses
from corral.errors import ParameterError
from corral.solvers.base import Solution, Solver, State, Status

if TYPE_CHECKING:
    from corral.solvers.adagrad import Adagrad as Adagrad
    from corral.solvers.entropy import Entropy as Entropy
    from corral.solvers.projection import Projection as Projection

SOLVERS = LazyClasses(
    {
        "adagrad": ("corral.solvers.adagrad", "Adagrad"),
        "entropy": ("corral.solvers.entropy", "Entropy"),
        "projection": ("corral.solvers.projection", "Projection"),
    }
)
"""Solvers by the name that users give."""

__all__ = [
    "SOLVERS",
    "Adagrad",
    "Entropy",
    "Projection",
    "Solution",
    "Solver",
    "State",
    "Status",
    "solver_of",
]


def __getattr__(name: str) -> Any:
    found = SOLVERS.class_called(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


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
                f"solver must be one of {names}; {solver!r} was given."
            )
        return SOLVERS[solver]()
    if isinstance(solver, type) or not hasattr(solver, "solve"):
        raise ParameterError(
            "solver must be a name or an object such as corral.Adagrad(); "
            f"{solver!r} was given."
        )
    solver.check()
    return solver
