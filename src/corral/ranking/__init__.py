"""Preferences: who wins comparisons, and what the judges are worth.

comparisons          tables of verdicts, read as counts; which items they connect
model                Davidson's model with judges, and its Fisher information
fit                  strengths and judges together, and how sure they are
summaries            judges, a soft preference per pair, strengths per slice
preferences_result   `preferences`, all of it together; `Preferences` prints it
"""

from corral.ranking.preferences_result import Preferences, preferences
from corral.ranking.summaries import Judges, PairPreferences, SliceStrengths

__all__ = ["Judges", "PairPreferences", "Preferences", "SliceStrengths", "preferences"]
