"""Data to try things on."""

from corral.datasets.synthetic import (
    PAPER_ACCURACIES,
    SyntheticTask,
    dependent_task,
    independent_task,
    random_votes,
)

__all__ = [
    "PAPER_ACCURACIES",
    "SyntheticTask",
    "dependent_task",
    "independent_task",
    "random_votes",
]
