"""Every kind of table that `corral.label` takes, made from an Arrow table and read back."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib.util import find_spec

import pytest

NEEDS = {
    "pandas": ["pandas", "pyarrow"],
    "polars": ["polars", "pyarrow"],
    "polars lazy": ["polars", "pyarrow"],
    "pyarrow": ["pyarrow"],
    "duckdb": ["pyarrow"],
    "parquet": ["pyarrow"],
    "csv": ["pyarrow"],
    "jsonl": ["pyarrow"],
    "spark": ["pyspark", "pyarrow"],
}
IN_MEMORY = ("pandas", "polars", "pyarrow")
FILES = ("parquet", "csv", "jsonl")


def reason_to_skip(engine):
    absent = [name for name in NEEDS[engine] if find_spec(name) is None]
    if absent:
        return f"{engine} needs {', '.join(absent)}: make test EXTRAS=all"
    if engine == "spark" and shutil.which("java") is None:
        return "Spark needs Java"
    return None


def engines(*names):
    """Test parameters, skipped where something is missing."""
    return [pytest.param(name, marks=marks_of(name)) for name in names or NEEDS]


def marks_of(engine):
    """Skipped with a reason; what needs Spark goes to one process, as it starts slowly."""
    reason = reason_to_skip(engine)
    skip = pytest.mark.skipif(reason is not None, reason=str(reason))
    return [skip, pytest.mark.xdist_group("spark")] if engine == "spark" else [skip]


@cache
def spark():
    """One local session for all tests of a process."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )


def make(engine, table, folder):
    """An Arrow table as `engine` has it; a path for files."""
    import duckdb

    if engine == "pyarrow":
        return table
    if engine == "pandas":
        return table.to_pandas(types_mapper=_nullable)
    if engine in ("polars", "polars lazy"):
        import polars

        frame = polars.from_arrow(table)
        return frame if engine == "polars" else frame.lazy()
    if engine == "spark":
        return spark().createDataFrame(table)
    relation = duckdb.connect().from_arrow(table)
    if engine == "duckdb":
        return relation
    path = folder / f"votes.{engine}"
    how = {"parquet": "FORMAT parquet", "csv": "FORMAT csv", "jsonl": "FORMAT json"}
    relation.query("t", f"COPY (FROM t) TO '{path}' ({how[engine]})")
    return path


def rows(made):
    """What came back, as a list of dicts."""
    import duckdb

    if hasattr(made, "suffix"):
        made = duckdb.sql(f"FROM '{made}'")
    if hasattr(made, "collect") and hasattr(made, "lazy"):
        made = made.collect()
    if hasattr(made, "toArrow"):
        made = made.toArrow()
    if hasattr(made, "fetchall"):
        return [dict(zip(made.columns, row, strict=True)) for row in made.fetchall()]
    if hasattr(made, "to_pylist"):
        return made.to_pylist()
    if hasattr(made, "to_dicts"):
        return made.to_dicts()
    return made.astype(object).where(made.notna(), None).to_dict("records")


def _nullable(kind):
    """pandas' own types for integers and truth values with nulls."""
    import pandas
    import pyarrow

    return {
        pyarrow.int8(): pandas.Int8Dtype(),
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
    }.get(kind)
