"""Twelve public sets as patterns with gold counts, to draw labelled examples from.

Gold labels are read here, to score and to draw from; see `benchmarks.sets`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.sets import LEAST, load_set
from corral import WeakSignals
from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares
from corral.rates import Auto

VOTES = ("youtube", "cdr", "commercial", "yelp", "trec", "semeval")
PAPER = ("sst-2", "imdb", "trec-6")
CROWDS = ("bluebirds", "rte", "dogs")
SOURCES = (
    {name: f"votes/{name}" for name in VOTES}
    | dict(zip(PAPER, ("paper/sst2", "paper/imdb", "paper/trec6"), strict=True))
    | {name: f"crowd/{name}" for name in CROWDS}
)


@dataclass(frozen=True)
class Task:
    """Patterns of votes, with how many examples of each class have them.

    Attributes
    ----------
    name : str
    votes : (p, m) array of int
        One row per pattern, -1 for abstain; every row has a vote, every signal votes.
    gold : (p, k) array of float
        Examples of every class.
    """

    name: str
    votes: IntArray
    gold: FloatArray

    @property
    def counts(self) -> FloatArray:
        """Examples per pattern."""
        return self.gold.sum(axis=1)

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.gold.shape[1]

    @property
    def signals(self) -> WeakSignals:
        """The votes, counted."""
        classes = list(range(self.k))
        return WeakSignals.from_votes(self.votes, classes=classes, counts=self.counts)

    def score(self, q: FloatArray) -> dict[str, float]:
        """Scores of labels (p, k): score in per cent, log-loss and Brier."""
        n = self.gold.sum()
        score = (winner_shares(q) * self.gold).sum() / n
        logs = np.log(np.clip(q, LEAST, 1))
        squares = (q**2).sum(axis=1, keepdims=True) - 2 * q + 1
        return {
            "score": 100 * score,
            "log_loss": -(self.gold * logs).sum() / n,
            "brier": (self.gold * squares).sum() / n,
        }


def load(name: str) -> Task:
    """A set by name, examples without gold left out."""
    one = load_set(SOURCES[name])
    known = one.gold >= 0
    rows, at = np.unique(one.votes[known], axis=0, return_inverse=True)
    gold = np.zeros((len(rows), one.k))
    np.add.at(gold, (at.ravel(), one.gold[known]), 1)
    return Task(name, rows, gold)


def label_free(task: Task) -> FloatArray:
    """Labels under the rates of `Auto`."""
    model = Auto().estimate(task.signals).model
    assert model is not None
    return model.labels(task.signals)
