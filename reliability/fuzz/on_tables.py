"""Tables and files: every engine gives the labels of the array, or refuses."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corral
from reliability.fuzz.on_labelers import SAME
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.tasks import Task, tasks
from reliability.fuzz.values import texts

ENGINES = (
    "pandas",
    "polars",
    "polars lazy",
    "pyarrow",
    "duckdb",
    "parquet",
    "csv",
    "jsonl",
)
names = texts.filter(lambda s: s.strip() == s and s and "\x00" not in s)


@dataclass(frozen=True)
class Table:
    """Votes as columns of a table, beside an id.

    Attributes
    ----------
    engine : str
    task : Task
    columns : tuple of str
        One per signal.
    id : str
    values : tuple of str
        What the classes are called.
    """

    engine: str
    task: Task
    columns: tuple[str, ...]
    id: str
    values: tuple[str, ...]

    def arrow(self) -> Any:
        """The table, with null for no vote."""
        import pyarrow

        said = [
            [None if v < 0 else self.values[v] for v in column]
            for column in self.task.said.T
        ]
        columns = {
            name: pyarrow.array(v, "string")
            for name, v in zip(self.columns, said, strict=True)
        }
        return pyarrow.table({self.id: list(range(self.task.n))} | columns)


@st.composite
def tables(draw: st.DrawFn, engines: tuple[str, ...] = ENGINES) -> Table:
    """Any votes in any table; columns and classes are called by any text."""
    task = draw(tasks(kinds=("votes",), max_n=25, max_m=4, max_k=4))
    called = st.lists(
        names, min_size=task.m + 1, max_size=task.m + 1, unique_by=str.casefold
    )
    first, *columns = draw(called)
    values = draw(
        st.lists(names, min_size=task.k, max_size=task.k, unique_by=str.casefold)
    )
    engine = draw(st.sampled_from(engines))
    return Table(engine, task, tuple(columns), first, tuple(values))


def make(table: Table, folder: Path) -> Any:
    """The table as its engine has it; a path for files."""
    arrow = table.arrow()
    if table.engine == "pyarrow":
        return arrow
    if table.engine == "pandas":
        return arrow.to_pandas()
    if table.engine in ("polars", "polars lazy"):
        import polars

        frame = polars.from_arrow(arrow)
        return frame if table.engine == "polars" else frame.lazy()
    if table.engine == "duckdb":
        import duckdb

        return duckdb.connect().from_arrow(arrow)
    if table.engine == "spark":
        from reliability.fuzz.on_spark import make_spark_frame

        return make_spark_frame(arrow)
    path = folder / f"votes.{table.engine}"
    WRITERS[table.engine](arrow, path)
    return path


def _write_parquet(arrow: Any, path: Path) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow, path)


def _write_csv(arrow: Any, path: Path) -> None:
    import csv

    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(arrow.column_names)
        writer.writerows(
            ["" if v is None else v for v in row.values()] for row in arrow.to_pylist()
        )


def _write_json(arrow: Any, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in arrow.to_pylist()))


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_json,
}


def rows_of(made: Any) -> list[dict[str, Any]]:
    """What came back, as a list of dicts."""
    if isinstance(made, Path):
        import pyarrow.parquet

        made = pyarrow.parquet.read_table(made)
    if hasattr(made, "sparkSession"):
        return [row.asDict() for row in made.collect()]
    if hasattr(made, "collect") and hasattr(made, "lazy"):
        made = made.collect()
    if hasattr(made, "fetchall"):
        return [dict(zip(made.columns, row, strict=True)) for row in made.fetchall()]
    if hasattr(made, "to_pylist"):
        return list(made.to_pylist())
    if hasattr(made, "to_dicts"):
        return list(made.to_dicts())
    return list(made.astype(object).where(made.notna(), None).to_dict("records"))


@holds_for(tables(), cost=45)
def engines_agree(table: Table) -> None:
    """Every engine gives the labels that the array gets."""
    assert_labels_of_array(table)


def may_be_refused(table: Table) -> bool:
    """Whether an engine may rightly refuse what is labelled as an array.

    Cells of CSV have no type, so classes such as ``1e3`` are numbers among texts. A line
    break in a name cannot be told from the end of a line, unless they are alike, and
    names that are all numbers not from a first row.
    """
    if table.engine != "csv":
        return False
    named = (table.id, *table.columns)
    return (
        any(map(_is_number, table.values))
        or all(map(_is_number, named))
        or any(mark in name for mark in "\r\n" for name in named)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def assert_labels_of_array(table: Table) -> None:
    """The engine of a table labels it as the array is labelled, and keeps its cells."""
    task, k = table.task, table.task.k
    options: dict[str, Any] = {"classes": list(table.values), "id": table.id}
    labeler = corral.ConstrainedLabeler().fit(task.signals())
    rightly = nullcontext() if may_be_refused(table) else must_work()
    with tempfile.TemporaryDirectory() as folder, rightly:
        given = make(table, Path(folder))
        if isinstance(given, Path):
            options["output"] = Path(folder) / "labels.parquet"
        found = rows_of(corral.label(given, prefix="corral ", **options))
        assert sorted(os.listdir(folder)) == sorted(
            [p.name for p in (given, options.get("output")) if isinstance(p, Path)]
        )
    assert len(found) == task.n
    for row in found:
        at = int(row[table.id])
        p = labeler.labels_[at]
        shown = [row.get(f"corral p_{value}") for value in table.values]
        if k == 2:
            shown[0] = 1 - shown[1]
        np.testing.assert_allclose(np.array(shown, float), p, rtol=0, atol=SAME)
        assert bool(row["corral covered"]) == bool(labeler.covered_[at])
        for name, code in zip(table.columns, task.said[at], strict=True):
            said = row[name] or None
            assert said == (None if code < 0 else table.values[code]), (name, said)
