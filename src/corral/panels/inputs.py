"""What a panel is given: votes, labelled rows and slices."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.errors import CorralWarning, ParameterError, SignalsError
from corral.labelers import ConstrainedLabeler, DawidSkene
from corral.votes import WeakSignals
from corral.votes.coding import is_missing

SPREAD_SHARE = 0.01
"""Share of a label-free probability that goes to all classes alike: it bounds the logs."""
ADDED_VOTES = 0.5
"""Votes, spread over the classes, that are added to the votes of a pattern."""
MIN_LABELS = 10
"""Labelled rows from which on there are intervals."""
FALSE_REFUSALS = 1e-4
"""Share of the random samples that `check_random` refuses."""
MAX_DEVIATIONS = 5.0
"""Standard deviations by which the number of labels may differ from the expected one."""
JEFFREYS = 0.5
"""Events that Jeffreys' prior of a share adds to those seen."""
SURPRISES = 1.0
"""Rows on which a model fails that are assumed beyond the labelled ones."""
MAX_SLICES = 1000
"""Values that a column of slices may have."""


@dataclass(frozen=True, eq=False)
class PanelVotes:
    """The votes of m judges on k classes, by pattern.

    `logs` are logarithms of the probabilities that three methods find without a label: the
    default, Dawid-Skene (judges err independently) and the share of the votes. Their mean
    over the classes is zero.
    """

    said: FloatArray  # (u, m, k) one for the class of a vote, or probabilities
    votes: IntArray  # (u, m) the class that each judge names; -1: none
    counts: FloatArray  # (u,) rows of every pattern
    inverse: IntArray  # (n,) the pattern of every row
    logs: FloatArray  # (u, k, 3)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Patterns, judges and classes."""
        u, m, k = self.said.shape
        return u, m, k

    @cached_property
    def hard(self) -> FloatArray:
        """(u, m, k) one for the class that each judge names."""
        return (self.votes[:, :, None] == np.arange(self.shape[2])).astype(float)

    @cached_property
    def shares(self) -> FloatArray:
        """(u, k) shares of the votes: the majority vote is the largest of them."""
        total = self.said.sum(axis=1)
        size = total.sum(axis=1, keepdims=True)
        even = np.full_like(total, 1 / total.shape[1])
        return np.where(size > 0, total / np.maximum(size, 1e-12), even)

    def mean(self, each: FloatArray) -> FloatArray:
        """The mean over all rows of numbers (u, ...) per pattern."""
        return self.counts @ each / self.counts.sum()


def read_panel(signals: WeakSignals) -> PanelVotes:
    """The votes by pattern, and what methods that need no labels make of them."""
    if not signals.schema.names_classes:
        raise SignalsError(
            "these signals vote on one class at a time (one-vs-rest); the judges of a "
            "panel name a class, or give a probability for each."
        )
    if signals.row_counts is not None:
        raise SignalsError(
            "these signals are counts of patterns, but a panel must know which rows have "
            "a label. Give the votes row by row."
        )
    u, m, k = signals.n_rows, signals.n_signals, signals.n_classes
    said = np.nan_to_num(signals.probabilities)
    with warnings.catch_warnings():
        # They warn that votes alone do not tell the rates; a panel has labels.
        warnings.simplefilter("ignore", CorralWarning)
        rows = signals.distinct()
        methods = ConstrainedLabeler(), DawidSkene(abstains="ignore")
        found = [method.fit(rows).labels_ for method in methods]
    votes = np.full((u, m), -1)
    best = said.max(axis=2)
    tied = (said >= best[:, :, None] - 1e-9).sum(axis=2) > 1
    votes[(best > 0) & ~tied] = said.argmax(axis=2)[(best > 0) & ~tied]
    total = said.sum(axis=1) + ADDED_VOTES / k
    found.append(total / total.sum(axis=1, keepdims=True))
    logs = np.stack(
        [np.log((1 - SPREAD_SHARE) * p + SPREAD_SHARE / k) for p in found], axis=2
    )
    logs -= logs.mean(axis=1, keepdims=True)
    logs[best.max(axis=1) <= 0] = 0
    return PanelVotes(said, votes, signals.counts, signals.row_of, logs)


@dataclass(frozen=True, eq=False)
class Sample:
    """The labelled rows."""

    rows: IntArray  # (l,) positions
    truth: IntArray  # (l,) classes
    weights: FloatArray  # (l,) how many rows each stands for, relative to the mean
    unseen: FloatArray  # (l,) one less the probability of being sampled

    def __len__(self) -> int:
        return len(self.rows)

    def mean(self, each: FloatArray) -> FloatArray:
        """The weighted mean of numbers (l, ...)."""
        return self.weights @ each / self.weights.sum()

    @property
    def effective(self) -> float:
        """Rows of equal weights whose mean would be as sure."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    @property
    def variance_weights(self) -> FloatArray:
        """(l,) weights of squared residuals in the variance of their mean."""
        return (self.weights / self.weights.sum()) ** 2 * self.unseen

    def residual_variance(
        self, residuals: FloatArray, surprises: float = SURPRISES
    ) -> FloatArray:
        """Variance of the mean of residuals (l, ...) from -1 to 1, expected to be zero.

        A surprise is added to the surprises of the labelled rows: where judges seldom
        err, the sample may well lack the rows on which they do.
        """
        weights = self.variance_weights
        return weights @ residuals**2 + weights.sum() * surprises / self.effective


def take_sample(panel: PanelVotes, truth: IntArray, sampling: Any = None) -> Sample:
    """The rows with a label; refused if they are too few, or were not sampled as said.

    `truth` (n,) is -1 where it is unknown; `sampling` (n,) holds each row's probability of
    having been sampled for labelling, by default the same for all.
    """
    rows = np.flatnonzero(truth >= 0)
    n = len(truth)
    if len(rows) < MIN_LABELS:
        raise ParameterError(
            f"must hold a label for {MIN_LABELS} rows or more; {len(rows)} have one. Draw "
            "some fifty to two hundred rows at random, and label them.",
            parameter="gold",
        )
    if sampling is None:
        check_random(panel, rows)
        sampling = np.full(n, len(rows) / n)
    try:
        chances = np.asarray(sampling, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("must be numbers.", parameter="sampling") from error
    if chances.shape != (n,) or not ((chances > 0) & (chances <= 1)).all():
        raise ParameterError(
            f"must hold a number above 0, at most 1, for each of the {n:,} rows: its "
            "probability of having been sampled for labelling.",
            parameter="sampling",
        )
    if missing := int((np.delete(chances, rows) == 1).sum()):
        raise ParameterError(
            f"is 1 for {missing:,} rows that have no label; rows that had to be labelled "
            "must all be.",
            parameter="sampling",
        )
    # Ones for "all the same" would close every interval. Not all sampled rows get labels.
    expected = float(chances.sum())
    spread = float(np.sqrt((chances * (1 - chances)).sum()))
    if abs(len(rows) - expected) > MAX_DEVIATIONS * spread + 0.1 * expected + 1:
        raise ParameterError(
            f"must fit the labels: these probabilities imply about {expected:,.0f} "
            f"labelled rows, but there are {len(rows):,}.",
            parameter="sampling",
        )
    weights = 1 / chances[rows]
    return Sample(rows, truth[rows], weights / weights.mean(), 1 - chances[rows])


def find_majority(people: IntArray, k: int) -> IntArray:
    """(n,) what most people (n, a) say; of ties what the first of them does; or -1."""
    times = (people[:, :, None] == np.arange(k)).sum(axis=1)
    own = np.take_along_axis(times, np.maximum(people, 0), axis=1)
    first = np.where(people >= 0, own, -1).argmax(axis=1)
    return people[np.arange(len(people)), first]


def check_random(panel: PanelVotes, rows: IntArray) -> None:
    """Refuse labelled rows whose votes no random sample would have."""
    doubt = 1 - panel.shares.max(axis=1)
    winner = panel.shares.argmax(axis=1)
    kinds = [doubt > panel.mean(doubt) + 1e-9]
    kinds += [winner == c for c in range(panel.shape[2])]
    for i, kind in enumerate(kinds):
        every = kind[panel.inverse]
        chosen = int(every[rows].sum())
        law = scipy.stats.hypergeom(len(every), int(every.sum()), len(rows))
        tail = min(law.cdf(chosen), law.sf(chosen - 1))
        if tail * 2 * len(kinds) < FALSE_REFUSALS:
            said = "the vote is for one of the classes" if i else "judges disagree"
            raise ParameterError(
                f"does not label a random sample: {said} on {chosen / len(rows):.0%} of "
                f"the labelled rows, and on {every.mean():.0%} of all rows. Label rows "
                "drawn at random, or give each row's probability of having been sampled, "
                "`sampling=`; the same for all if they were drawn at random.",
                parameter="gold",
            )


def code_slices(
    name: str, values: ArrayLike, n: int, parameter: str = "slices"
) -> tuple[IntArray, NDArray[Any]]:
    """(n,) the slice of every row, -1 where its value is missing; names of the slices."""
    given = np.asarray(values, object)
    if given.shape != (n,):
        raise ParameterError(
            f"must hold one value of {name!r} for each of the {n:,} rows; the shape given "
            f"is {given.shape}.",
            parameter=parameter,
        )
    texts = ["" if is_missing(value) else str(value) for value in given.tolist()]
    found = sorted(set(texts) - {""}, key=_numbers_first)
    if not 1 <= len(found) <= MAX_SLICES:
        raise ParameterError(
            f"must have from 1 to {MAX_SLICES:,} different values of {name!r}; there are "
            f"{len(found):,}.",
            parameter=parameter,
        )
    place = {text: i for i, text in enumerate(found)} | {"": -1}
    return np.array([place[text] for text in texts]), np.array(found)


def _numbers_first(text: str) -> tuple[float, str]:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    return np.inf if np.isnan(number) else number, text
