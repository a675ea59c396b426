"""Many clients at once: all are answered, and the server holds no more than before.

``make bench NAME=workbench`` does the same with 200 clients for a minute.
"""

import time
from threading import Thread

import pytest
from benchmarks.workbench_load import Answer, Line, Request, press
from tests.workbench.server.client import start_command, write_reviews

pytest.importorskip("uvicorn", reason="it needs the extra serve")


def test_memory_is_flat(tmp_path):
    process, address = start_command(write_reviews(tmp_path / "reviews.csv"))
    try:
        found = press(address, process.pid, clients=40, seconds=3.0).summarise()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
    assert set(found["answers"]) <= {"200", "204"}
    assert found["requests"] >= 40
    grown = found["resident_last_quarter"] - found["resident_second_quarter"]
    assert grown < 20e6


def _count_at_work(translator):
    """Requests that have a thread or wait for one, wherever acts are done."""
    found = [translator.threads.statistics(), translator.act_thread.statistics()]
    return sum(one.borrowed_tokens + one.tasks_waiting for one in found)


def test_who_looks_does_not_wait_for_acts(serve, monkeypatch):
    """Acts wait for each other, and take none of the threads that look."""
    from corral.workbench.server import app

    made = []

    class Translator(app._Translator):
        def __init__(self, bench):
            super().__init__(bench)
            made.append(self)

    monkeypatch.setattr(app, "_Translator", Translator)
    server = serve()
    lines = [Line(server.access.address) for _ in range(app.THREADS + 2)]
    act = {"action": {"what": "undo"}, "version": 0}
    answers: list[Answer] = []
    with server.bench._lock:
        waiting = [
            Thread(
                target=lambda line=line: answers.append(
                    line.send(Request("act", "POST", "/act", act))
                )
            )
            for line in lines[1:]
        ]
        for thread in waiting:
            thread.start()
        until = time.monotonic() + 30
        while _count_at_work(made[0]) < len(waiting) and time.monotonic() < until:
            time.sleep(0.01)
        looked = lines[0].send(Request("state", "GET", "/state"))
    for thread in waiting:
        thread.join()
    for line in lines:
        line.close()
    assert looked.status == 200
    assert len(answers) == len(waiting)
    assert {answer.status for answer in answers} <= {409, 422}
