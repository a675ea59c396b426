"""Spark, with one session for all cases of a process: it is the dearest engine by far."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib.util import find_spec
from typing import Any

from reliability.fuzz.on_tables import Table, assert_labels_of_array, tables
from reliability.fuzz.properties import holds_for


def reason_without_spark() -> str | None:
    """Why Spark cannot be tried here; None if it can."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "there is no Java"
    return None


@cache
def spark_session() -> Any:
    """The session of this process, on one core."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "512m")
        .getOrCreate()
    )


def make_spark_frame(arrow: Any) -> Any:
    """A table of Arrow in Spark: the id is a number, all else is text."""
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    first, *others = arrow.column_names
    fields = [StructField(first, LongType())]
    fields += [StructField(name, StringType()) for name in others]
    rows = [tuple(row.values()) for row in arrow.to_pylist()]
    return spark_session().createDataFrame(rows, StructType(fields))


if reason_without_spark() is None:

    @holds_for(tables(engines=("spark",)), cost=2000)
    def spark_agrees(table: Table) -> None:
        """Spark gives the labels that the array gets."""
        assert_labels_of_array(table)
