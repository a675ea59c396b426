"""Faults of a machine that gives no more: full disks, closed folders, little memory."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct

import numpy as np

from reliability.faults.checks import Bench
from reliability.faults.children import beside, start
from reliability.faults.disks import small_disk
from reliability.faults.moments import wait

CAPGET = {"x86_64": 125, "aarch64": 90}.get(platform.machine(), -1)
"""Number of the system call that tells capabilities; the next one sets them."""
FULL = r"File too large|cannot write|cannot be saved|No space|too large|not enough"
REFUSED = "refused with a message"


def no_growth(bench: Bench, rng: np.random.Generator) -> str | None:
    """No file may grow beyond a random size: a message, old files intact."""
    bench.reset(old=bool(rng.random() < 0.7))
    most = int(rng.uniform(0, 1.1 * max(map(len, bench.new.values()))))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    code = wait(start(bench.job, bench.folder, limit))
    return _check_refusal(bench, code)


def full_disk(bench: Bench, rng: np.random.Generator) -> str | None:
    """A disk with few bytes left: a message, old files intact, nothing left behind.

    It is a small tmpfs, with a random number of bytes.
    """
    left = int(rng.uniform(0, 1.3 * sum(map(len, bench.new.values()))))
    with small_disk(bench.folder) as disk:
        bench.reset(old=bool(rng.random() < 0.7))
        disk.leave(left)
        code = wait(start(bench.job, bench.folder))
        disk.leave(None)
        return _check_refusal(bench, code)


def full_temporary_folder(bench: Bench, rng: np.random.Generator) -> str | None:
    """That of the system is full or read-only: a message, or the run succeeds anyway."""
    bench.reset(old=bool(rng.random() < 0.7))
    temporary = beside(bench.folder, "tmp")
    if rng.random() < 0.3:
        temporary.chmod(0o555)
        try:
            code = wait(start(bench.job, bench.folder, obey_permissions))
        finally:
            temporary.chmod(0o755)
        return _check_refusal(bench, code)
    with small_disk(temporary) as disk:
        disk.leave(int(rng.uniform(0, 1.3 * max(map(len, bench.inputs.values())))))
        code = wait(start(bench.job, bench.folder))
        disk.leave(None)
        return _check_refusal(bench, code)


def _check_refusal(bench: Bench, code: int | None) -> str | None:
    """Done; or refused with a message, and everything as it was."""
    assert code in (0, 1), f"exit code {code}: {bench.said}"
    if code:
        bench.check_message(FULL)
        bench.check_act_refused()
    bench.check_files(tidy=True)
    bench.check_again()
    return REFUSED if code else None


def read_only(bench: Bench, rng: np.random.Generator) -> None:
    """The folder cannot be written to: a message, nothing changed."""
    bench.reset(old=bool(rng.random() < 0.5))
    bench.folder.chmod(0o555)
    try:
        code = wait(start(bench.job, bench.folder, obey_permissions))
    finally:
        bench.folder.chmod(0o755)
    assert code == 1, f"exit code {code}: {bench.said}"
    bench.check_message("Permission denied|cannot|not allowed")
    bench.check_refused()
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


def little_memory(bench: Bench, rng: np.random.Generator) -> str | None:
    """A hard limit on memory: old files intact; a message, if the C library leaves time.

    It ends a process that has no room for the data of a thread.
    """
    bench.reset(old=bool(rng.random() < 0.7))
    more = int(np.exp(rng.uniform(np.log(4), np.log(400)))) << 20

    def limit() -> None:
        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + more, held + more))

    code = wait(start(bench.job, bench.folder, limit))
    # The C library ends a process that has no room for a thread, whatever it runs.
    ended = "cannot allocate memory for thread-local data" in bench.said
    assert code in (0, 1) or ended, f"exit code {code}: {bench.said}"
    # Python shows by itself that it could not run a thread.
    shown = "Exception in thread" in bench.said
    if code == 1 and not shown:
        bench.check_message("(?i)memory|thread")
    bench.check_files(tidy=not ended)
    bench.check_again()
    if ended or shown:
        return "ended by the C library" if ended else "with a traceback of Python's own"
    return REFUSED if code else None
