"""Small disks, which no other process sees (Linux, as root)."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CLONE_NEWNS = 0x20000
LARGE = 256 << 20
"""Bytes of a disk on which there is room."""


@cache
def why_no_disks() -> str:
    """Why none can be made; empty if they can.

    This process gets a view of disks of its own, which ends with it.
    """
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        if unshare(CLONE_NEWNS) != 0:
            return f"no view of disks of its own: {os.strerror(ctypes.get_errno())}"
        _mount("--make-rprivate", "/")
    except (AttributeError, OSError, subprocess.CalledProcessError) as error:
        return f"disks cannot be mounted: {error}"
    return ""


@dataclass
class SmallDisk:
    """A disk of which only so much is left.

    Attributes
    ----------
    folder : Path
        Where it is mounted.
    """

    folder: Path

    def leave(self, free: int | None) -> None:
        """Leave so many bytes, in whole pages; None: plenty."""
        known = os.statvfs(self.folder)
        used = (known.f_blocks - known.f_bfree) * known.f_frsize
        # A size of 0 would mean no limit.
        size = LARGE if free is None else max(4096, used + free)
        _mount("-o", f"remount,size={size}", str(self.folder))


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """A disk of its own in the place of a folder, as long as this lasts."""
    assert not why_no_disks(), why_no_disks()
    _mount("-t", "tmpfs", "-o", f"size={LARGE},mode=755", "tmpfs", str(folder))
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)
