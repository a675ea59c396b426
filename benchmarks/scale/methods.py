"""corral and what it is compared with, each measured in a process of its own.

``python -m benchmarks.scale.methods NAME INPUT WARM OUTPUT`` makes one run, after a warm-up
on a small input. It prints seconds, peak memory and, for arrays, label accuracy as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.measure import busy_seconds, peak_resident

RATE = 0.4
EPOCHS = 100
"""Snorkel's own default."""
OUT_OF_MEMORY = 9
DISTURBED = 0.2
"""Cores taken by other work from which on a time is marked."""
Work = Callable[[], Any]


def corral_array(votes: Any) -> Work:
    """One call, with one error rate for all signals."""
    import corral

    solver = corral.Adagrad(scale_free=True)
    return lambda: corral.label(votes, error_rates=RATE, solver=solver)


def corral_default(votes: Any) -> Work:
    """One call as users make it: rates are estimated, as others estimate theirs."""
    import corral

    return lambda: corral.label(votes)


def snorkel(votes: Any) -> Work:
    """Snorkel's label model: fit, then probabilities."""
    import torch
    from snorkel.labeling.model import LabelModel

    # Its matrices are small. Two threads take longer than one, many times as long when
    # the machine has other work.
    torch.set_num_threads(1)

    def work() -> Any:
        model = LabelModel(cardinality=2, verbose=False)
        model.fit(votes, n_epochs=EPOCHS, progress_bar=False)
        return model.predict_proba(votes)

    return work


def crowd_kit(votes: Any) -> Work:
    """Crowd-Kit's Dawid-Skene; the long table it takes is made beforehand."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    task, worker = np.nonzero(votes >= 0)
    table = pd.DataFrame({"task": task, "worker": worker, "label": votes[task, worker]})
    return lambda: DawidSkene().fit_predict_proba(table)


def corral_files(source: str, output: str) -> Work:
    """The same call with paths."""
    import corral

    solver = corral.Adagrad(scale_free=True)
    return lambda: corral.label(
        source, id="id", output=output, overwrite=True, error_rates=RATE, solver=solver
    )


def duckdb_alone(source: str, output: str) -> Work:
    """DuckDB reads the votes and writes a table of the columns of corral's."""
    from benchmarks.scale.files import read_and_write

    like = Path(output).with_name("like.parquet")
    return lambda: read_and_write(source, output, str(like))


@dataclass(frozen=True)
class Method:
    """Something that is measured.

    Attributes
    ----------
    title : str
        For tables and plots.
    reads : "arrays" or "files"
    prepare : callable
        Takes the votes, or the paths of input and output, and gives the work to time.
    settings : str
        What it learns, and in how many steps.
    warm : int
        Rows of the warm-up; corral compiles for large inputs only.
    """

    title: str
    reads: Literal["arrays", "files"]
    prepare: Callable[..., Work]
    settings: str
    warm: int = 10_000


GIVEN = f"rate {RATE} given, 200 steps"
METHODS = {
    "corral-default": Method(
        "corral, estimated rates", "arrays", corral_default, "the default", 300_000
    ),
    "snorkel": Method("Snorkel LabelModel", "arrays", snorkel, f"{EPOCHS} epochs"),
    "crowd-kit": Method(
        "Crowd-Kit Dawid-Skene", "arrays", crowd_kit, "100 rounds at most"
    ),
    "corral": Method("corral, arrays", "arrays", corral_array, GIVEN, 300_000),
    "corral-files": Method(
        "corral, Parquet files", "files", corral_files, GIVEN, 300_000
    ),
    "duckdb": Method(
        "DuckDB alone", "files", duckdb_alone, "random values for labels", 300_000
    ),
}


class NotMeasuredError(Exception):
    """A run came to no result; the text says why."""


def measure(
    name: str,
    source: str,
    warm: str,
    *,
    output: str = "",
    limit: int | None = None,
    memory: int | None = None,
) -> dict[str, float]:
    """One run in a fresh process.

    Parameters
    ----------
    name : str
        Of `METHODS`.
    source, warm : str
        Paths of the input and of a small one. Arrays have the true labels beside them.
    output : str
        Path of what is written, for files.
    limit : int, optional
        Seconds that the call may take.
    memory : int, optional
        Bytes that the process may ask for.

    Returns
    -------
    dict of str to float
        What the process printed, and ``others``: how many cores other work took.

    Raises
    ------
    NotMeasuredError
        If the limit or the memory was not enough, or the method failed.
    """
    module = "benchmarks.scale.methods"
    call = [sys.executable, "-m", module, name, source, warm, output]
    call += [] if limit is None else ["--limit", str(limit)]
    call += [] if memory is None else ["--memory", str(memory)]
    began, busy = time.perf_counter(), busy_seconds() - _own_seconds()
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    others = busy_seconds() - _own_seconds() - busy
    others = max(0.0, others / (time.perf_counter() - began))
    if ran.returncode == -signal.SIGALRM:
        raise NotMeasuredError(f"over {limit} s" + ("*" if others > DISTURBED else ""))
    if ran.returncode == OUT_OF_MEMORY and memory is not None:
        raise NotMeasuredError(f"over {memory / 1e9:.0f} GB")
    if ran.returncode:
        lines = ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"]
        raise NotMeasuredError(f"failed: {lines[-1]}")
    return {**json.loads(ran.stdout.splitlines()[-1]), "others": others}


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _one_run(name: str, source: str, warm: str, output: str, limit: int) -> None:
    method = METHODS[name]

    def prepared(path: str) -> Work:
        if method.reads == "files":
            return method.prepare(path, output)
        return method.prepare(np.load(path))

    prepared(warm)()
    work = prepared(source)
    before = peak_resident()
    signal.alarm(limit)  # ends the process; 0 is no alarm
    began, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    signal.alarm(0)
    found = {"seconds": seconds, "cpu": cpu, "peak": peak_resident(), "before": before}
    if method.reads == "arrays":
        found["accuracy"] = _accuracy(result, source)
    else:
        found["written"] = Path(output).stat().st_size
    print(json.dumps(found))


def _accuracy(result: Any, source: str) -> float:
    votes, truth = np.load(source), np.load(Path(source).with_name("truth.npy"))
    if not isinstance(result, np.ndarray):  # a data frame of the tasks with votes
        result = result[1].reindex(range(len(truth))).to_numpy()
    positive = result if result.ndim == 1 else result[:, 1]
    covered = (votes >= 0).any(axis=1)
    return float(((positive > 0.5) == truth)[covered].mean())


def main() -> None:
    """One run, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=METHODS)
    parser.add_argument("source")
    parser.add_argument("warm")
    parser.add_argument("output")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--memory", type=int)
    options = parser.parse_args()
    if options.memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (options.memory, options.memory))
    warnings.simplefilter("ignore")  # of pandas, and of a fit that could go on
    try:
        _one_run(
            options.name, options.source, options.warm, options.output, options.limit
        )
    except (MemoryError, RuntimeError) as error:
        # torch has no class of its own for it.
        if isinstance(error, MemoryError) or "allocate memory" in str(error):
            sys.exit(OUT_OF_MEMORY)
        raise


if __name__ == "__main__":
    main()
