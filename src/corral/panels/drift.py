"""Did anything change? A panel and an earlier one of other rows, number by number.

Compared are the shares of the classes and how often every judge agrees with the others,
over all rows and in slices, the shares of every judge's verdicts, and its accuracy. The
error of a number is that of its interval, which is of the labels, and that of other rows
of the same kind, at most the root of ``p (1 - p) / rows``.

A number has changed if its two-sided p-value passes Holm's test among all numbers of this
look. The k-th look may spend ``6 / (pi k)**2`` of ``1 - level``; these add up to all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike

import numpy as np
from scipy.special import ndtr, ndtri

from corral._types import BoolArray, FloatArray
from corral.errors import ParameterError
from corral.panels.gate import Measure
from corral.persist import read_file, write_file
from corral.results import Part, Result, Table

COMPARED = ("share", "verdicts", "agreement", "accuracy")
MIN_SHOWN = 5
"""Numbers that a table shows though nothing changed."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What is kept of a panel, to compare a later one with."""

    names: tuple[str, ...]  # of the numbers, as requirements name them
    values: FloatArray
    errors: FloatArray  # standard errors, as of other rows of the same kind
    look: int  # how many panels in a row were compared with the one before; 0: a first one

    @classmethod
    def take(cls, measures: dict[str, Measure], level: float, look: int) -> Snapshot:
        """The numbers that may change."""
        kept = {k: v for k, v in measures.items() if k.startswith(COMPARED)}
        value, low, high, rows = np.array(list(kept.values()), float).T
        error = (high - low) / (2 * ndtri((1 + level) / 2))
        spread = np.maximum(value * (1 - value), 0.25 / (rows + 1)) / rows
        return cls(tuple(kept), value, np.sqrt(error**2 + spread), look)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it; an old file is replaced."""
        settings = {"names": list(self.names), "look": self.look}
        write_file(path, "panel", settings, {"x": self.values, "error": self.errors})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Snapshot:
        """Read what `save` wrote."""
        settings, arrays = read_file(path, "panel")
        names = tuple(map(str, settings["names"]))
        return cls(names, arrays["x"], arrays["error"], int(settings["look"]))


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """What changed since an earlier panel; what chance explains least comes first."""

    look: int
    level: float
    names: tuple[str, ...]
    before: FloatArray
    now: FloatArray
    low: FloatArray  # of the difference
    high: FloatArray
    p_values: FloatArray  # of each number by itself
    changed: BoolArray  # beyond chance, for all numbers and all looks together

    title = "What has changed"

    def parts(self) -> Iterator[Part]:
        n = int(self.changed.sum())
        yield (
            f"{n or 'None'} of {len(self.names):,} numbers changed beyond chance, at look "
            f"{self.look}."
        )
        shown = slice(max(n, MIN_SHOWN))
        yield Table(
            {
                "number": self.names[shown],
                "before": self.before[shown],
                "now": self.now[shown],
                "change": list(zip(self.low[shown], self.high[shown], strict=True)),
                "changed": self.changed[shown].tolist(),
            },
            formats={"change": "+.3f"},
        )


def find_drift(before: Snapshot, now: Snapshot, look: int, level: float) -> Drift:
    """Compare the numbers that both panels have."""
    then = {name: at for at, name in enumerate(before.names)}
    both = [(at, then[name], name) for at, name in enumerate(now.names) if name in then]
    if not any(name.startswith("share(") for _, _, name in both):
        raise ParameterError(
            "holds a panel with other classes; give one with the same.",
            parameter="since",
        )
    new, old = (np.array([pair[i] for pair in both], int) for i in (0, 1))
    moved = now.values[new] - before.values[old]
    error = np.sqrt(now.errors[new] ** 2 + before.errors[old] ** 2)
    p = np.nan_to_num(2 * ndtr(-np.abs(moved) / error), nan=1.0)
    order = np.argsort(p, kind="stable")
    spent = (1 - level) * 6 / (np.pi * look) ** 2
    passed = p[order] * np.arange(len(p), 0, -1) <= spent
    reach = ndtri((1 + level) / 2) * error
    return Drift(
        look,
        level,
        tuple(both[i][2] for i in order),
        before.values[old][order],
        now.values[new][order],
        (moved - reach)[order],
        (moved + reach)[order],
        p[order],
        np.logical_and.accumulate(passed),
    )
