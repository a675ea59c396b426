"""Cohen's kappa of every two signals, from patterns of votes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from corral._types import FloatArray
from corral.analysis.vote_counts import LEAST_EXAMPLES, SMALL
from corral.signals import WeakSignals


def find_kappas(
    signals: WeakSignals, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cohen's kappa of every pair of signals, over the examples that both vote on.

    Parameters
    ----------
    signals : WeakSignals
        Hard votes for classes.
    level : float
        Probability of the intervals.

    Returns
    -------
    kappa : (m, m) array of float
        NaN where two never vote together, or only ever for the same class.
    interval : (m, m, 2) array of float
        By the standard error of Fleiss, Cohen and Everitt (1969). NaN where that is
        zero, as for two that always agree, or fewer than 10 examples are common.
    common : (m, m) array of float
        Examples that both vote on.
    """
    said = _votes_by_class(signals)
    weights = signals.patterns.counts[:, None]
    any_vote = sum(said[1:], said[0])
    weighted = [each.multiply(weights).tocsr() for each in said]
    common = (any_vote.T @ any_vote.multiply(weights)).toarray()
    with np.errstate(invalid="ignore", divide="ignore"):
        # share[c][a, b]: of what both vote on, the part that a gives to class c.
        share = [(each.T @ any_vote).toarray() / common for each in weighted]
        equal = [
            (each.T @ other).toarray() / common
            for each, other in zip(weighted, said, strict=True)
        ]
        seen = np.add.reduce(equal)
        chance = np.add.reduce([part * part.T for part in share])
        chance = np.where(chance > 1 - 1e-12, np.nan, chance)
        kappa = (seen - chance) / (1 - chance)
        error = _standard_errors(said, weighted, share, equal, kappa, chance, common)
        unknown = (error <= SMALL) | (common < LEAST_EXAMPLES)
    reach = ndtri((1 + level) / 2) * np.where(unknown, np.nan, error)
    interval = np.stack([kappa - reach, kappa + reach], axis=-1)
    return kappa, np.clip(interval, -1, 1), common


def _votes_by_class(signals: WeakSignals) -> list[csr_array]:
    """Of every class, (p, m): which signal votes for it, by pattern."""
    row, column, vote = signals.patterns.cells()
    shape = len(signals.patterns), signals.n_signals
    return [
        csr_array((np.ones(len(at)), (row[at], column[at])), shape)
        for at in (np.flatnonzero(vote == c) for c in range(signals.n_classes))
    ]


def _standard_errors(
    said: list[csr_array],
    weighted: list[csr_array],
    share: list[FloatArray],
    equal: list[FloatArray],
    kappa: FloatArray,
    chance: FloatArray,
    common: FloatArray,
) -> FloatArray:
    """(m, m) standard errors of kappa: equation 13 of Fleiss, Cohen and Everitt."""
    same, other = np.zeros_like(kappa), np.zeros_like(kappa)
    for c, mine in enumerate(share):
        same += equal[c] * (1 - (mine + mine.T) * (1 - kappa)) ** 2
        for d, theirs in enumerate(share):
            if c != d:  # a says c, b says d
                both = (weighted[c].T @ said[d]).toarray() / common
                other += both * (mine.T + theirs) ** 2
    rest = (kappa - chance * (1 - kappa)) ** 2
    variance = (same + (1 - kappa) ** 2 * other - rest) / ((1 - chance) ** 2 * common)
    # Rounding leaves a little less than nothing where two always agree.
    return np.sqrt(np.where(variance > SMALL**2, variance, 0))
