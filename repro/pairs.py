"""Columns compared seed by seed, so that what both share cancels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from repro.results import Record


class Difference(NamedTuple):
    """Mean of paired differences, and its standard error."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.error:.4f}"


def compare_pairs(record: Record, base: Record) -> Difference:
    """How much higher a record is than another one, over the seeds of both.

    Raises
    ------
    ValueError
        If they do not have the same seeds and data, two seeds or more.
    """
    if record.seeds != base.seeds or record.data != base.data or len(base.seeds) < 2:
        raise ValueError("only records of the same seeds and data, two or more, pair.")
    gaps = np.subtract(record.values, base.values)
    return Difference(float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps))))
