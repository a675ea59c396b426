"""Preferences: who wins comparisons, and what the judges are worth."""

from corral.ranking.preferences_result import Preferences, preferences
from corral.ranking.summaries import Judges, PairPreferences

__all__ = ["Judges", "PairPreferences", "Preferences", "preferences"]
