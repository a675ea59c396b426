"""Many clients at once: all are answered, and the server holds no more than before.

``make bench NAME=workbench`` does the same with 200 clients for a minute.
"""

import pytest
from benchmarks.workbench_load import press
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
