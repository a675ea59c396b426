"""Error rates from a few labelled examples, shrunk toward the label-free ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.error_rates.auto import Fit, find_standard_errors, fit
from corral.error_rates.rates import Rates, by_signal, column_errors
from corral.error_rates.vote_features import (
    VoteFeatures,
    plurality_shares,
    softmax,
    vote_features,
)
from corral.errors import ParameterError
from corral.signals import WeakSignals
from corral.signals.gold import code_labels

VOTE_PRECISION = 2.0
"""One over the squared spread, in log-odds, of weights around the label-free ones.

The most cautious that is within 0.1 points of the best (1.0) with any family of sets left
out; see benchmarks/few_labels.py.
"""
BALANCE_PRECISION = 5.0
"""The same for the class balance."""
FEWEST, MOST = 0.5, 1000.0
"""Bounds of the labelled votes that the label-free rate of a signal may be worth."""
DOUBTS = np.geomspace(0.1, 1000, 30)
"""Factors by which the label-free rates may be worth more than they say."""
DOUBT_SPREAD = 1.0
"""Standard deviation of the logarithm of the factor, before any label was seen."""


@dataclass(frozen=True, eq=False)
class FromLabels:
    """From a labelled sample, as far as it goes, and label-free beyond.

    The rate of a signal is shrunk toward its label-free rate, by as much as the standard
    error of that rate says, and as the labelled votes of all signals confirm. The labels
    move from the label-free ones as far as the labelled examples ask for: a penalised
    maximum likelihood fit of the weights of votes.

    Parameters
    ----------
    labels : (n,) array of class values
        One per example; None, NaN, "" or -1 (where it is no class) where unknown.
    signals : WeakSignals, optional
        The votes on the labelled examples, if they are not among those that are fitted.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.error_rates import FromLabels
    >>> votes = WeakSignals.from_votes([[1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]] * 5)
    >>> rates = FromLabels([1, 0, 1, 0] + [-1] * 16).estimate(votes)
    >>> rates.error_rates.round(2).tolist()
    [0.15, 0.48, 0.85]
    >>> rates.note.split(";")[0]
    '4 labelled examples'
    """

    labels: ArrayLike
    signals: WeakSignals | None = None

    def estimate(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> Rates:
        """Estimate the rates, with sample weights (n,) if given.

        Weights are those of the unlabelled fit; labelled examples count one each.
        """
        sample = signals if self.signals is None else signals.like(self.signals)
        known, truth = _known(self.labels, sample)
        features = vote_features(signals, weights)
        free, labelled = fit(features), sample.take(known)
        return update(signals, features, free, labelled, truth, weights)


def update(
    signals: WeakSignals,
    features: VoteFeatures,
    free: Fit,
    labelled: WeakSignals,
    truth: FloatArray,
    weights: FloatArray | None = None,
) -> Rates:
    """Rates and a model that the labelled examples have moved from the label-free ones.

    Parameters
    ----------
    signals : WeakSignals
    features : VoteFeatures
        Of `signals`.
    free : Fit
        Label-free, of `features`.
    labelled : WeakSignals
        The votes on the labelled examples.
    truth : (l, k) array of float
        Their classes, one-hot.
    weights : (n,) array of float, optional
        Sample weights that `features` were made with.
    """
    votes = find_votes(labelled, features, np.arange(features.n_columns))
    right = features.member * (votes.T @ truth)
    seen = features.by_column(votes.sum(axis=0))
    wrong = seen - features.by_column(right.sum(axis=1))
    labels = free.find_labels()
    expected = column_errors(features, labels)
    spread = find_standard_errors(features, labels, free.learned)
    rates, errors, worth = _shrink(wrong, seen, expected, spread)

    moved = move(free, find_votes(labelled, free.features, free.leader), truth)
    found = replace(free, weights=free.weights + moved[:-1], bias=free.bias + moved[-1])
    balance = features.counts @ found.find_labels()
    note = (
        f"{len(truth)} labelled examples; the label-free rate of a signal is worth "
        f"{np.nanmedian(worth):.0f} labelled votes (median)"
    )
    return Rates(
        by_signal(signals, rates),
        by_signal(signals, errors),
        note,
        balance / balance.sum(),
        found.model(signals, weights),
        by_signal(signals, np.maximum(free.learned, seen / (seen + worth))),
    )


def _known(labels: ArrayLike, sample: WeakSignals) -> tuple[Any, FloatArray]:
    """Positions of the labelled examples, and their classes one-hot."""
    codes = code_labels(labels, sample.classes, len(sample))
    known = np.flatnonzero(codes >= 0)
    if not len(known):
        raise ParameterError("FromLabels needs at least one labelled example.")
    return known, np.eye(len(sample.classes))[codes[known]]


def find_votes(
    labelled: WeakSignals, features: VoteFeatures, leader: IntArray
) -> FloatArray:
    """(l, f) features of labelled examples, with the columns of every leader as one.

    Votes that no unlabelled example has are not features, and are left out.
    """
    row, column, vote = labelled.harden().cells()
    column = leader[column]
    table = np.full((features.n_columns, int(features.vote.max()) + 2), -1)
    table[features.column, features.vote] = np.arange(len(features.column))
    at = table[column, np.minimum(vote, table.shape[1] - 1)]
    wins = (at >= 0) & (plurality_shares(row, column, vote) > 0)
    votes = np.zeros((len(labelled), len(features.column)))
    votes[row[wins], at[wins]] = 1
    return votes


def _shrink(
    wrong: FloatArray, seen: FloatArray, expected: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rates (c,), their standard errors, and what the expected are worth in votes.

    An expected rate with its standard error is worth a number of labelled votes: those
    that would tell it as exactly. Standard errors may be too large or too small for all
    signals alike, by a factor that the labelled votes tell; means are over the factor.
    """
    own = np.clip(expected * (1 - expected) / spread**2 - 1, FEWEST, MOST)
    worth = DOUBTS[:, None] * own
    heard = seen > 0
    inner = np.clip(expected[heard], 1e-3, 1 - 1e-3)
    a, b = worth[:, heard] * inner, worth[:, heard] * (1 - inner)
    x, n = wrong[heard], seen[heard]
    betaln = scipy.special.betaln
    likely = (betaln(a + x, b + n - x) - betaln(a, b)).sum(axis=1)
    likely -= (np.log(DOUBTS) / DOUBT_SPREAD) ** 2 / 2
    share = softmax(likely[None])[0]
    rates = (wrong + worth * expected) / (seen + worth)
    variances = rates * (1 - rates) / (seen + worth + 1)
    mean = share @ rates
    errors = np.sqrt(share @ (variances + (rates - mean) ** 2))
    return mean, errors, share @ worth


def move(
    free: Fit,
    votes: FloatArray,
    truth: FloatArray,
    precision: float = VOTE_PRECISION,
) -> FloatArray:
    """(f + 1, k) change of the weights and, last, of the bias.

    Minimises the log-loss on the labelled examples plus a quadratic penalty.

    Parameters
    ----------
    free : Fit
    votes : (l, f) array of float
        Features of the labelled examples.
    truth : (l, k) array of float
        Their classes, one-hot.
    precision : float
        Half of it times the squared change of a weight is the penalty.
    """
    used = np.flatnonzero(votes.any(axis=0))
    x = np.column_stack([votes[:, used], np.ones(len(votes))])
    penalty = np.r_[np.full(len(used), precision), BALANCE_PRECISION][:, None]
    tempered = np.maximum(votes.sum(axis=1), 1)[:, None] ** -free.tempering
    start = tempered * (votes @ free.weights + free.bias)
    x *= tempered
    shape = (x.shape[1], truth.shape[1])

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        change = flat.reshape(shape)
        scores = start + x @ change
        value = scipy.special.logsumexp(scores, axis=1).sum() - (truth * scores).sum()
        slope = x.T @ (softmax(scores) - truth) + penalty * change
        return float(value + (penalty * change**2).sum() / 2), slope.ravel()

    began = np.zeros(shape[0] * shape[1])
    found = scipy.optimize.minimize(loss, began, jac=True, method="L-BFGS-B")
    moved = np.zeros((votes.shape[1] + 1, truth.shape[1]))
    moved[np.r_[used, -1]] = found.x.reshape(shape)
    return moved
