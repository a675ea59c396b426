"""What is to be computed: one file per table or figure, in ``configs``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from repro.keys import make_key
from repro.versions import version_of

CONFIGS = Path(__file__).parent / "configs"
ANY = "*"


class Count(NamedTuple):
    """Cells that a line of the scoreboard counts.

    Attributes
    ----------
    name : str
        What the line is about.
    rows, columns : tuple of str
        Of these cells, those with a published value are counted; empty: all.
    why : str
        One sentence on the outcome.
    as_published : bool
        Whether it is of accuracies by the paper's methods and end models, and counts in
        the total. A second line of a table is only told in the first.
    """

    name: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    why: str = ""
    as_published: bool = True


class Published(NamedTuple):
    """A value of the paper, and its standard deviation if one was given."""

    mean: float
    sd: float | None = None

    def __str__(self) -> str:
        if self.sd is None:
            return f"{self.mean:.3f}"
        shown = f"{self.sd:.3f}"  # as printed: some have four digits
        return f"{self.mean:.3f} ± {shown if float(shown) == self.sd else self.sd}"


@dataclass(frozen=True)
class Experiment:
    """One table or figure.

    Attributes
    ----------
    name, title : str
    place : str
        Where the paper has it, such as "Table 1"; empty if nowhere.
    order : int
        Place in lists and on the page.
    kind : "table" or "figure"
    study : str
        What computes a cell; a name in `repro.studies.STUDIES`.
    version : int
        Raised when the study changes in a way that makes stored results old.
    measure : str
        What is measured, such as "label accuracy".
    about : str
        Markdown: what the paper did, what was done here.
    rows : dict of str
        Names of rows, such as data sets, and how they are shown.
    columns : dict of str
        Names of columns, such as methods, and how they are shown.
    skip : tuple of str
        Cells "row/column" that are left out.
    settings, smoke : dict
        For the study; `smoke` is laid over `settings` for a run of seconds.
    axes : dict of str
        Of a figure: what ``x`` is, and what the height is in a row if not `measure`.
    paper : dict
        Rows to columns to published values; of a figure to lines, ``x`` and ``y``.
    counts : tuple of Count
        Lines of the scoreboard.
    exact : bool
        Whether values are numbers of things, the same only if equal.
    other_data : dict of str
        Rows whose data are not the paper's, and what they are.
    paired_with : str, optional
        The column that others are compared with, seed by seed; see `repro.pairs`.
    reasons : dict
        Why cells differ: "row/column", where either may be "*".
    """

    name: str
    title: str
    order: int
    kind: Literal["table", "figure"]
    study: str
    measure: str
    about: str
    rows: dict[str, str]
    columns: dict[str, str]
    place: str = ""
    version: int = 1
    skip: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    smoke: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    paper: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: tuple[Count, ...] = ()
    exact: bool = False
    other_data: dict[str, str] = field(default_factory=dict)
    paired_with: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)

    def cells(self, smoke: bool = False) -> Iterator[Cell]:
        """All cells, row by row."""
        settings = self.settings | (self.smoke if smoke else {})
        for row in self.rows:
            for column in self.columns:
                if f"{row}/{column}" not in self.skip:
                    yield Cell(self, row, column, settings)

    @cached_property
    def published(self) -> dict[tuple[str, str], Published]:
        """The paper's values by row and column."""
        return {
            (row, column): Published(*value)
            if isinstance(value, list)
            else Published(value)
            for row, columns in self.paper.items()
            for column, value in columns.items()
        }

    def reason(self, row: str, column: str) -> str | None:
        """Why a cell differs: the most specific reason given."""
        names = (f"{row}/{column}", f"{row}/{ANY}", f"{ANY}/{column}", f"{ANY}/{ANY}")
        return next(
            (self.reasons[name] for name in names if name in self.reasons), None
        )


@dataclass(frozen=True)
class Cell:
    """One value of a table, or one line of a plot, with what its study needs."""

    experiment: Experiment
    row: str
    column: str
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.experiment.name}: {self.row} / {self.column}"

    @property
    def seeds(self) -> list[int]:
        """As many as ``column_seeds`` has for "row/column", or the column, or ``seeds``."""
        own, every = self.settings.get("column_seeds", {}), self.settings["seeds"]
        of_column = own.get(self.column, every)
        return list(range(own.get(f"{self.row}/{self.column}", of_column)))

    def key(self, data: dict[str, str]) -> str:
        """A hash of all that the cell depends on, with data of these hashes.

        Also of the version of the method that labels (see `repro.versions`). Settings
        that are given row by row, or column by column, count as far as they are its own.
        """
        one = self.experiment
        rest = {
            name: self._own(given)
            for name, given in self.settings.items()
            if name not in ("seeds", "column_seeds")
        }
        where = (one.study, one.version, self.row, self.column)
        version = version_of(self.column)
        return make_key([*where, version, self.seeds, rest, data])

    def _own(self, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        for names, name in (
            (self.experiment.rows, self.row),
            (self.experiment.columns, self.column),
        ):
            if given.keys() <= names.keys():
                return given.get(name)
        return given


def read_config(path: Path) -> Experiment:
    """An experiment from a TOML file; its name is the file's."""
    table = tomllib.loads(path.read_text("utf-8"))
    table["skip"] = tuple(table.get("skip", ()))
    table["counts"] = tuple(Count(**line) for line in table.get("counts", ()))
    return Experiment(name=path.stem, **table)


def experiments() -> dict[str, Experiment]:
    """All experiments by name, in their order."""
    found = [read_config(path) for path in CONFIGS.glob("*.toml")]
    return {one.name: one for one in sorted(found, key=lambda one: one.order)}
