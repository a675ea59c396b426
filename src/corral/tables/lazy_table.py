"""Tables that are not in memory: lazy frames of Polars and Spark, counted through narwhals.

The join is the library's own: in a join of narwhals NULL differs from NULL, so that rows
on which a signal abstains would get no label.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.tables.column_names import fresh_name, refuse_twins
from corral.tables.duckdb_table import DuckTable
from corral.tables.vote_table import Columns, VoteTable
from corral.votes.frames import matrix, new_columns
from corral.votes.other_columns import ROWS_LOOKED_AT


class LazyTable(VoteTable):
    """A lazy frame of votes; subclasses do what narwhals cannot.

    Parameters
    ----------
    frame : narwhals.LazyFrame
    """

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        super().__init__()
        self._frame = frame
        self._source = frame  # one row per example
        self._hidden: list[str] = []  # columns of the source that are not shown
        self.columns = list(frame.collect_schema().names())
        if not len(self._collect(frame.head(1))):
            raise SignalsError("the table has no rows.")

    @abstractmethod
    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        """Bring a small frame into memory."""

    @abstractmethod
    def _join(self, frame: Any, labels: Any, keys: dict[str, str]) -> Any:
        """Native `frame` with the columns of a small table, NULL equal to NULL.

        Parameters
        ----------
        keys : dict
            The key columns of the frame, and what they are called in `labels`.
        """

    @abstractmethod
    def _tasks(self, answers: Any, task: str, code: str, key: str) -> Any:
        """Native `answers` grouped by task; `key` lists the codes, as ``"3,17"``."""

    def is_text(self, column: str) -> bool:
        self._require(column)
        kind = self._frame.collect_schema()[column]
        return kind in (nw.String, nw.Categorical, nw.Enum)

    def _first_rows(self, columns: Sequence[str]) -> dict[str, Any]:
        first = self._collect(self._frame.select(*columns).head(ROWS_LOOKED_AT))
        return {name: first.get_column(name).to_list() for name in columns}

    def _has_nulls(self, column: str) -> bool:
        null = self._frame.filter(nw.col(column).is_null())
        return len(self._collect(null.head(1))) > 0

    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        self._n = fresh_name("n")
        self._keys = {c: c for c in columns}
        if bins is not None:
            self._keys = {c: fresh_name("grid") for c in columns}
            codes = [
                _code(c, bins, abstain).cast(nw.Int32).alias(key)
                for c, key in self._keys.items()
            ]
            self._source = self._frame.with_columns(*codes)
            self._hidden = list(self._keys.values())
        groups = self._source.group_by(*self._keys.values())
        self._patterns = self._collect(groups.agg(nw.len().alias(self._n)))
        return self._sizes()

    def _measure_moves(
        self, columns: Sequence[str], bins: int, abstain: Any
    ) -> list[Sequence[float]]:
        wanted: dict[str, nw.Expr] = {}
        for i, c in enumerate(columns):
            value = _null_abstains(c, abstain)
            moved = (value - _code(c, bins, abstain) / bins).abs()
            wanted |= {
                f"{i} sum": moved.sum(),
                f"{i} count": moved.count(),
                f"{i} max": moved.max(),
                f"{i} low": value.min(),
                f"{i} high": value.max(),
            }
        found = self._collect(self._frame.select(**wanted)).row(0)
        return [found[a : a + 5] for a in range(0, len(found), 5)]

    def _sizes(self) -> FloatArray:
        return self._patterns.get_column(self._n).to_numpy().astype(float)

    def _sort(self) -> FloatArray:
        self._patterns = self._patterns.sort(*self._keys.values())
        return self._sizes()

    def _groups(self, at: slice | IntArray, columns: Sequence[str]) -> NDArray[Any]:
        names = {self._keys[c]: c for c in columns}
        groups = self._patterns.select(*names).rename(names)
        return matrix(groups[at, :], list(columns))

    def _make_tasks(self, task: str, codes: IntArray) -> str:
        code, key = fresh_name("code"), fresh_name("key")
        answers = self._with(self._frame, {code: codes})
        self._source = nw.from_native(self._tasks(answers, task, code, key))
        self._hidden = [key]
        return key

    def _labelled(self, added: Iterable[Columns], keep_order: bool | None) -> Any:
        self._check_order(self._keeps_order(keep_order))
        batches = list(added)
        whole = {
            name: np.ma.concatenate([b[name] for b in batches])  # type: ignore[no-untyped-call]
            if np.ma.isMaskedArray(batches[0][name])
            else np.concatenate([b[name] for b in batches])
            for name in batches[0]
        }
        joined = nw.from_native(self._with(self._source, whole))
        return joined.drop(*self._hidden).to_native()

    def _with(self, frame: nw.LazyFrame[Any], added: Columns) -> Any:
        """A frame with columns of one value per group."""
        keys = {name: fresh_name("key") for name in self._keys.values()}
        labels = new_columns(self._patterns.select(*keys).rename(keys), added)
        return self._join(frame.to_native(), labels.to_native(), keys)

    @abstractmethod
    def _keeps_order(self, asked: bool | None) -> bool:
        """Whether rows stay in order; refuse an order that the engine cannot keep."""


class PolarsTable(LazyTable):
    """A Polars lazy frame; rows stay in order."""

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        return frame.collect("polars", engine="streaming")

    def _join(self, frame: Any, labels: Any, keys: dict[str, str]) -> Any:
        return frame.join(
            labels.lazy(),
            left_on=list(keys),
            right_on=list(keys.values()),
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )

    def _tasks(self, answers: Any, task: str, code: str, key: str) -> Any:
        import polars as pl

        said = pl.col(code).filter(pl.col(code) >= 0)
        listed = said.sort().cast(pl.String).str.join(",").alias(key)
        return answers.group_by(task).agg(listed).sort(task)

    def _keeps_order(self, asked: bool | None) -> bool:  # noqa: ARG002
        return True


class SparkTable(LazyTable):
    """A Spark frame; only patterns and their labels leave and enter the cluster."""

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        super().__init__(frame)
        refuse_twins(self.columns, "Spark")

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        return frame.collect("pyarrow")

    def _require(self, name: str) -> None:
        super()._require(name)
        if "." in name or "`" in name:
            raise SignalsError(
                f"Spark takes dots and backticks in names for syntax; rename {name!r}."
            )

    def _join(self, frame: Any, labels: Any, keys: dict[str, str]) -> Any:
        from functools import reduce
        from operator import and_

        import pyspark.sql.functions as F  # noqa: N812

        small = frame.sparkSession.createDataFrame(labels)
        same = [
            F.col(_quote_spark_name(a)).eqNullSafe(F.col(b)) for a, b in keys.items()
        ]
        # Broadcast: labels are sent to the rows, so the rows are not shuffled.
        joined = frame.join(F.broadcast(small), reduce(and_, same), "left")
        return joined.drop(*keys.values())

    def _tasks(self, answers: Any, task: str, code: str, key: str) -> Any:
        import pyspark.sql.functions as F  # noqa: N812

        said = F.collect_list(F.when(F.col(code) >= 0, F.col(code)))
        listed = F.array_join(F.sort_array(said).cast("array<string>"), ",")
        return answers.groupBy(F.col(_quote_spark_name(task))).agg(listed.alias(key))

    def _keeps_order(self, asked: bool | None) -> bool:
        if asked:
            raise ParameterError("Spark does not keep the order of rows; give an id.")
        return False


LAZY: dict[Any, type[LazyTable]] = {
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
    kind = LAZY.get(frame.implementation)
    if kind is None:
        raise SignalsError(
            f"{type(data).__module__} frames are not labelled in their engine; collect "
            "them first. Polars, DuckDB and Spark are."
        )
    return kind(frame)


def _null_abstains(column: str, abstain: Any) -> nw.Expr:
    """A probability, NULL where there is no opinion."""
    value = nw.col(column).cast(nw.Float64)
    known = ~value.is_nan()
    if abstain is not None:
        known = known & (value != abstain)
    return nw.when(known).then(value)


def _code(column: str, bins: int, abstain: Any) -> nw.Expr:
    """The nearest multiple of ``1 / bins``."""
    return (_null_abstains(column, abstain) * bins + 0.5).floor()


def _quote_spark_name(name: str) -> str:
    """The name of a column in an expression of Spark."""
    return "`" + name.replace("`", "``") + "`"
