"""Signals from marked regions of Fashion-MNIST: the authors', and those of our page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corral import Averaging, WeakSignals
from repro.config import Cell
from repro.data import GARMENTS, load
from repro.images import mark_signals, read_marks
from repro.keys import hash_arrays, hash_data
from repro.methods import accuracy, find_positions, make_labels
from repro.results import Outcome
from repro.store import Store

SOURCE = "paper/fashion_mnist"
MARKS = Path(__file__).parents[1] / "marks.npz"
"""What `repro.mark_by_script` wrote."""
YES = 0.5


class MarkedRegions:
    """How often signals of marked regions are right, and the labels that they give.

    A row is who marked: the "authors", a "script" on the page of `repro.mark`, or the same
    exemplars compared as a "whole". A column is what is counted: how often rounded
    signals are "right", which share of their "yes" is, or labels by CLL or AVG. Settings:
    ``rate``, the error rate of all signals; ``images``; ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """Hashes of images and authors' signals, and of the marks."""
        found = {SOURCE: hash_data(SOURCE)}
        if cell.row != "authors":
            found["marks"] = hash_arrays(*read_marks(MARKS))
        return found

    def run(self, cell: Cell, store: Store) -> Outcome:  # noqa: ARG002
        """Accuracy for every seed."""
        train, n = load(SOURCE).train, cell.settings.get("images")
        truth = find_positions(train.labels[:n], np.array(GARMENTS))
        said = self._say(cell)[:, :n]
        yes, ours = said > YES, np.arange(len(GARMENTS)) == truth[:, None]
        if cell.column == "right":
            return Outcome([float((yes == ours).mean())], len(truth))
        if cell.column == "yes":
            return Outcome(
                [float(np.broadcast_to(ours, yes.shape)[yes].mean())], len(truth)
            )
        signals = WeakSignals.from_one_vs_rest(yes.astype(float))
        rate = cell.settings["rate"]
        values = [
            accuracy(
                Averaging().fit(signals).labels_
                if cell.column == "AVG"
                else make_labels(cell.column, signals, truth, rate, seed),
                truth,
            )
            for seed in cell.seeds
        ]
        return Outcome(values, len(truth))

    def _say(self, cell: Cell) -> NDArray[np.float32]:
        """(4, n, k) what the signals say."""
        train = load(SOURCE).train
        if cell.row == "authors":
            assert train.signals is not None  # this data set has them
            every = train.signals.probabilities.astype(np.float32)
            return every[train.signals.row_of].transpose(1, 0, 2)
        images = np.divide(np.asarray(train.data), 255.0, dtype=np.float32)
        marks = read_marks(MARKS)
        if cell.row == "whole":
            marks = marks._replace(mask=np.ones_like(marks.mask))
        return mark_signals(images, marks, GARMENTS)
