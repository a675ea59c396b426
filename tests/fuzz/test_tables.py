"""Votes in any form: every engine and file gives the labels of the array, or refuses."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.fuzz.damage import damaged, damages
from tests.fuzz.properties import (
    SAME,
    Task,
    assert_probabilities,
    floats,
    holds,
    integers,
    must_work,
    odd,
    tasks,
    texts,
)
from tests.io.engines import make, rows

import corral
from corral.errors import CorralError

pytest.importorskip("pandas")
pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

# -- anything -----------------------------------------------------------------------

cells = st.one_of(
    st.just(st.integers(-1, 3)),
    st.just(st.sampled_from(["a", "b", "", None])),
    st.just(st.sampled_from([0.0, 1.0, math.nan])),
    *(
        st.lists(kind, min_size=1, max_size=4).map(st.sampled_from)
        for kind in (texts, integers, floats, odd)
    ),
    st.just(odd),
)


@st.composite
def nested(draw: st.DrawFn) -> Any:
    """Rows of cells; now and then ragged, empty, flat, or an array of some type."""
    cell, n, m = draw(cells), draw(st.integers(0, 5)), draw(st.integers(0, 4))
    least = 0 if draw(st.integers(0, 9)) == 0 else m
    rows = [draw(st.lists(cell, min_size=least, max_size=m)) for _ in range(n)]
    form = draw(st.sampled_from(["list", "object", "array", "flat", "cube", "tuple"]))
    if form in ("object", "array"):
        try:
            return np.array(rows, object if form == "object" else None)
        except (ValueError, OverflowError):
            return rows
    if form == "flat":
        return rows[0] if rows else rows
    return {"cube": [rows, rows], "tuple": tuple(map(tuple, rows))}.get(form, rows)


@holds(nested(), share=2)
def test_anything_is_labelled_or_refused(votes: Any) -> None:
    labels = corral.label(votes)
    with must_work():
        assert labels.ndim == 2
        assert_probabilities(labels, len(votes), labels.shape[1])


# -- engines and files --------------------------------------------------------------

ENGINES = (
    *("pandas", "polars", "polars lazy", "pyarrow", "duckdb"),
    *("parquet", "csv", "jsonl"),
)
column_names = texts.filter(
    # A column named y or label would be asked about: true labels are no votes.
    lambda s: (
        s.strip() == s
        and s
        and "\x00" not in s
        and re.sub(r"[\W_]", "", s).lower() not in ("y", "label")
    )
)


@dataclass(frozen=True)
class Table:
    """Votes as columns of a table, beside an id."""

    engine: str
    task: Task
    names: list[str]
    values: list[str]

    def make(self, folder: Path) -> Any:
        """The table as its engine has it; a path for files."""
        id_, *columns = self.names
        said: dict[str, Any] = {id_: list(range(self.task.n))}
        for name, codes in zip(columns, self.task.said.T, strict=True):
            cast = [None if v < 0 else self.values[v] for v in codes]
            said[name] = pyarrow.array(cast, "string")
        return make(self.engine, pyarrow.table(said), folder)

    @property
    def may_be_refused(self) -> bool:
        """Whether CSV, whose cells have no type, may rightly refuse such names."""
        return self.engine == "csv" and (
            any(map(is_number, (*self.values, *self.names)))
            or not {*self.names}.isdisjoint(self.values)
            or any(mark in name for mark in "\r\n" for name in self.names)
        )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any votes in any table; columns and classes are called by any text."""
    task = draw(tasks(kinds=("votes",), max_n=25, max_m=4, max_k=4))

    def some(n: int) -> list[str]:
        unique = {"unique_by": str.casefold}
        return draw(st.lists(column_names, min_size=n, max_size=n, **unique))

    return Table(draw(st.sampled_from(ENGINES)), task, some(task.m + 1), some(task.k))


@holds(tables(), share=1.5)
def test_every_engine_gives_the_labels_of_the_array(table: Table) -> None:
    task, (id_, *columns) = table.task, table.names
    labeler = corral.ConstrainedLabeler().fit(task.signals())
    rightly = nullcontext() if table.may_be_refused else must_work()
    with tempfile.TemporaryDirectory() as folder, rightly:
        given = table.make(Path(folder))
        options: dict[str, Any] = {"classes": table.values, "id": id_}
        files = []
        if isinstance(given, Path):
            options["output"] = Path(folder) / "labels.parquet"
            files = sorted(["labels.parquet", given.name])
        found = rows(corral.label(given, prefix="corral ", **options))
        assert sorted(os.listdir(folder)) == files
    assert sorted(int(row[id_]) for row in found) == list(range(task.n))
    for row in found:
        at = int(row[id_])
        p = [row.get(f"corral p_{value}") for value in table.values]
        if task.k == 2:
            p[0] = 1 - p[1]
        np.testing.assert_allclose(np.array(p, float), labeler.labels_[at], 0, SAME)
        assert bool(row["corral covered"]) == bool(labeler.covered_[at])
        for name, code in zip(columns, task.said[at], strict=True):
            assert (row[name] or None) == (None if code < 0 else table.values[code])


ROWS = [
    *({"id": 0, "a": 0, "b": 1, "c": -1}, {"id": 1, "a": 1, "b": 1, "c": 0}),
    *({"id": 2, "a": 0, "b": -1, "c": 0}, {"id": 3, "a": 1, "b": 1, "c": 1}),
    *({"id": 4, "a": -1, "b": -1, "c": -1}, {"id": 5, "a": 0, "b": 0, "c": 1}),
]


def table_file(kind: str) -> bytes:
    import pyarrow.parquet

    if kind == "csv":
        lines = (",".join(map(str, row.values())) for row in ROWS)
        return "\n".join(["id,a,b,c", *lines]).encode()
    if kind == "jsonl":
        return "\n".join(map(json.dumps, ROWS)).encode()
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), buffer)
    return buffer.getvalue().to_pybytes()


@holds(st.tuples(st.sampled_from(["csv", "jsonl", "parquet"]), damages), share=1.5)
def test_a_damaged_table_is_labelled_whole_or_leaves_no_output(case: Any) -> None:
    import pyarrow.parquet

    kind, done = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, output = folder / f"votes.{kind}", folder / "labels.parquet"
        path.write_bytes(damaged(table_file(kind), done))
        try:
            corral.label(path, id="id", output=output, error_rates=0.2)
        except CorralError:
            assert os.listdir(folder) == [path.name]
            raise
        assert {*os.listdir(folder)} == {path.name, output.name}
        columns = pyarrow.parquet.read_table(output).to_pydict()
        p = np.array([v for n, v in columns.items() if n.startswith("p_")], float)
        assert ((p >= 0) & (p <= 1)).all()
