"""Confusions of raters who grade: what they have in common, and how each differs.

All raters together show how a grade is mistaken for others, ``Q(v | c)``; where votes are
few, neighbouring grades are the likelier mistakes. A rater is a member of a family around
it,

    P(v | c)  in proportion to  Q(v | c)^sharpness exp( bias (v - c) ),

sharper or vaguer than the others, and more severe or more lenient. How common every
sharpness and bias is, is learned from all raters, so a rater with few votes is like the
others. And as far as raters are not of this family, their own votes are believed.
"""

from __future__ import annotations

import numpy as np
import scipy

from corral._types import FloatArray, IntArray

SHARPNESS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.35, 1.8, 2.5])
"""Zero is a rater who does not look; one is like the others."""
BIASES = np.array([-1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5])
"""In log-odds per grade; above zero is lenient."""
WORTH = np.geomspace(1, 300, 12)
"""Votes, per true grade, that membership in the family may be worth."""
NEIGHBOURS = 1.0
"""Log-odds per grade by which mistakes get rarer, before any vote was seen."""
PRIOR_VOTES = 5.0
"""Votes, per true grade, that this is worth."""
LEAST = 1e-6
"""Least probability of a vote given the grade."""
ROUNDS = 3
"""Updates of how common members of the family are, each time."""


def near_first(k: int) -> FloatArray:
    """(k, k) shares of votes, given the grade, that fall off with the distance."""
    grades = np.arange(k)
    return _normalise(np.exp(-NEIGHBOURS * np.abs(grades[:, None] - grades)))


def pool(counts: FloatArray) -> FloatArray:
    """(k, k) shares of the votes of all raters, given the grade.

    Parameters
    ----------
    counts : (m, k, k) array of float
        How often every rater says v (last) where the grade is c.
    """
    total = counts.sum(axis=0)
    return _normalise(total + PRIOR_VOTES * near_first(total.shape[0]))


def make_family(common: FloatArray) -> FloatArray:
    """(g, k, k) confusions of the members of the family around a common one (k, k)."""
    grades = np.arange(len(common))
    step = grades - grades[:, None]
    logs = np.log(np.maximum(common, LEAST))
    bent = SHARPNESS[:, None, None, None] * logs + BIASES[:, None, None] * step
    bent -= bent.max(axis=-1, keepdims=True)
    members = bent.reshape(-1, *common.shape)
    return _normalise(np.exp(members) + LEAST)


def fit_members(counts: FloatArray, family: FloatArray) -> FloatArray:
    """(m, k, k) the confusion that a rater has as a member of the family.

    The mean over members, by how well each explains the votes of the rater and how common
    it is among all.
    """
    m, g = len(counts), len(family)
    likely = counts.reshape(m, -1) @ np.log(family).reshape(g, -1).T
    common = np.full(g, 1 / g)
    for _ in range(ROUNDS):
        scores = likely + np.log(common)
        scores -= scores.max(axis=1, keepdims=True)
        share = np.exp(scores)
        share /= share.sum(axis=1, keepdims=True)
        common = (share.sum(axis=0) + 1 / g) / (m + 1)
    found: FloatArray = np.tensordot(share, family, 1)
    return found


def find_worth(counts: FloatArray, members: FloatArray) -> float:
    """How many votes membership is worth: under which the votes of all are likeliest."""
    gammaln = scipy.special.gammaln
    seen = counts.sum(axis=2)
    best = [
        (
            gammaln(a)
            - gammaln(seen + a)
            + _sum(gammaln(counts + a * members))
            - _sum(gammaln(a * members))
        ).sum()
        for a in WORTH
    ]
    return float(WORTH[int(np.argmax(best))])


def find_confusions(counts: FloatArray) -> FloatArray:
    """(m, k, k) how often every rater says v where the grade is c.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.graded_confusions import find_confusions
    >>> careful, lenient = np.diag([30.0] * 3), np.diag([4.0, 4, 9])
    >>> lenient[[0, 1], [1, 2]] = 5
    >>> few = np.zeros((3, 3))
    >>> few[0, 0] = 1
    >>> found = find_confusions(np.stack([careful, lenient, few]))
    >>> found[1, 0].round(2).tolist(), found[2, 0].round(2).tolist()
    ([0.48, 0.44, 0.08], [0.86, 0.11, 0.03])
    """
    members = fit_members(counts, make_family(pool(counts)))
    worth = find_worth(counts, members)
    return _normalise(counts + worth * members)


def find_yes_shares(counts: FloatArray, about: IntArray) -> FloatArray:
    """(c, k, 2) how often columns about one grade say "no" and "yes", by the true grade.

    Columns about any grade have their distance from the true one in common; their own
    votes are believed as above.

    Parameters
    ----------
    counts : (c, k, 2) array of float
    about : (c,) array of int
        The grade that every column is about.
    """
    c, k, _ = counts.shape
    step = np.arange(k) - about[:, None] + k - 1
    total = np.zeros((2 * k - 1, 2))
    np.add.at(total, step.ravel(), counts.reshape(c * k, 2))
    far = np.abs(np.arange(2 * k - 1) - (k - 1))
    yes = np.exp(-NEIGHBOURS * far) / (1 + np.exp(-NEIGHBOURS * far))
    yes = np.where(far == 0, 0.75, yes)
    common = _normalise(total + PRIOR_VOTES * np.stack([1 - yes, yes], axis=1))
    members = common[step]
    return _normalise(counts + find_worth(counts, members) * members)


def _sum(values: FloatArray) -> FloatArray:
    total: FloatArray = values.sum(axis=2)
    return total


def _normalise(values: FloatArray) -> FloatArray:
    shares: FloatArray = values / values.sum(axis=-1, keepdims=True)
    return shares
