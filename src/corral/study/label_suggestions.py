"""Which rows to label by hand.

`FromLabels` fits the weights of votes to labelled rows by penalised maximum likelihood.
The inverse of its second derivative says how uncertain these weights are,

    C = ( P + sum over labelled rows of g x x^T )^-1

with ``x`` the votes of a row (and a one for the class balance), ``P`` the penalty and ``g``
the information in one label, ``2 q (1 - q)`` for two classes. It depends on which rows are
labelled and not on what the labels say, so rows can be chosen beforehand: those that make
the scores of all rows, the sum of ``x^T C x``, as certain as possible. A label is worth
much if its row is uncertain and if many rows share its votes. Rows are chosen one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array, hstack

from corral._types import FloatArray, IntArray
from corral.checks import check_positive, make_generator
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.progress import progress
from corral.rates.copies import find_leaders
from corral.rates.from_labels import BALANCE_PRECISION, VOTE_PRECISION
from corral.rates.vote_features import VoteFeatures, softmax, vote_features
from corral.votes import WeakSignals

MIN_PROBABILITY = 0.01
"""Least probability of a class: a row labelled wrongly and surely may then be chosen."""
PAIRS_AT_ONCE, ROWS_AT_ONCE = 1 << 22, 1 << 12
"""Pairs of votes looked at, and rows of votes written out in full."""
MAX_DENSE = 2000
"""Features up to which a matrix (f, f) is stored in full."""


def suggest_labels(
    labeler: Labeler,
    signals: Any,
    k: int,
    *,
    known: ArrayLike | None = None,
    random_state: Any = None,
) -> IntArray:
    """The rows whose true label would help most, together with `FromLabels`.

    Parameters
    ----------
    labeler : Labeler
        Fitted; its probabilities say how uncertain every row is.
    signals : as for `fit`
        The rows to choose from.
    k : int
        How many to choose.
    known : (l,) array of int, optional
        Positions of rows that have a label already. They are not chosen again, and rows
        that they tell enough about are not chosen either.
    random_state : int, Generator or None
        Which of the rows with the same votes are chosen.

    Returns
    -------
    (k,) array of int
        Positions of rows, the most helpful first. Rows without votes are never chosen. A
        row that stands for several (`counts`) may be chosen several times.

    Notes
    -----
    Chosen rows are not a fair sample: on many of them signals contradict each other. The
    labels of `FromLabels` stay right, as they estimate the class given the votes, but its
    ``error_rates`` are too high. To estimate rates or accuracy, label random rows.

    Examples
    --------
    Of 1000 rows the ten to label, and the labels with their help:

    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(1000, [0.9, 0.6, 0.6, 0.6], coverage=0.8)
    >>> labeler = corral.ConstrainedLabeler("auto").fit(votes)
    >>> rows = corral.suggest_labels(labeler, votes, 10, random_state=0)
    >>> labels = [truth[j] if j in rows else None for j in range(len(votes))]
    >>> helped = corral.ConstrainedLabeler(corral.FromLabels(labels)).fit(votes)
    >>> helped.rates_.note.split(";")[0]
    '10 labelled examples'
    """
    if getattr(labeler, "multilabel", False):
        raise ParameterError(
            "suggest_labels is for tasks in which an example has one class, as "
            "FromLabels is."
        )
    check_positive("k", k)
    read = labeler.read(signals)
    hard = read.harden()
    n = len(read)
    rows = np.asarray([] if known is None else known)
    whole = rows.dtype.kind in "iu" or not rows.size
    if rows.ndim != 1 or not whole or ((rows < 0) | (rows >= n)).any():
        raise ParameterError(
            f"known must be positions of rows, from 0 to {n - 1}; "
            f"{np.asarray(known).tolist()!r:.60} was given."
        )
    rows = rows.astype(int)
    pattern = _find_patterns(hard)
    left = np.ones(n) if read.counts is None else read.counts.copy()
    np.subtract.at(left, rows, 1)
    left = np.where(pattern >= 0, np.maximum(left, 0), 0)
    if left.sum() < k:
        raise ParameterError(
            f"{k} rows were asked for, but only {left.sum():.0f} have a vote and no "
            "label yet."
        )
    features = vote_features(hard)
    features = features.merge_columns(find_leaders(features))
    voted = pattern >= 0
    at = pattern[voted]
    # The mean label of every pattern: those of rounded soft signals may differ.
    labels = labeler.predict_proba(read)[voted]
    means = [np.bincount(at, p) / np.bincount(at) for p in labels.T]
    design = _Design(features, np.stack(means, axis=1))
    for p in pattern[rows]:
        if p >= 0:
            design.label(int(p))
    rng = make_generator(random_state)
    available = np.bincount(at, left[voted], features.n_patterns)
    chosen = np.empty(k, int)
    with progress("choosing rows", k) as bar:
        for step in range(k):
            allowed = available >= min(1.0, available.max())
            best = int(np.where(allowed, design.step * design.pull, -1).argmax())
            own = np.flatnonzero(pattern == best)
            chosen[step] = rng.choice(own, p=left[own] / left[own].sum())
            taken = min(1.0, left[chosen[step]])
            left[chosen[step]] -= taken
            available[best] -= taken
            design.label(best)
            bar.advance()
    return chosen


def _find_patterns(hard: WeakSignals) -> IntArray:
    """(n,) the pattern of `vote_features` that every row is in; -1 without a vote."""
    patterns = hard.patterns
    voted = np.zeros(len(patterns), bool)
    voted[patterns.inverse] = hard.covered
    voted &= patterns.counts > 0
    place = np.where(voted, np.cumsum(voted) - 1, -1)
    return place[patterns.inverse]


def _quadratic_forms(x: csr_array, gram: csr_array) -> FloatArray:
    """(p,) ``x^T G x`` of every row of ones and zeros: the sum over pairs of its ones."""
    (p, f), size = x.shape, np.diff(x.indptr)
    sums, table = np.zeros(p), gram.toarray() if f <= MAX_DENSE else gram
    if f <= MAX_DENSE and (size**2).sum() > p * f**2 / 20:
        # So many pairs that a product is faster.
        for a in range(0, p, ROWS_AT_ONCE):
            block = x[a : a + ROWS_AT_ONCE].toarray()
            sums[a : a + ROWS_AT_ONCE] = ((block @ table) * block).sum(axis=1)
        return sums
    step = max(1, PAIRS_AT_ONCE // int(size.max()) ** 2)
    for a in range(0, p, step):
        own = size[a : a + step]
        ones = np.arange(x.indptr[a], x.indptr[a] + own.sum())
        row = np.repeat(np.arange(len(own)), own)
        first = np.repeat(ones, own[row])
        # Every one of a row next to all ones of the row, in turn.
        turn = np.arange(len(first)) - np.repeat(np.cumsum(own**2) - own**2, own**2)
        pair_row = np.repeat(np.arange(len(own)), own**2)
        second = x.indptr[a + pair_row] + turn % own[pair_row]
        found = np.asarray(table[x.indices[first], x.indices[second]]).ravel()
        sums[a : a + step] = np.bincount(pair_row, found, len(own))
    return sums


class _Design:
    """How uncertain scores are, and what a label would change about it.

    `spread` is ``x^T C x`` of every pattern, and `pull` is ``x^T C M C x`` with ``M`` the
    sum of ``x x^T`` over all rows: a label of a pattern takes ``pull * g / (1 + g *
    spread)`` off the total. A label changes ``C`` by a matrix of rank one, so that both
    are updated by two products with the votes.
    """

    def __init__(self, features: VoteFeatures, labels: FloatArray) -> None:
        ones = csr_array(np.ones((features.n_patterns, 1)))
        self.x = csr_array(hstack([features.matrix, ones]))
        self.counts = features.counts
        self.prior = np.full(self.x.shape[1], 1 / VOTE_PRECISION)
        self.prior[-1] = 1 / BALANCE_PRECISION
        self.spread = self.x @ self.prior  # entries are 0 and 1, their own squares
        scaled = self.x @ diags_array(self.prior)
        gram = csr_array(scaled.T @ diags_array(self.counts) @ scaled)
        self.pull = _quadratic_forms(self.x, gram)
        # The mean of the labels over uncertain scores, in MacKay's approximation.
        scores = np.log(np.maximum(labels, 1e-12))
        q = softmax(scores / np.sqrt(1 + np.pi / 4 * self.spread)[:, None])
        q = np.maximum(q, MIN_PROBABILITY)
        q /= q.sum(axis=1, keepdims=True)
        self.information = (1 - (q**2).sum(axis=1)) / (labels.shape[1] - 1)
        self.labelled = np.zeros(features.n_patterns)
        self.directions: list[tuple[float, FloatArray]] = []

    @property
    def step(self) -> FloatArray:
        """``g / (1 + g * spread)`` of one more label of every pattern.

        The score of a pattern also has a part that its votes do not explain, so ten labels
        of one pattern tell less than ten of different ones. That part is taken to vary as
        much as the weight of a vote.
        """
        had, own = self.labelled, self.information / VOTE_PRECISION
        g = self.information * (
            (had + 1) / (1 + (had + 1) * own) - had / (1 + had * own)
        )
        return g / (1 + g * self.spread)

    def label(self, pattern: int) -> None:
        """Count that a row of a pattern has a label."""
        step = float(self.step[pattern])
        u = self._covariance(self.x[[pattern]].toarray()[0])
        along = self.x @ u
        pulled = self.x @ self._covariance(self.x.T @ (self.counts * along))
        self.spread = self.spread - step * along**2
        self.pull += (
            step * along * (step * (self.counts @ along**2) * along - 2 * pulled)
        )
        self.directions.append((step, u))
        self.labelled[pattern] += 1

    def _covariance(self, v: FloatArray) -> FloatArray:
        """``C v``."""
        out = self.prior * v
        for step, u in self.directions:
            out -= step * (u @ v) * u
        return out
