"""Which signals agree, and which contradict each other."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from corral._types import FloatArray, IntArray
from corral.checks import make_generator
from corral.error_rates.vote_features import vote_features
from corral.errors import SignalsError
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.paired_gain import LEVEL
from corral.reports.phrases import say_names, say_share
from corral.reports.sections import AgreementSection, Interval, SignalPair
from corral.results.chart import order_by_likeness
from corral.signals import WeakSignals
from corral.study.rater_agreement import count_shared

MOST_SIGNALS = 60
"""Signals of the matrix."""
MOST_PAIRS = 10
"""Pairs that are listed."""
RESAMPLES = 200
"""For the interval of alpha."""
HIGH, LOW = 0.9, 0.6
"""Shares of agreeing pairs from which signals mostly agree, and up to which they do not."""


def compare_signals(votes: LabelledVotes, seed: int) -> AgreementSection:
    """Compute the section of agreement."""
    alpha, interval = _measure_alpha(votes, seed)
    hard = votes.signals.harden()
    shown = _choose(hard.conflicts, hard.coverage)
    common, contradicting, agreeing = _count_pairs(hard, shown)
    with np.errstate(invalid="ignore"):
        agreed = np.where(common > 0, 1 - contradicting / common, np.nan)
    order = order_by_likeness(agreed)
    shown, at = shown[order], np.ix_(order, order)
    agreed, common, contradicting = agreed[at], common[at], contradicting[at]
    names = tuple(votes.signals.names[i] for i in shown)
    pairs = _find_worst(names, common, contradicting)
    others = np.setdiff1d(np.arange(votes.signals.n_signals), shown)
    return AgreementSection(
        verdict=_verdict(agreeing, alpha, pairs, votes.signals.names_classes),
        names=names,
        agreement=tuple(
            tuple(None if np.isnan(a) else float(a) for a in row) for row in agreed
        ),
        common=tuple(tuple(map(float, row)) for row in common),
        agreeing=agreeing,
        alpha=alpha,
        alpha_interval=interval,
        pairs=pairs,
        others=tuple(votes.signals.names[i] for i in others),
    )


def _measure_alpha(
    votes: LabelledVotes, seed: int
) -> tuple[float | None, Interval | None]:
    """Krippendorff's alpha and its interval, where signals name classes and overlap."""
    try:
        counts = count_shared(votes.signals, "nominal")
    except SignalsError:  # one class at a time, or no example with two votes
        return None, None
    draws = counts.draw(RESAMPLES, make_generator(seed))
    alpha, interval = counts.measure(counts.alpha, draws, LEVEL)
    if np.isnan(alpha):
        return None, None
    return alpha, None if np.isnan(interval).any() else interval


def _choose(conflicts: FloatArray, coverage: FloatArray) -> IntArray:
    """Positions of the signals of the matrix: those contradicted most often."""
    order = np.lexsort((-coverage, -conflicts))
    return np.sort(order[:MOST_SIGNALS])


def find_clashes(signals: WeakSignals) -> tuple[SignalPair, ...]:
    """The pairs of signals that contradict each other most often, the worst first."""
    hard = signals.harden()
    shown = _choose(hard.conflicts, hard.coverage)
    common, contradicting, _ = _count_pairs(hard, shown)
    names = tuple(hard.names[i] for i in shown)
    return _find_worst(names, common, contradicting)


def _count_pairs(
    hard: WeakSignals, shown: IntArray
) -> tuple[FloatArray, FloatArray, float | None]:
    """Pairs of votes on the same example, and those of them that contradict.

    Counted by what can be said: a class, or "not" a class. Two of these contradict if no
    class meets both.
    """
    features = vote_features(hard)
    owner = hard.vote_columns[features.column, 0]
    member = features.member > 0
    against = (member.astype(float) @ member.T.astype(float)) == 0
    said = csr_array(features.matrix)
    weighted = diags_array(features.counts) @ said
    together = csr_array(said.T @ weighted).tocoo()
    a, b = owner[together.row], owner[together.col]
    apart = a != b
    contradicts = against[together.row, together.col] & apart
    pairs = together.data[apart].sum()
    share = 1 - together.data[contradicts].sum() / pairs if pairs else None
    place = np.full(hard.n_signals, -1)
    place[shown] = np.arange(len(shown))
    inside = apart & (place[a] >= 0) & (place[b] >= 0)
    size = len(shown), len(shown)
    common, opposed = (
        csr_array((together.data[at], (place[a[at]], place[b[at]])), size).toarray()
        for at in (inside, inside & contradicts)
    )
    return common, opposed, None if share is None else float(share)


def _find_worst(
    names: tuple[str, ...], common: FloatArray, contradicting: FloatArray
) -> tuple[SignalPair, ...]:
    a, b = np.triu_indices(len(names), 1)
    order = np.argsort(-contradicting[a, b], kind="stable")[:MOST_PAIRS]
    return tuple(
        SignalPair(names[i], names[j], float(common[i, j]), float(contradicting[i, j]))
        for i, j in zip(a[order], b[order], strict=True)
        if contradicting[i, j] > 0
    )


def _verdict(
    agreeing: float | None,
    alpha: float | None,
    pairs: tuple[SignalPair, ...],
    names_classes: bool,
) -> str:
    if agreeing is None:
        return (
            "No two signals vote on the same example, so nothing says which of them are "
            "right: write signals that overlap."
        )
    if not pairs:
        return (
            "Signals never contradict each other where several vote, so errors show only "
            "beside true labels."
        )
    worst = pairs[0]
    # One-vs-rest signals may have several votes each on one example.
    shared = "common examples" if names_classes else "pairs of their votes"
    level = "mostly agree" if agreeing >= HIGH else "often disagree"
    level = level if agreeing >= HIGH or agreeing < LOW else "agree in part"
    beyond = "" if alpha is None else f" (Krippendorff's alpha {alpha:.2f})"
    return (
        f"Where several signals vote they {level}: {say_share(agreeing)} of the pairs of "
        f"votes do not contradict{beyond}. {say_names([worst.first])} and "
        f"{say_names([worst.second])} clash most, on {worst.n_contradicting:,.0f} of "
        f"{worst.n_common:,.0f} {shared}; read those to see who is wrong."
    )
