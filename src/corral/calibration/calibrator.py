"""Probabilities mended with a few labelled examples.

Labels ``q`` become ``q'_k`` in proportion to ``exp(t log q_k + b_k)``. The slope ``t``
is below one where labels are too sure; the bias ``b`` moves classes that are labelled too
often or too rarely. Both come from the labelled examples by penalised maximum likelihood,

    maximise  sum_j log q'_j(y_j)  -  s (t - 1 - log t)  -  s |b|^2 / 2,

which is concave and has its optimum at a slope above zero, so the order of examples of a
binary task stays. The penalty is a prior around no change (Gamma for t, normal for b) with
spread ``1 / sqrt(s)``. How far labels are off is not known before, so the answer is the
mean over several strengths ``s``, each weighted by the evidence for it: how likely the
labelled examples are under that prior (Laplace's approximation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_softmax, softmax

from corral._types import FloatArray
from corral.calibration.known_examples import (
    KnownExamples,
    check_probabilities,
    read_known,
)
from corral.progress import progress

LEAST = 1e-6
"""Smaller probabilities are read as this: no few labels could tell them apart."""
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Priors tried: slope and log-odds off by a factor of e, or by 6 per cent."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibrator:
    """A map from probabilities to better ones; print it to see what it does.

    Attributes
    ----------
    slope : float
        What log-probabilities are multiplied by; below one: they were too sure.
    bias : (k,) array of float
        What is then added, one number per class; they sum to zero.
    classes : (k,) array
    n_labelled : float
        The examples it was fitted on, by weight.
    """

    slope: float
    bias: FloatArray
    classes: NDArray[Any]
    n_labelled: float

    def apply(self, labels: ArrayLike) -> FloatArray:
        """Calibrate probabilities (n, k), of the same labeler and classes; (n, k)."""
        p = check_probabilities(labels, len(self.bias))
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
    bias only, and moves away from no change as far as the examples are evidence for it.

    Parameters
    ----------
    labels : (n, k) array of float, or fitted labeler
        Class probabilities; of a labeler, those of the examples it was fitted on.
        They must not have seen `y`, as those of `FromLabels` or `Known` have.
    y : (n,) array of class values
        None, NaN, "" or -1 (where it is no class) where unknown.
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
    known = read_known(labels, y, classes, sample_weight)
    logs = _logs(known.probabilities)
    found, evidence = [], []
    with progress("calibrating", len(STRENGTHS)) as bar:
        for strength in STRENGTHS:
            parameters, log_evidence = _fit(logs, known, strength)
            found.append(parameters)
            evidence.append(log_evidence)
            bar.advance()
    mean = softmax(evidence) @ np.array(found)
    total = float(known.weights.sum())
    return Calibrator(float(mean[0]), mean[1:], known.classes, total)


def _logs(probabilities: FloatArray) -> FloatArray:
    return np.log(np.maximum(probabilities, LEAST))


def _fit(
    logs: FloatArray, known: KnownExamples, strength: float
) -> tuple[FloatArray, float]:
    """Slope and bias (1 + k,) under one prior, and the log-evidence for the prior.

    Newton steps, halved until they help, or promise nothing that could be seen.
    """
    k = logs.shape[1]
    each = known.weights[:, None]
    hot = np.eye(k)[known.truth]

    def loss(at: FloatArray) -> float:
        slope, bias = at[0], at[1:]
        if slope <= 0:
            return np.inf
        likely = (hot * log_softmax(slope * logs + bias, axis=1)).sum(axis=1)
        prior = slope - 1 - np.log(slope) + bias @ bias / 2
        return float(strength * prior - known.weights @ likely)

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
        least = 1e-12 * max(1.0, value)
        while promised > least and (ahead := loss(at - step)) > value - promised / 1e4:
            step, promised = step / 2, promised / 2
        if promised <= least:
            break
        at, value = at - step, ahead
    # Volumes of the two priors, and of the posterior in Laplace's approximation.
    gamma = strength + gammaln(strength + 1) - (strength + 1) * np.log(strength)
    volume = gamma + k / 2 * np.log(2 * np.pi / strength)
    posterior = (k + 1) * np.log(2 * np.pi) - np.linalg.slogdet(hessian)[1]
    return at, float(posterior / 2 - volume - value)
