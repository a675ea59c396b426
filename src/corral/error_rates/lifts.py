"""What a vote says of the class: how far it lifts every class above its base rate.

The lift of a vote is ``log P(class | vote) - log P(class)``. Of a rule the base rate is
that of all examples, since a rule chooses where it votes; of a rater it is that of the
examples that the rater was asked about.
"""

from __future__ import annotations

import numpy as np

from corral._types import FloatArray
from corral.error_rates.vote_features import VoteFeatures

HALF_VOTE = 0.5
"""Spread over the classes of every example before its votes are counted."""
PRIOR_VOTES = 10.0
"""Votes that the mean of all signals counts for in the estimate of one."""
LEAST, MOST = 0.5, 0.9
"""Bounds of how often a rule is assumed to be informed."""
LEAST_SHARE = 1e-4
"""Least share of a class."""


def class_shares(totals: FloatArray) -> FloatArray:
    """Shares (..., k) of the classes, none below `LEAST_SHARE` (before they add up)."""
    sums = totals.sum(axis=-1, keepdims=True)
    shares = np.maximum(totals / np.maximum(sums, 1e-300), LEAST_SHARE)
    return shares / shares.sum(axis=-1, keepdims=True)


def tally(features: VoteFeatures) -> FloatArray:
    """(p, k) votes for every class; a vote for several classes is split evenly."""
    return features.matrix @ (
        features.member / features.member.sum(axis=1, keepdims=True)
    )


def vote_balance(features: VoteFeatures) -> FloatArray:
    """(k,) shares of the classes, every example split as its votes are.

    Where copies are tied with each other, and nobody else speaks, there is no vote left.
    """
    votes = tally(features)
    total = np.maximum(votes.sum(axis=1, keepdims=True), 1)
    return class_shares(features.counts @ (votes / total))


def vote_shares(features: VoteFeatures, raters: float) -> FloatArray:
    """(p, k) the shares of the votes, half a vote spread over the classes.

    As far as votes are of raters it is spread as theirs are, else evenly.
    """
    votes, even = tally(features), 1 / features.n_classes
    total = votes.sum(axis=1, keepdims=True) + HALF_VOTE
    spread = raters * vote_balance(features) + (1 - raters) * even
    return (votes + HALF_VOTE * spread) / total


def find_informedness(features: VoteFeatures) -> float:
    """How often a vote is informed, from how often two votes on an example agree.

    Two votes that are informed with probability ``h``, and else follow the class
    balance, agree beyond chance with probability ``h**2``. One half where no two votes
    meet, or where votes are about one class only.
    """
    if (features.about >= 0).any():
        return LEAST
    votes, balance = tally(features), vote_balance(features)
    d = votes.sum(axis=1)
    each = features.counts / np.maximum(
        d - 1, 1
    )  # so that an example counts d times, not d (d - 1)
    pairs = float(each @ (d * (d - 1)))
    if pairs <= 0:
        return LEAST
    same = float(each @ ((votes**2).sum(axis=1) - d)) / pairs
    chance = float((balance**2).sum())
    return float(np.sqrt(np.clip((same - chance) / max(1 - chance, 1e-9), 0, 1)))


def assume_lifts(
    features: VoteFeatures, balance: FloatArray, informed: float
) -> FloatArray:
    """(f, k) lifts of votes that are informed with a given probability.

    An informed vote is right, an uninformed one independent of the class.
    """
    among = features.member / (features.member @ balance)[:, None]
    return np.log(informed * among + 1 - informed)


def learn_lifts(
    features: VoteFeatures, labels: FloatArray, rater: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Lifts (f, k) of votes under labels (p, k), and the class balance (k,).

    How often a signal is informed, its agreement with the labels beyond chance, is shrunk
    toward that of all signals; the classes that go with one of its votes are shrunk
    toward what that says. `PRIOR_VOTES` is by how much.

    Parameters
    ----------
    features : VoteFeatures
    labels : (p, k) array of float
    rater : (c,) array of float
        How far every column is a rater's; see `find_raters`.
    """
    k, owner, member = features.n_classes, features.column, features.member
    cast, part = features.votes_cast, rater[:, None]
    balance = class_shares(features.counts @ labels)
    counts = features.weighted @ labels
    asked = features.by_column(counts)
    base = part * (asked + PRIOR_VOTES * balance) / (cast + PRIOR_VOTES)[:, None]
    base += (1 - part) * balance
    likely = base[owner]
    mass = (likely * member).sum(axis=1)
    right = features.by_column((counts * member).sum(axis=1))
    chance = features.by_column(features.size * mass)
    common = (right - chance).sum() / max((cast - chance).sum(), 1e-9)
    informed = (right - chance + PRIOR_VOTES / 2 * common) / (
        cast - chance + PRIOR_VOTES / 2
    )
    h = np.clip(informed, 0.02, 0.98)[owner]
    smoothing = PRIOR_VOTES * k
    # By how much the vote is expected to lift a class; the rest is in place, for speed.
    lifts = (h / mass)[:, None] * member
    lifts += (1 - h)[:, None]
    lifts *= smoothing * likely
    lifts += counts
    lifts /= (features.size + smoothing)[:, None] * likely
    return np.log(lifts, out=lifts), balance
