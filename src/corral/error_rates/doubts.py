"""Whether the votes of raters can tell how often they are wrong, and if not, why."""

from __future__ import annotations

from corral.error_rates.lifts import find_informedness, vote_balance
from corral.error_rates.vote_features import VoteFeatures

LEAST_MEETING = 0.1
"""Share of the votes on examples with three of them, below which these are too few."""
LEAST_INFORMED = 0.15
"""Informedness below which signals agree as they would by chance."""
STANDARD_ERRORS = 3.0
"""By how many of them random votes may agree beyond chance."""


def find_doubt(features: VoteFeatures) -> str | None:
    """Why the votes cannot tell the rates of raters; None if they can.

    Parameters
    ----------
    features : VoteFeatures
        Those of the leaders; see `find_leaders`.
    """
    counts, votes = features.counts, features.votes_by_pattern
    number = int((features.votes_cast > 0).sum())
    if number == 1:
        return "only one signal votes"
    if number == 2:
        return "only two signals vote, and where they differ either may be wrong"
    if counts @ (votes * (votes > 2)) <= LEAST_MEETING * (counts @ votes):
        return "hardly any example has three votes"
    pairs = counts @ (votes * (votes - 1)) / 2
    chance = (vote_balance(features) ** 2).sum()
    noise = STANDARD_ERRORS * (chance / (1 - chance) / pairs) ** 0.5
    if find_informedness(features) ** 2 < max(LEAST_INFORMED**2, noise):
        return "signals agree hardly more than by chance, so all may be wrong"
    return None
