"""The votes of a crowd: which worker gives which answer on which item.

A worker is a column, and an item is a pattern of votes, with as many examples as have it.
The answers of a worker who names classes are the classes. A one-vs-rest signal is one
worker for every class it votes on, and its "yes" is that class for an answer. As
published, it could have answered with any other class, if it never says "no"; if it does,
its answers are "yes" and "no" (of two classes, "no" names the other).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.sparse import csc_array, csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.vote_features import VoteFeatures

SHUT = -1e3
"""Score of an answer that a worker cannot give: its probability is zero."""
BLOCK = 1 << 20
"""Probabilities of answers worked on at once."""


@dataclass(frozen=True)
class Crowd:
    """The votes of workers on items.

    Attributes
    ----------
    counts : (p,) array of float
        Examples that an item stands for.
    pattern, feature : (e,) arrays of int
        Item and feature (worker and vote) of every vote, by item.
    column, answer : (f,) arrays of int
        Worker and answer of every feature.
    member : (f, k) array of float
        One for the classes that the vote is for, else zero.
    allowed : (c, v) array of bool
        The answers that every worker can give.

    Examples
    --------
    >>> import numpy as np
    >>> from corral import WeakSignals
    >>> from corral.error_rates.vote_features import vote_features
    >>> from corral.labelers.minimax.crowd import Crowd
    >>> signals = WeakSignals.from_votes([[0, 1], [1, 1], [0, 1]])
    >>> crowd = Crowd.of(vote_features(signals))
    >>> crowd.counts.tolist(), crowd.vote_shares(np.array([0.5, 0.5])).tolist()
    ([2.0, 1.0], [[0.5, 0.5], [0.0, 1.0]])
    """

    counts: FloatArray
    pattern: IntArray
    feature: IntArray
    column: IntArray
    answer: IntArray
    member: FloatArray
    allowed: BoolArray

    @classmethod
    def of(cls, features: VoteFeatures) -> Crowd:
        """The crowd whose votes these are."""
        answers, allowed = answers_of(features)
        return cls(
            features.counts,
            features.pattern,
            features.feature,
            features.column,
            answers[features.column, features.vote],
            features.member,
            allowed,
        )

    @property
    def table_shape(self) -> tuple[int, int]:
        """Classes and answers."""
        return self.member.shape[1], self.allowed.shape[1]

    def scores(self, workers: FloatArray) -> FloatArray:
        """Terms of workers (c, k, v) with the answers that they cannot give ruled out."""
        return np.where(self.allowed[:, None, :], workers, SHUT)

    @cached_property
    def matrix(self) -> csr_array:
        """(p, f) one where the item has the feature."""
        starts = np.searchsorted(self.pattern, np.arange(len(self.counts) + 1))
        shape = (len(self.counts), len(self.column))
        return csr_array((np.ones(len(self.pattern)), self.feature, starts), shape)

    @cached_property
    def blocks(self) -> list[Block]:
        """The items in order, so many at once that memory stays small."""
        starts = self.matrix.indptr
        votes = max(1, BLOCK // math.prod(self.table_shape))
        cuts = [0]
        while cuts[-1] < len(self.counts):
            last = int(np.searchsorted(starts, starts[cuts[-1]] + votes, "right")) - 1
            cuts.append(max(cuts[-1] + 1, last))
        return [
            Block.of(self, slice(a, b), slice(starts[a], starts[b]))
            for a, b in pairwise(cuts)
        ]

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

    def only(self, votes: BoolArray) -> Crowd:
        """Some of the votes (e,) of the same workers on the same items."""
        return replace(self, pattern=self.pattern[votes], feature=self.feature[votes])


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
    def of(cls, crowd: Crowd, items: slice, votes: slice) -> Block:
        """The votes of a range of items."""
        feature = crowd.feature[votes]
        pattern, column = crowd.pattern[votes] - items.start, crowd.column[feature]
        by_item = _adder(pattern, items.stop - items.start)
        by_worker = _adder(column, len(crowd.allowed))
        return cls(items, pattern, column, crowd.answer[feature], by_item, by_worker)

    def answers(
        self, workers: FloatArray, items: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """How likely answers are by the scores of the workers and of these items.

        Returns
        -------
        probabilities : (e, k, v) array of float
        given : (e, k) array of float
            Log-probability of the answers that were given.
        """
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


def answers_of(features: VoteFeatures) -> tuple[IntArray, BoolArray]:
    """The answer that a vote code is, and which answers workers can give.

    Returns
    -------
    answers : (c, n_values) array of int
    allowed : (c, v) array of bool
    """
    k, about = features.n_classes, features.about
    if (about < 0).all():
        answers = np.tile(np.arange(k), (len(about), 1))
        return answers, np.ones(answers.shape, bool)
    if k == 2:
        return np.column_stack([1 - about, about]), np.ones((len(about), 2), bool)
    says_no = np.zeros(len(about), bool)
    says_no[features.column[features.vote == 0]] = True
    no_or_own = np.arange(k + 1) == about[:, None]
    no_or_own[:, k] = True
    allowed = np.where(says_no[:, None], no_or_own, np.arange(k + 1) < k)
    return np.column_stack([np.full(len(about), k), about]), allowed
