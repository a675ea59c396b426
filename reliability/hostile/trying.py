"""One case at a time, in a process of its own whose time and memory are measured."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from corral.errors import CorralError
from reliability.hostile.cases import Case, Surface, check_terminal

MOST_SECONDS = 5.0
"""Of the processor, so that other work on the machine does not count."""
PATIENCE = 20.0
"""Seconds after which a case is ended that waits for something."""
MOST_MEMORY = 1 << 30
"""Bytes beyond those that the process had before."""
ADDRESS_SPACE = 12 << 30
"""A hard limit, so that a failure here does not take the machine along."""
LONGEST_MESSAGE = 10_000
"""Characters: a message is to be read."""
CANARY = "Do not touch."


def try_surface(surface: Surface, skip: int = 1) -> Iterator[dict[str, Any]]:
    """Try the cases of a surface; what came of each.

    Parameters
    ----------
    surface : Surface
    skip : int
        Try every so many-th case only.
    """
    if surface.is_shared:
        cases = [*surface.list_cases()][::skip]
        for found in _in_child(lambda report: _try_together(surface, cases, report)):
            cases.pop(0)
            yield found
        for case in cases:
            yield _outcome(case, "failed", "the process died, or waits for ever")
        return
    for case in [*surface.list_cases()][::skip]:
        done = False
        for found in _in_child(lambda report, case=case: report(_try_alone(case))):
            done = True
            yield found
        if not done:
            yield _outcome(
                case, "failed", f"no answer within {PATIENCE:g} s, or it died"
            )


def _in_child(work: Any) -> Iterator[dict[str, Any]]:
    """Do some work in a forked process; what it reports, line by line."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.close(reads)
        code = 1
        try:
            with os.fdopen(writes, "w") as stream:

                def report(found: dict[str, Any]) -> None:
                    stream.write(json.dumps(found) + "\n")
                    stream.flush()

                work(report)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writes)
    try:
        yield from _lines(reads)
    finally:
        os.close(reads)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _lines(reads: int) -> Iterator[dict[str, Any]]:
    """Lines of JSON until the other end is closed, or silent for too long."""
    rest = b""
    while select.select([reads], [], [], PATIENCE)[0]:
        piece = os.read(reads, 1 << 16)
        if not piece:
            return
        *whole, rest = (rest + piece).split(b"\n")
        yield from map(json.loads, whole)


def _try_alone(case: Case) -> dict[str, Any]:
    """Craft and try a case in a folder of its own, beside which nothing may change."""
    with tempfile.TemporaryDirectory(prefix="corral_hostile_") as name:
        outside = Path(name)
        inside = outside / "inside"
        inside.mkdir()
        (outside / "canary.txt").write_text(CANARY)
        os.environ["XDG_CACHE_HOME"] = str(inside / "cache")
        os.environ["TMPDIR"] = str(outside / "temporary")
        os.mkdir(outside / "temporary")
        tempfile.tempdir = None
        os.chdir(inside)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = case.make(inside)
            found = _measure(case, given)
        left = sorted(str(p.relative_to(outside)) for p in outside.iterdir())
        kept = (outside / "canary.txt").read_bytes() == CANARY.encode()
        spilled = [p.name for p in (outside / "temporary").iterdir()]
        os.chdir("/")
        if left != ["canary.txt", "inside", "temporary"] or not kept or spilled:
            return found | {"outcome": "failed", "said": f"left {left} and {spilled}"}
        return found


def _try_together(surface: Surface, cases: list[Case], report: Any) -> None:
    with surface.setting() as setting:
        for case in cases:
            report(_measure(case, case.make(setting)))


def _measure(case: Case, given: Any) -> dict[str, Any]:
    """Try a case: what came of it, the seconds and the memory that it took."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, hard))
    gc.collect()
    before, began = _forget_peak(), time.process_time()
    found = _use(case, given)
    seconds, memory = time.process_time() - began, _peak() - before
    if seconds > MOST_SECONDS:
        found = _outcome(case, "failed", f"took {seconds:.1f} s; {found['said']}")
    elif memory > MOST_MEMORY:
        found = _outcome(case, "failed", f"took {memory:,} bytes; {found['said']}")
    return found | {"seconds": round(seconds, 3), "memory": max(memory, 0)}


def _use(case: Case, given: Any) -> dict[str, Any]:
    try:
        case.use(given)
    except CorralError as error:
        said = str(error)
        try:
            check_terminal(said)
            assert said, "a message that says nothing"
            assert len(said) <= LONGEST_MESSAGE, f"a message of {len(said)} characters"
        except AssertionError as failure:
            return _outcome(case, "failed", str(failure))
        if case.expected == "harmless":
            return _outcome(case, "failed", f"refused: {said}")
        return _outcome(case, "refused", said)
    except BaseException as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__name__
        said = f"{kind}: {error} ({Path(at.filename).name}:{at.lineno})"
        return _outcome(case, "failed", said)
    if case.expected == "refused":
        return _outcome(case, "failed", "it was taken")
    return _outcome(case, "harmless", "")


def _outcome(case: Case, outcome: str, said: str) -> dict[str, Any]:
    shown = said.encode("ascii", "backslashreplace").decode()[:500]
    return {
        "case": case.name,
        "outcome": outcome,
        "said": shown,
        "seconds": 0.0,
        "memory": 0,
    }


def _forget_peak() -> int:
    """Memory of this process, from which on its peak is counted."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    """Bytes, as Linux tells them of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"the system does not tell {name}")
