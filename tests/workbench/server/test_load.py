"""Many clients at once: who looks does not wait for others."""

import time
from threading import Thread

import pytest
from tests.workbench.server.client import Client

pytest.importorskip("uvicorn", reason="it needs the extra serve")


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

    def wait_and_complete(seconds=None):
        if seconds is None:
            with server.bench._lock:
                return complete()
        return complete(seconds)

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
