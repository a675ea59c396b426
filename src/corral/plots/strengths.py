"""Strengths of items, drawn."""

from __future__ import annotations

from typing import Any, Self

from corral.plots.display import Display
from corral.ranking import Preferences


class StrengthsDisplay(Display):
    """Strengths of items with their intervals, the strongest on top.

    Examples
    --------
    >>> import corral
    >>> from corral.plots import StrengthsDisplay
    >>> rows = 5 * [("x", "y"), ("y", "z"), ("z", "x"), ("x", "z")]
    >>> display = StrengthsDisplay.from_preferences(corral.preferences(rows))
    """

    @classmethod
    def from_preferences(cls, found: Preferences, *, ax: Any = None) -> Self:
        """Draw what `corral.preferences` found."""
        return cls(found.draw()).plot(ax)
