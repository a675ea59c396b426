"""Solvers: which point of the space is returned, and how it is found."""

from corral.solvers.adagrad import Adagrad
from corral.solvers.base import Solution, Solver, State, Status

__all__ = ["Adagrad", "Solution", "Solver", "State", "Status"]
