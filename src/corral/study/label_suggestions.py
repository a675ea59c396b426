"""Which rows to label by hand.

`FromLabels` fits weights of votes to labelled rows, with a normal prior on every weight.
The inverse of the second derivative of its loss says how uncertain these weights are,

    C = ( P + sum over labelled rows of g x x^T )^-1

with ``x`` the votes of a row (and a one for the class balance), ``P`` the precision of the
prior and ``g`` the information in one label, ``2 q (1 - q)`` for two classes. It depends on
which rows are labelled and not on what the labels say, so rows can be chosen beforehand:
those that make the scores of all rows, the sum of ``x^T C x``, as certain as possible. A
label is worth much if its row is uncertain and if many rows share its votes. Rows are
chosen one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array, hstack

from corral._types import FloatArray, IntArray
from corral.checks import check_positive, make_generator
from corral.constraints import row_means
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.model import softmax
from corral.progress import progress
from corral.rates.from_labels import SPREAD
from corral.votes import WeakSignals

MIN_PROBABILITY = 0.01
"""Least probability of a class: a row labelled wrongly and surely may then be chosen."""
ROWS_AT_ONCE = 1 << 12
"""Rows whose products with all others are written out at once."""
VARIANCE = SPREAD**2
"""Of the weight of a vote, beforehand."""


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
    left = np.ones(n) if read.row_counts is None else read.row_counts.copy()
    np.subtract.at(left, rows, 1)
    left = np.where(hard.covered, np.maximum(left, 0), 0)
    if left.sum() < k:
        raise ParameterError(
            f"{k} rows were asked for, but only {left.sum():.0f} have a vote and no "
            "label yet."
        )
    # The mean label of every distinct row: those of rounded soft signals may differ.
    design = _Design(hard, row_means(hard, labeler.predict_proba(read)))
    for row in rows[hard.covered[rows]]:
        design.label(int(hard.row_of[row]))
    rng = make_generator(random_state)
    available = np.bincount(hard.row_of, left, hard.n_rows)
    chosen = np.empty(k, int)
    with progress("choosing rows", k) as bar:
        for step in range(k):
            allowed = available >= min(1.0, available.max())
            best = int(np.where(allowed, design.step * design.pull, -1).argmax())
            own = np.flatnonzero(hard.row_of == best)
            chosen[step] = rng.choice(own, p=left[own] / left[own].sum())
            taken = min(1.0, left[chosen[step]])
            left[chosen[step]] -= taken
            available[best] -= taken
            design.label(best)
            bar.advance()
    return chosen


class _Design:
    """How uncertain scores are, and what a label would change about it.

    `spread` is ``x^T C x`` of every distinct row, and `pull` is ``x^T C M C x`` with ``M``
    the sum of ``x x^T`` over all rows: a label takes ``pull * g / (1 + g * spread)`` off
    the total. A label changes ``C`` by a matrix of rank one, so that both are updated by
    two products with the votes.
    """

    def __init__(self, hard: WeakSignals, labels: FloatArray) -> None:
        # A vote on a row with d votes counts 1 / sqrt(d).
        votes = diags_array(1 / np.sqrt(np.maximum(hard.votes_on, 1))) @ hard.F
        ones = csr_array(np.ones((hard.n_rows, 1)))
        self.x = csr_array(hstack([votes, ones]))
        self.counts = hard.counts * hard.covered_rows
        self.spread = VARIANCE * self.x.power(2).sum(axis=1)
        gram = VARIANCE**2 * (self.x.T @ diags_array(self.counts) @ self.x)
        blocks = range(0, hard.n_rows, ROWS_AT_ONCE)
        parts = (self.x[at : at + ROWS_AT_ONCE] for at in blocks)
        pulls = [part.multiply(part @ gram).sum(axis=1) for part in parts]
        self.pull = np.concatenate(pulls)
        # The mean of the labels over uncertain scores, in MacKay's approximation.
        scores = np.log(np.maximum(labels, 1e-12))
        q = softmax(scores / np.sqrt(1 + np.pi / 4 * self.spread)[:, None])
        q = np.maximum(q, MIN_PROBABILITY)
        q /= q.sum(axis=1, keepdims=True)
        self.information = (1 - (q**2).sum(axis=1)) / (labels.shape[1] - 1)
        self.labelled = np.zeros(hard.n_rows)
        self.directions: list[tuple[float, FloatArray]] = []

    @property
    def step(self) -> FloatArray:
        """``g / (1 + g * spread)`` of one more label of every distinct row.

        The score of a row also has a part that its votes do not explain, so ten labels of
        equal rows tell less than ten of different ones. That part is taken to vary as much
        as the weight of a vote.
        """
        had, own = self.labelled, self.information * VARIANCE
        g = self.information * (
            (had + 1) / (1 + (had + 1) * own) - had / (1 + had * own)
        )
        return g / (1 + g * self.spread)

    def label(self, row: int) -> None:
        """Count that an example of a distinct row has a label."""
        step = float(self.step[row])
        u = self._covariance(self.x[[row]].toarray()[0])
        along = self.x @ u
        pulled = self.x @ self._covariance(self.x.T @ (self.counts * along))
        self.spread = self.spread - step * along**2
        self.pull += (
            step * along * (step * (self.counts @ along**2) * along - 2 * pulled)
        )
        self.directions.append((step, u))
        self.labelled[row] += 1

    def _covariance(self, v: FloatArray) -> FloatArray:
        """``C v``."""
        out = VARIANCE * v
        for step, u in self.directions:
            out -= step * (u @ v) * u
        return out
