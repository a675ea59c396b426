"""Many clients of one workbench at once: what they get, and what the server holds."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

WORDS = ("great", "awful", "boring", "a waste", "love", "plot", "music", "not so good")


@dataclass
class Load:
    """What all clients together saw.

    Attributes
    ----------
    statuses : Counter
        How often which status came; "failed": no answer.
    seconds : list of float
        Of every request.
    resident : list of (float, int)
        Seconds since the start, and bytes that the server held.
    """

    statuses: Counter[int | str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    resident: list[tuple[float, int]] = field(default_factory=list)

    def summarise(self) -> dict[str, Any]:
        """Requests, time, and memory of the second and the last quarter."""
        held = [size for _, size in self.resident]
        quarter = max(1, len(held) // 4)
        return {
            "requests": len(self.seconds),
            "answers": {str(name): n for name, n in sorted(self.statuses.items())},
            "seconds_p50": float(np.median(self.seconds)),
            "seconds_p95": float(np.percentile(self.seconds, 95)),
            "resident_second_quarter": int(np.mean(held[quarter : 2 * quarter])),
            "resident_last_quarter": int(np.mean(held[-quarter:])),
        }


def resident(pid: int) -> int:
    """Bytes that a process holds in memory (Linux)."""
    found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def enter(address: str) -> tuple[str, int, dict[str, str]]:
    """Host and port of a server on this machine, and the headers that it lets in."""
    parts = urlsplit(address)
    host, port = str(parts.hostname), int(parts.port or 0)
    assert host == "127.0.0.1", "load is for this machine only"
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("GET", f"/?{parts.query}")
    answer = connection.getresponse()
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    connection.close()
    trusted = {"X-Corral": "workbench", "Content-Type": "application/json"}
    return host, port, {"Cookie": cookie, **trusted}


def press(address: str, pid: int, clients: int, seconds: float) -> Load:
    """Have many clients look at rows and type rules, for some seconds.

    Parameters
    ----------
    address : str
        As `corral serve` prints it; on this machine.
    pid : int
        The process of the server.
    clients : int
        At most 200.
    seconds : float
        At most 60.
    """
    assert clients <= 200
    assert seconds <= 60
    host, port, headers = enter(address)
    load, lock = Load(), threading.Lock()
    began = time.monotonic()
    stop = began + seconds

    def work(number: int) -> None:
        turn = 0
        connection = http.client.HTTPConnection(host, port, timeout=60)
        while time.monotonic() < stop:
            turn += 1
            method, path, body = _next(number, turn)
            sent = time.monotonic()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                answer.read()
                status: int | str = answer.status
            except (OSError, http.client.HTTPException):
                connection.close()
                status = "failed"
            with lock:
                load.statuses[status] += 1
                load.seconds.append(time.monotonic() - sent)
        connection.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    while time.monotonic() < stop:
        load.resident.append((time.monotonic() - began, resident(pid)))
        time.sleep(min(0.5, seconds / 40))
    for thread in threads:
        thread.join()
    load.resident.append((time.monotonic() - began, resident(pid)))
    return load


def _next(client: int, turn: int) -> tuple[str, str, str | None]:
    """What a client asks for next; every one types as a tab of its own."""
    if turn % 3 == 0:
        return "GET", "/state", None
    if turn % 3 == 1:
        return "GET", f"/rows?offset={turn * 7 % 500}&limit=20", None
    rule = {"kind": "words", "class": "pos", "words": [WORDS[(client + turn) % 8]]}
    body = {"rule": rule, "tab": f"client {client}", "turn": turn}
    return "POST", "/preview", json.dumps(body)
