"""Do probabilities mean what they say? A table, and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from corral import metrics
from corral._types import FloatArray, IntArray
from corral.calibration.known_examples import KnownExamples, read_known
from corral.error_rates.copies import lower_bound
from corral.errors import ParameterError
from corral.results import Axis, Chart, Line, Part, Points, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Result):
    """How often labels are right, next to how sure they are; print it.

    Attributes
    ----------
    ranges : (b, 2) array of float
        The least and the largest confidence in every bin.
    counts : (b,) array of float
        Labelled examples, by weight.
    confidence : (b,) array of float
        Mean confidence: the probability of the likeliest class, or of `positive`.
    accuracy : (b,) array of float
        Share of the examples that are right, or that are `positive`.
    intervals : (b, 2) array of float
        Where the accuracy may be with probability `level` (Wilson's intervals).
    calibration_error : float
        Mean distance of accuracy and confidence, over examples.
    noise : float
        What the calibration error would be, on as many examples, if the probabilities
        were exactly right.
    log_loss, brier : float
        Of all classes, as in `corral.metrics`.
    level : float
    positive : class value or None
    """

    ranges: FloatArray
    counts: FloatArray
    confidence: FloatArray
    accuracy: FloatArray
    intervals: FloatArray
    calibration_error: float
    noise: float
    log_loss: float
    brier: float
    level: float
    positive: Any

    @property
    def _names(self) -> tuple[str, str]:
        if self.positive is None:
            return "confidence", "accuracy"
        return f"P({self.positive})", f"share of {self.positive}"

    @property
    def title(self) -> str:
        return "Whether probabilities mean what they say"

    def parts(self) -> Iterator[Part]:
        said, seen = self._names
        interval = f"{self.level:.0%} interval"
        columns = {
            said: list(self.ranges),
            "examples": self.counts,
            "mean": self.confidence,
            seen: self.accuracy,
            interval: list(self.intervals),
        }
        yield Table(columns, formats={"examples": ",.0f"})
        error = f"calibration error {self.calibration_error:.3f}"
        yield (
            f"{error} ({self.noise:.3f} if exactly right), log-loss {self.log_loss:.3f}, "
            f"Brier {self.brier:.3f}"
        )
        least = min(self.confidence.min() - 0.02, self.intervals.min())
        start = float(np.clip(np.floor(10 * least) / 10, 0, 0.9))
        tips = [
            f"{said} {x:.3f}: {seen} {y:.3f} ({low:.3f} to {high:.3f}) on {n:,.0f} examples"
            for x, y, (low, high), n in zip(
                self.confidence, self.accuracy, self.intervals, self.counts, strict=True
            )
        ]
        yield Chart(
            f"{seen} against {said}".capitalize(),
            f"{error}. {'; '.join(tips)}.",
            Axis(said, (start, 1.0), percent=True),
            Axis(seen, (start, 1.0), percent=True),
            (
                Line((start, 1.0), (start, 1.0), "exactly right", "grey", dashed=True),
                Points(
                    tuple(self.confidence.tolist()),
                    tuple(self.accuracy.tolist()),
                    tuple(tips),
                    low=tuple(self.intervals[:, 0].tolist()),
                    high=tuple(self.intervals[:, 1].tolist()),
                    along="y",
                    sizes=tuple((self.counts / self.counts.max()).tolist()),
                ),
            ),
            square=True,
        )


def reliability(
    labels: Any,
    y: ArrayLike,
    *,
    bins: int | ArrayLike = 10,
    positive: Any = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.9,
) -> Reliability:
    """Compare how sure labels are with how often they are right.

    Parameters
    ----------
    labels : (n, k) array of float, or fitted labeler
        Class probabilities. Of a labeler: those of the examples it was fitted on, without
        those that no signal votes on. Of an array, every row counts.
    y : (n,) array of class values
        None, NaN, "" or -1 (where it is no class) where unknown; these are left out.
    bins : int or (b + 1,) array of float
        A number: that many bins with about equally many examples, which makes all of them
        equally well measured. Equal confidences are never parted, so there may be fewer.
        An array: edges from 0 to 1.
    positive : class value, optional
        Look at the probability of this class instead of the likeliest one.
    classes : (k,) array, optional
        Class values of the columns; default ``0 .. k-1``. A labeler knows its own.
    sample_weight : (n,) array of float, optional
        A weight of two is an example given twice.
    level : float
        Probability of the intervals.

    Returns
    -------
    Reliability

    Notes
    -----
    Where several classes are tied, each of them is the answer in equal parts.

    Examples
    --------
    >>> import corral
    >>> labels = [[0.9, 0.1], [0.4, 0.6]] * 50
    >>> y = [0, 1, 0, 1, 0, 0, 0, 1, 1, 1] * 10
    >>> corral.reliability(labels, y)
        confidence  examples   mean  accuracy    90% interval
    0.600 to 0.600        50  0.600     0.800  0.693 to 0.877
    0.900 to 0.900        50  0.900     0.800  0.693 to 0.877
    calibration error 0.150 (0.045 if exactly right), log-loss 0.568, Brier 0.370
    """
    if not 0 < level < 1:
        raise ParameterError(f"level must be between 0 and 1; {level!r} was given.")
    known = read_known(labels, y, classes, sample_weight)
    said, right = _claims(known, positive)
    at = _bins(said, known.weights, bins)

    def sums(values: FloatArray) -> FloatArray:
        return np.bincount(at, known.weights * values).astype(float)

    counts = sums(np.ones(len(at)))
    confidence, accuracy = sums(said) / counts, sums(right) / counts
    shares = counts / counts.sum()
    # Mean absolute value of a normal error with the variance of as many coins.
    errors = np.sqrt(2 / np.pi * sums(said * (1 - said))) / counts
    low, high = np.full(len(counts), np.inf), np.zeros(len(counts))
    np.minimum.at(low, at, said)
    np.maximum.at(high, at, said)
    scored = known.truth, known.probabilities, np.arange(len(known.classes))
    return Reliability(
        ranges=np.column_stack([low, high]),
        counts=counts,
        confidence=confidence,
        accuracy=accuracy,
        intervals=wilson_intervals(accuracy, counts, level),
        calibration_error=float(shares @ np.abs(accuracy - confidence)),
        noise=float(shares @ errors),
        log_loss=metrics.log_loss(*scored, known.weights),
        brier=metrics.brier(*scored, known.weights),
        level=level,
        positive=positive,
    )


def _claims(known: KnownExamples, positive: Any) -> tuple[FloatArray, FloatArray]:
    """(j,) the probability looked at, and (j,) how far what it claims is true."""
    p = known.probabilities
    if positive is None:
        tied = metrics.is_winner(p)
        right = tied[np.arange(len(p)), known.truth] / tied.sum(axis=1)
        return p.max(axis=1), right
    values = known.classes.tolist()
    if positive not in values:
        raise ParameterError(
            f"positive must be one of the classes {values}; {positive!r} was given."
        )
    k = values.index(positive)
    return p[:, k], (known.truth == k).astype(float)


def _bins(said: FloatArray, weights: FloatArray, bins: int | ArrayLike) -> IntArray:
    """(j,) bin of every probability; none is empty."""
    if isinstance(bins, int | np.integer) and bins > 0:
        values, at = np.unique(said, return_inverse=True)
        # Equal but for rounding is equal, or the machine would decide on the bin.
        steps = np.diff(values, prepend=values[0]) > metrics.TIE
        at = steps.astype(int).cumsum()[at]
        mass = np.bincount(at, weights)
        middle = (np.cumsum(mass) - mass / 2) / mass.sum()
        at = np.floor(middle * bins).astype(int)[at]
    else:
        edges = np.asarray(bins)
        whole = edges.ndim == 1 and len(edges) > 1 and edges.dtype.kind in "if"
        if not whole or edges[0] != 0 or edges[-1] != 1 or (np.diff(edges) <= 0).any():
            raise ParameterError(
                "bins must be a number above zero, or edges that rise from 0 to 1; "
                f"{bins!r} was given."
            )
        at = np.searchsorted(edges[1:-1], said, side="right")
    return np.unique(at, return_inverse=True)[1]


def wilson_intervals(share: FloatArray, n: FloatArray, level: float) -> FloatArray:
    """(b, 2) Wilson's intervals of shares seen in `n` trials."""
    width = ndtri((1 + level) / 2) ** 2
    ends = lower_bound(share, n, width), 1 - lower_bound(1 - share, n, width)
    return np.clip(np.stack(ends, axis=1), 0, 1)
