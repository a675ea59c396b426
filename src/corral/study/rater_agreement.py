"""How far raters agree beyond chance: alpha and kappa, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtri

from corral._types import FloatArray, IntArray
from corral.checks import check_choice, check_positive, check_share, make_generator
from corral.errors import ParameterError, SignalsError
from corral.io.reader import make_reading, read_votes
from corral.results import Part, Result, Table, matrix
from corral.votes import WeakSignals

METRICS = ("nominal", "ordinal")
MAX_PAIR_CELLS = 4000
"""Signals times classes up to which every pair of signals is compared: there is a matrix of
signals by signals per class."""
MIN_EXAMPLES = 10
"""Below this, examples are too few for an interval."""
MIN_WIDTH = 1e-9
"""An interval or a standard error up to this has no width."""


@dataclass(frozen=True, eq=False, repr=False)
class RaterAgreement(Result):
    """What `agreement` found; print it.

    Values are 1 for full agreement and 0 for chance; NaN if all votes are for one class.
    Intervals are NaN where there are fewer than 10 examples, or nothing varies: that is
    not certainty. Pairs are None with more than 4,000 signals times classes.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float  # voted on or not
    n_shared: float  # with two votes or more, which is what agreement is about
    metric: str  # how far votes differ, for alpha
    alpha: float  # Krippendorff's
    alpha_interval: tuple[float, float]
    # (m, m) Cohen's, over the examples that both vote on; NaN if one says one class there
    kappa: FloatArray | None
    kappa_interval: FloatArray | None  # (m, m, 2)
    common: FloatArray | None  # (m, m) examples that both vote on
    level: float  # probability of the intervals

    title = "How far raters agree"

    def parts(self) -> Iterator[Part]:
        yield (
            f"{self.n_shared:,.0f} of {self.n_examples:,.0f} examples have two votes or "
            f"more; {len(self.names)} signals"
        )
        interval = f"{self.level:.0%} interval"
        yield Table(
            {
                "agreement": [f"Krippendorff's alpha, {self.metric}"],
                "value": ["undefined" if np.isnan(self.alpha) else f"{self.alpha:.3f}"],
                interval: [self.alpha_interval],
            },
            formats={interval: ".2f"},
        )
        if self.kappa is None or self.common is None or self.kappa_interval is None:
            yield f"Pairs are compared up to {MAX_PAIR_CELLS:,} signals times classes."
            return
        # Of every signal: its mean kappa, and the other that it agrees with least.
        others = np.where(np.eye(len(self.names), dtype=bool), np.nan, self.kappa)
        number = np.isfinite(others).sum(axis=1)
        means = np.nansum(others, axis=1) / np.where(number, number, np.nan)
        least = np.where(np.isnan(others), np.inf, others).argmin(axis=1)
        order = np.lexsort((means, number == 0))
        at = order, least[order]
        known = number[order] > 0
        yield Table(
            {
                "signal": [self.names[i] for i in order],
                "kappa, mean": means[order],
                "least": others[at],
                "with": [self.names[least[i]] if number[i] else None for i in order],
                "examples": np.where(known, self.common[at], np.nan),
                "interval": list(self.kappa_interval[at]),
            },
            formats={"examples": ",.0f"}
            | dict.fromkeys(("kappa, mean", "least", "interval"), ".2f"),
        )
        if not known.all():
            yield (
                "Kappa is left out where two signals share no example, or one of them says "
                "only one class there: it is then 0 or undefined, however often they agree."
            )
        yield matrix(
            "Agreement of every pair",
            self.names,
            self.kappa,
            self.common,
            measure="Cohen's kappa",
        )


def agreement(
    votes: Any,
    *,
    metric: str = "nominal",
    level: float = 0.9,
    resamples: int = 1000,
    random_state: Any = 0,
    **reading: Any,
) -> RaterAgreement:
    """How far raters agree beyond chance: Krippendorff's alpha and Cohen's kappa.

    An abstain is a missing answer.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, table or path
        As for `corral.label`. A probability counts as a vote for the likeliest class.
    metric : "nominal" or "ordinal"
        How far two votes differ, for alpha: at all; or by how many votes lie between them,
        in the order of the classes, which for text needs `classes`, the list of them.
    level : float
        Probability of the intervals.
    resamples : int
        How often examples are drawn again, with replacement, for the interval of alpha.
        Those of Cohen's kappa are by its standard error.
    random_state : int, Generator or None
        For these draws.
    **reading
        Which columns of a table are signals, and what is in them: ``signals``, ``id``,
        ``task``, ``worker``, ``label``, ``probabilities``,
        ``classes``, ``abstain`` and ``normalise`` of `corral.label`.

    Returns
    -------
    RaterAgreement

    Examples
    --------
    >>> import corral
    >>> votes = [[0, 0, 0], [1, 1, -1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, -1, -1]]
    >>> found = corral.agreement(4 * votes)
    >>> print(found.tables[0])
    agreement                      value  90% interval
    Krippendorff's alpha, nominal  0.439  0.17 to 0.65
    >>> found.kappa.round(2).tolist()
    [[1.0, 0.62, 0.5], [0.62, 1.0, 0.0], [0.5, 0.0, 1.0]]
    """
    check_choice("metric", metric, METRICS)
    check_positive("resamples", resamples)
    check_share("level", level, "between 0 and 1")
    how = make_reading(reading)
    read = read_votes(votes, how).signals
    has_order = how.classes is not None or read.classes.dtype.kind in "biuf"
    if metric == "ordinal" and not (has_order or isinstance(votes, WeakSignals)):
        raise ParameterError(
            '"ordinal" needs the order of the classes, and these are text: list them in '
            "order, `classes=`, or choose another; they would be in the order of the "
            f"alphabet, {', '.join(map(repr, read.classes.tolist()[:5]))}.",
            parameter="metric",
        )
    hard = read.harden()
    counts = count_shared(hard, ordinal=metric == "ordinal")
    few = read.n_signals * read.n_classes <= MAX_PAIR_CELLS
    kappa, interval, common = find_kappas(hard, level) if few else (None, None, None)
    n, rng = counts.weights.sum(), make_generator(random_state)
    draws = rng.multinomial(round(float(n)), counts.weights / n, resamples)
    return RaterAgreement(
        read.names,
        read.classes,
        float(hard.counts.sum()),
        float(n),
        metric,
        counts.alpha(counts.weights),
        find_interval(counts, draws, level),
        kappa,
        interval,
        common,
        level,
    )


def count_shared(signals: WeakSignals, *, ordinal: bool) -> VoteCounts:
    """The votes on examples that have two or more; refused if there are none."""
    if not signals.schema.names_classes:
        raise SignalsError(
            "these signals vote on one class at a time (one-vs-rest); agreement is for "
            "signals that name a class."
        )
    cells = signals.scores(np.ones(signals.schema.n_features))
    several = cells.sum(axis=1) > 1
    if not several.any():
        raise SignalsError(
            "no example has two votes, so there is no agreement to measure."
        )
    # Examples with the same numbers of votes are one row.
    numbers, inverse = np.unique(cells[several], axis=0, return_inverse=True)
    weights: Any = np.bincount(inverse.ravel(), signals.counts[several], len(numbers))
    return VoteCounts(numbers, weights, ordinal)


@dataclass(frozen=True)
class VoteCounts:
    """Examples with two votes or more, by how many votes each class has."""

    votes: FloatArray  # (u, k) votes per class, one row per kind of example
    weights: FloatArray  # (u,) examples of the kind
    ordinal: bool  # classes have places on a line: their ranks among all votes

    def alpha(self, weights: FloatArray) -> float:
        """Krippendorff's alpha, for weights (u,); NaN if all votes are the same."""
        total = weights @ self.votes
        # The rank of a class is the middle of the votes for it.
        places = total.cumsum() - total / 2 if self.ordinal else None
        apart = disagreement(self.votes, places) / (self.votes.sum(axis=1) - 1)
        expected = disagreement(total[None], places)[0]
        observed = (total.sum() - 1) * float(weights @ apart)
        return float(1 - observed / expected) if expected else np.nan


def find_interval(
    counts: VoteCounts, draws: IntArray, level: float
) -> tuple[float, float]:
    """Where the middle part of alpha lies over the draws (b, u) of examples.

    NaN for few examples and where all draws are the same, which is not certainty.
    """
    found = np.array([counts.alpha(each.astype(float)) for each in draws])
    found = found[np.isfinite(found)]
    low, high = np.nan, np.nan
    if len(found) and counts.weights.sum() >= MIN_EXAMPLES:
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    known = high - low > MIN_WIDTH
    return (float(low), float(high)) if known else (np.nan, np.nan)


def disagreement(votes: FloatArray, places: FloatArray | None) -> FloatArray:
    """(u,) how far the pairs of votes (u, k) on every example differ, summed.

    A pair differs by the squared distance of the places of its classes (k,); without
    places, by one if the classes differ.
    """
    number = votes.sum(axis=1)
    if places is None:
        return number**2 - (votes**2).sum(axis=1)
    middle = places - places.mean()  # the same distances, and less to round
    return 2 * (number * (votes @ middle**2) - (votes @ middle) ** 2)


def find_kappas(
    signals: WeakSignals, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cohen's kappa (m, m) of every pair, its interval, and the examples that both vote on.

    Intervals (m, m, 2) are by the standard error of Fleiss, Cohen and Everitt (1969),
    equation 13; NaN where that is zero, or fewer than 10 examples are common.
    """
    k, weights = signals.n_classes, signals.counts[:, None]
    # Of every class, (u, m): which signal votes for it, by distinct row.
    said = [csr_array(signals.F[:, c::k]) for c in range(k)]
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
        # Where one of the two says one class only, kappa is 0 however often both agree.
        constant = np.maximum.reduce(share) > 1 - 1e-12
        chance = np.where(constant | constant.T, np.nan, chance)
        kappa = (seen - chance) / (1 - chance)
        same, other = np.zeros_like(kappa), np.zeros_like(kappa)
        for c, mine in enumerate(share):
            same += equal[c] * (1 - (mine + mine.T) * (1 - kappa)) ** 2
            for d, theirs in enumerate(share):
                if c != d:  # a says c, b says d
                    both = (weighted[c].T @ said[d]).toarray() / common
                    other += both * (mine.T + theirs) ** 2
        rest = (kappa - chance * (1 - kappa)) ** 2
        scale = (1 - chance) ** 2 * common
        variance = (same + (1 - kappa) ** 2 * other - rest) / scale
        # Rounding leaves a little less than nothing where two always agree.
        error = np.sqrt(np.where(variance > MIN_WIDTH**2, variance, 0))
        unknown = (error <= MIN_WIDTH) | (common < MIN_EXAMPLES)
    reach = ndtri((1 + level) / 2) * np.where(unknown, np.nan, error)
    interval = np.stack([kappa - reach, kappa + reach], axis=-1)
    return kappa, np.clip(interval, -1, 1), common
