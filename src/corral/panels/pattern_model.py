"""P(class | votes) from a labelled sample, and from the votes where labels are few.

The log-odds of the classes are

    sum over methods of s * log p + b + sum over judges of (a_j + A_j,vote) * vote

where ``p`` is what a label-free method makes of a pattern; there are three. A ridge pulls
the scales ``s`` toward one third each, and everything else toward zero: without labels a
pattern has the geometric mean of the methods. The labels decide how sure to be (a panel
that errs together gets small scales), which method to believe, and which judge counts for
more. Labels that contradict independence take the scale of Dawid-Skene away.
"""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.model import posterior
from corral.panels.inputs import PanelVotes, Sample

SCALE, BALANCE, JUDGE, VOTE = 4.0, 1.0, 16.0, 16.0
"""Precisions of the priors: of the scales of the methods, the balance of the classes, the
weights of judges and the weights of their votes. benchmarks/panel.py chooses them, with
every family of sets left out in turn."""
MAX_VOTE_WEIGHTS = 150
"""Judges times classes up to which each of their votes has a weight of its own."""
MAX_ROUNDS, MAX_HALVINGS, MIN_FALL = 25, 12, 1e-7


def fit_patterns(
    panel: PanelVotes,
    sample: Sample,
    precisions: tuple[float, float, float, float] = (SCALE, BALANCE, JUDGE, VOTE),
) -> tuple[FloatArray, FloatArray]:
    """(u, k) labels of every pattern, and (l, k) of labelled rows, as if not labelled."""
    at = panel.inverse[sample.rows]
    _, m, k = panel.shape
    used = np.unique(np.append(at, 0))
    x = _design(panel.logs[used], panel.said[used])[np.searchsorted(used, at)]
    methods = panel.logs.shape[2]
    sizes = (methods, k, m, x.shape[2] - methods - k - m)
    penalty = np.repeat(precisions, sizes)
    start = np.repeat((1 / methods, 0.0, 0.0, 0.0), sizes)
    hit = np.eye(k)[sample.truth]
    theta, curve = _maximise(x, hit, sample.weights, penalty, start)
    left_out = _leave_out(x, hit, sample.weights, theta, curve)

    # The scores of all patterns, without writing out the design.
    scale, balance, judge, vote = np.split(theta, np.cumsum(sizes)[:-1])
    weight = judge[:, None] + (vote.reshape(m, k) if len(vote) else np.zeros((m, k)))
    scores = panel.logs @ scale + balance
    scores = scores + np.einsum("umk,mk->uk", panel.said, weight)
    return posterior(scores)[0], left_out


def _design(logs: FloatArray, said: FloatArray) -> FloatArray:
    """(p, k, q) what every parameter adds to the score of every class."""
    p, m, k = said.shape
    turned = said.transpose(0, 2, 1)
    parts = [logs, np.broadcast_to(np.eye(k), (p, k, k)), turned]
    if m * k <= MAX_VOTE_WEIGHTS:
        votes = turned[:, :, :, None] * np.eye(k)[None, :, None, :]
        parts.append(votes.reshape(p, k, m * k))
    return np.concatenate(parts, axis=2)


def _maximise(
    x: FloatArray,
    hit: FloatArray,
    weights: FloatArray,
    penalty: FloatArray,
    start: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Newton's method: the parameters (q,), and the second derivative (q, q) there."""
    flat = x.reshape(-1, x.shape[2])

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        scores = x @ theta
        labels, logs = posterior(scores)
        value = weights @ (logs - (hit * scores).sum(axis=1))
        return float(value + penalty @ (theta - start) ** 2 / 2), labels

    def second(labels: FloatArray) -> FloatArray:
        each = flat * np.sqrt(weights[:, None] * labels).reshape(-1, 1)
        mean = np.einsum("lk,lkq->lq", labels, x) * np.sqrt(weights)[:, None]
        return each.T @ each - mean.T @ mean + np.diag(penalty)

    theta = start.copy()
    value, labels = loss(theta)
    for _ in range(MAX_ROUNDS):
        slope = (weights[:, None] * (labels - hit)).ravel() @ flat
        slope += penalty * (theta - start)
        step = np.linalg.solve(second(labels), slope)
        for _ in range(MAX_HALVINGS):
            lower, found = loss(theta - step)
            if lower <= value:
                break
            step /= 2
        else:
            break
        fell, theta = value - lower, theta - step
        value, labels = lower, found
        if fell < MIN_FALL:
            break
    return theta, second(labels)


def _leave_out(
    x: FloatArray,
    hit: FloatArray,
    weights: FloatArray,
    theta: FloatArray,
    curve: FloatArray,
) -> FloatArray:
    """(l, k) labels of every row, from all rows but itself, by one step of Newton's.

    Rad and Maleki (2020), A scalable estimate of the out-of-sample prediction error via
    approximate leave-one-out cross-validation; for this loss the blocks are (k, k).
    """
    length, k, size = x.shape
    scores = x @ theta
    labels, _ = posterior(scores)
    solved = np.linalg.solve(curve, x.reshape(-1, size).T).T.reshape(length, k, size)
    spread = np.einsum("lkq,ljq->lkj", x, solved) * weights[:, None, None]
    eye = np.eye(k)
    second = labels[:, :, None] * eye - labels[:, :, None] * labels[:, None, :]
    moved = np.linalg.solve(eye - second @ spread, (labels - hit)[:, :, None])
    return posterior(scores + (spread @ moved)[:, :, 0])[0]
