"""``python -m reliability.load.one_engine ENGINE INPUT OUTPUT HEAP``: one run, measured."""

from __future__ import annotations

import json
import sys
import time

from benchmarks.processes import children_of, look_at

import corral


def main(engine: str, source: str, output: str, heap: str) -> None:
    """Label files by an engine, as users do; print time and memory as JSON."""
    if engine == "spark":
        start_spark(heap)
    began = time.monotonic()
    corral.label(source, id="id", output=output, engine=engine)
    seconds = time.monotonic() - began
    peaks = [look_at(pid).peak for pid in ("self", *children_of())]
    found = {"seconds": seconds, "peak": sum(peaks), "peak_of_python": peaks[0]}
    print(json.dumps(found))


def start_spark(heap: str) -> None:
    """A session of two cores, with its settings as for a single machine."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": heap,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")


if __name__ == "__main__":
    main(*sys.argv[1:])
