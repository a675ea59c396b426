"""Label accuracy of the methods on the text data sets."""

from __future__ import annotations

from functools import cache

import numpy as np

from corral import WeakSignals, apply
from corral._types import IntArray
from repro.config import Cell
from repro.data import load
from repro.keys import hash_data
from repro.methods import accuracy, find_positions, make_labels
from repro.random_ties import expect_accuracy
from repro.results import Outcome
from repro.rules import YELP_RULES
from repro.store import Store

SOURCES = {
    "imdb": "paper/imdb",
    "sst2": "paper/sst2",
    "yelp": "yelp",
    "trec": "paper/trec",
}
"""Where the signals of a row come from; Yelp's are made from its texts."""

COMPLETE = {"imdb": 29_182, "sst2": 3_998, "yelp": 45_370, "trec": 2_946}
"""Training examples of the paper."""


class TextLabels:
    """Label the training examples, and count how many labels are right.

    Of majority vote with random ties, "MV", that is the expected number. Settings:
    ``rate``, the error rate of all signals; ``rows_used``, if only the first
    so many examples; ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hash of the row's files."""
        source = SOURCES[cell.row]
        return {source: hash_data(source)}

    def run(self, cell: Cell, store: Store) -> Outcome:  # noqa: ARG002
        """Accuracy for every seed."""
        signals, truth = read_signals(cell.row)
        rows = slice(cell.settings.get("rows_used"))
        signals, truth = signals.take(rows), truth[rows]
        rate = cell.settings["rate"]
        if cell.column == "MV":
            # Ties are drawn; one lucky draw, or the mean of many, decides nothing.
            values = [expect_accuracy(signals, truth)]
        else:
            values = [
                accuracy(make_labels(cell.column, signals, truth, rate, seed), truth)
                for seed in cell.seeds
            ]
        return Outcome(values, rows=len(truth), note=_note(cell.row, len(truth)))


def _note(row: str, n: int) -> str:
    complete = COMPLETE[row]
    return "" if n == complete else f"other texts: {n:,}, not the paper's {complete:,}"


@cache
def read_signals(row: str) -> tuple[WeakSignals, IntArray]:
    """Signals of the covered training examples, and positions of their true classes."""
    train = load(SOURCES[row]).train
    signals, labels = train.signals, train.labels
    if signals is None:
        signals = apply([rule.function() for rule in YELP_RULES], train.data)
        covered = np.flatnonzero(signals.covered)
        signals, labels = signals.take(covered), labels[covered]
    return signals, find_positions(labels, signals.classes)
