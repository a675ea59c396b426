"""Which rows have a label, how they came to have one, and what each stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.panels.panel_votes import PanelVotes

FEWEST = 10
"""Labelled rows from which on there are intervals."""
CHANCE = 1e-4
"""Samples drawn at random that are taken for others."""
JEFFREYS = 0.5
"""Events that Jeffreys' prior of a share adds to those seen."""
TIED = 1e-9
FAR = 5.0
"""Standard deviations by which there may be more or fewer labels than expected."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The labelled rows.

    Attributes
    ----------
    rows, truth : (l,) arrays of int
        Positions, and classes.
    weights : (l,) array of float
        How many rows each stands for, relative to the mean.
    unseen : (l,) array of float
        One less the probability of being drawn: if all rows are, no doubt is left.
    """

    rows: IntArray
    truth: IntArray
    weights: FloatArray
    unseen: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def mean(self, each: FloatArray) -> FloatArray:
        """Of numbers (l, ...), over what the rows stand for."""
        return self.weights @ each / self.weights.sum()

    @property
    def effective(self) -> float:
        """Rows of equal weights whose mean would be as sure."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    @property
    def parts(self) -> FloatArray:
        """(l,) of the square of what a row adds, the part that is the mean's variance."""
        return (self.weights / self.weights.sum()) ** 2 * self.unseen

    def variance(self, each: FloatArray) -> FloatArray:
        """Of the mean of numbers (l, ...) from -1 to 1 that are expected to be zero.

        Half a surprise is added to those that the rows show: where judges seldom err,
        the labelled rows may well lack the rows on which they do.
        """
        return self.parts @ each**2 + self.parts.sum() * JEFFREYS / self.effective


def take_sample(panel: PanelVotes, truth: IntArray, sampling: Any = None) -> Sample:
    """The rows with a label; refused if they are too few, or not drawn as said.

    Parameters
    ----------
    panel : PanelVotes
    truth : (n,) array of int
        Classes; -1 where unknown.
    sampling : (n,) array of float, optional
        The probability that each row had to be chosen; default: all the same.
    """
    rows = np.flatnonzero(truth >= 0)
    n = len(truth)
    if len(rows) < FEWEST:
        raise ParameterError(
            f"must hold a label for {FEWEST} rows or more; {len(rows)} have one. Draw "
            "some fifty to two hundred rows at random, and label them.",
            parameter="gold",
        )
    if sampling is None:
        check_random(panel, rows)
        drawn = np.full(len(rows), len(rows) / n)
        return Sample(rows, truth[rows], np.ones(len(rows)), 1 - drawn)
    chances = _check_probabilities(sampling, n)
    _check_number(chances, len(rows))
    drawn = chances[rows]
    weights = 1 / drawn
    return Sample(rows, truth[rows], weights / weights.mean(), 1 - drawn)


def _check_probabilities(sampling: ArrayLike, n: int) -> FloatArray:
    try:
        drawn = np.asarray(sampling, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("must be numbers.", parameter="sampling") from error
    if drawn.shape != (n,) or not ((drawn > 0) & (drawn <= 1)).all():
        raise ParameterError(
            f"must hold, for each of the {n:,} rows, the probability above 0 and up to 1 "
            f"that it had to be chosen; the shape given is {drawn.shape}"
            + ("." if drawn.shape != (n,) else ", and some are not."),
            parameter="sampling",
        )
    return drawn


def _check_number(chances: FloatArray, labelled: int) -> None:
    """Refuse chances by which far more or fewer rows would have a label than have.

    Those of a row drawn for sure leave no doubt, so ones for "all the same" would close
    every interval.
    """
    expected = float(chances.sum())
    spread = float(np.sqrt((chances * (1 - chances)).sum()))
    # Not all chosen rows get a label in the end.
    if abs(labelled - expected) > FAR * spread + 0.1 * expected + 1:
        raise ParameterError(
            f"must hold probabilities: by these, some {expected:,.0f} rows would have a "
            f"label, and {labelled:,} have one. Where all rows had the same probability, "
            f"that is {labelled / len(chances):.4g}.",
            parameter="sampling",
        )


def check_random(panel: PanelVotes, rows: IntArray) -> None:
    """Refuse labelled rows whose votes no random sample would have."""
    shares = panel.shares
    doubt = 1 - shares.max(axis=1)
    winner = shares.argmax(axis=1)
    kinds = {"judges disagree": doubt > panel.mean(doubt) + TIED}
    kinds |= {f"the vote is class {c}": winner == c for c in range(shares.shape[1])}
    for name, kind in kinds.items():
        every = kind[panel.inverse]
        chosen = int(every[rows].sum())
        law = hypergeom(len(every), int(every.sum()), len(rows))
        if min(law.cdf(chosen), law.sf(chosen - 1)) * 2 * len(kinds) < CHANCE:
            said = name if name[0] == "j" else "the vote is for one of the classes"
            raise ParameterError(
                f"labels rows that are no random sample: {said} on "
                f"{chosen / len(rows):.0%} of them, and on {every.mean():.0%} of all rows. "
                "Shares and intervals from such rows would be wrong (rows of "
                "`suggest_labels` are chosen for being hard). Label rows drawn at random, "
                "or say with which probability each row had to be chosen, "
                f"`sampling=`; all the same if they were drawn at random.",
                parameter="gold",
            )
