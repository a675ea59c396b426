"""MMCE: regularised minimax conditional entropy, with terms of workers and items.

Worker i, on an item j of class c, gives the answer v with a probability

    P_ij(v | c)  in proportion to  exp( tau_i[c, v] + sigma_j[c, v] )

with terms tau of the workers and sigma of the items. Sought are these and the labels Q
that maximise

    F = sum over votes x_ij and classes c of Q_j(c) log P_ij(x_ij | c)
        + sum_j sum_c Q_j(c) (log prior_c - log Q_j(c))
        - worker_penalty / 2 * |tau|^2  -  item_penalty / 2 * sum_j |sigma_j|^2

first tau, then sigma, then Q, and again. Each is a maximum of F with the others fixed, so
F never falls. Items with the same votes have the same labels and terms: an item is a
pattern here, with as many examples as have it.

D. Zhou, Q. Liu, J. C. Platt, C. Meek and N. B. Shah, Regularized minimax conditional
entropy for crowdsourcing. arXiv:1503.07240, 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, Self

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csc_array, csr_array
from scipy.special import log_softmax, logsumexp

from corral import WeakSignals
from corral._types import BoolArray, FloatArray, IntArray

LEAST_SHARE = 1e-10
"""Prior of a class that no vote is for."""
NEGLIGIBLE = 0.01
"""Item terms that can move no probability by more are left out."""
SHUT = -1e3
"""Score of an answer that a worker cannot give: its probability is zero."""
BLOCK = 1 << 20
"""Probabilities of answers worked on at once."""
INNER_STEPS = 25
"""Steps at most before the other terms get their turn, as published."""
PUBLISHED_TOLERANCE = 1e-3
"""Of the published solver: relative fall of the loss, or gradient, at which it stops."""
LEAST_RISE = 1e-4
"""Part of the rise promised by the slope that a step must bring."""
ROUNDING = 1e-12
"""Relative fall of a sum that is no fall."""

Evaluate = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""From terms (g, k, v): log-likelihood (g, k) and expected answers (g, k, v)."""


@dataclass
class MinimaxEntropy:
    """Labels of hard (or rounded) votes, classes as likely as each other.

    Parameters
    ----------
    gamma : float
        The published rule: worker terms have the penalty ``gamma * k**2``, item terms
        that times the votes per worker over the votes per item.
    items : bool or "auto"
        Whether items have terms; "auto": unless they could hardly move a label.
    exact : bool
        Without terms of items, whether those of workers are the maximum of F; otherwise
        they are what the published solver returns, which stops far from it. Labels of
        signals that only ever name one class hang on that.
    max_iter, tolerance
        Rounds at most, and the change of a label at which they end.
    inner_tolerance : float
        Largest entry of the gradient of F, in votes, at which terms are good.

    Attributes
    ----------
    labels_ : (n, k) array of float
    terms_ : CrowdTerms
    """

    gamma: float = 0.25
    items: bool | Literal["auto"] = "auto"
    exact: bool = True
    max_iter: int = 50
    tolerance: float = 5e-3
    inner_tolerance: float = 1e-3

    def fit(self, signals: WeakSignals) -> Self:
        hard = signals.harden()
        crowd = Crowd.of(hard)
        # A class that no signal votes for has no term that could keep labels off it.
        named = crowd.member[hard.cast > 0].any(axis=0)
        prior = np.where(named, 1.0, LEAST_SHARE)
        prior /= prior.sum()
        penalties = crowd.penalties(self.gamma, self.items)
        self.terms_ = find_terms(
            crowd,
            penalties,
            prior,
            max_iter=self.max_iter,
            tolerance=self.tolerance,
            inner_tolerance=self.inner_tolerance,
            exact=self.exact,
        )
        labels = np.tile(prior, (hard.n_rows, 1))
        labels[hard.covered_rows] = self.terms_.labels
        self.labels_: FloatArray = labels[hard.row_of]
        return self


@dataclass(frozen=True)
class Penalties:
    """Weights of the squared terms; `items` is None if items have no terms."""

    workers: float
    items: float | None


@dataclass(frozen=True)
class Crowd:
    """Which worker gives which answer on which item.

    A worker is a question that a signal answers. The answers of a worker who names
    classes are the classes. A one-vs-rest signal is one worker for every class it votes
    on, and its "yes" is that class for an answer. As published, it could have answered
    with any other class, if it never says "no"; if it does, its answers are "yes" and
    "no" (of two classes, "no" names the other).

    Attributes
    ----------
    counts : (p,) array of float
        Examples that an item stands for.
    matrix : (p, f) sparse array of float
        One where an item has a feature, which is a worker and a vote.
    column, answer : (f,) arrays of int
        Worker and answer of every feature.
    member : (f, k) array of float
        One for the classes that the vote is for, else zero.
    allowed : (c, v) array of bool
        The answers that every worker can give.
    """

    counts: FloatArray
    matrix: csr_array
    column: IntArray
    answer: IntArray
    member: FloatArray
    allowed: BoolArray

    @classmethod
    def of(cls, hard: WeakSignals) -> Crowd:
        schema, k = hard.schema, hard.n_classes
        answer = schema.says
        allowed = np.ones((schema.n_columns, k), bool)
        if not schema.names_classes and k == 2:
            answer = np.where(schema.negated, 1 - answer, answer)
        elif not schema.names_classes:
            says_no = hard.cast[schema.negated] > 0
            no_or_own = np.arange(k + 1) == answer[schema.negated, None]
            no_or_own[:, k] = True
            allowed = np.where(says_no[:, None], no_or_own, np.arange(k + 1) < k)
            answer = np.where(schema.negated, k, answer)
        voted = hard.covered_rows
        votes = hard.counts[voted], hard.F[voted]
        return cls(*votes, schema.column, answer, schema.supports, allowed)

    def penalties(self, gamma: float, items: bool | Literal["auto"]) -> Penalties:
        """The published rule: terms that rest on as many votes are held back alike."""
        workers = gamma * self.table_shape[0] ** 2
        active = len(np.unique(self.column[self.matrix.indices]))
        penalty = workers * float(self.counts.sum()) / active
        # Where F is at its maximum, `penalty * sigma_j[c]` is a difference of answers
        # given and expected. So the votes on an item, d of them, move the log-odds of two
        # classes by `2 d^2 / penalty` at most, and a probability by a quarter of that.
        most = float(np.diff(self.matrix.indptr).max())
        negligible = most**2 / (2 * penalty) <= NEGLIGIBLE
        without = negligible if items == "auto" else not items
        return Penalties(workers, None if without else penalty)

    @property
    def table_shape(self) -> tuple[int, int]:
        """Classes and answers."""
        return self.member.shape[1], self.allowed.shape[1]

    def scores(self, workers: FloatArray) -> FloatArray:
        """Terms of workers (c, k, v) with the answers that they cannot give ruled out."""
        return np.where(self.allowed[:, None, :], workers, SHUT)

    @cached_property
    def blocks(self) -> list[Block]:
        """The items in order, so many at once that memory stays small."""
        starts = self.matrix.indptr
        votes = max(1, BLOCK // math.prod(self.table_shape))
        cuts = [0]
        while cuts[-1] < len(self.counts):
            last = int(np.searchsorted(starts, starts[cuts[-1]] + votes, "right")) - 1
            cuts.append(max(cuts[-1] + 1, last))
        return [Block.of(self, slice(a, b)) for a, b in pairwise(cuts)]

    def vote_shares(self, prior: FloatArray) -> FloatArray:
        """(p, k) share of the votes for every class; without a vote `prior`."""
        said = self.matrix @ self.member
        total = said.sum(axis=1, keepdims=True)
        return np.divide(
            said, total, out=np.tile(prior, (len(said), 1)), where=total > 0
        )

    def said(self, labels: FloatArray) -> FloatArray:
        """(c, k, v) how often a worker gives an answer where the class is k."""
        tables = np.zeros((len(self.allowed), *self.table_shape))
        # A worker has one feature per answer, so none is set twice.
        weighted = self.matrix.T @ (self.counts[:, None] * labels)
        tables[self.column, :, self.answer] = weighted
        return tables


@dataclass(frozen=True)
class Block:
    """Some items and their votes.

    Attributes
    ----------
    items : slice
    pattern, column, answer : (e,) arrays of int
        Item (from the first one on), worker and answer of every vote.
    by_item, by_worker : sparse arrays (p, e) and (c, e)
        Add up numbers of votes.
    """

    items: slice
    pattern: IntArray
    column: IntArray
    answer: IntArray
    by_item: csc_array
    by_worker: csc_array

    @classmethod
    def of(cls, crowd: Crowd, items: slice) -> Block:
        part, n = crowd.matrix[items], items.stop - items.start
        feature = part.indices
        pattern = np.repeat(np.arange(n), np.diff(part.indptr))
        column = crowd.column[feature]
        by_item = _adder(pattern, n)
        by_worker = _adder(column, len(crowd.allowed))
        return cls(items, pattern, column, crowd.answer[feature], by_item, by_worker)

    def answers(
        self, workers: FloatArray, items: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Probabilities (e, k, v) of answers, and logarithms (e, k) of those given."""
        # Exponentials of workers and items: votes are many more, and these take long.
        workers = workers - workers.max(axis=2, keepdims=True)
        items = items - items.max(axis=2, keepdims=True)
        products = np.exp(workers)[self.column]
        products *= np.exp(items)[self.pattern]
        total = np.einsum("ekv->ek", products)
        products /= total[:, :, None]
        given = workers[self.column, :, self.answer] - np.log(total)
        given += items[self.pattern, :, self.answer]
        return products, given


def _adder(group: IntArray, size: int) -> csc_array:
    """(size, e) adds up numbers of votes by their group (e,)."""
    e = len(group)
    return csc_array((np.ones(e), group, np.arange(e + 1)), (size, e))


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
    penalty, tolerance : float
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


def approach(
    crowd: Crowd, labels: FloatArray, workers: FloatArray, penalty: float
) -> FloatArray:
    """Terms (c, k, v) of workers as the published solver leaves them, one by one."""
    found = np.empty_like(workers)
    for i, said in enumerate(crowd.said(labels)):

        def loss(
            flat: FloatArray, i: int = i, said: FloatArray = said
        ) -> tuple[float, FloatArray]:
            terms = flat.reshape(said.shape)
            logs = log_softmax(np.where(crowd.allowed[i], terms, SHUT), axis=1)
            missed = said - said.sum(axis=1, keepdims=True) * np.exp(logs)
            value = (said * logs).sum() - penalty / 2 * (terms * terms).sum()
            return -float(value), (penalty * terms - missed).ravel()

        best = minimize(
            loss,
            workers[i].ravel(),
            jac=True,
            method="L-BFGS-B",
            tol=PUBLISHED_TOLERANCE,
            options={"maxiter": INNER_STEPS},
        )
        found[i] = best.x.reshape(said.shape)
    return found


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
    exact: bool = True,
) -> CrowdTerms:
    """Maximise F in turns, from the shares of the votes; options as `MinimaxEntropy`'s."""
    labels = crowd.vote_shares(prior)
    workers = np.zeros((len(crowd.allowed), *crowd.table_shape))
    items = None
    if penalties.items is not None:
        items = np.zeros((len(labels), *crowd.table_shape))
    history: list[float] = []
    change = np.inf
    while len(history) < max_iter and change >= tolerance:
        problem = (
            table_problem(crowd, labels)
            if items is None
            else worker_problem(crowd, labels, items)
        )
        if exact or items is not None:
            workers = maximise(*problem, workers, penalties.workers, inner_tolerance)
        else:
            workers = approach(crowd, labels, workers, penalties.workers)
        if items is not None and penalties.items is not None:
            for block in crowd.blocks:
                at = items[block.items]
                problem = item_problem(crowd, block, labels, workers)
                at[:] = maximise(*problem, at, penalties.items, inner_tolerance)
        before = labels
        labels, value = posterior(crowd, workers, items, prior)
        change = float(np.abs(labels - before).max())
        value -= penalties.workers / 2 * float((workers**2).sum())
        if items is not None and penalties.items is not None:
            squares = (items**2).sum(axis=(1, 2))
            value -= penalties.items / 2 * float(crowd.counts @ squares)
        history.append(value)
    return CrowdTerms(workers, items, labels, np.array(history), change)


def posterior(
    crowd: Crowd, workers: FloatArray, items: FloatArray | None, prior: FloatArray
) -> tuple[FloatArray, float]:
    """The best labels (p, k) for given terms, and F without the penalties."""
    scores = np.tile(np.log(prior), (len(crowd.counts), 1))
    if items is None:
        logs: FloatArray = log_softmax(crowd.scores(workers), axis=2)
        scores += crowd.matrix @ logs[crowd.column, :, crowd.answer]
    else:
        for block in crowd.blocks:
            _, given = block.answers(crowd.scores(workers), items[block.items])
            scores[block.items] += block.by_item @ given
    total = logsumexp(scores, axis=1, keepdims=True)
    return np.exp(scores - total), float(crowd.counts @ total[:, 0])
