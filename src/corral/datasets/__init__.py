"""Data to try things on."""

from corral.datasets.digits import DigitTask, digit_task
from corral.datasets.synthetic import (
    PAPER_ACCURACIES,
    SyntheticTask,
    dependent_task,
    independent_task,
    random_votes,
)

__all__ = [
    "PAPER_ACCURACIES",
    "DigitTask",
    "SyntheticTask",
    "dependent_task",
    "digit_task",
    "independent_task",
    "random_votes",
]
