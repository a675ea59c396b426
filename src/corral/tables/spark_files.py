"""Files where a cluster has them: Spark reads, counts, joins and writes."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import PurePosixPath
from typing import Any

import narwhals as nw

from corral.errors import SignalsError
from corral.tables.base import Columns
from corral.tables.lazy import SparkTable

FORMATS = {
    "": "parquet",
    ".parquet": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".orc": "orc",
}
"""By the end of a path."""


class SparkFiles(SparkTable):
    """Files of votes anywhere that Spark reads from: HDFS, object stores, folders.

    It runs in the Spark session that is active, or in one made from Spark's own settings.

    Parameters
    ----------
    path : str
        A file, a folder or a pattern, as Spark takes them: Parquet, or CSV with a header,
        JSON lines or ORC by the ending.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        try:
            from py4j.protocol import Py4JError
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise SignalsError(
                "the engine spark needs PySpark: pip install 'corral[spark]'."
            ) from error
        session = SparkSession.builder.appName("corral").getOrCreate()
        reader = session.read.options(header=True, inferSchema=True)
        try:
            frame = reader.format(_format(path)).load(fspath(path))
            super().__init__(nw.from_native(frame))
        except (PySparkException, Py4JError) as error:
            raise SignalsError(
                f"Spark cannot read {fspath(path)!r}: {error}"
            ) from error

    @staticmethod
    def check_target(path: str | PathLike[str]) -> None:
        """Refuse a path that cannot be written to, before any work is done."""
        _format(path)

    def write(
        self,
        path: str | PathLike[str],
        added: Iterable[Columns],
        keep_order: bool | None = None,
    ) -> None:
        """Write the labelled table as a folder of files; refuse one that is there.

        Spark puts a file ``_SUCCESS`` into the folder when all of it is written.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        table: Any = self.labelled(added, keep_order)
        try:
            table.write.options(header=True).format(_format(path)).save(fspath(path))
        except (PySparkException, Py4JError) as error:
            raise SignalsError(
                f"Spark cannot write {fspath(path)!r}: {error}"
            ) from error


def _format(path: str | PathLike[str]) -> str:
    ending = PurePosixPath(fspath(path).rstrip("/*")).suffix.lower()
    if ending not in FORMATS:
        raise SignalsError(
            f"Spark cannot tell what kind of files {fspath(path)!r} are; the name must "
            f"end in {', '.join(filter(None, FORMATS))}, or have no ending for Parquet."
        )
    return FORMATS[ending]
