"""How many votes every class has on examples, and how far these votes differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.signals import WeakSignals

BATCH = 1 << 22
"""Entries (sample, kind of example) that are drawn at once."""
LEAST_EXAMPLES = 10
"""Below this, examples are too few for an interval."""
SMALL = 1e-9
"""An interval or a standard error up to this is one of no width."""


@dataclass(frozen=True)
class VoteCounts:
    """Examples with two votes or more, by how many votes each class has.

    Attributes
    ----------
    votes : (u, k) array of float
        Votes per class, one row per kind of example.
    weights : (u,) array of float
        How many examples there are of the kind.
    places : (k,) array of float, or None
        Where the classes stand on a line, for an interval; None: they differ or not.
    ranks : bool
        Places are ranks among all votes, which the weights decide.
    """

    votes: FloatArray
    weights: FloatArray
    places: FloatArray | None = None
    ranks: bool = False

    @property
    def n_examples(self) -> float:
        """Examples with two votes or more."""
        return float(self.weights.sum())

    def alpha(self, weights: FloatArray) -> FloatArray:
        """(b,) Krippendorff's alpha, for weights (b, u); NaN if all votes are the same."""
        totals = weights @ self.votes
        n = totals.sum(axis=1)
        number = self.votes.sum(axis=1)
        observed, expected = np.empty(len(weights)), np.empty(len(weights))
        for b, total in enumerate(totals):
            places = self._places(total)
            if places is not None or b == 0:  # what differs or not, is the same for all
                apart = count_apart(self.votes, places) / (number - 1)
            observed[b] = weights[b] @ apart
            expected[b] = count_apart(total[None], places)[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            found: FloatArray = 1 - (n - 1) * observed / np.where(
                expected, expected, np.nan
            )
        return found

    def fleiss(self, weights: FloatArray) -> FloatArray:
        """(b,) Fleiss' kappa, for weights (b, u); NaN if all votes are the same."""
        number = self.votes.sum(axis=1)
        together = (self.votes * (self.votes - 1)).sum(axis=1) / (number * (number - 1))
        observed = weights @ together / weights.sum(axis=1)
        totals = weights @ self.votes
        chance = ((totals / totals.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        with np.errstate(invalid="ignore"):
            found: FloatArray = (observed - chance) / np.where(
                chance < 1, 1 - chance, np.nan
            )
        return found

    def draw(self, samples: int, rng: np.random.Generator) -> list[FloatArray]:
        """Weights (b, u) of as many examples drawn again, in batches of samples."""
        step = max(1, BATCH // len(self.weights))
        size, shares = round(self.n_examples), self.weights / self.weights.sum()
        return [
            rng.multinomial(size, shares, min(step, samples - start)).astype(float)
            for start in range(0, samples, step)
        ]

    def measure(
        self,
        measure: Callable[[FloatArray], FloatArray],
        draws: list[FloatArray],
        level: float,
    ) -> tuple[float, tuple[float, float]]:
        """`alpha` or `fleiss`, and where the middle part of it lies over the draws.

        Draws of one class only say nothing. The interval is NaN for few examples and
        where all draws are the same: that is what no data look like, not certainty.
        """
        value = float(measure(self.weights[None])[0])
        found = np.concatenate([measure(each) for each in draws])
        found = found[np.isfinite(found)]
        if not len(found) or self.n_examples < LEAST_EXAMPLES:
            return value, (np.nan, np.nan)
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
        if high - low <= SMALL:
            return value, (np.nan, np.nan)
        return value, (float(low), float(high))

    def _places(self, total: FloatArray) -> FloatArray | None:
        """Places of the classes; ranks: the middle of the votes for each."""
        return total.cumsum() - total / 2 if self.ranks else self.places


def count_apart(votes: FloatArray, places: FloatArray | None) -> FloatArray:
    """(u,) how far the pairs of votes on every example differ, summed.

    Parameters
    ----------
    votes : (u, k) array of float
        Votes per class.
    places : (k,) array of float, or None
        A pair differs by the squared distance of its classes; None: by one or not.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.analysis.vote_counts import count_apart
    >>> count_apart(np.array([[2.0, 1.0]]), None)
    array([4.])
    >>> count_apart(np.array([[2.0, 1.0]]), np.array([0.0, 3.0]))
    array([36.])
    """
    number = votes.sum(axis=1)
    if places is None:
        same: FloatArray = (votes**2).sum(axis=1)
        return number**2 - same
    middle = places - places.mean()  # the same distances, and less to round
    sums = votes @ middle
    spread: FloatArray = 2 * (number * (votes @ middle**2) - sums**2)
    return spread


def count_votes(signals: WeakSignals) -> tuple[FloatArray, FloatArray]:
    """Votes per class (u, k) of examples with two votes or more, and how many there are.

    Examples with the same numbers of votes are one row, however many they are.
    """
    patterns, k = signals.patterns, signals.n_classes
    row, _, vote = patterns.cells()
    cells = np.bincount(row * k + vote, minlength=len(patterns) * k).reshape(-1, k)
    several = cells.sum(axis=1) > 1
    numbers, inverse = np.unique(cells[several], axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), patterns.counts[several], len(numbers))
    return numbers.astype(float), weights.astype(float)
