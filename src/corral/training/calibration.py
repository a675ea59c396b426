"""Whether probabilities mean what they say, and how to mend them with a few labels.

`reliability` compares how sure labels are with how often they are right. `calibrate` turns
labels ``q`` into ``q'_k`` in proportion to ``exp(t log q_k + b_k)``. It takes the slope
``t`` and the bias ``b`` from the labelled examples by penalised maximum likelihood,

    maximise  sum_j log q'_j(y_j)  -  s (t - 1 - log t)  -  s |b|^2 / 2,

which is concave and has its optimum at a slope above zero, so the order of examples of a
binary task stays. The penalty is a prior around no change (Gamma for t, normal for b) with
spread ``1 / sqrt(s)``. The answer is the mean over several strengths ``s``, each weighted
by the evidence for it: how likely the labelled examples are under that prior (Laplace's
approximation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_softmax, softmax

from corral._types import FloatArray, IntArray
from corral.checks import check_positive, check_weights
from corral.decisions import TIE, is_winner
from corral.errors import ParameterError
from corral.labelers.base import Labeler
from corral.progress import progress
from corral.rates import wilson_intervals
from corral.results import Axis, Chart, Line, Part, Points, Result, Table
from corral.training.soft_labels import read_labels
from corral.votes.coding import code_labels

MIN_PROBABILITY = 1e-6
"""Smaller probabilities are raised to this: a few labels cannot tell them apart."""
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Priors tried: from slope and log-odds off by a factor of e to off by 6 per cent."""
LEVEL = 0.9
"""Probability of the intervals."""


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
        Mean probability of the likeliest class.
    accuracy : (b,) array of float
        Share of the examples that are right.
    intervals : (b, 2) array of float
        Wilson's intervals of the accuracy, of probability 0.9.
    calibration_error : float
        Mean distance of accuracy and confidence, over examples.
    noise : float
        The calibration error of as many examples with exactly right probabilities.
    log_loss, brier : float
        Means over examples: of minus the logarithm of the true class's probability, and of
        the squared distance between all probabilities and the truth.
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

    title = "Whether probabilities mean what they say"

    def parts(self) -> Iterator[Part]:
        columns = {
            "confidence": list(self.ranges),
            "examples": self.counts,
            "mean": self.confidence,
            "accuracy": self.accuracy,
            f"{LEVEL:.0%} interval": list(self.intervals),
        }
        yield Table(columns, formats={"examples": ",.0f"})
        error = f"calibration error {self.calibration_error:.3f}"
        yield (
            f"{error} ({self.noise:.3f} if exactly right), log-loss {self.log_loss:.3f}, "
            f"Brier {self.brier:.3f}"
        )
        least = min(self.confidence.min() - 0.02, self.intervals.min())
        start = float(np.clip(np.floor(10 * least) / 10, 0, 0.9))
        low, high = self.intervals.T.tolist()
        tips = [
            f"confidence {x:.3f}: accuracy {y:.3f} ({a:.3f} to {b:.3f}), {n:,.0f} examples"
            for x, y, a, b, n in zip(
                self.confidence, self.accuracy, low, high, self.counts, strict=True
            )
        ]
        points = Points(
            self.confidence,
            self.accuracy,
            tips,
            low=self.intervals[:, 0],
            high=self.intervals[:, 1],
            along="y",
        )
        diagonal = (start, 1.0)
        yield Chart(
            "Accuracy against confidence",
            f"{error}. {'; '.join(tips)}.",
            Axis("confidence", diagonal, percent=True),
            Axis("accuracy", diagonal, percent=True),
            (Line(diagonal, diagonal, "exactly right"), points),
            square=True,
        )


def reliability(
    labels: Any,
    y: ArrayLike,
    *,
    bins: int = 10,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Reliability:
    """Compare how sure labels are with how often they are right.

    Parameters
    ----------
    labels, y, classes, sample_weight : as for `calibrate`
    bins : int
        So many bins with about equally many examples, so all are equally well measured.
        Equal confidences are never parted, so there may be fewer.

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
    check_positive("bins", bins)
    p, truth, weights, _ = _read_known(labels, y, classes, sample_weight)
    said, tied = p.max(axis=1), is_winner(p)
    right = tied[np.arange(len(p)), truth] / tied.sum(axis=1)
    at = _bins(said, weights, bins)

    def sums(values: FloatArray) -> FloatArray:
        return np.bincount(at, weights * values).astype(float)

    counts = sums(np.ones(len(at)))
    confidence, accuracy = sums(said) / counts, sums(right) / counts
    shares = counts / counts.sum()
    # Mean absolute value of a normal error with the variance of as many coins.
    errors = np.sqrt(2 / np.pi * sums(said * (1 - said))) / counts
    low, high = np.full(len(counts), np.inf), np.zeros(len(counts))
    np.minimum.at(low, at, said)
    np.maximum.at(high, at, said)
    true = p[np.arange(len(p)), truth]
    return Reliability(
        ranges=np.column_stack([low, high]),
        counts=counts,
        confidence=confidence,
        accuracy=accuracy,
        intervals=wilson_intervals(accuracy, counts, LEVEL),
        calibration_error=float(shares @ np.abs(accuracy - confidence)),
        noise=float(shares @ errors),
        log_loss=float(np.average(-np.log(np.clip(true, 1e-12, 1)), weights=weights)),
        brier=float(np.average((p**2).sum(axis=1) - 2 * true + 1, weights=weights)),
    )


def _bins(said: FloatArray, weights: FloatArray, bins: int) -> IntArray:
    """(j,) bin of every probability, without empty bins."""
    values, at = np.unique(said, return_inverse=True)
    # Equal but for rounding is equal, or the machine would decide on the bin.
    steps = np.diff(values, prepend=values[0]) > TIE
    at = steps.astype(int).cumsum()[at]
    mass = np.bincount(at, weights)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    at = np.floor(middle * bins).astype(int)[at]
    return np.unique(at, return_inverse=True)[1]


@dataclass(frozen=True, eq=False, repr=False)
class Calibrator:
    """A map from probabilities to better ones; print it to see what it does.

    Attributes
    ----------
    slope : float
        Factor of log-probabilities; below one if these were too sure.
    bias : (k,) array of float
        Added to them, one number per class; they sum to zero.
    classes : (k,) array
    n_labelled : float
        The examples it was fitted on, by weight.
    """

    slope: float
    bias: FloatArray
    classes: NDArray[Any]
    n_labelled: float

    def apply(self, labels: ArrayLike) -> FloatArray:
        """Calibrated probabilities (n, k), from labels of the same labeler and classes."""
        _, p = _read_rows(labels, self.classes)
        if not p.any(axis=1).all():
            raise ParameterError(
                "every row must have a label; some are NaN or all zero."
            )
        return softmax(self.slope * _logs(p) + self.bias, axis=1)

    def __str__(self) -> str:
        most = np.sort(np.argsort(-np.abs(self.bias), kind="stable")[:5])
        moves = ", ".join(f"{self.classes[k]} {self.bias[k]:+.2f}" for k in most)
        return (
            f"calibrated on {self.n_labelled:,.0f} labelled examples: log-odds times "
            f"{self.slope:.2f}, then {moves}"
        )

    __repr__ = __str__


def calibrate(
    labels: Any,
    y: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Calibrator:
    """Learn from a few labelled examples how to calibrate the labels of all.

    Meant for 10 to 1000 labelled examples, drawn at random. It changes a slope and a class
    bias, by as much as the examples are evidence for.

    Parameters
    ----------
    labels : (n, k) array of float, data frame, or fitted labeler
        Class probabilities, as for `SoftLabelClassifier.fit`; a labeler gives those of the
        examples that it was fitted on and that have a vote. They must not have learned from
        `y`, as with `FromLabels` or `Known`.
    y : (n,) array of class values
        None, NaN, "" or -1 (unless it is a class) where unknown.
    classes : (k,) array, optional
        Class values of the columns; default ``0 .. k-1``. A labeler knows its own.
    sample_weight : (n,) array of float, optional
        A weight of two is an example given twice.

    Returns
    -------
    Calibrator

    See Also
    --------
    reliability : whether it is needed.
    FromLabels : labelled examples that change the labels themselves, not only their scale.

    Examples
    --------
    Labels that are too sure: they say 0.99, and are right five times in eight.

    >>> import corral
    >>> labels = [[0.99, 0.01], [0.01, 0.99]] * 50
    >>> y = [0, 1, 0, 0, 0, 1, 1, 0] * 5 + [None] * 60
    >>> calibrator = corral.calibrate(labels, y)
    >>> calibrator
    calibrated on 40 labelled examples: log-odds times 0.16, then 0 +0.27, 1 -0.27
    >>> calibrator.apply([[0.99, 0.01], [0.5, 0.5]]).round(2).tolist()
    [[0.78, 0.22], [0.63, 0.37]]
    """
    p, truth, weights, values = _read_known(labels, y, classes, sample_weight)
    logs = _logs(p)
    found, evidence = [], []
    with progress("calibrating", len(STRENGTHS)) as bar:
        for strength in STRENGTHS:
            parameters, log_evidence = _fit(logs, truth, weights, strength)
            found.append(parameters)
            evidence.append(log_evidence)
            bar.advance()
    mean = softmax(evidence) @ np.array(found)
    return Calibrator(float(mean[0]), mean[1:], values, float(weights.sum()))


def _logs(probabilities: FloatArray) -> FloatArray:
    return np.log(np.maximum(probabilities, MIN_PROBABILITY))


def _fit(
    logs: FloatArray, truth: IntArray, weights: FloatArray, strength: float
) -> tuple[FloatArray, float]:
    """Slope and bias (1 + k,) under one prior, and the log-evidence for the prior.

    Newton steps, halved until they help, or promise nothing that could be seen.
    """
    k = logs.shape[1]
    each = weights[:, None]
    hot = np.eye(k)[truth]

    def loss(at: FloatArray) -> float:
        slope, bias = at[0], at[1:]
        if slope <= 0:
            return np.inf
        likely = (hot * log_softmax(slope * logs + bias, axis=1)).sum(axis=1)
        prior = slope - 1 - np.log(slope) + bias @ bias / 2
        return float(strength * prior - weights @ likely)

    at = np.r_[1.0, np.zeros(k)]
    value = loss(at)
    while True:
        p = softmax(at[0] * logs + at[1:], axis=1)
        missing = each * (p - hot)
        slope_gradient = (missing * logs).sum() + strength * (1 - 1 / at[0])
        gradient = np.r_[slope_gradient, missing.sum(axis=0) + strength * at[1:]]
        spread = each * p * (logs - (p * logs).sum(axis=1, keepdims=True))
        hessian = np.empty((k + 1, k + 1))
        hessian[0, 0] = (spread * logs).sum() + strength / at[0] ** 2
        hessian[0, 1:] = hessian[1:, 0] = spread.sum(axis=0)
        hessian[1:, 1:] = np.diag((each * p).sum(axis=0) + strength) - (each * p).T @ p
        step = np.linalg.solve(hessian, gradient)
        promised = gradient @ step
        enough = 1e-12 * max(1.0, value)
        while promised > enough and (ahead := loss(at - step)) > value - promised / 1e4:
            step, promised = step / 2, promised / 2
        if promised <= enough:
            break
        at, value = at - step, ahead
    # Volumes of the two priors, and of the posterior in Laplace's approximation.
    gamma = strength + gammaln(strength + 1) - (strength + 1) * np.log(strength)
    volume = gamma + k / 2 * np.log(2 * np.pi / strength)
    posterior = (k + 1) * np.log(2 * np.pi) - np.linalg.slogdet(hessian)[1]
    return at, float(posterior / 2 - volume - value)


def _read_known(
    labels: Any,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[FloatArray, IntArray, FloatArray, NDArray[Any]]:
    """Of the examples that have all: probabilities, true classes, weights; and classes."""
    values, p = _read_rows(labels, classes)
    counts = labels._row_counts_ if isinstance(labels, Labeler) else None
    weights = np.ones(len(p)) if counts is None else np.asarray(counts, float)
    if (given := check_weights(sample_weight, len(p))) is not None:
        weights = weights * given
    truth = code_labels(y, values, len(p))
    used = (truth >= 0) & (weights > 0) & p.any(axis=1)
    if not used.any():
        raise ParameterError(
            "at least one example must have a known class in y, a weight and a signal "
            "that votes on it."
        )
    return p[used], truth[used], weights[used], values


def _read_rows(labels: Any, classes: Any) -> tuple[NDArray[Any], FloatArray]:
    values, p = read_labels(labels, classes)
    total = p.sum(axis=1)
    # Single precision leaves sums of rows a little off one.
    if len(values) < 2 or not ((np.abs(total - 1) < 1e-4) | (total == 0)).all():
        raise ParameterError(
            "labels must be probabilities of two classes or more, in rows that add up to "
            "one. For the probability p of one class alone, as in a multi-label task, "
            "give np.column_stack([1 - p, p])."
        )
    return values, p
