"""How far the votes are those of raters who err independently.

If raters err independently given the class, and labels and accuracies are right, then the
errors of two raters on the same examples are not correlated. What is left of a correlation
is that of raters who copy, of examples that are hard for all, or of families with errors
of their own.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.error_rates.copies import PAIRS, multiply
from corral.error_rates.vote_features import VoteFeatures

MOST_EXCESS = 0.4
"""Excess of the variance of a sum of votes from which raters are not independent."""
LEAST_VOTES = 3.5
"""Raters on an example beyond which independence can be refuted: any three fit."""
EVIDENCE = 50.0
"""Examples per class that the doubt in independence is worth."""
LEAST_EVIDENCE = 0.1
"""Share of the evidence without which there is none."""
MOST_PATTERNS = 10_000
"""Patterns that are looked at; of more, every second, or third, and so on."""
UNLIKELY = 1e-3
"""Classes less likely than this are left out, on the example."""


def find_evidence(features: VoteFeatures, rater: FloatArray) -> float:
    """How far votes can tell whether raters err independently, from 0 to 1.

    The share of votes that raters cast where at least four of them do, less if these are
    few examples.

    Parameters
    ----------
    features : VoteFeatures
    rater : (c,) array of float
        How far every column is a rater's; see `find_raters`.
    """
    told, voters = _find_told(features, rater)
    n = features.counts[told].sum()
    share = features.counts[told] @ voters[told] / features.votes_cast.sum()
    evidence = share * n / (n + EVIDENCE * features.n_classes)
    return float(max(0, evidence - LEAST_EVIDENCE) / (1 - LEAST_EVIDENCE))


def find_independence(
    features: VoteFeatures, labels: FloatArray, rater: FloatArray
) -> float:
    """From 0, the votes contradict independence, to 1; given that there is evidence.

    Correlation makes the variance of a sum of ``d`` votes ``1 + (d - 1) correlation``
    times as large. The correlation is the mean over all pairs of raters, or the root of
    their mean square less what is noise, if that is more: families of raters do not show
    in the mean.

    Parameters
    ----------
    features : VoteFeatures
    labels : (p, k) array of float
        Under the assumption that raters err independently.
    rater : (c,) array of float
        How far every column is a rater's; see `find_raters`.
    """
    told, voters = _find_told(features, rater)
    votes = np.average(voters[told], weights=features.counts[told])
    told = told[:: -(-len(told) // MOST_PATTERNS)]
    excess = (votes - 1) * _correlate_errors(features, labels, rater, told)
    return max(0.0, 1 - excess / MOST_EXCESS)


def _find_told(
    features: VoteFeatures, rater: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Patterns on which independence can be refuted, and the raters on all (p,)."""
    voters = features.matrix @ rater[features.column]
    return np.flatnonzero(voters > LEAST_VOTES), voters


def _correlate_errors(
    features: VoteFeatures, labels: FloatArray, rater: FloatArray, told: IntArray
) -> float:
    """The correlation of the errors of two raters on some of the patterns."""
    accuracy = _find_accuracies(features, labels)
    matrix = features.matrix[told]
    counts, labels = features.counts[told], labels[told]
    shape = (len(counts), len(rater))
    column = features.column[matrix.indices]
    voted = csr_array((np.ones(len(column)), column, matrix.indptr), shape)
    given = []  # of every class: the errors, votes and weights of its examples
    for c in range(features.n_classes):
        errors = (features.member[:, c] - accuracy[features.column, c])[matrix.indices]
        errors = csr_array((errors * rater[column], column, matrix.indptr), shape)
        likely = np.flatnonzero(labels[:, c] > UNLIKELY)
        weights = counts[likely] * labels[likely, c]
        given.append((errors[likely], voted[likely], weights))
    sums = np.zeros(5)
    step = max(1, PAIRS // len(rater))
    for start in range(0, len(rater), step):
        own = slice(start, start + step)
        met = multiply(_weigh(voted[:, own], counts), voted)
        product = square = turned = csr_array(met.shape)  # summed over examples
        for errors, votes, weights in given:
            mine = errors[:, own]
            product = product + multiply(_weigh(mine, weights), errors)
            square = square + multiply(_weigh(mine**2, weights), votes)
            turned = turned + multiply(_weigh(votes[:, own], weights), errors**2)
        for table in (product, square):  # a rater is not compared with itself
            table.setdiag(0, start)
            table.eliminate_zeros()
        variance = square.multiply(turned)
        noise = variance.multiply(met.power(-1))
        each = (product, square, product**2, noise, variance)
        sums += [table.sum() for table in each]
    total, squares, spread, noise, variance = sums
    if squares <= 0:
        return 0.0
    return float(np.sqrt(max((total / squares) ** 2, (spread - noise) / variance)))


def _find_accuracies(features: VoteFeatures, labels: FloatArray) -> FloatArray:
    """(c, k) how often a column votes for a class where it is the label."""
    found = features.weighted @ labels
    asked, right = map(features.by_column, (found, found * features.member))
    return (right + right.sum() / asked.sum()) / (asked + 1)


def _weigh(table: csr_array, weights: FloatArray) -> csr_array:
    """The transpose of a table (p, c) whose rows are multiplied by weights (p,)."""
    data = table.data * np.repeat(weights, np.diff(table.indptr))
    return csr_array((data, table.indices, table.indptr), table.shape).T.tocsr()
