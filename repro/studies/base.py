"""The interface of studies."""

from __future__ import annotations

from typing import Protocol

from repro.config import Cell
from repro.results import Outcome
from repro.store import Store


class Study(Protocol):
    """Computes the cells of one kind of experiment."""

    def data(self, cell: Cell) -> dict[str, str]:
        """Hashes of the data that a cell uses, by name."""

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Compute a cell from nothing but its settings and data."""
