"""Data to try things on: by name, made at random, and the paper's rules."""

from corral.datasets.dataset import Dataset, Examples
from corral.datasets.digits_with_rules import DigitTask, digit_task
from corral.datasets.image_rules import ImageRule, draw_exemplars, first_of_each
from corral.datasets.loading import DataFiles, fetch, load, names, survey
from corral.datasets.random_comparisons import random_comparisons
from corral.datasets.synthetic import (
    PAPER_ACCURACIES,
    SyntheticTask,
    dependent_task,
    independent_task,
    random_votes,
)
from corral.datasets.text_rules import (
    IMDB_RULES,
    SST2_RULES,
    TREC_RULES,
    YELP_RULES,
    TextRule,
)

__all__ = [
    "IMDB_RULES",
    "PAPER_ACCURACIES",
    "SST2_RULES",
    "TREC_RULES",
    "YELP_RULES",
    "DataFiles",
    "Dataset",
    "DigitTask",
    "Examples",
    "ImageRule",
    "SyntheticTask",
    "TextRule",
    "dependent_task",
    "digit_task",
    "draw_exemplars",
    "fetch",
    "first_of_each",
    "independent_task",
    "load",
    "names",
    "random_comparisons",
    "random_votes",
    "survey",
]
