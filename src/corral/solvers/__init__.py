"""Solvers: which point of the space is returned, and how it is found."""

from typing import Any

from corral.solvers.adagrad import Adagrad
from corral.solvers.base import Solution, Solver, State, Status
from corral.solvers.entropy import Entropy

SOLVERS: dict[str, type[Any]] = {"adagrad": Adagrad, "entropy": Entropy}
"""By the name that users give."""

__all__ = ["SOLVERS", "Adagrad", "Entropy", "Solution", "Solver", "State", "Status"]
