"""What was computed: one JSON file per experiment, written after every cell."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Outcome:
    """What a study finds for a cell.

    Attributes
    ----------
    values : list of float, or of lists of float
        One per seed: a figure, or the heights of a line.
    rows : int
        Examples that were labelled or trained on.
    test_rows : int, optional
        Examples that were scored, if others.
    x : list of float, optional
        Where the line has these heights.
    note : str
        Shown to readers, such as that the data are a sample.
    """

    values: list[Any]
    rows: int
    test_rows: int | None = None
    x: list[float] | None = None
    note: str = ""


@dataclass(frozen=True)
class Record(Outcome):
    """An outcome as it is stored.

    Attributes
    ----------
    seeds : list of int
    seconds : float
        How long it took.
    data : dict of str
        Hashes of the data used.
    key : str
        Of the config and the data; another key makes a stored record old.
    """

    seeds: list[int] = field(default_factory=list)
    seconds: float = 0.0
    data: dict[str, str] = field(default_factory=dict)
    key: str = ""

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float | None:
        """Standard deviation over seeds (of the population, as in the paper)."""
        return float(np.std(self.values)) if len(self.values) > 1 else None

    def __str__(self) -> str:
        return (
            f"{self.mean:.3f}"
            if self.sd is None
            else f"{self.mean:.3f} ± {self.sd:.3f}"
        )


class Results:
    """Stored records of one experiment.

    Parameters
    ----------
    name : str
        Of the experiment.
    folder : Path
    """

    def __init__(self, name: str, folder: Path = RESULTS) -> None:
        self.path = folder / f"{name}.json"
        self.records = self._read()

    def keep(self, row: str, column: str, record: Record) -> None:
        """Store a record now; a reader never sees half a file."""
        # Another run may have stored other cells by now.
        self.records = self._read() | {(row, column): record}
        rows: dict[str, dict[str, Any]] = {}
        for (r, c), kept in self.records.items():
            rows.setdefault(r, {})[c] = asdict(kept)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", "utf-8")
        os.replace(part, self.path)

    def _read(self) -> dict[tuple[str, str], Record]:
        if not self.path.exists():
            return {}
        rows = json.loads(self.path.read_text("utf-8"))
        return {
            (row, column): Record(**record)
            for row, columns in rows.items()
            for column, record in columns.items()
        }
