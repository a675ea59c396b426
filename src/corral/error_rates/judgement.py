"""What the votes say of the voters, before any rate is learned.

Who names all classes and who fires for one, whose confusion is identified, and whether
the classes are skewed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.error_rates.features import VoteFeatures, softmax
from corral.error_rates.likelihoods import assumed_weights, class_shares
from corral.error_rates.redundancy import find_copies, witnesses

SLIPS = (0.001, 0.05)
"""Shares of votes that a rule casts outside its class: a rule, a noisy copy of one."""
WITNESSES = 2.0
"""Others that are needed to identify a confusion: three views in all."""
NEGLIGIBLE = 0.05
"""A confusion identified less than this is not learned, so that it decides no ties."""
SKEWED = 1 - (np.log(3) - 2 / 3 * np.log(2)) / np.log(2)
"""Missing share of entropy from which classes are skewed: two to one for two classes."""


@dataclass(frozen=True)
class Judgement:
    """What the votes say of the voters before any rate is learned.

    Attributes
    ----------
    learned : (c,) array of float
        How far its confusion is identified, from 0 to 1.
    skewed : bool
        Whether the classes are skewed, whichever voter is left out.
    """

    learned: FloatArray
    skewed: bool


def likely_raters(features: VoteFeatures) -> FloatArray:
    """(c,) probability that a voter names all classes, before copies are known."""
    labels = softmax(features.matrix @ _even_weights(features))
    return find_bipolar(features, labels, SLIPS)


def find_leaders(features: VoteFeatures) -> IntArray:
    """(c,) the voter that every voter repeats; itself if none."""
    return find_copies(features, likely_raters(features))


def judge(features: VoteFeatures) -> Judgement:
    """Find the kind of every voter, none a copy, and whether the classes are skewed."""
    weights = _even_weights(features)
    scores = features.matrix @ weights
    bipolar = find_bipolar(features, softmax(scores), SLIPS[:1])
    few = WITNESSES / np.maximum(witnesses(features), WITNESSES)
    # "Not this class" names none, so there is no confusion to learn.
    learned = (features.about < 0) * bipolar * (1 - few**2)
    learned[learned < NEGLIGIBLE] = 0
    missing = entropy_gap(features, scores, weights)
    return Judgement(learned, bool(missing > SKEWED))


def _even_weights(features: VoteFeatures) -> FloatArray:
    """(f, k) assumed weights of votes where all classes are as common."""
    k = features.n_classes
    return assumed_weights(features, np.full(k, 1 / k))


def find_bipolar(
    features: VoteFeatures,
    labels: FloatArray,
    slips: tuple[float, ...],
) -> FloatArray:
    """(c,) probability that a voter names all classes, not one only.

    A mixture of two types: one casts votes other than its commonest as often as the
    labels of its examples suggest, the other hardly ever. Their proportions come from
    the votes of all voters.
    """
    cast = features.votes_cast
    spoken = cast > 0
    order = np.lexsort((-features.size, features.voter))
    first = np.r_[True, np.diff(features.voter[order]) != 0]
    main = order[first]  # the commonest vote of every voter that speaks
    most = np.zeros(features.n_voters)
    most[features.voter[main]] = features.size[main]
    at_all = np.stack(
        [features.by_voter(column) for column in (features.weighted @ labels).T], axis=1
    )
    suggested = np.zeros(features.n_voters)
    owner = features.voter[main]
    suggested[owner] = (features.member[main] * at_all[owner]).sum(axis=1)
    p = np.clip(suggested / np.maximum(cast, 1e-300), 0.01, 0.999)
    rest = cast - most
    rules = [rest * np.log(slip) + most * np.log1p(-slip) for slip in slips]
    rule = np.logaddexp.reduce(rules, axis=0) - np.log(len(slips))
    odds = rest * np.log1p(-p) + most * np.log(p) - rule
    rate = 0.5
    for _ in range(20):
        bipolar = np.exp(-np.logaddexp(0, -odds - np.log(rate / (1 - rate))))
        seen = bipolar[spoken].sum()
        rate = np.clip((seen + 1) / (spoken.sum() + 2), 1e-6, 1 - 1e-6)
    return np.where(spoken, bipolar, 0.0)


def entropy_gap(
    features: VoteFeatures,
    scores: FloatArray,
    weights: FloatArray,
) -> float:
    """Least share of entropy that the class shares lack, whoever is left out.

    With a voter, the examples that nobody else speaks of are left out.
    """
    unit, owner = features.unit, features.caster
    others = np.bincount(unit, minlength=features.n_units)[unit] > 1
    labels = softmax(scores)
    without = softmax(scores[unit] - weights[features.feature])
    without[~others] = 0
    lost = features.counts[unit][:, None] * (labels[unit] - without)
    total = features.counts @ labels
    rest = [
        whole - np.bincount(owner, part, minlength=features.n_voters)
        for whole, part in zip(total, lost.T, strict=True)
    ]
    shares = class_shares(np.stack(rest, axis=1)[np.unique(owner)])
    entropy = -(shares * np.log(shares)).sum(axis=1) / np.log(features.n_classes)
    return float(max(0.0, 1 - entropy.max()))
