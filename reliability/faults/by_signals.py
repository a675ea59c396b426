"""Faults that come as signals: kill -9, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from contextlib import closing
from urllib.parse import urlsplit

import numpy as np
from benchmarks.workbench_load import Line, Request

from reliability.faults.checks import Bench
from reliability.faults.children import beside, end, start, start_fresh
from reliability.faults.jobs import SERVE
from reliability.faults.moments import after, random_moment, wait
from reliability.faults.projects import ProjectBench
from reliability.faults.python_jobs import EDITS, plan_edit

WRITING = "while a file was being written"
FRESH = 0.15
"""Share of the interrupts of a new interpreter, which takes seconds."""


def kill(bench: Bench, rng: np.random.Generator) -> str | None:
    """Kill -9 at any moment: files are old or new, no edit is lost, the next run succeeds.

    An edit of a project is lost if it was acknowledged and is not there.
    """
    code: int | None = 0
    while code != -signal.SIGKILL:  # again, if it ended before: that is no fault
        assert code == 0, f"exit code {code}: {bench.said}"
        bench.reset(old=bool(rng.random() < 0.7))
        child = start(bench.job, bench.folder)
        code = wait(child, random_moment(bench, rng))
        if code is None:
            os.kill(child, signal.SIGKILL)
            code = end(child)
    hit = bench.is_drafting
    bench.check_files(tidy=False)
    bench.check_again()
    return WRITING if hit else None


def interrupt(bench: Bench, rng: np.random.Generator) -> str | None:
    """Ctrl-C at any moment: it stops (130) or was done before; nothing is left behind."""
    ready = beside(bench.folder, "ready")
    code: int | None = 0
    while code is not None:  # again, if it ended before the signal was sent
        assert code == 0, f"exit code {code}: {bench.said}"
        bench.reset(old=bool(rng.random() < 0.7))
        fresh = rng.random() < FRESH
        child = (start_fresh if fresh else start)(bench.job, bench.folder)
        code = wait(child, ready.exists)
        if code is None:
            # A new interpreter begins with two seconds of imports.
            moment = after(rng.uniform(0, 2 + bench.seconds)) if fresh else None
            code = wait(child, moment or random_moment(bench, rng))
    hit = bench.is_drafting
    os.kill(child, signal.SIGINT)
    code = wait(child)
    # Python gives signals back to the system at its very end.
    gave_back = fresh and code == -signal.SIGINT
    if code == 0 or (gave_back and not beside(bench.folder, "heard").exists()):
        bench.check_was_done()
    else:
        assert code == 130, f"exit code {code}: {bench.said}"
        bench.check_message("interrupted")
        bench.check_files(tidy=True)
    bench.check_again()
    return WRITING if hit else None


def stop_serving(bench: Bench, rng: np.random.Generator) -> None:
    """Ctrl-C between edits, or amid one: it ends, the port is free, no edit is lost.

    Its exit code is 0, or 130 before it serves.
    """
    assert isinstance(bench, ProjectBench)
    bench.reset(old=bool(rng.random() < 0.5))
    child = start(SERVE, bench.folder)
    serving = [0, 130] if rng.random() < 0.2 else [0]
    if 130 in serving:
        code = wait(child, after(rng.uniform(0, bench.seconds)))
    else:
        code = wait(child, lambda: _address(bench) is not None)
    # A server does not end by itself, so that there is no run to try again.
    assert code is None, f"exit code {code} before Ctrl-C: {bench.said}"
    if 130 not in serving:
        _edit(bench, rng)
    os.kill(child, signal.SIGINT)
    code = wait(child)
    assert code in serving, f"exit code {code}: {bench.said}"
    bench.check_message()
    address = _address(bench)
    if address is not None:
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", urlsplit(address).port or 0))
    bench.check_files(tidy=True)
    bench.check_again()


def _address(bench: Bench) -> str | None:
    """Where it serves, once it says so."""
    try:
        printed = beside(bench.folder, "stdout").read_text()
        return str(json.loads(printed)["address"])
    except (FileNotFoundError, ValueError):
        return None


def _edit(bench: ProjectBench, rng: np.random.Generator) -> None:
    """Edit as the page does; every other time, leave before the last answer."""
    address = _address(bench)
    assert address is not None
    notes = beside(bench.folder, "acts")
    with closing(Line(address)) as line:
        state = json.loads(line.send(Request("state", "GET", "/state")).content)
        version: int = state["version"]
        notes.write_text(f"{version}\n")
        for _ in range(int(rng.integers(0, EDITS // 2))):
            body = {"action": plan_edit(version), "version": version}
            answer = line.send(Request("act", "POST", "/act", body))
            assert answer.status == 200, answer
            version = json.loads(answer.content)["version"]
            notes.write_text(f"{version}\n")
        if rng.random() < 0.5 and version < EDITS:
            body = {"action": plan_edit(version), "version": version}
            line.ask(Request("act", "POST", "/act", body))
            time.sleep(rng.uniform(0, 0.03))
