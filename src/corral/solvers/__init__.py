"""Solvers: which point of the space is returned, and how it is found."""

from corral.solvers.adagrad import Adagrad
from corral.solvers.base import Solution, Solver, State, Status
from corral.solvers.entropy import Entropy
from corral.solvers.named import SOLVERS, solver_of
from corral.solvers.projection import Projection

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
