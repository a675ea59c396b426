"""What the benchmark must show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchmarks.scale.cells import Cell, Key, duration, key, volume
from benchmarks.scale.methods import DISTURBED


@dataclass(frozen=True)
class Outcome:
    """A target, what was found and what that means."""

    name: str
    wanted: str
    found: str
    result: Literal["goal reached", "met", "missed", "not measured"]


@dataclass(frozen=True)
class Ratio:
    """One method takes at least, or at most, so many times as long as another."""

    name: str
    long: Key
    short: Key
    sign: Literal["at least", "at most"]
    limit: float
    goal: float

    def check(self, cells: dict[Key, Cell]) -> Outcome | None:
        """None if nothing was measured."""
        if self.long not in cells or self.short not in cells:
            return None
        wanted = f"{self.sign} {self.limit:g} (goal {self.goal:g})"
        for measured in (self.long, self.short):
            if reason := cells[measured].get("reason"):
                ours = measured[0].startswith("corral")
                result = "missed" if ours else "not measured"
                return Outcome(self.name, wanted, f"{measured[0]}: {reason}", result)
        ratio = cells[self.long]["seconds"] / cells[self.short]["seconds"]
        disturbed = any(cells[k]["others"] > DISTURBED for k in (self.long, self.short))
        found = f"{ratio:.3g}" + ("*" if disturbed else "")
        side = 1 if self.sign == "at least" else -1
        if side * ratio >= side * self.goal:
            return Outcome(self.name, wanted, found, "goal reached")
        result = "met" if side * ratio >= side * self.limit else "missed"
        return Outcome(self.name, wanted, found, result)


@dataclass(frozen=True)
class Peak:
    """A run ends, and its process stays below so many bytes."""

    name: str
    measured: Key
    limit: float

    def check(self, cells: dict[Key, Cell]) -> Outcome | None:
        """None if nothing was measured."""
        if self.measured not in cells:
            return None
        cell = cells[self.measured]
        wanted = f"ends, below {self.limit / 1e9:g} GB"
        if reason := cell.get("reason"):
            return Outcome(self.name, wanted, reason, "missed")
        found = f"{volume(cell['peak'])} in {duration(cell['seconds'])}"
        result = "met" if cell["peak"] < self.limit else "missed"
        return Outcome(self.name, wanted, found, result)


M = 1_000_000
TARGETS: tuple[Ratio | Peak, ...] = (
    Ratio(
        "1,000,000 rows, Snorkel's time to that of corral's default",
        *(("snorkel", M, 10), ("corral-default", M, 10), "at least", 5, 10),
    ),
    Ratio(
        "1,000,000 rows, Crowd-Kit's time to that of corral's default",
        *(("crowd-kit", M, 10), ("corral-default", M, 10), "at least", 5, 10),
    ),
    Ratio(
        "1,000,000 rows, the textbook loop's time to corral's",
        *(("textbook", M, 10), ("corral", M, 10), "at least", 100, 200),
    ),
    *(
        Ratio(
            f"{n:,} rows in files, corral's time to DuckDB's",
            *(("corral-files", n, 10), ("duckdb", n, 10), "at most", 3, 2),
        )
        for n in (20 * M, 100 * M)
    ),
    Peak("20,000,000 rows of 20 signals in files", ("corral-files", 20 * M, 20), 4e9),
    Peak("1,000,000,000 rows in files", ("corral-files", 1000 * M, 10), 4e9),
)


def check_targets(cells: Iterable[Cell]) -> list[Outcome]:
    """Outcomes of the targets whose cells were measured."""
    table = {key(cell): cell for cell in cells}
    return [found for target in TARGETS if (found := target.check(table)) is not None]
