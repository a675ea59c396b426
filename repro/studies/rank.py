"""The paper's theorem: more independent signals, fewer wrong labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corral import WeakSignals, signal_errors
from corral._types import FloatArray, IntArray
from corral.constraints import distance_bound, make_system
from repro.config import Cell
from repro.keys import hash_arrays
from repro.methods import accuracy, make_labels
from repro.results import Outcome
from repro.store import Store

BOUND = "bound"
"""The column of the theorem's bound."""
BINARY = "_binary"
"""Ends the name of rows of signals that say 0 or 1."""


class Rank:
    """Replace copies of one random signal by other random signals, and label each time.

    Rows: ``error``, the share of wrong labels; ``distance``, how far the labels are from
    those that are all wrong, and the least that the theorem allows; and both again where
    signals are rounded to 0 and 1, ``error_binary`` and ``distance_binary``.

    Settings: ``examples``, of which there are as many signals; ``step``, between two
    ranks; ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hash of what is drawn."""
        drawn = [part for seed in cell.seeds for part in _draw(_size(cell), seed)]
        return {"drawn": hash_arrays(*drawn)}

    def run(self, cell: Cell, store: Store) -> Outcome:  # noqa: ARG002
        """A line for every seed."""
        ranks = _ranks(cell)
        values = [
            [
                _height(cell, signals, truth, 1000 * seed + rank)
                for rank, (signals, truth) in zip(
                    ranks, _tasks(cell, seed), strict=True
                )
            ]
            for seed in cell.seeds
        ]
        return Outcome(values, rows=_size(cell), x=[float(rank) for rank in ranks])


def _size(cell: Cell) -> int:
    return int(cell.settings["examples"])


def _ranks(cell: Cell) -> list[int]:
    """From 1 to as many as there are examples."""
    step = cell.settings["step"]
    return sorted({1, *range(step, _size(cell) + 1, step)})


def _draw(n: int, seed: int) -> tuple[IntArray, FloatArray]:
    """True classes (n,), and (n, n) uniform random numbers as signals."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n), rng.random((n, n))


def _tasks(cell: Cell, seed: int) -> Iterator[tuple[WeakSignals, IntArray]]:
    """Signals of every rank: the first ones, and copies of the very first."""
    truth, drawn = _draw(_size(cell), seed)
    if cell.row.endswith(BINARY):
        drawn = np.rint(drawn)
    for rank in _ranks(cell):
        said = drawn.copy()
        said[:, rank:] = drawn[:, :1]
        yield WeakSignals.from_probabilities(said), truth


def _height(cell: Cell, signals: WeakSignals, truth: IntArray, seed: int) -> float:
    """The value of a line at one rank, with true error rates as in the theorem."""
    rates = signal_errors(signals, truth)
    if cell.column == BOUND:
        return distance_bound(make_system(signals), rates)
    labels = make_labels(cell.column, signals, truth, rates, seed)
    if cell.row.startswith("error"):
        return 1 - accuracy(labels, truth)
    return float(np.linalg.norm(labels[:, 1] - (1 - truth)))
