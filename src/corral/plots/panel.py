"""Shares by a panel of judges and some labels, drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from corral.drawings import draw_share_intervals
from corral.panels import PanelReport
from corral.plots.display import Display


class PanelDisplay(Display):
    """Shares of classes with intervals, beside the labels alone and the vote.

    Of two classes, that of the second: in all rows, and in every slice.

    Examples
    --------
    >>> import numpy as np
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import PanelDisplay
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7])
    >>> human = np.where(np.arange(1000) % 10 == 0, truth, -1)
    >>> display = PanelDisplay.from_panel(corral.panel(votes, gold=human))
    """

    @classmethod
    def from_panel(cls, found: PanelReport, *, ax: Any = None) -> Self:
        """Draw what `corral.panel` found."""
        own, alone = found.shares, found.labels_alone
        shown = list(range(len(found.classes))) if len(found.classes) > 2 else [1]
        names = [str(found.classes.tolist()[c]) for c in shown]
        slices = found.slices if len(shown) == 1 else ()
        nothing = np.full(len(slices), np.nan)
        if slices:
            names = ["all rows", *(f"{s.column} {s.name}" for s in slices)]
        drawing = draw_share_intervals(
            names,
            np.r_[own.value[shown], [s.share[1] for s in slices]],
            panel_interval=np.column_stack(
                [
                    np.r_[own.low[shown], [s.low[1] for s in slices]],
                    np.r_[own.high[shown], [s.high[1] for s in slices]],
                ]
            ),
            labels_alone=np.r_[alone.value[shown], nothing],
            labels_interval=np.column_stack(
                [np.r_[alone.low[shown], nothing], np.r_[alone.high[shown], nothing]]
            ),
            corrected=np.r_[found.rogan_gladen[shown], nothing],
            vote=np.r_[found.vote[shown], [s.vote[1] for s in slices]],
            share_of="rows" if len(shown) > 1 else f"rows that are {found.classes[1]}",
        )
        return cls(drawing).plot(ax)
