"""The engine that holds a table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import narwhals as nw

from corral.errors import SignalsError
from corral.tables.base import VoteTable
from corral.tables.duck import DuckTable
from corral.tables.lazy import PolarsTable, SparkTable

LAZY: dict[Any, Callable[[nw.LazyFrame[Any]], VoteTable]] = {
    nw.Implementation.POLARS: PolarsTable,
    nw.Implementation.PYSPARK: SparkTable,
    nw.Implementation.PYSPARK_CONNECT: SparkTable,
}


def open_table(data: Any) -> VoteTable | None:
    """A table whose rows are not in memory; None if `data` is something else.

    Parameters
    ----------
    data : Polars LazyFrame, PySpark DataFrame, DuckDB relation or anything
    """
    # Who has a relation has loaded DuckDB.
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
