"""Which preview of a tab is the last one: those before it are stopped."""

from __future__ import annotations

from collections import OrderedDict
from threading import Event

MOST_TABS = 256
"""Tabs that are remembered."""


class Previews:
    """One running preview per tab; a later one stops it.

    Used from the event loop only.

    Examples
    --------
    >>> from corral.workbench.server.previews import Previews
    >>> previews = Previews()
    >>> first = previews.begin("tab", 1)
    >>> second = previews.begin("tab", 2)
    >>> first.is_set(), second.is_set()
    (True, False)
    >>> previews.begin("tab", 1) is None  # it came too late
    True
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[int, Event]] = OrderedDict()

    def begin(self, tab: str, turn: int) -> Event | None:
        """The event that stops this preview; None if a later one is there already."""
        last, event = self._last.get(tab, (-1, None))
        if turn <= last:
            return None
        if event is not None:
            event.set()
        started = Event()
        self._last[tab] = turn, started
        self._last.move_to_end(tab)
        while len(self._last) > MOST_TABS:
            self._last.popitem(last=False)[1][1].set()
        return started
