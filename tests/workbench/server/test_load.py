"""Many clients at once: all are answered, and the server holds no more than before."""

import re
import time
from pathlib import Path
from threading import Thread

import pytest
from tests.workbench.server.client import Client, start_command, write_reviews

pytest.importorskip("uvicorn", reason="it needs the extra serve")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="memory is told by Linux")
def test_memory_is_flat(tmp_path):
    process, address = start_command(write_reviews(tmp_path / "reviews.csv"))
    first = Client(address).enter()
    statuses, held = [], []

    def use(number, until):
        turn = 0
        while time.monotonic() < until:
            turn += 1
            rule = {"kind": "words", "class": "pos", "words": [f"w{turn % 8}"]}
            body = {"rule": rule, "tab": f"client {number}", "turn": turn}
            asked = [("GET", "/rows?limit=20", None), ("POST", "/preview", body)]
            statuses.extend(first.send(*one, first.trusted)[0] for one in asked)

    try:
        for _ in range(2):
            until = time.monotonic() + 1.5
            clients = [Thread(target=use, args=(n, until)) for n in range(40)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            status = Path(f"/proc/{process.pid}/status").read_text()
            held.append(int(re.search(r"VmRSS:\s*(\d+)", status)[1]) * 1024)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
    assert set(statuses) <= {200, 204}
    assert len(statuses) >= 40
    assert held[1] - held[0] < 20e6


def _count_at_work(handlers):
    """Requests that have a thread or wait for one, wherever acts are done."""
    found = [handlers.threads, *handlers.waiting.values()]
    counts = [limiter.statistics() for limiter in found]
    return sum(one.borrowed_tokens + one.tasks_waiting for one in counts)


@pytest.mark.parametrize("what", ["act", "export"])
def test_who_looks_does_not_wait_for_acts_and_exports(serve, monkeypatch, what):
    """They wait, for each other or for all rows, and take no thread of those that look."""
    from corral.workbench.server import app

    server = serve()
    client = Client(server.access.address).enter()
    body = {"action": {"what": "undo"}, "version": 0}
    request = {
        "act": ("POST", "/act", body),
        "export": ("GET", "/export/votes.csv", None),
    }[what]
    answers = []
    complete = server.bench._complete

    def wait_and_complete():
        with server.bench._lock:
            return complete()

    monkeypatch.setattr(server.bench, "_complete", wait_and_complete)

    def ask():
        answers.append(client.send(*request, client.trusted))

    with server.bench._lock:
        waiting = [Thread(target=ask) for _ in range(app.MAX_CALLS + 1)]
        for thread in waiting:
            thread.start()
        until = time.monotonic() + 30
        while (
            _count_at_work(server._handlers) < len(waiting) and time.monotonic() < until
        ):
            time.sleep(0.01)
        looked, *_ = client.send("GET", "/state", None, client.trusted)
    for thread in waiting:
        thread.join()
    assert looked == 200
    assert len(answers) == len(waiting)
    assert {status for status, *_ in answers} <= {409, 422}
