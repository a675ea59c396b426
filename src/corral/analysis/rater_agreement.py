"""How far raters agree beyond chance: alpha and kappas, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.analysis.pairs import find_kappas
from corral.analysis.vote_counts import VoteCounts, count_votes
from corral.checks import check_choice, check_positive, make_generator
from corral.errors import ParameterError, SignalsError
from corral.io.reader import make_reading, read_votes
from corral.results import Part, Result, Table, matrix
from corral.signals import PatternCounts, WeakSignals

METRICS = ("nominal", "ordinal", "interval")
MOST_SIGNALS = 2000
"""Signals up to which every pair is compared: matrices have as many rows and columns."""
MOST_CELLS = 10_000
"""Signals times classes up to which they are: there is a matrix per pair of classes."""


@dataclass(frozen=True, eq=False, repr=False)
class RaterAgreement(Result):
    """What `agreement` found; print it.

    Attributes
    ----------
    names : tuple of str
    classes : (k,) array
    n_examples : float
        All, voted on or not.
    n_shared : float
        Examples with two votes or more, which is what agreement is about.
    metric : str
        How far votes differ, for alpha.
    alpha : float
        Krippendorff's: 1 full agreement, 0 as by chance. NaN if only one class is ever
        voted for, as chance cannot be told from agreement then.
    alpha_interval : (low, high)
        NaN, as all intervals here, where fewer than 10 examples have two votes, or no
        draw differs from the others: that is no certainty.
    fleiss : float
        Fleiss' kappa, for classes without an order.
    fleiss_interval : (low, high)
    kappa : (m, m) array of float, or None
        Cohen's kappa of every pair, over the examples that both vote on. None with more
        than 2,000 signals, or where signals times classes are more than 10,000.
    kappa_interval : (m, m, 2) array of float, or None
        NaN where fewer than 10 examples are common, or the standard error is zero, as
        for two that always agree.
    common : (m, m) array of float, or None
        Examples that both vote on.
    level : float
        Probability of the intervals.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float
    n_shared: float
    metric: str
    alpha: float
    alpha_interval: tuple[float, float]
    fleiss: float
    fleiss_interval: tuple[float, float]
    kappa: FloatArray | None
    kappa_interval: FloatArray | None
    common: FloatArray | None
    level: float

    @property
    def title(self) -> str:
        return "How far raters agree"

    def parts(self) -> Iterator[Part]:
        yield (
            f"{self.n_shared:,.0f} of {self.n_examples:,.0f} examples have two votes or "
            f"more; {len(self.names)} signals"
        )
        interval = f"{self.level:.0%} interval"
        values = self.alpha, self.fleiss
        yield Table(
            {
                "agreement": [f"Krippendorff's alpha, {self.metric}", "Fleiss' kappa"],
                "value": ["undefined" if np.isnan(v) else f"{v:.3f}" for v in values],
                interval: [self.alpha_interval, self.fleiss_interval],
            },
            formats={interval: ".2f"},
        )
        if self.kappa is None or self.common is None or self.kappa_interval is None:
            yield (
                f"Pairs are compared for up to {MOST_SIGNALS:,} signals, and up to "
                f"{MOST_CELLS:,} signals times classes; choose some signals."
            )
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
        yield matrix(
            "Agreement of every pair",
            self.names,
            self.kappa,
            self.common,
            measure="Cohen's kappa",
        )
        a, b = np.nonzero(np.triu(self.common > 0, 1))
        yield Table(
            {
                "signal": [self.names[i] for i in a],
                "and": [self.names[i] for i in b],
                "examples": self.common[a, b],
                "kappa": self.kappa[a, b],
                interval: list(self.kappa_interval[a, b]),
            },
            "Every pair",
            {"examples": ",.0f", "kappa": ".2f", interval: ".2f"},
            most=5,
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
    """How far raters agree beyond chance: Krippendorff's alpha, Fleiss' and Cohen's kappa.

    An abstain is a missing answer. Examples with the same votes are counted once, so a
    million rows take about as long as their patterns.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, PatternCounts, table or path
        As for `corral.label`. A probability counts as a vote for the likeliest class.
    metric : "nominal", "ordinal" or "interval"
        How far two votes differ, for alpha: at all; by how many votes lie between them, in
        the order of the classes; by the difference of the numbers that the classes are.
        The order of text is what ``classes`` says, so "ordinal" takes that.
    level : float
        Probability of the intervals.
    resamples : int
        How often examples are drawn again, with replacement, for the intervals of alpha
        and of Fleiss' kappa. Those of Cohen's kappa are by its standard error.
    random_state : int, Generator or None
        For these draws.
    **reading
        Which columns of a table are signals, and what is in them: ``signals``, ``id``,
        ``task``, ``worker``, ``label``, ``probabilities``, ``columns``, ``bins``,
        ``classes``, ``abstain`` and ``normalise`` of `corral.label`. The order of
        ``classes`` is that of the metric "ordinal".

    Returns
    -------
    RaterAgreement

    Notes
    -----
    Fleiss' kappa wants equally many votes on every example. Where there are not, an
    example counts by the share of its pairs that agree, and classes by all votes on
    examples with two or more.

    Examples
    --------
    >>> import corral
    >>> votes = [[0, 0, 0], [1, 1, -1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, -1, -1]]
    >>> found = corral.agreement(4 * votes)
    >>> found
    20 of 24 examples have two votes or more; 3 signals
    <BLANKLINE>
    agreement                      value  90% interval
    Krippendorff's alpha, nominal  0.439  0.17 to 0.65
    Fleiss' kappa                  0.467  0.20 to 0.67
    <BLANKLINE>
    signal  kappa, mean  least  with  examples       interval
    s2             0.25   0.00  s1          16  -0.41 to 0.41
    s1             0.31   0.00  s2          16  -0.41 to 0.41
    s0             0.56   0.50  s2          16   0.19 to 0.81
    <BLANKLINE>
    Every pair
    signal  and  examples  kappa   90% interval
    s0      s1         20   0.62   0.35 to 0.88
    s0      s2         16   0.50   0.19 to 0.81
    s1      s2         16   0.00  -0.41 to 0.41
    """
    check_choice("metric", metric, METRICS)
    check_positive("resamples", resamples)
    if not 0 < level < 1:
        raise ParameterError(
            f"must be between 0 and 1; {level!r} was given.", parameter="level"
        )
    how = make_reading(agreement, reading)
    read = read_votes(votes, how).signals
    if not isinstance(votes, WeakSignals | PatternCounts):  # those have their order
        check_order(metric, read, how.classes is not None)
    counts = count_shared(read, metric)
    hard, m = read.harden(), read.n_signals
    few = m <= MOST_SIGNALS and m * read.n_classes <= MOST_CELLS
    kappa, interval, common = find_kappas(hard, level) if few else (None, None, None)
    draws = counts.draw(resamples, make_generator(random_state))
    alpha, alpha_interval = counts.measure(counts.alpha, draws, level)
    fleiss, fleiss_interval = counts.measure(counts.fleiss, draws, level)
    return RaterAgreement(
        read.names,
        read.classes,
        float(hard.patterns.counts.sum()),
        counts.n_examples,
        metric,
        alpha,
        alpha_interval,
        fleiss,
        fleiss_interval,
        kappa,
        interval,
        common,
        level,
    )


def check_order(metric: str, signals: WeakSignals, listed: bool) -> None:
    """Refuse "ordinal" for classes that are text in no order that anybody gave."""
    if metric == "ordinal" and not listed and signals.classes.dtype.kind not in "biuf":
        raise ParameterError(
            '"ordinal" needs the order of the classes, and these are text: list them in '
            f"order, `classes=`, or choose another; they would be in the order "
            f"of the alphabet, {', '.join(map(repr, signals.classes.tolist()[:5]))}.",
            parameter="metric",
        )


def count_shared(signals: WeakSignals, metric: str) -> VoteCounts:
    """The votes on examples that have two or more; refused if there are none."""
    if not signals.names_classes:
        raise SignalsError(
            "these signals vote on one class at a time (one-vs-rest), so two of them may "
            "speak of different things; agreement is for signals that name a class."
        )
    numbers, weights = count_votes(signals.harden())
    if not len(weights):
        raise SignalsError(
            "no example has two votes, so there is no agreement to measure."
        )
    places = _find_places(signals, metric)
    return VoteCounts(numbers, weights, places, ranks=metric == "ordinal")


def _find_places(signals: WeakSignals, metric: str) -> FloatArray | None:
    """(k,) the numbers that the classes are, for an interval."""
    if metric != "interval":
        return None
    if signals.classes.dtype.kind not in "iuf":
        raise ParameterError(
            'must be "nominal" or "ordinal" where classes are no numbers; "interval" was '
            f"given for the classes {signals.classes.tolist()}.",
            parameter="metric",
        )
    return signals.classes.astype(float)
