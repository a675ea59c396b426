"""How large the data sets are that the other tables were computed with."""

from __future__ import annotations

from corral.votes import Kind
from repro.config import Cell
from repro.images import SOURCES as IMAGES
from repro.images import ImageData, hash_images
from repro.keys import hash_data
from repro.results import Outcome
from repro.store import Store
from repro.studies.text_labels import SOURCES, read_signals
from repro.texts import read_texts


class DataSets:
    """Count what a data set has.

    Columns: "classes"; "signals", one per class that a one-vs-rest signal speaks of;
    "train", the examples that were labelled; "test". Settings: ``every`` and ``images``,
    ``test_images``, to take only some examples.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hashes of the row's files."""
        if cell.row in IMAGES:
            return hash_images(cell.row)
        return {name: hash_data(name) for name in (SOURCES[cell.row], cell.row)}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """One number."""
        count = _count_images if cell.row in IMAGES else _count_texts
        sizes = count(cell, store)
        return Outcome([float(sizes[cell.column])], rows=sizes["train"])


def _count_texts(cell: Cell, store: Store) -> dict[str, int]:
    signals, _ = read_signals(cell.row)
    by_class = signals.kind is Kind.ONE_VS_REST
    columns = signals.schema.by_column(signals.cast) > 0
    return {
        "classes": signals.n_classes,
        "signals": int(columns.sum()) if by_class else signals.n_signals,
        "train": len(signals),
        "test": len(read_texts(cell.row, store, cell.settings.get("every", 1)).test),
    }


def _count_images(cell: Cell, store: Store) -> dict[str, int]:
    task = ImageData(cell.row, cell.settings, store)
    return {
        "classes": int(task.truth.max()) + 1,
        "signals": task.n_signals,
        "train": len(task.train),
        "test": len(task.test),
    }
