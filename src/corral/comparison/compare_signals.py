"""Many methods on the same signals, scored on the same examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import make_generator
from corral.comparison.compare_sets import compare_sets
from corral.comparison.comparison import Comparison
from corral.comparison.methods import all_methods, make_methods
from corral.comparison.try_methods import score_labels, score_methods
from corral.constraints import signal_errors
from corral.error_rates import FromLabels
from corral.errors import ParameterError
from corral.labelers import ConstrainedLabeler, Labeler, WeightedVote
from corral.labelers.inputs import as_signals
from corral.signals import WeakSignals
from corral.signals.gold import code_labels
from corral.signals.patterns import draw_rows

MOST_EXACT = 1e9
"""Examples from which on they are drawn one by one, with replacement."""


def compare_signals(
    votes: Any,
    y: ArrayLike,
    methods: Any,
    *,
    dev_size: int = 0,
    positive: Any = None,
    random_state: int | None = 0,
) -> Comparison:
    """Label votes by many methods, and score them; see `corral.compare`."""
    signals = as_signals(votes)
    try:
        both = np.ndim(y) == 2
    except ValueError as error:
        raise ParameterError(
            "must be one class per example or, where examples have several, 0 and 1 with "
            "one row per example and one column per class; rows of different lengths came.",
            parameter="y",
        ) from error
    if both:
        return compare_sets(signals, y, methods, dev_size, positive, random_state)
    truth = code_labels(y, signals.classes, len(signals))
    counts = np.ones(len(signals)) if signals.counts is None else signals.counts
    known = (truth >= 0) & signals.covered
    if not known.any():
        raise ParameterError(
            "nothing can be scored: no example has a known class in `y=` and a "
            "signal that speaks of it."
        )
    rng = make_generator(random_state)
    if isinstance(methods, str) and methods == "own":
        methods = all_methods()
    tried = make_methods(methods, random_state)
    weights = np.where(known, counts, 0.0)
    if dev_size != 0:
        drawn = _draw(signals, truth, weights, dev_size, rng)
        tried |= _helped(signals, truth, drawn)
        weights = weights - drawn
    used = np.flatnonzero(weights)
    which = _positive(positive, signals)

    def score(labels: FloatArray) -> tuple[float, float, float, float]:
        return score_labels(labels[used], truth[used], weights[used], which)

    scored = score_methods(tried, signals, score)
    return Comparison(
        **scored,
        f1_of="macro" if which is None else str(signals.classes[which]),
        n_scored=float(weights.sum()),
        n_uncovered=float(counts[(truth >= 0) & ~signals.covered].sum()),
        n_labelled=int(dev_size),
    )


def _draw(
    signals: WeakSignals,
    truth: IntArray,
    counts: FloatArray,
    size: int,
    rng: np.random.Generator,
) -> FloatArray:
    """(n,) how many examples of every row are drawn.

    Drawn from distinct pairs of votes and class, in their order, so that neither the
    order of the rows matters nor whether they are counted.
    """
    whole = np.floor(counts)
    if not isinstance(size, int | np.integer) or not 0 < size < whole.sum():
        raise ParameterError(
            f"must be a number of examples that leaves some to score, of "
            f"{whole.sum():.0f}; {size!r} was given.",
            parameter="dev_size",
        )
    pair = signals.harden().patterns.inverse * (signals.n_classes + 1) + truth
    order = np.argsort(pair, kind="stable")
    order = order[whole[order] > 0]
    starts = np.flatnonzero(np.r_[True, np.diff(pair[order]) > 0])
    sizes = np.add.reduceat(whole[order], starts)
    if sizes.sum() < MOST_EXACT:
        taken = rng.multivariate_hypergeometric(
            sizes.astype(np.int64), size, method="marginals"
        )
    else:
        taken = np.minimum(draw_rows(sizes, size, rng), sizes)
    # The first rows of every pair give what was drawn of it.
    before = np.cumsum(whole[order]) - whole[order]
    before -= np.repeat(before[starts], np.diff(np.r_[starts, len(order)]))
    left = np.repeat(taken, np.diff(np.r_[starts, len(order)])) - before
    drawn = np.zeros(len(counts))
    drawn[order] = np.clip(left, 0, whole[order])
    return drawn


def _helped(
    signals: WeakSignals, truth: IntArray, drawn: FloatArray
) -> dict[str, Labeler]:
    """Methods that learn from the examples drawn."""
    rows = np.repeat(np.arange(len(drawn)), drawn.astype(int))
    sample = signals.take(rows).drop_counts()
    labels = signals.classes[truth[rows]]
    n = len(rows)
    helped: dict[str, Labeler] = {
        f"constrained, {n} labels": ConstrainedLabeler(FromLabels(labels, sample))
    }
    if signals.names_classes:
        wrong = np.nan_to_num(signal_errors(sample, labels), nan=0.5)
        seen = sample.coverage * n
        # One vote of either kind added, so that nobody is always right.
        accuracies = 1 - (wrong * seen + 1) / (seen + 2)
        helped[f"weighted vote, {n} labels"] = WeightedVote(accuracies=accuracies)
    return helped


def _positive(positive: Any, signals: WeakSignals) -> int | None:
    if positive is None:
        return 1 if signals.n_classes == 2 else None
    classes = signals.classes.tolist()
    if positive not in classes:
        raise ParameterError(
            f"must be one of the classes {classes}; {positive!r} was given.",
            parameter="positive",
        )
    return classes.index(positive)
