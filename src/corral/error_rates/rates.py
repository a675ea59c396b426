"""What every estimator of error rates returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import scipy

from corral._types import FloatArray, IntArray
from corral.error_rates.vote_features import VoteFeatures
from corral.error_rates.vote_model import VoteModel
from corral.errors import ParameterError
from corral.model import Model
from corral.signals import WeakSignals

NEARLY = 0.05
"""How far from all or nothing a share is called all or nothing."""
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True)
class Rates:
    """Estimated error rates, how sure they are, and how they were found.

    Attributes
    ----------
    error_rates : (m,) array of float, or (m, k) for one-vs-rest signals
        NaN where a signal never votes.
    standard_errors : array of float of the same shape
    note : str
        How the rates were found, and what to know about them.
    class_balance : (k,) array of float or None
        Estimated share of every class.
    model : Model or None
        The labels that go with the rates.
    learned : array of float of the shape of `error_rates`, or None
        How far the votes, or labels, tell the rate; the rest of it is assumed.
    """

    error_rates: FloatArray
    standard_errors: FloatArray
    note: str
    class_balance: FloatArray | None = None
    model: Model | None = None
    learned: FloatArray | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Whether the rate of every signal is learned or assumed, in a word or two.

        Examples
        --------
        >>> import numpy as np
        >>> from corral.error_rates import Rates
        >>> rate = np.array([0.2, 0.3, 0.4])
        >>> Rates(rate, rate / 9, "made up", learned=np.array([1, 0.6, 0])).sources
        ('learned', '60% learned', 'assumed')
        """
        if self.learned is None:
            return ("estimated",) * len(self.error_rates)
        each = self.learned.reshape(len(self.learned), -1)
        known = ~np.isnan(each)
        mean = np.where(known, each, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        return tuple(name_source(share) for share in mean)

    def intervals(self, level: float = 0.9) -> FloatArray:
        """(..., 2) ranges that hold the rate with probability `level`, within [0, 1].

        Examples
        --------
        >>> import numpy as np
        >>> from corral.error_rates import Rates
        >>> rates = Rates(np.array([0.2]), np.array([0.05]), "made up")
        >>> rates.intervals().round(2).tolist()
        [[0.12, 0.28]]
        """
        if not 0 < level < 1:
            raise ParameterError(f"level must be between 0 and 1; {level!r} was given.")
        half = scipy.special.ndtri((1 + level) / 2) * self.standard_errors
        ends = [self.error_rates - half, self.error_rates + half]
        return np.clip(np.stack(ends, axis=-1), 0, 1)


def name_source(learned: float) -> str:
    """What to call a rate of which so much is learned."""
    if learned < NEARLY:
        return "assumed"
    return "learned" if learned > 1 - NEARLY else f"{learned:.0%} learned"


class RateEstimator(Protocol):
    """Finds error rates from signals (and what it was constructed with)."""

    def estimate(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> Rates:
        """Estimate, with sample weights (n,) if given."""


def by_signal(signals: WeakSignals, each: FloatArray) -> FloatArray:
    """A number per column as one per signal, (m,); one-vs-rest signals have (m, k)."""
    if signals.names_classes:
        return each
    table = np.full((signals.n_signals, signals.n_label_columns), np.nan)
    table[tuple(signals.vote_columns.T)] = each
    return table


def column_errors(features: VoteFeatures, labels: FloatArray) -> FloatArray:
    """(c,) error of every column under labels (p, k); NaN where it never votes."""
    right = ((features.weighted @ labels) * features.member).sum(axis=1)
    cast = features.votes_cast
    hits = features.by_column(right)
    return 1 - np.divide(hits, cast, out=np.full(len(cast), np.nan), where=cast > 0)


def vote_model(
    signals: WeakSignals,
    features: VoteFeatures,
    weights: FloatArray,
    bias: FloatArray,
    leader: IntArray | None = None,
) -> VoteModel:
    """The log-linear model with one line of `weights` per feature.

    A column has the features of its `leader` (c,), by default its own.
    """
    leader = np.arange(features.n_columns) if leader is None else leader
    start, stop = (np.searchsorted(features.column, leader, side) for side in SIDES)
    column = np.repeat(np.arange(len(leader)), stop - start)
    at = np.concatenate([np.arange(a, b) for a, b in zip(start, stop, strict=True)])
    signal, label = signals.vote_columns[column].T
    return VoteModel(
        signal, label, features.vote[at], weights[at], bias, group=leader[column]
    )
