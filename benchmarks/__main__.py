"""``python -m benchmarks NAME``: one benchmark; without a name, a quick look at all.

A full run stores its figures in benchmarks/results and fails if it does not show what is
claimed. The quick look takes small data and few runs, and stores nothing; a claim that it
misses wants a full run. What needs a package or data that are absent is skipped, with the
reason.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

DATA = Path(os.environ.get("CORRAL_DATA", "../shared/data"))


@dataclass(frozen=True)
class Benchmark:
    """What a benchmark measures, and how to take a quick look at it."""

    shows: str
    quick: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    on_data: bool = False

    def missing(self) -> str | None:
        """Why it cannot run here."""
        absent = [name for name in self.needs if not importlib.util.find_spec(name)]
        if absent:
            return f"needs {', '.join(absent)}"
        return (
            f"needs the data in {DATA}" if self.on_data and not DATA.is_dir() else None
        )


PEERS = ("snorkel", "crowdkit")
BENCHMARKS = {
    "speed": Benchmark(
        "seconds and memory, beside peers and limits", ("--small",), PEERS
    ),
    "quality": Benchmark(
        "label quality on the public sets", ("--small",), on_data=True
    ),
    "ordinal": Benchmark(
        "classes with an order, beside methods without",
        ("--small", "--draws", "1"),
        on_data=True,
    ),
    "calibration": Benchmark(
        "whether probabilities mean what they say",
        ("--repeats", "1"),
        on_data=True,
    ),
    "preferences": Benchmark(
        "strengths and judges beside choix and Crowd-Kit",
        ("--small",),
        ("choix", "crowdkit"),
    ),
    "panel": Benchmark(
        "judges and 50 to 200 human labels: shares, intervals, labels",
        ("--small", "--draws", "3"),
        ("ppi_py",),
        on_data=True,
    ),
    "workbench": Benchmark(
        "keystrokes on the page of the workbench",
        ("--small",),
        ("playwright", "uvicorn"),
        on_data=True,
    ),
    "end-models": Benchmark(
        "classifiers of eight text sets, and the shares in which they predict",
        ("--draws", "1"),
        ("snorkel",),
        on_data=True,
    ),
}
PAGES = "no benchmark: put stored results into README.md and docs"


def main(arguments: list[str]) -> int:
    """Run one benchmark with its own options, or all of them quickly."""
    if not arguments:
        return look_at_all()
    name, *options = arguments
    if name not in BENCHMARKS and name != "pages":
        shown = {n: b.shows for n, b in BENCHMARKS.items()} | {"pages": PAGES}
        listed = "\n".join(f"  {n:12} {shows}" for n, shows in shown.items())
        print(f"{__doc__}\n{listed}", file=sys.stderr)
        return 0 if name in ("-h", "--help") else 2
    module = f"benchmarks.{name.replace('-', '_')}"
    sys.argv = [module, *options]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


def look_at_all() -> int:
    """Run every benchmark on small data, one after the other."""
    failed = []
    environment = os.environ | {"CORRAL_BENCH_QUICK": "1"}  # some have no option for it
    for name, benchmark in BENCHMARKS.items():
        print(f"\n== {name}: {benchmark.shows}", flush=True)
        if reason := benchmark.missing():
            print(f"skipped: {reason}")
            continue
        began = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks", name, *benchmark.quick]
        if subprocess.run(command, env=environment, check=False).returncode:
            failed.append(name)
        print(f"{time.perf_counter() - began:.0f} s", flush=True)
    for name in failed:
        print(f"failed, or missed a claim: {name}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
