"""Which rows judges may decide, so that few of these are wrong, and which people read next.

A set of the surest rows may be decided by the judges if its labelled rows contradict "more
than `error` of these rows are wrong" at the chance ``1 - confidence``. Sets are tested from
small to large, up to the first that does not pass (Learn then Test, fixed sequence;
Angelopoulos et al., 2021). The first is the smallest that has labels enough to pass with
half the errors allowed, or with none.

With random labels, the test is exact for the rows at hand: the chance to draw so few wrong
ones among the labelled rows of a set is hypergeometric. With `sampling` it is

    p = 1 / mean over b of product of (1 + b * (error - wrong) * weight / largest weight)

over labelled rows of the set; the product is below one on average if too many are wrong
and rows were drawn each for itself (a betting test; Waudby-Smith and Ramdas, 2024). A
labelled row is ranked by a label that has not seen its own; this is where the guarantee is
an approximation, as the ranking learns from the same labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_share, check_whole
from corral.panels.difference_estimator import PanelEstimator
from corral.results import Part, Result, Table

N_SETS = 50
"""Sets of the surest rows that are tested."""
BETS = np.linspace(0.1, 1, 10)
"""Parts of the largest bet that the test of weighted rows makes."""
MIN_DOUBT = 0.05
"""Doubt below which a row is no rarer read than one with this doubt."""


@dataclass(frozen=True, eq=False, repr=False)
class Automation(Result):
    """Which rows judges decide, and which people read next, in this order."""

    error: float  # at most this share of the decided rows is wrong
    confidence: float  # with this probability
    n_rows: int
    n_decided: int
    n_labelled: int  # labelled rows among those decided
    n_wrong: int  # and how many of them are wrong
    p_value: float  # of the set that was decided; the first one, if none passed
    threshold: float  # the least probability of a label that is decided
    decided_: BoolArray = field(repr=False)  # (n,) rows that judges decide
    queue_: IntArray = field(repr=False)  # rows that people read, the first ones first
    sampling_: FloatArray = field(repr=False)
    """(n,) each row's probability of having a human label once the queue is read."""

    title = "What can run unattended"

    def parts(self) -> Iterator[Part]:
        if self.n_decided:
            yield (
                f"Judges may decide {self.n_decided:,} of {self.n_rows:,} rows "
                f"({self.n_decided / self.n_rows:.0%}), those whose label has a "
                f"probability of {self.threshold:.3f} or more: with a confidence of "
                f"{self.confidence:.0%}, at most {self.error:.1%} of them are wrong. "
                f"Wrong among the {self.n_labelled:,} labelled ones: {self.n_wrong:,}."
            )
        else:
            yield (
                f"Judges may decide no rows: of {self.n_labelled:,} labelled rows among "
                f"the surest, {self.n_wrong:,} are wrong, which does not show with a "
                f"confidence of {self.confidence:.0%} that at most {self.error:.1%} of all "
                "of these are. Label more random rows, or allow more errors."
            )
        if len(self.queue_):
            yield (
                f"{len(self.queue_):,} rows are for people, in this order. Label all of "
                "them, and give the probabilities of `sampling_` as `sampling=`: then "
                "intervals stay valid."
            )
            chances = self.sampling_[self.queue_]
            yield Table(
                {
                    "next": list(range(1, len(self.queue_) + 1)),
                    "row": (self.queue_ + 1).tolist(),
                    "probability": chances.tolist(),
                },
                "Rows for people",
                most=5,
            )


def find_automation(
    estimator: PanelEstimator,
    labels: FloatArray,
    chances: FloatArray,
    rng: np.random.Generator,
    *,
    error: float = 0.05,
    confidence: float = 0.9,
    n_next: int | None = None,
) -> Automation:
    """Test sets of the surest rows, and order the others for people.

    `labels` (u, k) are of all patterns; `chances` (n,) are the probabilities that rows had
    to be labelled.
    """
    check_share("error", error, "between 0 and 1")
    check_share("confidence", confidence, "between 0 and 1")
    if n_next is not None:
        check_whole("n_next", n_next)
    sample, inverse = estimator.sample, estimator.panel.inverse
    n = len(inverse)
    every = labels[inverse]
    sure = every.max(axis=1)
    own = sure[sample.rows]
    wrong = every[sample.rows].argmax(axis=1) != sample.truth
    is_random = np.ptp(sample.weights) == 0
    found: list[tuple[float, FloatArray]] = []
    for threshold in np.unique(np.quantile(sure, np.arange(N_SETS) / N_SETS))[::-1]:
        inside, members = own >= threshold, sure >= threshold
        # p-values without an error, with half as many as allowed, and as it is
        some = np.full(inside.sum(), error / 2)
        cases = np.array([0 * some, some, wrong[inside]])
        if is_random:
            size, most = int(members.sum()), int(error * members.sum() + 1e-9)
            law = scipy.stats.hypergeom(size, min(most + 1, size), len(some))
            p_values = law.cdf(np.floor(cases.sum(axis=1) + 1e-9))
        else:
            share = chances[members].min() / chances[sample.rows[inside]]
            won = 1 + BETS[:, None, None] / (1 - error) * (error - cases) * share
            p_values = 1 / np.maximum(won.prod(axis=2).mean(axis=0), 1)
        found.append((float(threshold), p_values))
    passes = np.array([p_values <= 1 - confidence for _, p_values in found])
    # The sequence begins where half the errors allowed would pass; else where none would.
    starts = [np.flatnonzero(passes[:, case]) for case in (1, 0)]
    start = next((int(each[0]) for each in starts if len(each)), len(found) - 1)
    stop = start
    while stop + 1 < len(found) and passes[stop, 2] and passes[stop + 1, 2]:
        stop += 1
    threshold, p_value = found[stop][0], float(found[stop][1][2])
    passed = bool(passes[stop, 2])
    decided = (sure >= threshold) & passed
    seen = own >= threshold
    queue, sampling = _queue(every, decided, sample.rows, chances, rng, n_next)
    return Automation(
        *(error, confidence, n, int(decided.sum()), int(seen.sum())),
        *(int(wrong[seen].sum()), p_value, threshold),
        *(decided, queue, sampling),
    )


def _queue(
    every: FloatArray,
    decided: BoolArray,
    labelled: IntArray,
    chances: FloatArray,
    rng: np.random.Generator,
    n_next: int | None,
) -> tuple[IntArray, FloatArray]:
    """Rows for people, doubtful ones likely first, and each row's probability of a label.

    Sequential Poisson sampling (Ohlsson, 1998): rows in the order of a random number over
    their doubt. The first of them are a sample with probabilities that go with doubt.
    """
    doubt = np.sqrt(np.maximum(1 - (every**2).sum(axis=1), MIN_DOUBT))
    is_open = ~decided
    is_open[labelled] = False
    rows = np.flatnonzero(is_open)
    order = rows[np.argsort(rng.random(len(rows)) / doubt[rows])]
    n_next = len(rows) if n_next is None else min(n_next, len(rows))
    if n_next == len(rows):
        drawn = np.ones(len(every))
    else:
        factor = scipy.optimize.brentq(
            lambda f: np.minimum(f * doubt[rows], 1).sum() - n_next,
            0,
            len(rows) / doubt[rows].min(),
        )
        drawn = np.minimum(factor * doubt, 1)
    later = np.where(decided, 0.0, drawn)
    return order[:n_next], 1 - (1 - chances) * (1 - later)
