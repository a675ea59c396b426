"""Error rates from a few labelled examples, shrunk toward the label-free ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.error_rates.auto import Fit, fit
from corral.error_rates.base import Rates, by_signal, voter_errors
from corral.error_rates.features import (
    VoteFeatures,
    plurality_shares,
    softmax,
    vote_features,
)
from corral.errors import ParameterError
from corral.signals import WeakSignals
from corral.signals.gold import code_labels

VOTE_PRECISION = 4.0
"""One over the squared spread, in log-odds, of weights around the label-free ones."""
BALANCE_PRECISION = 20.0
"""The same for the class balance."""
FEWEST, MOST = 2.0, 1000.0
"""Bounds of the labelled votes that the label-free rate of a signal may be worth."""


@dataclass(frozen=True, eq=False)
class FromLabels:
    """From a labelled sample, as far as it goes, and label-free beyond.

    The rate of a signal is shrunk toward its label-free rate, by as much as the labelled
    votes of all signals suggest. The labels move from the label-free ones as far as the
    labelled examples ask for: a penalised maximum likelihood fit of the weights of votes.

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
    [0.17, 0.48, 0.83]
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
        free = fit(features)
        hard = sample.take(known).hardened()
        labelled = _votes(hard, features, np.arange(features.n_voters))

        right = features.member * (labelled.T @ truth)
        seen = features.by_voter(labelled.sum(axis=0))
        wrong = seen - features.by_voter(right.sum(axis=1))
        expected = voter_errors(features, free.find_labels())
        worth = _worth(wrong, seen, expected)
        rates = (wrong + worth * expected) / (seen + worth)
        spread = np.sqrt(rates * (1 - rates) / (seen + worth + 1))

        moved = _move(free, _votes(hard, free.features, free.leader), truth)
        found = replace(
            free, weights=free.weights + moved[:-1], bias=free.bias + moved[-1]
        )
        balance = features.counts @ found.find_labels()
        note = (
            f"{len(truth)} labelled examples; the label-free rate of a signal is worth "
            f"{worth:.0f} labelled votes"
        )
        return Rates(
            by_signal(signals, rates),
            by_signal(signals, spread),
            note,
            balance / balance.sum(),
            found.model(signals),
            by_signal(signals, np.maximum(free.learned, seen / (seen + worth))),
        )


def _known(labels: ArrayLike, sample: WeakSignals) -> tuple[Any, FloatArray]:
    """Positions of the labelled examples, and their classes one-hot."""
    codes = code_labels(labels, sample.classes, len(sample))
    known = np.flatnonzero(codes >= 0)
    if not len(known):
        raise ParameterError("FromLabels needs at least one labelled example.")
    return known, np.eye(len(sample.classes))[codes[known]]


def _votes(hard: WeakSignals, features: VoteFeatures, leader: IntArray) -> FloatArray:
    """(l, f) features of labelled examples, with the voters of every leader as one.

    Votes that no unlabelled example has are not features, and are left out.
    """
    row, column, vote = hard.cells()
    column = leader[column]
    table = np.full((features.n_voters, int(features.vote.max()) + 2), -1)
    table[features.voter, features.vote] = np.arange(len(features.voter))
    at = table[column, np.minimum(vote, table.shape[1] - 1)]
    wins = (at >= 0) & (plurality_shares(row, column, vote) > 0)
    votes = np.zeros((len(hard), len(features.voter)))
    votes[row[wins], at[wins]] = 1
    return votes


def _worth(wrong: FloatArray, seen: FloatArray, expected: FloatArray) -> float:
    """Labelled votes that an expected rate is worth: the likeliest, over all signals."""
    spoken = seen > 0
    x, n, e = wrong[spoken], seen[spoken], np.clip(expected[spoken], 1e-3, 1 - 1e-3)

    def unlikely(log_worth: float) -> float:
        a, b = np.exp(log_worth) * e, np.exp(log_worth) * (1 - e)
        betaln = scipy.special.betaln
        return float((betaln(a, b) - betaln(a + x, b + n - x)).sum())

    found = scipy.optimize.minimize_scalar(
        unlikely, bounds=(np.log(FEWEST), np.log(MOST)), method="bounded"
    )
    return float(np.exp(found.x))


def _move(free: Fit, votes: FloatArray, truth: FloatArray) -> FloatArray:
    """(f + 1, k) change of the weights and, last, of the bias.

    Minimises the log-loss on the labelled examples plus a quadratic penalty.
    """
    used = np.flatnonzero(votes.any(axis=0))
    x = np.column_stack([votes[:, used], np.ones(len(votes))])
    penalty = np.r_[np.full(len(used), VOTE_PRECISION), BALANCE_PRECISION][:, None]
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
