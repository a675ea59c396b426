"""What functions say of a file: the columns that it gets, and their coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.results import Part, Result, Table
from corral.votes import WeakSignals


@dataclass(frozen=True, eq=False, repr=False)
class AppliedFile(Result):
    """What functions said of the rows of a file."""

    rows: int
    classes: NDArray[Any]
    probabilities: bool  # whether any function gives them
    covered: float  # share of the rows on which any function votes
    signals: tuple[str, ...]
    coverage: FloatArray
    conflicts: FloatArray
    kept: tuple[str, ...]  # columns of the data that were written
    columns: tuple[str, ...]  # those that were added

    @property
    def title(self) -> str:
        return "What the functions say"

    def parts(self) -> Iterator[Part]:
        shares = {"coverage": self.coverage, "conflicts": self.conflicts}
        yield Table(
            {"signal": self.signals, **shares}, formats=dict.fromkeys(shares, ".1%")
        )
        yield f"{self.rows:,} rows, {self.covered:.1%} covered"


def vote_columns(signals: WeakSignals) -> dict[str, NDArray[Any]]:
    """What signals say as columns, empty where they abstain."""
    if not signals.is_hard:
        said = signals.probabilities[signals.row_of]
        if signals.n_classes == 2 and signals.schema.names_classes:
            each = zip(signals.names, said[:, :, 1].T, strict=True)
            return {name: np.ma.masked_invalid(own) for name, own in each}
        return {
            f"{name}_{label}": np.ma.masked_invalid(said[:, i, k])
            for i, name in enumerate(signals.names)
            for k, label in enumerate(signals.classes)
        }
    columns: dict[str, NDArray[Any]] = {}
    for name, codes in zip(signals.names, signals.votes.T, strict=True):
        if signals.classes.dtype.kind in "biuf":
            columns[name] = np.ma.masked_array(signals.classes[codes], codes < 0)
        else:
            columns[name] = signals.classes.astype(object)[codes]
            columns[name][codes < 0] = None
    return columns
