"""Whether the votes of raters can tell how often they are wrong, and if not, why."""

from __future__ import annotations

from corral._types import FloatArray
from corral.error_rates.lifts import find_informedness
from corral.error_rates.vote_features import VoteFeatures

FEWEST_EXAMPLES = 100.0
"""With fewer, nobody expects that votes tell."""
LEAST_MEETING = 0.1
"""Share of the votes on examples with three of them, below which these are too few."""
LEAST_INFORMED = 0.15
"""Informedness below which signals agree as they would by chance."""


def find_doubt(features: VoteFeatures, rater: FloatArray) -> str | None:
    """Why the votes cannot tell the rates of raters; None if they can.

    Rates of rules are always assumed, so there is nothing to say of them.

    Parameters
    ----------
    features : VoteFeatures
        Those of the leaders; see `find_leaders`.
    rater : (c,) array of float
        How far every column is a rater's; see `find_raters`.
    """
    cast, counts = features.votes_cast, features.counts
    if rater @ cast < cast.sum() / 2 or counts.sum() < FEWEST_EXAMPLES:
        return None
    number = int((cast > 0).sum())
    if number == 1:
        return "only one signal votes"
    if number == 2:
        return "only two signals vote, and where they differ either may be wrong"
    votes = features.votes_by_pattern
    if counts @ (votes * (votes > 2)) < LEAST_MEETING * (counts @ votes):
        return "hardly any example has three votes"
    if find_informedness(features) < LEAST_INFORMED:
        return "signals agree hardly more than by chance, so all may be wrong"
    return None
