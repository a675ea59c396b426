"""Regularised minimax conditional entropy: its dual, and how that is maximised.

Worker i, on an item j of class c, gives the answer v with a probability

    P_ij(v | c)  in proportion to  exp( tau_i[c, v] + sigma_j[c, v] )

with terms tau of the workers and sigma of the items. Sought are these and the labels Q
that maximise

    F = sum over votes x_ij and classes c of Q_j(c) log P_ij(x_ij | c)
        + sum_j sum_c Q_j(c) (log prior_c - log Q_j(c))
        - worker_penalty / 2 * |tau|^2  -  item_penalty / 2 * sum_j |sigma_j|^2

first tau, then sigma, then Q, and again. Each is a maximum of F with the others fixed, so
F never falls. Items with the same votes have the same labels and terms: an item is a
pattern here, with as many examples as have it. Without item terms, the workers' problem
knows the votes through one small table only.

D. Zhou, Q. Liu, J. C. Platt, C. Meek and N. B. Shah, Regularized minimax conditional
entropy for crowdsourcing. arXiv:1503.07240, 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array
from scipy.special import log_softmax, logsumexp

from corral._types import FloatArray
from corral.labelers.minimax.crowd import Block, Crowd
from corral.progress import progress

INNER_STEPS = 25
"""Newton steps at most before the other terms get their turn, as published."""
LEAST_RISE = 1e-4
"""Part of the rise promised by the slope that a step must bring."""
ROUNDING = 1e-12
"""Relative fall of a sum that is no fall."""

Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""From terms (g, k, v): log-likelihood (g, k) and expected answers (g, k, v)."""


def maximise(
    evaluate: Evaluate,
    said: FloatArray,
    terms: FloatArray,
    penalty: float,
    tolerance: float,
) -> FloatArray:
    """Maximise ``log-likelihood - penalty / 2 |terms|^2``, every row by itself.

    The curvature of a row is ``diag(E) - sum of w p p'`` over its votes, with ``E`` the
    sum of ``w p``. By Jensen it is at most ``diag(E) - E E' / sum of w``, which is exact
    if all ``p`` are equal (no other terms) and is inverted in closed form. What is the
    same for all answers changes no probability, so rows sum to zero at the maximum.

    Parameters
    ----------
    evaluate : callable
    said : (g, k, v) array of float
        Answers given, by class; their expected number is what has to meet them.
    terms : (g, k, v) array of float
        Where to start; rows sum to zero.
    penalty : float
    tolerance : float
        Largest entry of the gradient to stop at.
    """

    def add_penalty(at: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, expected = evaluate(at)
        return value - penalty / 2 * (at * at).sum(axis=2), expected

    value, expected = add_penalty(terms)
    length = np.ones(value.shape)
    for _ in range(INNER_STEPS):
        gradient = said - expected - penalty * terms
        if np.abs(gradient).max() <= tolerance:
            break
        step = _newton_step(gradient, expected, penalty)
        trial = terms + length[..., None] * step
        reached, met = add_penalty(trial)
        promised = LEAST_RISE * length * (gradient * step).sum(axis=2)
        better = reached >= value + promised - ROUNDING * np.abs(value)
        terms = np.where(better[..., None], trial, terms)
        expected = np.where(better[..., None], met, expected)
        value = np.where(better, reached, value)
        length = np.where(better, 1.0, length / 2)
    return terms


def _newton_step(
    gradient: FloatArray, expected: FloatArray, penalty: float
) -> FloatArray:
    """``(diag(E + penalty) - E E' / sum E)^-1 gradient``, by Sherman and Morrison.

    For rows of terms, hence of the gradient, that sum to zero. So do those of the step.
    """
    step = gradient / (expected + penalty)
    part = expected / (expected + penalty)
    off, total = (x.sum(axis=2, keepdims=True) for x in (step, part))
    return step - part * np.divide(off, total, out=np.zeros_like(off), where=total > 0)


def table_problem(crowd: Crowd, labels: FloatArray) -> tuple[Evaluate, FloatArray]:
    """What `maximise` needs for the terms of the workers if items have none."""
    said = crowd.said(labels)
    total = said.sum(axis=2, keepdims=True)

    def evaluate(terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        logs = log_softmax(crowd.scores(terms), axis=2)
        return (said * logs).sum(axis=2), total * np.exp(logs)

    return evaluate, said


def worker_problem(
    crowd: Crowd, labels: FloatArray, items: FloatArray
) -> tuple[Evaluate, FloatArray]:
    """What `maximise` needs for the terms of the workers, given those of the items."""
    said = crowd.said(labels)

    def evaluate(terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, expected = np.zeros(said.shape[:2]), np.zeros(said.shape)
        for block in crowd.blocks:
            weights = crowd.counts[block.items, None] * labels[block.items]
            answers = block.answers(crowd.scores(terms), items[block.items])
            added = _sums(block.by_worker, weights[block.pattern], *answers)
            value += added[0]
            expected += added[1]
        return value, expected

    return evaluate, said


def item_problem(
    crowd: Crowd, block: Block, labels: FloatArray, workers: FloatArray
) -> tuple[Evaluate, FloatArray]:
    """What `maximise` needs for the terms of a block's items, given the workers'."""
    scores, weights = crowd.scores(workers), labels[block.items]
    given = block.by_item @ np.eye(crowd.table_shape[1])[block.answer]

    def evaluate(terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        answers = block.answers(scores, terms)
        return _sums(block.by_item, weights[block.pattern], *answers)

    return evaluate, weights[:, :, None] * given[:, None, :]


def _sums(
    by: csc_array, weights: FloatArray, answers: FloatArray, given: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Log-likelihood and expected answers of weighted votes (e, k), added up."""
    weighted = (weights[:, :, None] * answers).reshape(len(answers), -1)
    return by @ (weights * given), (by @ weighted).reshape(-1, *answers.shape[1:])


@dataclass(frozen=True)
class Penalties:
    """Weights of the squared terms.

    Attributes
    ----------
    workers : float
    items : float or None
        None: items have no terms.
    """

    workers: float
    items: float | None


@dataclass(frozen=True)
class CrowdTerms:
    """A maximum of F, or what was reached.

    Attributes
    ----------
    workers : (c, k, v) array of float
    items : (p, k, v) array of float or None
    labels : (p, k) array of float
    history : (rounds,) array of float
        F after every round.
    change : float
        The largest change of a label in the last round.
    """

    workers: FloatArray
    items: FloatArray | None
    labels: FloatArray
    history: FloatArray
    change: float


def find_terms(
    crowd: Crowd,
    penalties: Penalties,
    prior: FloatArray,
    *,
    max_iter: int,
    tolerance: float,
    inner_tolerance: float,
) -> CrowdTerms:
    """Maximise F in turns, from the shares of the votes.

    Parameters
    ----------
    crowd : Crowd
    penalties : Penalties
    prior : (k,) array of float
        Shares of the classes.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where no label changes by as much in a round.
    inner_tolerance : float
        Largest entry of the gradient of F, in votes, at which terms are good.
    """
    labels = crowd.vote_shares(prior)
    workers = np.zeros((len(crowd.allowed), *crowd.table_shape))
    items = None
    if penalties.items is not None:
        items = np.zeros((len(labels), *crowd.table_shape))
    history: list[float] = []
    change = np.inf
    with progress("learning worker and item terms", max_iter) as bar:
        while len(history) < max_iter and change >= tolerance:
            problem = (
                table_problem(crowd, labels)
                if items is None
                else worker_problem(crowd, labels, items)
            )
            workers = maximise(*problem, workers, penalties.workers, inner_tolerance)
            if items is not None and penalties.items is not None:
                for block in crowd.blocks:
                    at = items[block.items]
                    problem = item_problem(crowd, block, labels, workers)
                    at[:] = maximise(*problem, at, penalties.items, inner_tolerance)
            before = labels
            labels, evidence = posterior(crowd, workers, items, prior)
            change = float(np.abs(labels - before).max())
            history.append(evidence - _penalty(crowd, penalties, workers, items))
            bar.advance()
    return CrowdTerms(workers, items, labels, np.array(history), change)


def posterior(
    crowd: Crowd, workers: FloatArray, items: FloatArray | None, prior: FloatArray
) -> tuple[FloatArray, float]:
    """The best labels (p, k) for given terms, and F without the penalties."""
    scores = np.tile(np.log(prior), (len(crowd.counts), 1))
    if items is None:
        scores += crowd.matrix @ feature_logs(crowd, workers)
    else:
        for block in crowd.blocks:
            _, given = block.answers(crowd.scores(workers), items[block.items])
            scores[block.items] += block.by_item @ given
    total = logsumexp(scores, axis=1, keepdims=True)
    return np.exp(scores - total), float(crowd.counts @ total[:, 0])


def feature_logs(crowd: Crowd, workers: FloatArray) -> FloatArray:
    """(f, k) log-probability of every feature by the terms of the workers alone."""
    logs: FloatArray = log_softmax(crowd.scores(workers), axis=2)
    return logs[crowd.column, :, crowd.answer]


def predict_votes(crowd: Crowd, terms: CrowdTerms) -> FloatArray:
    """(e,) log-probability of votes that terms and labels were found without."""
    if terms.items is None:
        logs = feature_logs(crowd, terms.workers)[crowd.feature]
    else:
        workers = crowd.scores(terms.workers)
        parts = [b.answers(workers, terms.items[b.items])[1] for b in crowd.blocks]
        logs = np.concatenate(parts)
    found: FloatArray = logsumexp(logs, axis=1, b=terms.labels[crowd.pattern])
    return found


def _penalty(
    crowd: Crowd, penalties: Penalties, workers: FloatArray, items: FloatArray | None
) -> float:
    penalty = penalties.workers / 2 * float((workers**2).sum())
    if items is not None and penalties.items is not None:
        squares = (items**2).sum(axis=(1, 2))
        penalty += penalties.items / 2 * float(crowd.counts @ squares)
    return penalty
