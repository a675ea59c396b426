"""Which class reads a table or files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os import PathLike
from typing import Any

import narwhals as nw

from corral.checks import check_choice
from corral.errors import ParameterError, SignalsError
from corral.tables.duckdb_table import DuckTable
from corral.tables.lazy_table import PolarsTable, SparkTable
from corral.tables.spark_files import SparkFiles
from corral.tables.vote_files import VoteFiles
from corral.tables.vote_table import VoteTable
from corral.wording import option

LAZY: dict[Any, Callable[[nw.LazyFrame[Any]], VoteTable]] = {
    nw.Implementation.POLARS: PolarsTable,
    nw.Implementation.PYSPARK: SparkTable,
    nw.Implementation.PYSPARK_CONNECT: SparkTable,
}
ENGINES = ("duckdb", "spark")


def open_files(
    path: str | PathLike[str],
    engine: str = "duckdb",
    *,
    memory_limit: str | None = None,
    threads: int | None = None,
    escape_formulas: bool = False,
) -> VoteFiles | SparkFiles:
    """Files of votes, to be read and written by an engine.

    Parameters
    ----------
    path : path
    engine : "duckdb" or "spark"
    memory_limit, threads, escape_formulas
        Of DuckDB.
    """
    if engine == "duckdb":
        return VoteFiles(
            path,
            memory_limit=memory_limit,
            threads=threads,
            escape_formulas=escape_formulas,
        )
    check_choice("engine", engine, ENGINES)
    if memory_limit is not None or threads is not None:
        raise ParameterError(
            "memory and threads of Spark are set where the session is made or by "
            f"spark-submit, not by {option('memory_limit')} and {option('threads')}."
        )
    if escape_formulas:
        raise ParameterError(
            "is for files that DuckDB writes, not for Spark.",
            parameter="escape_formulas",
        )
    return SparkFiles(path)


def open_table(data: Any) -> VoteTable | None:
    """A table whose rows are not in memory; None if `data` is something else.

    Parameters
    ----------
    data : Polars LazyFrame, PySpark DataFrame, DuckDB relation or anything
    """
    # If `data` is a relation, DuckDB is loaded; otherwise it need not be.
    duckdb = sys.modules.get("duckdb")
    if duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation):
        return DuckTable(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:  # eager, and refused where it is read
        return None
    if not isinstance(frame, nw.LazyFrame):
        return None
    if frame.implementation not in LAZY:
        raise SignalsError(
            f"{type(data).__module__} frames are not labelled in their engine; collect "
            "them first. Polars, DuckDB and Spark are."
        )
    return LAZY[frame.implementation](frame)
