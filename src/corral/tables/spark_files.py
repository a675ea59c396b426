"""Files of votes that Spark reads, counts, joins and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import PurePosixPath
from typing import Any

import narwhals as nw

from corral.errors import SignalsError
from corral.signals.abstains import NO_VOTE_TEXTS
from corral.tables.column_names import fresh_name
from corral.tables.csv_files import (
    HEADER_LINES,
    LOOKED_AT,
    layout_of,
    refuse_data_as_header,
)
from corral.tables.engine import Columns
from corral.tables.lazy_table import SparkTable, quote_spark_name
from corral.tables.paths import refuse_existing, refuse_place
from corral.tables.spreadsheet_formulas import warn_of_formulas

FORMATS = {
    "": "parquet",
    ".parquet": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".orc": "orc",
}
"""By the end of a path."""
CSV: dict[str, Any] = {
    "header": True,
    "quote": '"',
    "escape": '"',
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
}
"""How CSV is written and read, so that cells stay as they are."""
_NUMBER = r"^\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?[nN][aA][nN])\s*$"


class SparkFiles(SparkTable):
    """Files of votes anywhere that Spark reads from: HDFS, object stores, folders.

    It runs in the Spark session that is active, or in one made from Spark's own settings.
    Of CSV every column is text, as for `VoteFiles`.

    Parameters
    ----------
    path : str
        A file, a folder or a pattern, as Spark takes them: Parquet, or CSV with a header,
        JSON lines or ORC by the ending.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        try:
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise SignalsError(
                "the engine spark needs PySpark: pip install 'corral[spark]'."
            ) from error
        self._path = fspath(path)
        self._session = SparkSession.builder.appName("corral").getOrCreate()
        self._csv = _format(path) == "csv"
        self._known: set[str] = set()  # columns of text that were looked at for numbers
        with _explain_errors("read", self._path):
            frame = self._read_csv() if self._csv else self._read(_format(path))
            super().__init__(nw.from_native(frame))
            if self._csv:
                rows = [tuple(row) for row in frame.limit(LOOKED_AT).collect()]
                refuse_data_as_header(self.columns, rows, repr(self._path))

    def _read(self, kind: str) -> Any:
        return self._session.read.format(kind).load(self._path)

    def _read_csv(self) -> Any:
        from pyspark.sql.types import StringType, StructField, StructType

        first = self._session.read.text(self._path).limit(HEADER_LINES).collect()
        name = PurePosixPath(self._path).name
        layout = layout_of([row.value for row in first], name)
        schema = StructType([StructField(c, StringType()) for c in layout.names])
        # Lines that do not fit are an error, and so are files with other headers.
        strict = {"mode": "FAILFAST", "multiLine": True, "enforceSchema": False}
        options = {**CSV, **strict, "sep": layout.delimiter}
        return self._session.read.schema(schema).options(**options).csv(self._path)

    def _collect(self, frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
        with _explain_errors("read", self._path):
            return super()._collect(frame)

    # -- types of text --------------------------------------------------------

    def is_text(self, column: str) -> bool:
        self._require(column)
        if self._csv:
            self._learn_types([column])
        return super().is_text(column)

    def _learn_types(self, columns: Sequence[str], counted: bool = False) -> None:  # noqa: ARG002
        import pyspark.sql.functions as F  # noqa: N812

        unknown = [c for c in columns if self._csv and c not in self._known]
        if not unknown:
            return
        self._known.update(unknown)
        frame = self._frame.to_native()
        wanted = []
        for column in unknown:
            cell = F.col(quote_spark_name(column))
            # Numbers with gaps, such as "N/A", are numbers.
            text = F.when(~F.lower(F.trim(cell)).isin(*NO_VOTE_TEXTS), cell)
            number = text.try_cast("double")
            word = ~text.rlike(_NUMBER) | (F.abs(number) >= 2.0**63) & ~F.isnan(number)
            broken = F.isnan(number) | (number != F.rint(number))
            wanted += [F.bool_or(word), F.bool_or(F.when(text.isNotNull(), broken))]
        with _explain_errors("read", self._path):
            found = frame.agg(*wanted).collect()[0]
        for column, words, fractions in zip(
            unknown, found[::2], found[1::2], strict=True
        ):
            if words is None or words:
                continue
            value = F.trim(F.col(quote_spark_name(column)))
            for kind in ("double",) if fractions else ("decimal(38,0)", "bigint"):
                value = value.try_cast(kind)
            self._typed[column] = fresh_name("typed")
            frame = frame.withColumn(self._typed[column], value)
        self._frame = self._source = nw.from_native(frame)
        self._hidden = list(self._typed.values())

    # -- writing --------------------------------------------------------------

    def check_target(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Refuse a path that cannot be written to, before any work is done."""
        _format(path)
        target = fspath(path)
        refuse_place(target, self._path)
        if (found := self._place(target)) is not None:
            place, system = found
            refuse_existing(system.exists(place), target, overwrite)

    def _place(self, path: str) -> tuple[Any, Any] | None:
        """A path as Hadoop has it, and the file system that it is in.

        None for Spark Connect, which shows neither; writing then fails if the path exists.
        """
        from pyspark.sql.utils import is_remote

        if is_remote():
            return None
        machine: Any = self._session._jvm
        place = machine.org.apache.hadoop.fs.Path(path)
        conf = self._session._jsparkSession.sessionState().newHadoopConf()
        return place, place.getFileSystem(conf)

    def write(
        self,
        path: str | PathLike[str],
        added: Iterable[Columns],
        keep_order: bool | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write the labelled table as a folder of files.

        Spark puts a file ``_SUCCESS`` into the folder when all of it is written.
        """
        import pyspark.sql.functions as F  # noqa: N812
        from pyspark.sql import Observation

        self.check_target(path, overwrite)
        kind, target = _format(path), fspath(path)
        if kind == "csv":
            added = warn_of_formulas(added)
        table: Any = self.labelled(added, keep_order)
        if kind == "json":
            table = _without_nan(table)
        seen = Observation()
        table = table.observe(seen, F.count(F.lit(1)).alias("rows"))
        options = CSV if kind == "csv" else {}
        mode = "overwrite" if overwrite else "error"
        with _explain_errors("write", target):
            table.write.options(**options).format(kind).mode(mode).save(target)
            rows = seen.get["rows"]
        if rows != self.n_rows:
            done = f"delete {target!r}"
            if (found := self._place(target)) is not None:
                place, system = found
                system.delete(place, True)
                done = f"{target!r} was deleted"
            raise SignalsError(
                f"{self.n_rows:,} rows were read and {rows:,} were written, so {done}. "
                f"Did {self._path!r} change meanwhile?"
            )


@contextmanager
def _explain_errors(what: str, path: str) -> Iterator[None]:
    """Raise errors of Spark as errors of corral that name the path."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise SignalsError(f"Spark cannot {what} {path!r}: {error}") from error


def _without_nan(table: Any) -> Any:
    """NaN as null: JSON cannot say it."""
    import pyspark.sql.functions as F  # noqa: N812

    for name, kind in table.dtypes:
        if kind in ("float", "double"):
            column = F.col(quote_spark_name(name))
            table = table.withColumn(name, F.when(~F.isnan(column), column))
    return table


def _format(path: str | PathLike[str]) -> str:
    ending = PurePosixPath(fspath(path).rstrip("/*")).suffix.lower()
    if ending not in FORMATS:
        raise SignalsError(
            f"Spark cannot tell what kind of files {fspath(path)!r} are; the name must "
            f"end in {', '.join(filter(None, FORMATS))}, or have no ending for Parquet."
        )
    return FORMATS[ending]
