"""Error rates of signals that fire for a class or stay silent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.error_rates.rates import Rates, by_signal, vote_model
from corral.error_rates.vote_features import VoteFeatures, softmax, vote_features
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.signals import WeakSignals

PRECISION = 0.7
"""Precision that a signal is thought to have before its fires are looked at."""
TOLERANCE, MAX_ROUNDS = 1e-5, 200
FEW_CONFLICTS = 0.1


@dataclass(frozen=True)
class Firing:
    """From how often signals fire on each other's classes.

    For rules and positive-only one-vs-rest signals. A signal fires with one probability
    on the class that it claims and with another elsewhere; both are found by expectation
    and maximisation. Where few examples have claims of two classes, precision is hardly
    identified, and a warning says so.

    Parameters
    ----------
    prior_fires : float
        Fires that the prior precision of 0.7 is worth.
    class_balance : (k,) array of float, optional
        Shares of the classes, kept fixed; default uniform.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.error_rates import Firing
    >>> votes = [[1, 1, -1, -1], [1, 1, -1, 0], [-1, -1, 0, -1], [-1, 1, 0, -1]] * 100
    >>> rates = Firing().estimate(WeakSignals.from_votes(votes))
    >>> rates.error_rates.round(2).tolist()  # the last fires where two others contradict
    [0.05, 0.26, 0.24, 0.88]
    """

    prior_fires: float = 20.0
    class_balance: ArrayLike | None = None

    def estimate(
        self, signals: WeakSignals, weights: FloatArray | None = None
    ) -> Rates:
        """Estimate the rates, with sample weights (n,) if given."""
        if not self.prior_fires > 0:
            raise ParameterError(
                f"prior_fires must be positive; {self.prior_fires!r} was given."
            )
        features = vote_features(signals, weights)
        if not features.n_patterns:
            raise SignalsError("no signal fires on any example that has a weight.")
        if (features.member.sum(axis=1) > 1).any():
            raise SignalsError(
                "Firing is for signals that claim a class or abstain, but some say "
                '"not this class". Give the rates, or use Auto.'
            )
        balance = self._balance(signals.n_classes)
        mixed = _share_in_conflict(features)
        if mixed < FEW_CONFLICTS:
            warn_user(
                f"only {mixed:.1%} of the examples have claims of two classes, so the "
                "precision of the signals is hardly identified; the rates stay near "
                f"{1 - PRECISION:.2f}.",
                SignalsWarning,
            )
        found, right, fires, rounds = _alternate(features, balance, self.prior_fires)
        by_feature = 1 - right / fires
        cast = features.votes_cast
        silent = np.full(features.n_columns, np.nan)
        errors = np.divide(
            *(features.by_column(by_feature * features.size), cast),
            out=silent.copy(),
            where=cast > 0,
        )
        spread = np.sqrt(errors * (1 - errors) / (cast + self.prior_fires))
        note = (
            f"firing model, prior precision {PRECISION} worth {self.prior_fires:g} fires, "
            f"{mixed:.0%} of the examples have claims of two classes; {rounds} rounds"
        )
        return Rates(
            by_signal(signals, errors),
            by_signal(signals, spread),
            note,
            balance,
            vote_model(signals, features, found, np.log(balance)),
        )

    def _balance(self, n_classes: int) -> FloatArray:
        if self.class_balance is None:
            return np.full(n_classes, 1 / n_classes)
        balance = np.asarray(self.class_balance, float)
        if balance.shape != (n_classes,) or not (balance > 0).all():
            raise ParameterError(
                f"class_balance must hold {n_classes} positive shares; "
                f"{balance.tolist()} was given."
            )
        return balance / balance.sum()


def _alternate(
    features: VoteFeatures, balance: FloatArray, prior: float
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Log-likelihoods of fires (f, k), right fires, fires, and rounds."""
    member, counts = features.member, features.counts
    fires = features.size + prior
    claims = features.matrix @ member
    shares = claims / claims.sum(axis=1, keepdims=True)
    labels = PRECISION * shares + (1 - PRECISION) * balance
    labels /= labels.sum(axis=1, keepdims=True)
    change, rounds = np.inf, 0
    while change >= TOLERANCE and rounds < MAX_ROUNDS:
        right = ((features.weighted @ labels) * member).sum(axis=1) + prior * PRECISION
        of_class = member @ (counts @ labels)
        within = right / (of_class + prior * PRECISION)
        elsewhere = (fires - right) / (
            counts.sum() - of_class + prior * (1 - PRECISION)
        )
        likelihoods = np.log(
            np.where(member > 0, within[:, None], elsewhere[:, None]).clip(1e-12, 1)
        )
        new = softmax(features.matrix @ likelihoods + np.log(balance))
        change, labels = np.abs(new - labels).max(), new
        rounds += 1
    return likelihoods, right, fires, rounds


def _share_in_conflict(features: VoteFeatures) -> float:
    classes = (features.matrix @ features.member > 0).sum(axis=1)
    return float(np.average(classes > 1, weights=features.counts))
