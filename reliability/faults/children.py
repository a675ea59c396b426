"""Jobs in processes of their own, which can be killed, interrupted or starved."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from corral.errors import CorralError
from reliability.faults.jobs import JOBS, Job

FRESH = "from reliability.faults.children import run_fresh as run; run()"


def beside(folder: Path, what: str) -> Path:
    """A file or folder of the bench that belongs to a job's folder, outside of it."""
    return folder.with_name(f"{folder.name}.{what}")


def start(
    job: Job, folder: Path, before: Callable[[], None] | None = None, jobs: int = 1
) -> int:
    """Run a job in a child process, with all imports done already; its process id.

    What it prints goes to the files ``stdout`` and ``stderr`` beside the folder.
    """
    child = os.fork()
    if child:
        return child
    code = 70
    # Ctrl-C may come while this tidies up, too, and must not get out: the child would end
    # the run of its parent, and delete its files.
    try:
        try:
            _enter(job, folder)
            if before is not None:
                before()
            code = run(job, jobs)
        except BaseException:
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
    finally:
        os._exit(code)
    raise AssertionError


def start_fresh(job: Job, folder: Path) -> int:
    """Run a job in a new interpreter, from its imports to its end; its process id."""
    child = os.fork()
    if not child:
        number = str(JOBS.index(job))
        os.execv(sys.executable, [sys.executable, "-c", FRESH, number, str(folder)])
    return child


def run_fresh() -> None:
    """What that interpreter does."""
    job = JOBS[int(sys.argv[1])]
    _enter(job, Path(sys.argv[2]))
    sys.exit(run(job))


def _enter(job: Job, folder: Path) -> None:
    """Go to the folder; print to files; note interrupts; keep temporary files apart."""
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        to = os.open(beside(folder, name), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o666)
        os.dup2(to, number)
    if job.stdin is not None:
        os.dup2(os.open(job.stdin, os.O_RDONLY), 0)
        sys.stdin = os.fdopen(0)
    temporary = str(beside(folder, "tmp"))
    os.environ |= {"TMPDIR": temporary, "JOBLIB_TEMP_FOLDER": temporary}
    tempfile.tempdir = None  # so that it is asked for again
    note_interrupts(job, folder)


def note_interrupts(job: Job, folder: Path) -> None:
    """Write down that Python heard of Ctrl-C, and what outputs were there by then."""
    heard = beside(folder, "heard")

    def note(number: int, frame: Any) -> None:
        if not heard.exists():
            heard.write_text(json.dumps(marks_of(job, folder)))
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    beside(folder, "ready").touch()


def marks_of(job: Job, folder: Path) -> dict[str, list[int]]:
    """What tells every output from one that is written later."""
    found = {}
    for file in files_in(folder, job.outputs):
        with suppress(FileNotFoundError):
            known = file.stat()
            mark = [known.st_ino, known.st_size, known.st_mtime_ns]
            found[str(file.relative_to(folder))] = mark
    return found


def run(job: Job, jobs: int = 1) -> int:
    """Run a job here; its exit code, which is that of the command."""
    if job.call is None:
        sys.argv = ["corral", *job.arguments]
        if "--jobs" in sys.argv and jobs > 1:
            sys.argv[sys.argv.index("--jobs") + 1] = str(jobs)
        from corral.cli import main

        try:
            main()
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else 0
    try:
        if job.call is not None:
            job.call()
    except (CorralError, OSError, MemoryError) as error:
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        from corral.cli.app import NO_MEMORY

        # In Python, whoever calls is told by the library that was refused memory.
        if not any(said in str(error) for said in NO_MEMORY):
            raise
        print(f"error: {error}; no memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def end(child: int) -> int:
    """Wait for a child; its exit code, or minus the signal that ended it."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def clear(folder: Path) -> None:
    """Delete what is in a folder; it stays, as something may be mounted there."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def files_in(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Files by name, and those in folders of that name."""
    found = []
    for name in names:
        path = folder / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [file for file in files if file.is_file()]
    return found


def contents(folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """What files hold, by name; those of folders, too."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in files_in(folder, names)
    }
