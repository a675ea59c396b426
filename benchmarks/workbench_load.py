"""Many clients of one workbench at once: what they get, and what the server holds."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.processes import Held, look_at

WORDS = ("great", "awful", "boring", "a waste", "love", "plot", "music", "not so good")


class Request(NamedTuple):
    """What a client asks for; `kind` is what it is counted as."""

    kind: str
    method: str
    path: str
    body: dict[str, Any] | None = None


class Answer(NamedTuple):
    """What came: a status, or "failed" without one, and the content."""

    status: int | str
    content: bytes


Client = Generator[Request, Answer, None]
"""Yields requests for ever, and is sent their answers."""


@dataclass
class Load:
    """What all clients together saw.

    Attributes
    ----------
    answers : list of (str, int or str, float)
        Of every request its kind, the status of the answer ("failed": none came), and
        the seconds until it was there.
    held : list of (float, Held)
        Seconds since the start, and what the server held.
    """

    answers: list[tuple[str, int | str, float]] = field(default_factory=list)
    held: list[tuple[float, Held]] = field(default_factory=list)

    def summarise(self) -> dict[str, Any]:
        """Requests, time, and memory of the second and the last quarter."""
        statuses = Counter(str(status) for _, status, _ in self.answers)
        seconds = [took for *_, took in self.answers]
        held = [now.resident for _, now in self.held]
        quarter = max(1, len(held) // 4)
        return {
            "requests": len(self.answers),
            "answers": dict(sorted(statuses.items())),
            **{f"seconds_p{p}": float(np.percentile(seconds, p)) for p in (50, 95, 99)},
            "resident_second_quarter": int(np.mean(held[quarter : 2 * quarter])),
            "resident_last_quarter": int(np.mean(held[-quarter:])),
        }


@contextmanager
def serve(path: Path, *options: str) -> Iterator[tuple[str, int]]:
    """`corral serve`: its address, and its process."""
    command = [sys.executable, "-m", "corral.cli", "serve", path, "--text", "text"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--no-browser", "--quiet", *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class Line:
    """A connection to a server on this machine, with the headers that it lets in.

    Parameters
    ----------
    address : str
        As `corral serve` prints it.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname == "127.0.0.1", "load is for this machine only"
        self._connection = http.client.HTTPConnection(
            parts.hostname, parts.port, timeout=60
        )
        self._connection.request("GET", f"/?{parts.query}")
        answer = self._connection.getresponse()
        answer.read()
        cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        trusted = {"X-Corral": "workbench", "Content-Type": "application/json"}
        self._headers = {"Cookie": cookie, **trusted}

    def send(self, request: Request) -> Answer:
        """Send a request and wait for all of the answer."""
        try:
            self.ask(request)
            answer = self._connection.getresponse()
            return Answer(answer.status, answer.read())
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            return Answer("failed", repr(error).encode())

    def ask(self, request: Request) -> None:
        """Send a request, and do not wait."""
        body = None if request.body is None else json.dumps(request.body)
        self._connection.request(request.method, request.path, body, self._headers)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def press(
    address: str,
    pid: int,
    clients: int,
    seconds: float,
    make_client: Callable[[int], Client] | None = None,
    pause: float = 0.0,
) -> Load:
    """Have many clients use a workbench, for some seconds.

    Parameters
    ----------
    address : str
        As `corral serve` prints it; on this machine.
    pid : int
        The process of the server.
    clients : int
        At most 200.
    seconds : float
        At most an hour.
    make_client : callable, optional
        Gives a client, by its number; default: one that looks at rows and types rules.
    pause : float
        Mean seconds between an answer and the next request.
    """
    assert clients <= 200
    assert seconds <= 3600
    load, lock = Load(), threading.Lock()
    lines = [Line(address) for _ in range(clients)]
    began = time.monotonic()
    stop = began + seconds

    def work(number: int) -> None:
        client = (make_client or look_and_type)(number)
        rng, line = Random(number), lines[number]
        request = next(client)
        while time.monotonic() < stop:
            sent = time.monotonic()
            answer = line.send(request)
            took = time.monotonic() - sent
            with lock:
                load.answers.append((request.kind, answer.status, took))
            request = client.send(answer)
            if pause:
                time.sleep(rng.uniform(0, 2 * pause))
        line.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    while time.monotonic() < stop:
        load.held.append((time.monotonic() - began, look_at(pid)))
        time.sleep(min(0.5, seconds / 40))
    for thread in threads:
        thread.join()
    load.held.append((time.monotonic() - began, look_at(pid)))
    return load


def look_and_type(client: int) -> Client:
    """Look at rows and type rules; every client is a tab of its own."""
    turn = 0
    while True:
        turn += 3
        yield Request("rows", "GET", f"/rows?offset={turn * 7 % 500}&limit=20")
        rule = {"kind": "words", "class": "pos", "words": [WORDS[(client + turn) % 8]]}
        body = {"rule": rule, "tab": f"client {client}", "turn": turn}
        yield Request("preview", "POST", "/preview", body)
        yield Request("state", "GET", "/state")
