"""Vote matrices with gold labels, as patterns, and how labels of them are scored.

Gold labels are read here and used in `score` only; a method sees patterns and counts.
Uncovered rows are left out, so that all methods answer everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from corral import datasets
from corral.metrics import winners
from corral.signals.patterns import find_patterns

DATA = Path(
    os.environ.get("CORRAL_DATA", Path(__file__).parents[2] / "shared" / "data")
)
VOTES = ("youtube", "cdr", "commercial", "yelp", "trec", "semeval")
PAPER = ("sst-2", "imdb", "trec-6")
CROWDS = ("bluebirds", "rte", "dogs")
WRENCH = ("wrench youtube", "wrench trec")
SOURCES = (
    {name: f"votes/{name}" for name in VOTES}
    | dict(zip(PAPER, ("paper/sst2", "paper/imdb", "paper/trec"), strict=True))
    | {name: f"crowd/{name}" for name in CROWDS}
    | {name: name.replace(" ", "/") for name in WRENCH}
)
"""What `corral.datasets` calls them."""
FRACTIONS = (0.5, 0.7, 0.85)
LEAST = 1e-3
"""Probabilities are cut off here before the logarithm."""


@dataclass(frozen=True)
class VoteSet:
    """Patterns of votes, with how many examples of each class have them.

    Attributes
    ----------
    name : str
    votes : (p, m) array of int8
        One row per pattern, -1 for abstain; every row has a vote, every signal votes.
    gold : (p, k) array of float
        Examples of every class.
    measure : "f1" (of class 1), "accuracy" or "minority f1" (of the rarest class)
    """

    name: str
    votes: np.ndarray[Any, Any]
    gold: np.ndarray[Any, Any]
    measure: str

    @property
    def counts(self) -> np.ndarray[Any, Any]:
        """Examples per pattern."""
        return self.gold.sum(axis=1)

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.gold.shape[1]

    def keep(self, signals: Any) -> VoteSet:
        """The set with some of the signals only."""
        return make(self.name, self.votes[:, signals], self.gold, self.measure)

    def score(self, q: np.ndarray[Any, Any]) -> dict[str, float]:
        """Scores of labels (p, k): `measure` in per cent, log-loss and Brier."""
        n = self.gold.sum()
        hard = winners(q).astype(float)
        hard /= hard.sum(axis=1, keepdims=True)  # ties: as many each way
        hits = (hard * self.gold).sum(axis=0)
        if self.measure == "accuracy":
            main = hits.sum() / n
        else:
            total = self.gold.sum(axis=0)
            k = 1 if self.measure == "f1" else int(total.argmin())
            main = 2 * hits[k] / (total[k] + self.counts @ hard[:, k])
        logs = np.log(np.clip(q, LEAST, 1))
        squares = (q**2).sum(axis=1, keepdims=True) - 2 * q + 1
        return {
            "score": 100 * main,
            "log_loss": -(self.gold * logs).sum() / n,
            "brier": (self.gold * squares).sum() / n,
        }


def make(name: str, votes: Any, gold: Any, measure: str) -> VoteSet:
    """Group equal rows, and leave out rows without votes and signals that never vote."""
    votes = np.asarray(votes, np.int8)
    votes = votes[:, (votes >= 0).any(axis=0)]
    covered = (votes >= 0).any(axis=1) & (gold.sum(axis=1) > 0)
    votes, gold = np.ascontiguousarray(votes[covered]), gold[covered]
    found = find_patterns(votes, gold.shape[1])
    sums = np.zeros((len(found), gold.shape[1]))
    np.add.at(sums, found.inverse, gold)
    return VoteSet(name, np.ascontiguousarray(found.codes), sums, measure)


def load(name: str, folder: Path = DATA) -> VoteSet:
    """A full set by name."""
    found = datasets.load(SOURCES[name], folder=folder)
    signals: Any = found.train.signals
    gold = found.train.labels[:, None] == np.array(found.classes)
    votes = signals.votes
    if issparse(votes):  # where there is no entry, a worker abstains
        votes = votes.toarray().astype(int) - 1
    if name == "trec-6":  # positive only: saying yes of a class is a vote for it
        votes = np.where(votes == 1, signals.columns[:, 1], -1)
    if name in CROWDS:  # draws go by the numbers of workers
        votes = votes[:, np.argsort([int(worker) for worker in signals.names])]
    f1 = len(found.classes) == 2 and name in (*VOTES, *WRENCH)
    return make(name, votes, gold.astype(float), "f1" if f1 else "accuracy")


def draws(task: VoteSet, repeats: int, seed: int = 0) -> Iterator[VoteSet]:
    """The set with random subsets of its signals, `repeats` of each of `FRACTIONS`."""
    m = task.votes.shape[1]
    for fraction in FRACTIONS:
        for draw in range(repeats):
            rng = np.random.default_rng([seed, draw, round(100 * fraction)])
            size = max(2, round(fraction * m))
            yield task.keep(np.sort(rng.choice(m, size, replace=False)))


Method = Callable[[VoteSet], "np.ndarray[Any, Any]"]
