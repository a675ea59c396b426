"""The faults: each disturbs one run of a job, and checks what is left."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import shutil
import signal
import struct
import time
from collections.abc import Callable

import numpy as np

from reliability.faults.checks import Bench
from reliability.faults.jobs import end, start

CAPGET = {"x86_64": 125, "aarch64": 90}.get(platform.machine(), -1)
"""Number of the system call that tells capabilities; the next one sets them."""
LONGEST = 300.0
"""Seconds that a run may take in all."""


def _wait(child: int, moment: Callable[[], bool]) -> int | None:
    """Wait until a moment comes; the exit code if the child ends before."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if moment():
            return None
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("it hung")


def _random_moment(bench: Bench, rng: np.random.Generator) -> Callable[[], bool]:
    """Any moment of a run; every other one while a draft is being written."""
    began, delay = time.monotonic(), rng.uniform(0, bench.seconds)
    if rng.random() < 0.5:
        return lambda: time.monotonic() - began > delay
    pause, seen = rng.exponential(0.01), [0.0]

    def drafting() -> bool:
        if not seen[0] and any(bench.folder.rglob(".corral-*")):
            seen[0] = time.monotonic()
        return bool(seen[0]) and time.monotonic() - seen[0] > pause

    return drafting


def kill(bench: Bench, rng: np.random.Generator) -> None:
    """Kill -9 at a random moment: every file is old or new, the next run succeeds."""
    bench.reset(old=bool(rng.random() < 0.7))
    child = start(bench.job, bench.folder)
    code = _wait(child, _random_moment(bench, rng))
    if code is None:
        os.kill(child, signal.SIGKILL)
        end(child)
    bench.check_files(tidy=False)
    bench.check_again()


def interrupt(bench: Bench, rng: np.random.Generator) -> None:
    """Ctrl-C at a random moment: it stops (130) or was done, nothing is left behind."""
    bench.reset(old=bool(rng.random() < 0.7))
    child = start(bench.job, bench.folder)
    code = _wait(child, _random_moment(bench, rng))
    if code is None:
        os.kill(child, signal.SIGINT)
        code = _wait(child, lambda: False)
    assert code in (0, 130), f"exit code {code}: {bench.said}"
    bench.check_message()
    bench.check_files(tidy=True)
    bench.check_again()


def full_disk(bench: Bench, rng: np.random.Generator) -> None:
    """No file may grow beyond a random size: a message, old files intact."""
    bench.reset(old=bool(rng.random() < 0.7))
    most = int(rng.uniform(0, 1.1 * max(map(len, bench.new.values()))))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    code = _wait(start(bench.job, bench.folder, limit), lambda: False)
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    if code:
        bench.check_message(r"File too large|cannot write|No space|too large")
    bench.check_files(tidy=True)
    bench.check_again()


def read_only(bench: Bench, rng: np.random.Generator) -> None:
    """The folder cannot be written to: a message, nothing changed."""
    bench.reset(old=bool(rng.random() < 0.5))
    bench.folder.chmod(0o555)

    try:
        code = _wait(start(bench.job, bench.folder, obey_permissions), lambda: False)
    finally:
        bench.folder.chmod(0o755)
    assert code == 1, f"exit code {code}: {bench.said}"
    bench.check_message("Permission denied|cannot|not allowed")
    bench.check_files(tidy=True)
    bench.check_again()


def obey_permissions() -> None:
    """Have the system ask root for permissions, too (Linux): drop that capability."""
    if os.getuid() != 0:
        return
    call = ctypes.CDLL(None, use_errno=True).syscall
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    held = ctypes.create_string_buffer(struct.calcsize("6I"))
    assert call(CAPGET, header, held) == 0, os.strerror(ctypes.get_errno())
    # Effective, permitted, inheritable; the lower 32 bits, then the upper.
    masks = [bits & ~0b110 for bits in struct.unpack("6I", held.raw[:24])]
    less = struct.pack("6I", *masks)
    assert call(CAPGET + 1, header, less) == 0, os.strerror(ctypes.get_errno())


def little_memory(bench: Bench, rng: np.random.Generator) -> None:
    """A hard limit on memory: a message, or the C library's own end; old files intact."""
    bench.reset(old=bool(rng.random() < 0.7))
    more = int(rng.uniform(4, 400)) << 20

    def limit() -> None:
        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + more, held + more))

    code = _wait(start(bench.job, bench.folder, limit), lambda: False)
    # The C library ends a process that has no room for a thread, whatever it runs.
    ended = "cannot allocate memory for thread-local data" in bench.said
    assert code in (0, 1) or ended, f"exit code {code}: {bench.said}"
    if code == 1:
        bench.check_message("(?i)memory|thread")
    bench.check_files(tidy=not ended)
    bench.check_again()


def cut_input(bench: Bench, rng: np.random.Generator) -> None:
    """An input ends too early: labelled as far as it goes, or refused with its name."""
    bench.reset(old=bool(rng.random() < 0.7))
    name = bench.job.inputs[-1]
    data = bench.inputs[name]
    (bench.folder / name).write_bytes(data[: int(rng.uniform(0, len(data)))])
    code = _wait(start(bench.job, bench.folder), lambda: False)
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    bench.check_message()
    bench.check_nothing_left()
    if code:
        bench.check_message(name.split(".")[0])
        for old, text in bench.old.items():
            assert (bench.folder / old).read_bytes() == text, f"{old} changed"
    (bench.folder / name).write_bytes(data)
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)  # answers to other rows
    bench.check_again()


def input_changes(bench: Bench, rng: np.random.Generator) -> None:
    """An input is replaced or cut while it is read: refused, or labels of one version."""
    bench.reset(old=bool(rng.random() < 0.7))
    name = bench.job.inputs[-1]
    path, data = bench.folder / name, bench.inputs[name]
    child = start(bench.job, bench.folder)
    began, delay = time.monotonic(), rng.uniform(0, bench.seconds)
    code = _wait(child, lambda: time.monotonic() - began > delay)
    if code is None:
        how = rng.choice(["cut", "garbage", "delete"])
        if how == "delete":
            path.unlink()
        else:
            at = int(rng.uniform(0, len(data)))
            path.write_bytes(data[:at] + (b"\0" * 64 if how == "garbage" else b""))
        code = _wait(child, lambda: False)
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    bench.check_message()
    path.write_bytes(data)
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)
    bench.check_files(tidy=True)
    bench.check_again()


def _press_until_it_ends(child: int) -> int:
    """Press Ctrl-C, and again where nothing happens for a while; the exit code.

    Python ignores one that comes while it cleans up behind an object, and libraries may
    while they are loaded.
    """
    for _ in range(10):
        os.kill(child, signal.SIGINT)
        pressed = time.monotonic()
        code = _wait(child, lambda since=pressed: time.monotonic() - since > 20)  # type: ignore[misc]
        if code is not None:
            return code
    os.kill(child, signal.SIGKILL)
    end(child)
    raise AssertionError("Ctrl-C does not end it")


BAD_RULES = {
    "raise": ("    raise ValueError('no')", r"no.*row|row.*no"),
    "hang": ("    while True: pass", None),
    "return a list": ("    return [1, 2]", "slow"),
    "return an object": ("    return object()", "slow"),
    "return NaN of a class": ("    return {'yes': float('nan')}", "slow"),
}
"""Bodies of functions, and what a message must say."""


def bad_function(bench: Bench, rng: np.random.Generator) -> None:
    """A function raises, hangs until Ctrl-C or returns garbage: a message, files stay."""
    bench.reset(old=True)
    body, words = BAD_RULES[str(rng.choice(sorted(BAD_RULES)))]
    rules = bench.inputs["rules.py"].decode()
    kept = rules[: rules.index("    return")] + body + rules[rules.index("\n\nrules") :]
    (bench.folder / "rules.py").write_text(kept)
    child = start(bench.job, bench.folder, jobs=2 if words != "slow" else 1)
    if words is None:
        began, delay = time.monotonic(), rng.uniform(1, 3)
        code = _wait(child, lambda: time.monotonic() - began > delay)
        assert code is None, f"exit code {code}: {bench.said}"
        code = _press_until_it_ends(child)
    else:
        code = _wait(child, lambda: False)
    assert code == (130 if words is None else 1), f"exit code {code}: {bench.said}"
    bench.check_message(*([] if words is None else [words]))
    for name, text in bench.old.items():
        assert (bench.folder / name).read_bytes() == text, f"{name} changed"
    (bench.folder / "rules.py").write_bytes(bench.inputs["rules.py"])
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)
    bench.check_again()


FAULTS = {
    "kill -9": (kill, 0.5),
    "Ctrl-C": (interrupt, 0.2),
    "full disk": (full_disk, 0.1),
    "read-only folder": (read_only, 0.04),
    "little memory": (little_memory, 0.04),
    "input cut short": (cut_input, 0.06),
    "input changed while read": (input_changes, 0.06),
    "bad function": (bad_function, 0.04),
}
"""What disturbs, and which share of all faults it is."""
