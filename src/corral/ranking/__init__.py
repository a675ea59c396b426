"""Preferences: who wins comparisons, and what the judges are worth.

preferences        the front door (learn_preferences)
Preferences        what it found (preferences_result)
Comparisons        verdicts as counts of (first, second, judge) (comparisons)
fit_comparisons    strengths and judges together (davidson, information, fit)
find_covariance    how sure they are (uncertainty)
find_preferences   a soft preference per pair (pairs)
fit_slices         strengths per slice (slices)
find_groups        which items comparisons connect (connections)
"""

from corral.ranking.judges import Judges
from corral.ranking.learn_preferences import preferences
from corral.ranking.pairs import PairPreferences
from corral.ranking.preferences_result import Preferences
from corral.ranking.slices import SliceStrengths

__all__ = ["Judges", "PairPreferences", "Preferences", "SliceStrengths", "preferences"]
