"""Error rates from how often signals agree.

Signals that err independently of each other and of the class agree in pairs: with
``q_i = 1 - e_i k / (k - 1)`` and ``a_ij`` the share of agreement where both vote,

    z_ij = (k a_ij - 1) / (k - 1) = q_i q_j

so the off-diagonal of ``z`` has rank one and gives ``q``, up to a common sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError
from corral.rates.rates import Rates
from corral.votes import WeakSignals

MAX_SWEEPS, TOLERANCE = 500, 1e-10
MIN_COMMON_VOTES = 10
"""Pairs of signals that meet on fewer examples are not used."""
MIN_RATE = 0.01
"""Rates are kept this far from perfect, and from always wrong."""


@dataclass(frozen=True)
class Agreement:
    """From agreement rates, for raters that err independently.

    Alternating least squares over all pairs, weighted by how well each is known. Signals
    that vote one class only agree with each other by construction, so they are refused.
    Signals that meet fewer than two others that also meet get the mean rate.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.datasets import random_votes
    >>> from corral.rates import Agreement
    >>> votes, _ = random_votes(100_000, accuracies=[0.9, 0.8, 0.7, 0.6], coverage=0.5)
    >>> rates = Agreement().estimate(WeakSignals.from_votes(votes))
    >>> rates.error_rates.round(1).tolist()
    [0.1, 0.2, 0.3, 0.4]
    """

    def estimate(self, signals: WeakSignals) -> Rates:
        """Estimate the rates; soft signals are rounded to votes."""
        from scipy.sparse.csgraph import connected_components  # slow to import

        if not signals.schema.names_classes:
            raise SignalsError(
                "Agreement compares signals that name classes; these are one-vs-rest. "
                "Use Auto."
            )
        signals = signals.harden()
        _refuse_unipolar(signals)
        cast = signals.schema.by_column(signals.cast)
        k, m = signals.n_classes, signals.n_signals
        met, z = _agreement(signals)
        used = (met >= MIN_COMMON_VOTES) & ~np.eye(m, dtype=bool)
        graph = csr_array(used.astype(float))  # a signal is told by triangles of pairs
        resolved = np.asarray((graph @ graph).multiply(graph).sum(axis=1)) > 0
        used &= resolved[:, None] & resolved
        if not resolved.any():
            raise SignalsError(
                "no three signals meet each other on at least "
                f"{MIN_COMMON_VOTES} examples, so agreement does not tell their errors. "
                "Give the rates, or use Auto."
            )
        precision = np.where(used, met / np.maximum(1 - z**2, 0.05), 0.0)
        skill, spread = _least_squares(np.where(used, z, 0.0), precision, resolved)
        # Of two mirror images of every component, the one that is better than guessing.
        part: IntArray = connected_components(csr_array(used), directed=False)[1]
        skill *= np.where(np.bincount(part, cast * skill) < 0, -1.0, 1.0)[part]
        mean = np.average(skill[resolved], weights=cast[resolved])
        skill[~resolved] = mean
        spread[~resolved] = skill[resolved].std()
        scale = (k - 1) / k
        rates = np.clip((1 - skill) * scale, MIN_RATE, 1 - MIN_RATE)
        rates[cast == 0] = np.nan
        worse = [signals.names[i] for i in np.flatnonzero(skill < 0)]
        note = "agreement of pairs, assuming independent errors"
        if not resolved.all():
            names = ", ".join(signals.names[i] for i in np.flatnonzero(~resolved))
            note += f"; too little overlap, so the mean rate, for {names}"
        if worse:
            note += f"; worse than guessing: {', '.join(worse)}"
        return Rates(rates, spread * scale, note)


def _refuse_unipolar(signals: WeakSignals) -> None:
    table = signals.cast.reshape(signals.n_signals, -1)
    one_sided = ((table > 0).sum(axis=1) == 1) & (table.sum(axis=1) >= MIN_COMMON_VOTES)
    if one_sided.any():
        names = ", ".join(signals.names[i] for i in np.flatnonzero(one_sided)[:5])
        raise SignalsError(
            f"{int(one_sided.sum())} of {signals.n_signals} signals vote one class only "
            f"({names}): they agree or disagree with each other by construction, which "
            "does not tell their errors. Use Auto or given rates."
        )


def _agreement(signals: WeakSignals) -> tuple[FloatArray, FloatArray]:
    """Examples on which pairs meet, and their chance-corrected agreement ``z``."""
    k, m, F = signals.n_classes, signals.n_signals, signals.F
    data = F.data * np.repeat(np.sqrt(signals.counts), np.diff(F.indptr))
    weighted = csr_array((data, F.indices, F.indptr), F.shape)
    same = sum((part := weighted[:, c::k]).T @ part for c in range(k)).toarray()
    spoke = csr_array((data, F.indices // k, F.indptr), (F.shape[0], m))
    met = (spoke.T @ spoke).toarray()
    share = same / np.maximum(met, 1e-300)
    return met, np.where(met > 0, (k * share - 1) / (k - 1), 0.0)


def _least_squares(
    z: FloatArray, precision: FloatArray, resolved: BoolArray
) -> tuple[FloatArray, FloatArray]:
    skill = np.where(resolved, 0.5, 0.0)
    # There may be several optima. Which one is found must not depend on the order in which
    # signals are given, so they have their turns by how much is known of them; rounded,
    # since the last bits of a sum depend on its order.
    evidence = precision.sum(axis=1), (precision * z).sum(axis=1)
    turns = np.lexsort(tuple(np.round(known, 6) for known in evidence))
    for _ in range(MAX_SWEEPS):
        before = skill.copy()
        for i in turns[resolved[turns]]:
            fit = (precision[i] * skill**2).sum()
            if fit > 0:
                skill[i] = np.clip((precision[i] * z[i] * skill).sum() / fit, -1, 1)
        if np.abs(skill - before).max() < TOLERANCE:
            break
    information = (precision * skill**2).sum(axis=1)
    return skill, 1 / np.sqrt(np.maximum(information, 1.0))
