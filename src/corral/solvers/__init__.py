"""Solvers: which point of the space is returned, and how it is found."""

from typing import Any

from corral.solvers.adagrad import Adagrad
from corral.solvers.base import Solution, Solver, State, Status
from corral.solvers.entropy import Entropy
from corral.solvers.projection import Projection

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
    "State",
    "Status",
]
