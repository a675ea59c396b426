"""Data to try things on: by name, made at random, and the paper's signals."""

from corral.datasets.dataset import Dataset, Examples, WordVectors
from corral.datasets.image_signals import (
    exemplar_signals,
    first_of_each,
    nearness,
    pseudo_label_signals,
)
from corral.datasets.loading import fetch, load, names
from corral.datasets.paper_signals import (
    IMDB_RULES,
    SST2_RULES,
    TREC_RULES,
    YELP_RULES,
    TextRule,
)
from corral.datasets.synthetic import (
    PAPER_ACCURACIES,
    SyntheticTask,
    dependent_task,
    independent_task,
    random_votes,
)

__all__ = [
    "IMDB_RULES",
    "PAPER_ACCURACIES",
    "SST2_RULES",
    "TREC_RULES",
    "YELP_RULES",
    "Dataset",
    "Examples",
    "SyntheticTask",
    "TextRule",
    "WordVectors",
    "dependent_task",
    "exemplar_signals",
    "fetch",
    "first_of_each",
    "independent_task",
    "load",
    "names",
    "nearness",
    "pseudo_label_signals",
    "random_votes",
]
