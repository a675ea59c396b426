"""`Result`: what a function of corral found, and every way to show it.

A result is a frozen dataclass with its arrays and one method, `parts`. Text, JSON, data
frames, pages and pictures are made here, once for all results.
"""

from __future__ import annotations

import csv
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from io import StringIO
from os import PathLike
from pathlib import Path
from textwrap import fill
from typing import Any

from corral.errors import ParameterError
from corral.results.chart import Chart
from corral.results.text import MAX_LINES, WIDTH, printable, text_table
from corral.storage import atomic_write

SUFFIXES = (".html", ".json", ".txt", ".csv", ".svg")


@dataclass(frozen=True)
class Table:
    """Columns of one length, by heading.

    Attributes
    ----------
    columns : mapping of str to sequence
        Texts, numbers, pairs of numbers (the ends of an interval), None or NaN for
        nothing. A column that is None is left out.
    caption : str
        What the lines are.
    formats : mapping of str to str
        How numbers are written, by heading; default ".3f", and "," for whole numbers.
    meanings : mapping of str to str
        What a heading means, for readers of a page.
    most : int
        Lines that a terminal shows; pages, frames and files have all.
    opens : tuple of str
        Columns that a page shows only when a line is opened.
    """

    columns: Mapping[str, Any]
    caption: str = ""
    formats: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    most: int = MAX_LINES
    opens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = {name: each for name, each in self.columns.items() if each is not None}
        object.__setattr__(self, "columns", known)

    @property
    def words(self) -> list[bool]:
        """Whether each column holds texts, which stand to the left."""
        columns = self.columns.values()
        return [any(isinstance(cell, str) for cell in column) for column in columns]

    @property
    def folds(self) -> bool:
        """Whether a page shows it closed: a terminal shows the first few lines only."""
        return bool(self.caption) and self.most < MAX_LINES and not self.opens

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self, most: int) -> list[tuple[str, ...]]:
        """The cells of the first lines as texts."""
        written = [
            [write_cell(cell, self.formats.get(heading, "")) for cell in column[:most]]
            for heading, column in self.columns.items()
        ]
        return list(zip(*written, strict=True))

    def __str__(self) -> str:
        left = [at for at, is_words in enumerate(self.words) if is_words]
        more = max(len(self) - self.most, 0)
        table = text_table(
            tuple(self.columns), self.rows(self.most), left=left, more=more
        )
        return f"{printable(self.caption)}\n{table}" if self.caption else table

    @property
    def flat(self) -> dict[str, list[Any]]:
        """The columns in plain values, intervals as two of them."""
        found: dict[str, list[Any]] = {}
        for heading, column in self.columns.items():
            cells = as_plain(column)
            if not any(isinstance(cell, list) for cell in cells):
                found[heading] = cells
                continue
            pairs = [cell or (None, None) for cell in cells]
            found[f"{heading} low"] = [low for low, _ in pairs]
            found[f"{heading} high"] = [high for _, high in pairs]
        return found


def write_cell(cell: Any, how: str = "") -> str:
    """A cell of a table as text; `how` is a format of numbers.

    Examples
    --------
    >>> from corral.results.result import write_cell
    >>> [write_cell(cell) for cell in ("ham", 1200, 0.25, (0.1, 0.4), None)]
    ['ham', '1,200', '0.250', '0.100 to 0.400', '']
    >>> write_cell((0.1, 0.4), ".0%")
    '10% to 40%'
    """
    if hasattr(cell, "tolist"):  # of NumPy
        cell = cell.tolist()
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, tuple | list):
        ends = [write_cell(end, how) for end in cell]
        return " to ".join(ends) if all(ends) else ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:{how or ','}}"
    if not isinstance(cell, float):
        return str(cell)
    text = f"{cell:{how or '.3f'}}"
    return text if text.strip("-0.%") else text.lstrip("-")  # -0.00 is 0.00


@dataclass(frozen=True)
class Facts:
    """A few numbers that come first: (name, value, what it means) each."""

    facts: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: {value}" + (f" ({note})" if note else "")
            for name, value, note in self.facts
        )


@dataclass(frozen=True)
class Code:
    """What to run, on a line of its own."""

    text: str

    def __str__(self) -> str:
        return f"    {printable(self.text)}"


@dataclass(frozen=True)
class Section:
    """Parts under a heading; `name` is the anchor that links go to.

    A terminal leaves out a section that is `brief`, and says that a page has it.
    """

    title: str
    parts: tuple[Part, ...]
    brief: bool = False

    @property
    def name(self) -> str:
        return "-".join(self.title.lower().split())

    def __str__(self) -> str:
        title = printable(self.title)
        return join_parts((f"{title}\n{'-' * len(title)}", *self.parts), within=True)


Part = str | Code | Facts | Table | Chart | Section


def join_parts(parts: Iterable[Part], *, within: bool = False) -> str:
    """Parts as text for a terminal; charts are left out, as tables have their numbers.

    `within` a section nothing is said of what is left out.
    """
    parts = list(parts)
    brief = [p.title for p in parts if isinstance(p, Section) and p.brief]
    shown: list[Part] = [
        p for p in parts if not isinstance(p, Chart) and not getattr(p, "brief", False)
    ]
    if brief and not within:
        shown.append(f"On a page (.html) there is more: {', '.join(brief)}.")
    wrap = partial(fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join(
        "\n".join(map(wrap, printable(part, lines=True).split("\n")))
        if isinstance(part, str)
        else str(part)
        for part in shown
    )


class Result(ABC):
    """Base of all results. A subclass is a frozen dataclass with `title` and `parts`."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What a page calls it."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Sentences, facts, tables, charts and sections, in the order of reading."""

    def __str__(self) -> str:
        return join_parts(self.parts())

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain values, ready for JSON: no arrays, None for NaN.

        Attributes declared by ``field(repr=False)``, such as a label per row, are left out.
        """
        return _as_dict(self)

    @property
    def tables(self) -> list[Table]:
        """All tables, in the order of reading."""
        return [part for part in _walk(self.parts()) if isinstance(part, Table)]

    def to_frame(self, table: int = 0, backend: Any = "pandas") -> Any:
        """One of `tables` as a data frame: numbers as they are, intervals as two columns.

        Parameters
        ----------
        table : int
        backend : "pandas", "polars", "pyarrow" or another that narwhals knows
        """
        import narwhals as nw

        return nw.from_dict(self.tables[table].flat, backend=backend).to_native()

    def to_html(self) -> str:
        """A page that needs nothing else: no network, light and dark, any width."""
        from corral.results.page import render_page

        return render_page(self)

    def _repr_html_(self) -> str:
        from corral.results.page import render_frame

        return render_frame(self)

    def write(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write a page, JSON, text, the first table or the first chart.

        Parameters
        ----------
        path : path
            Ends in .html, .json, .txt, .csv or .svg.
        overwrite : bool
            Replace a file that exists.
        """
        text = self._rendered(Path(path).suffix.lower())
        with atomic_write(path, overwrite=overwrite) as temporary:
            temporary.write_text(text, "utf-8", newline="")

    def _rendered(self, suffix: str) -> str:
        if suffix == ".html":
            return self.to_html()
        if suffix == ".json":
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"
        if suffix == ".txt":
            return f"{self}\n"
        if suffix == ".csv" and self.tables:
            return _write_csv(self.tables[0])
        charts = [part for part in _walk(self.parts()) if isinstance(part, Chart)]
        if suffix == ".svg" and charts:
            from corral.results.svg import to_svg

            return to_svg(charts[0], standalone=True)
        raise ParameterError(
            f"must end in {', '.join(SUFFIXES)}, with a table for .csv and a chart for "
            f".svg; a {type(self).__name__} cannot be written as {suffix!r}.",
            parameter="path",
        )


def _walk(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Section):
            yield from _walk(part.parts)
        else:
            yield part


def _write_csv(table: Table) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.flat)
    writer.writerows(zip(*table.flat.values(), strict=True))
    return out.getvalue()


def _as_dict(value: Any) -> dict[str, Any]:
    return {f.name: as_plain(getattr(value, f.name)) for f in fields(value) if f.repr}


def as_plain(value: Any) -> Any:
    """The same in lists, dicts, text and numbers; NaN and infinity are None.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.results import as_plain
    >>> as_plain({"rate": np.array([0.5, np.nan]), "classes": ("ham", np.int64(1))})
    {'rate': [0.5, None], 'classes': ['ham', 1]}
    """
    if hasattr(value, "tolist"):  # arrays of NumPy, and their scalars
        value = value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return _as_dict(value)
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Iterable):
        return [as_plain(item) for item in value]
    return str(value)
