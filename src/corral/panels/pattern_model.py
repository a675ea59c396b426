"""P(class | votes) from a labelled sample, and from the votes where labels are few.

The log-odds of the classes are

    sum over methods of s * log p + b + sum over judges of (a_j + A_j,vote) * vote

with ``p`` what three label-free methods make of a pattern. A ridge pulls the scales ``s``
toward one third each, and all else toward zero: with no labels a pattern has the geometric
mean of the methods, and the labels decide how sure to be (a panel that errs together gets
small scales), which method to believe, and which judge counts for more. Independence is
one of the methods; labels that contradict it take its scale away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.error_rates.vote_features import posterior, softmax
from corral.panels.panel_votes import PanelVotes

SCALE, BALANCE, JUDGE, VOTE = 4.0, 1.0, 16.0, 16.0
"""One over the squared spread of the scales of the methods, of the balance of the classes,
of the weights of judges and of those of their votes; benchmarks/panel.py leaves every
family of sets out to choose them."""
MOST_VOTES = 150
"""Judges times classes up to which each of their votes has a weight of its own."""
ROUNDS, HALVINGS, SETTLED = 25, 12, 1e-7


@dataclass(frozen=True, eq=False)
class PatternFit:
    """What a labelled sample has made of a panel.

    Attributes
    ----------
    labels : (u, k) array of float
        Of every pattern.
    left_out : (l, k) array of float
        Of every labelled row, as if its own label had not been seen.
    """

    labels: FloatArray
    left_out: FloatArray


def fit_patterns(
    panel: PanelVotes,
    rows: IntArray,
    truth: IntArray,
    weights: FloatArray,
    precisions: tuple[float, float, float, float] = (SCALE, BALANCE, JUDGE, VOTE),
) -> PatternFit:
    """Fit the model to labelled rows.

    Parameters
    ----------
    panel : PanelVotes
    rows : (l,) array of int
        The labelled rows.
    truth : (l,) array of int
        Their classes.
    weights : (l,) array of float
        What each stands for; one on average.
    precisions : four floats
        Of the scales, the balance, the judges and their votes.
    """
    at = panel.inverse[rows]
    _, m, k = panel.shape
    used = np.unique(np.append(at, 0))
    x = _design(panel.logs[used], panel.said[used])[np.searchsorted(used, at)]
    sizes = (panel.logs.shape[2], k, m, x.shape[2] - panel.logs.shape[2] - k - m)
    penalty = np.repeat(precisions, sizes)
    start = np.repeat((1 / sizes[0], 0.0, 0.0, 0.0), sizes)
    hit = np.eye(k)[truth]
    theta, curve = _maximise(x, hit, weights, penalty, start)
    return PatternFit(
        softmax(_score(panel, theta)), _leave_out(x, hit, weights, theta, curve)
    )


def _design(logs: FloatArray, said: FloatArray) -> FloatArray:
    """(p, k, q) what every parameter adds to the score of every class."""
    p, m, k = said.shape
    turned = said.transpose(0, 2, 1)
    parts = [logs, np.broadcast_to(np.eye(k), (p, k, k)), turned]
    if m * k <= MOST_VOTES:
        votes = turned[:, :, :, None] * np.eye(k)[None, :, None, :]
        parts.append(votes.reshape(p, k, m * k))
    return np.concatenate(parts, axis=2)


def _score(panel: PanelVotes, theta: FloatArray) -> FloatArray:
    """(u, k) scores of all patterns, without writing out the design."""
    _, m, k = panel.shape
    scale, balance, judge, vote = np.split(
        theta, np.cumsum([panel.logs.shape[2], k, m])
    )
    weight = judge[:, None] + (vote.reshape(m, k) if len(vote) else np.zeros((m, k)))
    return panel.logs @ scale + balance + np.einsum("umk,mk->uk", panel.said, weight)


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
    for _ in range(ROUNDS):
        slope = (weights[:, None] * (labels - hit)).ravel() @ flat
        slope += penalty * (theta - start)
        step = np.linalg.solve(second(labels), slope)
        for _ in range(HALVINGS):
            lower, found = loss(theta - step)
            if lower <= value:
                break
            step /= 2
        else:
            break
        fell, theta = value - lower, theta - step
        value, labels = lower, found
        if fell < SETTLED:
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
    labels = softmax(scores)
    solved = np.linalg.solve(curve, x.reshape(-1, size).T).T.reshape(length, k, size)
    spread = np.einsum("lkq,ljq->lkj", x, solved) * weights[:, None, None]
    eye = np.eye(k)
    second = labels[:, :, None] * eye - labels[:, :, None] * labels[:, None, :]
    moved = np.linalg.solve(eye - second @ spread, (labels - hit)[:, :, None])
    return softmax(scores + (spread @ moved)[:, :, 0])
