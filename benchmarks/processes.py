"""What a process holds, as Linux counts it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple


class Held(NamedTuple):
    """What a process holds at a moment.

    Attributes
    ----------
    resident, peak : int
        Bytes in memory: now, and the most so far.
    threads, files : int
        How many there are; files are all that is open, connections among them.
    """

    resident: int
    peak: int
    threads: int
    files: int


def look_at(pid: int | str = "self") -> Held:
    """What a process holds now (Linux); one that has ended, no memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = dict(re.findall(r"^(VmRSS|VmHWM|Threads):\s*(\d+)", text, re.MULTILINE))
    return Held(
        int(found.get("VmRSS", 0)) * 1024,
        int(found.get("VmHWM", 0)) * 1024,
        int(found["Threads"]),
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
    )


def children_of(pid: int | str = "self") -> list[int]:
    """The processes that a process started, and those that they did."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children_of(child)]
    return found
