"""Files that are made by watching which parts of corral they reach."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from reliability.fuzz.readers import READERS, Reader
from reliability.results import commit, load, store

LONGEST = 20_000
"""Bytes of a file."""
GRACE = 120
"""Seconds beyond the time given: instrumenting corral, and the last file."""


def run_guided(seconds: int, names: list[str] | None = None) -> bool:
    """Run every reader for so long; whether none failed, and store what was counted.

    Parameters
    ----------
    seconds : int
        Per reader.
    names : list of str, optional
        Which readers; default all. What is stored of others stays.
    """
    readers: dict[str, Any] = load("guided").get("readers", {}) if names else {}
    tested = commit()
    for name in names or READERS:
        one = _run_reader(name, READERS[name], seconds)
        readers[name] = {**one, "commit": tested}
        print(
            f"{name}: {one['executions']:,} files, {one['coverage_before']} to "
            f"{one['coverage']} places reached, {len(one['failures'])} failures",
            flush=True,
        )
        store("guided", {"readers": readers})
    return not any(one["failures"] for one in readers.values())


def _run_reader(name: str, reader: Reader, seconds: int) -> dict[str, Any]:
    """Run one reader in a process of its own, and read what libFuzzer says."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, failures = Path(folder, "corpus"), Path(folder, "failures.json")
        corpus.mkdir()
        for at, seed in enumerate(reader.seeds()):
            (corpus / f"seed{at}").write_bytes(seed)
        command = [sys.executable, "-m", "reliability.fuzz.one_reader", name]
        limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=60"]
        limits += ["-print_final_stats=1", f"-artifact_prefix={folder}/"]
        done = subprocess.run(
            [*command, str(failures), *limits, str(corpus)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds + GRACE,
            cwd=Path(__file__).parents[2],
            check=False,
        )
        found = json.loads(failures.read_text()) if failures.exists() else []
    said = done.stderr
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
    # Statistics are printed after a crash, too, and failures of checks end no process.
    if executions is None or done.returncode or "ERROR: libFuzzer" in said:
        kind = f"the process ended with {done.returncode}"
        found.append({"kind": kind, "times": 1, "why": said[-2000:]})
    reached = [int(number) for number in re.findall(r"\bcov: (\d+)", said)]
    return {
        "says": reader.says,
        "seconds": seconds,
        "executions": int(executions[1]) if executions else 0,
        "coverage_before": reached[0] if reached else 0,
        "coverage": reached[-1] if reached else 0,
        "failures": found,
    }
