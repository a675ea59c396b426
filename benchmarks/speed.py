"""``python -m benchmarks speed``: seconds and memory, beside peers and limits.

Every job is a process of its own, and stores its figures when it ends; ``--jobs`` chooses
some. What is compared runs in turns, seven times (three times, if it takes over 20
seconds), warm and with inputs made beforehand, and does the same: it learns how good
signals are, and labels all rows. Peak memory and files are measured in fresh processes.
"""

from __future__ import annotations

import argparse
import json
import os
import pprint
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np

import corral
from benchmarks.measure import (
    RUNS,
    SLOW_RUNS,
    busy_seconds,
    exit_with,
    peak_resident,
    resident,
    round_numbers,
    store,
    time_in_turns,
)
from corral.datasets import PAPER_ACCURACIES, random_votes

ROUNDS, EPOCHS, SEED = 10, 100, 0
WARM_ROWS, WORKERS, ANSWERS_A_TASK = 20_000, 5000, 5
MILLION = 1_000_000
SLICE, BYTES_A_ROW = 100_000_000, 60
DEFAULT, SNORKEL, LIMIT = "ConstrainedLabeler", "Snorkel LabelModel", "NumPy, no labels"
METAL, SKENE, ONE_COIN = "MeTaL", "DawidSkene", "OneCoinDawidSkene"
KIT_SKENE, KIT_ONE_COIN = "Crowd-Kit DawidSkene", "Crowd-Kit OneCoinDawidSkene"
SETTINGS = {
    DEFAULT: "the default, rates estimated",
    METAL: f"{EPOCHS} steps",
    SNORKEL: f"{EPOCHS} epochs",
    **dict.fromkeys((SKENE, ONE_COIN, KIT_SKENE, KIT_ONE_COIN), f"{ROUNDS} rounds"),
    "DataProgramming": "until it settles",
    "MajorityVote": "nothing learned",
    LIMIT: "reads votes, writes as many numbers",
}
PAIRS = {METAL: SNORKEL, SKENE: KIT_SKENE, ONE_COIN: KIT_ONE_COIN}
"""The same method here and there, with the same start and as many steps."""

Figures = dict[str, Any]
Work = Callable[[], Any]
Array = Any


# -- in memory ------------------------------------------------------------------------


def snorkel(votes: Array) -> Work:
    """Snorkel's label model: fit, then probabilities."""
    import torch
    from snorkel.labeling.model import LabelModel

    torch.set_num_threads(1)  # two take longer on matrices as small as Snorkel's
    wide = votes.astype(int)  # Snorkel adds one to it

    def work() -> Array:
        model = LabelModel(cardinality=2, verbose=False)
        model.fit(wide, n_epochs=EPOCHS, seed=SEED, progress_bar=False)
        return model.predict_proba(wide)

    return work


def crowd_kit(name: str, table: Any) -> Work:
    """A method of Crowd-Kit on a long table."""
    from crowdkit import aggregation

    # Its bound on the likelihood is another one, so both take all rounds.
    method = getattr(aggregation, name)(n_iter=ROUNDS, tol=-np.inf)
    return lambda: method.fit_predict_proba(table)


def long_table(votes: Array) -> Any:
    """The votes (n, m) as the table that Crowd-Kit takes."""
    import pandas as pd

    task, worker = np.nonzero(votes >= 0)
    said = votes[task, worker].astype(int)
    return pd.DataFrame({"task": task, "worker": worker, "label": said})


def default_works(votes: Array) -> dict[str, Work]:
    """The default, beside Snorkel, and beside what only reads and writes."""
    return {
        DEFAULT: lambda: corral.label(votes),
        SNORKEL: snorkel(votes),
        LIMIT: lambda: np.full((len(votes), 2), votes.max() / 2),
    }


def labeler_works(votes: Array) -> dict[str, Work]:
    """Labelers, beside the same of other libraries."""
    table, start = long_table(votes), np.random.RandomState(SEED).random_sample()
    rounds = {"max_iter": ROUNDS, "tolerance": 0, "smoothing": 0}

    def label(labeler: str, **options: Any) -> Work:
        return lambda: corral.label(votes, labeler=labeler, **options)

    return {
        METAL: label("metal", start=start),  # as Snorkel draws it
        SNORKEL: snorkel(votes),
        SKENE: label("dawid-skene", **rounds),
        KIT_SKENE: crowd_kit("DawidSkene", table),
        ONE_COIN: label("one-coin-dawid-skene", **rounds),
        KIT_ONE_COIN: crowd_kit("OneCoinDawidSkene", table),
        "DataProgramming": label("data-programming"),
        "MajorityVote": label("majority-vote"),
    }


def soft_works(shares: Array) -> dict[str, Work]:
    """Probabilities; the others take them as votes only, which are rounded beforehand."""
    votes = np.where(np.isnan(shares), -1, shares > 0.5)
    return {
        DEFAULT: lambda: corral.label(shares, probabilities=True),
        SNORKEL: snorkel(votes),
        KIT_SKENE: crowd_kit("DawidSkene", long_table(votes)),
    }


def crowd_works(table: Any) -> dict[str, Work]:
    """A long table of answers, to labels of its tasks."""
    named = {"task": "task", "worker": "worker", "label": "label"}
    rounds = {"max_iter": ROUNDS, "tolerance": 0, "smoothing": 0}
    return {
        DEFAULT: lambda: corral.label(table, **named),
        SKENE: lambda: corral.label(table, labeler="dawid-skene", **named, **rounds),
        KIT_SKENE: crowd_kit("DawidSkene", table),
    }


def random_shares(n: int) -> tuple[Array, Array]:
    """Probabilities that mean what they say, no two of them the same; true classes."""
    rng, shape = np.random.default_rng(0), (n, len(PAPER_ACCURACIES))
    truth, sure = rng.integers(0, 2, n), rng.uniform(0.5, 1, shape)
    said = np.where(rng.random(shape) < sure, truth[:, None], 1 - truth[:, None])
    shares = np.where(said == 1, sure, 1 - sure)
    return np.where(rng.random(shape) < 0.3, shares, np.nan), truth


def random_answers(n: int, workers: int = WORKERS) -> tuple[Any, Array]:
    """A table of so many answers of a crowd, right in half to all cases, and the truth."""
    import pandas as pd

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n // ANSWERS_A_TASK)
    task = np.repeat(np.arange(len(truth)), ANSWERS_A_TASK)
    first, step = rng.integers(0, workers, (2, len(truth)))
    turn = np.arange(len(task)) % ANSWERS_A_TASK  # nobody answers a task twice
    worker = (
        first[task] + turn * (1 + step[task] % (workers // ANSWERS_A_TASK))
    ) % workers
    right = rng.random(len(task)) < rng.uniform(0.5, 1, workers)[worker]
    said = np.where(right, truth[task], 1 - truth[task])
    return pd.DataFrame({"task": task, "worker": worker, "label": said}), truth


IN_MEMORY: Mapping[
    str, tuple[Callable[[int], Any], Callable[[Any], dict[str, Work]]]
] = {
    "default": (random_votes, default_works),
    "labelers": (random_votes, labeler_works),
    "soft": (random_shares, soft_works),
    "crowd": (random_answers, crowd_works),
}
"""How the input and the true classes of a job are made, and what runs on the input."""


def compare(job: str, n: int, runs: int) -> Figures:
    """Seconds, accuracy and memory of everything, on a million rows or answers."""
    make, works = IN_MEMORY[job]
    for work in works(make(WARM_ROWS)[0]).values():
        work()
    given, truth = make(n)
    found: dict[str, Any] = {}

    def keep(name: str, work: Work) -> None:
        found[name] = work()

    tasks = {name: partial(keep, name, work) for name, work in works(given).items()}
    seconds = time_in_turns(tasks, runs)
    found.pop(LIMIT, None)
    chosen = {name: classes_of(labels, len(truth)) for name, labels in found.items()}
    known = np.logical_and.reduce([each >= 0 for each in chosen.values()])
    size = (given if isinstance(given, np.ndarray) else given.to_numpy()).nbytes
    return {
        "rows": n,
        "seconds": seconds,
        "settings": {name: SETTINGS[name] for name in tasks},
        "accuracy": {
            name: float((each == truth)[known].mean()) for name, each in chosen.items()
        },
        "labels equal": {
            ours: float((chosen[ours] == chosen[theirs])[known].mean())
            for ours, theirs in PAIRS.items()
            if ours in chosen and theirs in chosen
        },
        "memory": {name: peak_of(job, name, n) / size for name in tasks},
    }


def classes_of(labels: Any, n: int) -> Array:
    """(n,) the likeliest class; -1 where there is no label, or none is surer."""
    if isinstance(labels, np.ndarray):
        return np.where(labels[:, 0] == labels[:, 1], -1, labels.argmax(axis=1))
    chosen = np.full(n, -1)  # a data frame of the tasks, by corral or by Crowd-Kit
    if "p_0" in labels:
        labels = labels.set_index("task")[["p_0", "p_1"]]
    chosen[labels.index] = labels.sort_index(axis=1).to_numpy().argmax(axis=1)
    return chosen


def peak_of(job: str, name: str, n: int) -> int:
    """Bytes that one work takes at most beside its input, in a process of its own."""
    print(f"  memory: {name}", file=sys.stderr, flush=True)
    return int(run_python("-m", "benchmarks.speed", "--peak", job, name, str(n)))


def print_peak(job: str, name: str, n: int) -> None:
    """What `peak_of` asks for, in this process."""
    make, works = IN_MEMORY[job]
    works(make(WARM_ROWS)[0])[name]()
    work = works(make(n)[0])[name]
    before = resident(os.getpid())
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here (Linux)
    work()
    print(peak_resident() - before)


# -- files ----------------------------------------------------------------------------


def run_python(*arguments: str) -> str:
    """The last line that a new process of Python prints."""
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules
    call = [sys.executable, *arguments]
    ran = subprocess.run(call, env=environment, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{' '.join(call)} failed:\n{ran.stderr}")
    return (ran.stdout.splitlines() or [""])[-1]


def make_votes(folder: Path, rows: int) -> Path:
    """Ten signals in files, each of which votes on three rows in ten; NULL for the rest."""
    import duckdb

    (folder / "votes").mkdir(parents=True)
    needed, free = rows * BYTES_A_ROW, shutil.disk_usage(folder).free
    if free < needed:
        raise SystemExit(
            f"{rows:,} rows need {needed / 1e9:.0f} GB, {folder} has {free / 1e9:.0f}: "
            "choose another place with --folder"
        )
    votes = ", ".join(
        "CASE WHEN random() < 0.3 THEN "
        f"(CASE WHEN random() < {share} THEN y ELSE 1 - y END)::TINYINT END AS s{i}"
        for i, share in enumerate(PAPER_ACCURACIES)
    )
    with duckdb.connect() as connection:
        for part, start in enumerate(range(0, rows, SLICE)):
            print(f"  votes from row {start:,} on", file=sys.stderr, flush=True)
            connection.execute(f"SELECT setseed({(part + 1) / 1000})")
            truth = "SELECT range AS id, (random() < 0.5)::TINYINT AS y"
            range_of = f"range({start}, {min(start + SLICE, rows)})"
            connection.execute(
                f"COPY (SELECT id, {votes} FROM ({truth} FROM {range_of})) "
                f"TO '{folder}/votes/{part:03}.parquet'"
            )
    return folder


def measure_files(place: Path, rows: int, runs: int, *, fresh: bool) -> Figures:
    """Seconds and memory of corral and of DuckDB, in processes of their own.

    A process works twice on the rows, if `fresh`: first cold, then warm. Else it is warmed
    up by a small input.
    """
    folder, names = make_votes(place / str(rows), rows), ("corral", "DuckDB")
    first = folder if fresh else make_votes(place / "first", WARM_ROWS)
    found: dict[str, list[Figures]] = {name: [] for name in names}
    for turn in range(runs):
        for name in names:
            print(
                f"  {rows:,} rows, run {turn + 1}: {name}", file=sys.stderr, flush=True
            )
            started = str(time.monotonic())
            process = ("-m", "benchmarks.speed_process", name, started)
            found[name].append(
                json.loads(run_python(*process, str(first), str(folder)))
            )
    shutil.rmtree(folder)
    parts = {"fresh": 0, "warm": 1} if fresh else {"warm": 1}
    return {
        "rows": rows,
        "peak": {name: max(run["peak"] for run in found[name]) for name in names},
        **{
            part: {
                name: statistics.median(run["seconds"][at] for run in found[name])
                for name in names
            }
            for part, at in parts.items()
        },
    }


def run_files(n: int, runs: int, place: Path) -> list[Figures]:
    """20,000,000 rows in a fresh process and warm, and 100,000,000 warm."""
    return [
        measure_files(place, 20 * n, runs, fresh=True),
        measure_files(place, 100 * n, min(runs, SLOW_RUNS), fresh=False),
    ]


def run_billion(n: int, runs: int, place: Path) -> list[Figures]:  # noqa: ARG001
    """1,000,000,000 rows, once."""
    return [measure_files(place, 1000 * n, 1, fresh=False)]


def run_spark(n: int, runs: int, place: Path) -> Figures:
    """20,000,000 rows on two local cores, beside Spark's own read and write."""
    from pyspark.sql import SparkSession

    folder, small = (
        make_votes(place / "big", 20 * n),
        make_votes(place / "small", n // 50),
    )
    session = SparkSession.builder.master("local[2]").config(
        "spark.driver.memory", "6g"
    )
    spark = session.config("spark.ui.enabled", "false").getOrCreate()

    def label(folder: Path) -> None:
        votes = spark.read.parquet(str(folder / "votes"))
        labelled = corral.label(votes, id="id")
        labelled.write.mode("overwrite").parquet(str(folder / "labelled"))

    def copy(folder: Path) -> None:
        votes = spark.read.parquet(str(folder / "votes"))
        votes.agg(dict.fromkeys(votes.columns[1:], "sum")).collect()
        labelled = spark.read.parquet(str(folder / "labelled"))
        labelled.write.mode("overwrite").parquet(str(folder / "copied"))

    works = {"corral": label, "Spark": copy}
    for work in works.values():
        work(small)
    tasks = {name: partial(work, folder) for name, work in works.items()}
    found = {"rows": 20 * n, "warm": time_in_turns(tasks, min(runs, SLOW_RUNS))}
    spark.stop()
    return found


# -- start, and growth ----------------------------------------------------------------


def run_start(n: int, runs: int, place: Path) -> Figures:  # noqa: ARG001
    """Processor seconds of small processes, beside imports of others."""
    votes = random_votes(2000)[0]
    lines = [",".join(map(str, row)) for row in np.where(votes < 0, "", votes)]
    head = ",".join(f"s{i}" for i in range(votes.shape[1]))
    (place / "votes.csv").write_text("\n".join([head, *lines]) + "\n")
    files = (f"{place}/votes.csv", "-o", f"{place}/labels.csv", "--overwrite")
    corral_command = ("-m", "corral.cli")
    commands = {
        "import corral": ("-c", "import corral"),
        "corral --version": (*corral_command, "--version"),
        "corral label, 2,000 rows": (*corral_command, "label", *files),
        "import Snorkel's LabelModel": ("-c", "import snorkel.labeling.model"),
        "import crowdkit.aggregation": ("-c", "import crowdkit.aggregation"),
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(runs + 1):  # the first compiles modules
        for name, command in commands.items():
            before = getrusage(RUSAGE_CHILDREN)
            run_python(*command)
            after = getrusage(RUSAGE_CHILDREN)
            if turn:
                used = after.ru_utime - before.ru_utime
                taken[name].append(used + after.ru_stime - before.ru_stime)
    return {"cpu": {name: statistics.median(each) for name, each in taken.items()}}


def random_classes(k: int, n: int) -> Array:
    """Ten signals that vote on half of the rows, and are right on 7 of 10."""
    rng = np.random.default_rng(0)
    truth, shape = rng.integers(0, k, n), (n, 10)
    right, voted = rng.random(shape) < 0.7, rng.random(shape) < 0.5
    said = np.where(right, truth[:, None], rng.integers(0, k, shape))
    return np.where(voted, said, -1)


def run_growth(n: int, runs: int, place: Path) -> Figures:  # noqa: ARG001
    """Seconds of the default against rows, signals, classes and workers."""

    def answers(workers: int) -> Any:
        return corral.WeakSignals.from_long(random_answers(n // 5, workers)[0])

    makes: Mapping[str, tuple[int, Callable[[int], Any]]] = {
        "rows": (n // 16, lambda size: random_votes(size)[0]),
        "signals": (10, lambda size: random_votes(n // 50, [0.7] * size)[0]),
        "classes": (2, lambda size: random_classes(size, n // 20)),
        "workers": (100, answers),
    }
    tasks: dict[tuple[str, int], Work] = {}
    for what, (least, make) in makes.items():
        for size in (least * 2**step for step in range(7)):
            tasks[what, size] = partial(corral.label, make(size))
    for task in tasks.values():
        task()
    taken = time_in_turns(tasks, min(runs, SLOW_RUNS))
    found = {}
    for what in makes:
        points = [(size, taken[name, size]) for name, size in tasks if name == what]
        sizes, seconds = np.log(points[len(points) // 2 :]).T
        exponent = float(np.polyfit(sizes, seconds, 1)[0])
        found[what] = {"points": [list(each) for each in points], "exponent": exponent}
    return found


# -- claims ---------------------------------------------------------------------------

TIMES_AS_FAST = {"default": 8, "labelers": 5, "crowd": 1}
"""Not where probabilities are soft: others take rounded votes, which is less work."""
FILE_AIMS: Mapping[int, dict[str, float]] = {
    20: {"fresh": 2.5, "warm": 2.0},
    100: {"warm": 1.4},
    1000: {"warm": 1.7},
}
"""By millions of rows: times that DuckDB's own read and write may take."""
SPARK_AIM, PEAK_AIM, EXPONENT_AIM = 1.6, 1.5e9, 1.2
START_AIMS = {
    "corral --version": 0.12,
    "corral label, 2,000 rows": 0.6,
    "import corral": 0.05,
}
"""Seconds of one core."""
MIN_EQUAL, MAX_LESS = 0.99, 0.002
"""Share of labels as the same method gives elsewhere; accuracy that may be missing."""


def pairs_of(job: str, found: Figures) -> dict[str, str]:
    """Methods of corral that one of others stands beside, and that one."""
    pairs = {DEFAULT: KIT_SKENE if job == "crowd" else SNORKEL} | PAIRS
    held = found["seconds"].keys()
    return {ours: other for ours, other in pairs.items() if {ours, other} <= held}


def claims(job: str, found: Any) -> dict[str, bool]:
    """What README.md, docs and the aims say of a job, and whether its figures show it."""
    said = {}
    if job in IN_MEMORY:
        seconds, right, least = (
            found["seconds"],
            found["accuracy"],
            TIMES_AS_FAST.get(job),
        )
        for ours, theirs in pairs_of(job, found).items():
            times, more = seconds[theirs] / seconds[ours], right[ours] - right[theirs]
            if least is not None:
                said[f"{ours} {least} times as fast: {times:.1f}"] = times >= least
            if job != "crowd" or ours in PAIRS:  # it errs as Dawid and Skene have it
                said[f"{ours} as often right: {more:+.4f}"] = more >= -MAX_LESS
        for ours, equal in found["labels equal"].items():
            said[f"{ours} labels as {PAIRS[ours]}: {equal:.5f}"] = equal >= MIN_EQUAL
    elif job == "start":
        for name, most in START_AIMS.items():
            used = found["cpu"][name]
            said[f"{name} in {most} s: {used:.3f}"] = used <= most
    elif job == "growth":
        for what, each in found.items():
            power = each["exponent"]
            said[f"time as {what} to the power {power:.2f}"] = power <= EXPONENT_AIM
    elif job == "spark":
        times = found["warm"]["corral"] / found["warm"]["Spark"]
        said[f"{SPARK_AIM} times Spark alone: {times:.2f}"] = times <= SPARK_AIM
    else:
        for each in found:
            rows, peak = each["rows"], each["peak"]["corral"]
            said[f"{rows:,} rows in {peak / 1e9:.2f} GB"] = peak <= PEAK_AIM
            for part, most in FILE_AIMS.get(rows // MILLION, {}).items():
                times = each[part]["corral"] / each[part]["DuckDB"]
                claim = f"{rows:,} rows, {part}: {most} times DuckDB alone: {times:.2f}"
                said[claim] = times <= most
    return said


OTHERS: Mapping[str, Callable[[int, int, Path], Any]] = {
    "start": run_start,
    "growth": run_growth,
    "files": run_files,
    "spark": run_spark,
    "billion": run_billion,
}
JOBS = (*IN_MEMORY, *OTHERS)


def run_job(job: str, n: int, runs: int, folder: Path | None) -> list[str]:
    """Measure, print and store one job; the claims that it misses."""
    began, busy = time.perf_counter(), busy_seconds()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        if job in IN_MEMORY:
            found: Any = compare(job, n, runs)
        else:
            found = OTHERS[job](n, runs, Path(place))
    passed = time.perf_counter() - began
    cores = (busy_seconds() - busy) / passed
    pprint.pp(round_numbers(found), width=100)
    print(f"{passed:.0f} s; {cores:.1f} cores were busy, this benchmark among them")
    if not store(f"speed_{job}", found):
        return []  # what is claimed is claimed of many rows
    said = claims(job, found)
    for claim in (claim for claim, met in said.items() if met):
        print(f"met: {claim}")
    return [claim for claim, met in said.items() if not met]


def run_all(options: argparse.Namespace) -> list[str]:
    """Every job in a process of its own; names of those that failed or missed a claim."""
    missed = []
    for job in JOBS:
        if job == "billion" and not options.billion:
            continue
        print(f"\n== {job}", flush=True)
        given = [word for word in sys.argv[1:] if word != "--billion"]
        call = [sys.executable, "-m", "benchmarks.speed", "--jobs", job, *given]
        if subprocess.run(call, check=False).returncode:
            missed.append(f"speed, job {job}")
    return missed


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--jobs", nargs="+", choices=JOBS, help="only these, in this process")
    add("--billion", action="store_true", help="1,000,000,000 rows as well")
    add("--folder", type=Path, help="for temporary files: 60 bytes per row")
    add("--small", action="store_true", help="a hundredth of the rows, one run")
    add("--peak", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of pandas, and of rounds that are cut off
    if options.peak:
        job, name, n = options.peak
        print_peak(job, name, int(n))
        return
    if not options.jobs:
        exit_with(run_all(options))
    n, runs = (MILLION // 100, 1) if options.small else (MILLION, RUNS)
    missed = []
    for job in options.jobs:
        missed += run_job(job, n, runs, options.folder)
    exit_with(missed)


if __name__ == "__main__":
    main()
