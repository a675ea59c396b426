"""A running workbench, and requests that were made to harm it: nothing is changed.

`tests/workbench/server/test_attacks.py` has requests of other sites, without the cookie or
of another form; these are sent as bytes, or come from the page itself.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="it needs the extra serve")

from tests.workbench.server.client import Client, write_reviews

from corral.workbench import Workbench
from corral.workbench.server import WorkbenchServer

RULE = {"kind": "words", "words": ["great"], "class": "pos"}
ODD_NAME = 'a"; filename="evil.sh\r\nX-Evil: 1'


@pytest.fixture(scope="module")
def client(tmp_path_factory: Any) -> Iterator[Client]:
    """Of a server whose project must be as it was after every request."""
    path = write_reviews(tmp_path_factory.mktemp("hostile") / f"{ODD_NAME}.csv", 50)
    with closing(Workbench.open(path, text="text", classes=("neg", "pos"))) as bench:
        bench.act({"what": "add_rule", "rule": RULE}, 0)  # so that it can export
        with WorkbenchServer(bench, port=0) as server:
            yield Client(server.access.address).enter()
        assert (bench.state()["version"], len(bench.state()["rules"])) == (1, 1)


RULES: dict[str, tuple[dict[str, Any], int]] = {
    "without end": ({"kind": "regex", "pattern": "(a+)+$"}, 200),
    "nested": ({"kind": "regex", "pattern": "((a{1,100}){1,100}){1,100}"}, 422),
    "brackets": ({"kind": "regex", "pattern": "(" * 9000}, 422),
    "long": ({"kind": "regex", "pattern": "a" * 20_000}, 200),
    "back reference": ({"kind": "regex", "pattern": r"(a)\1"}, 422),
    "10,000 words": ({"kind": "words", "words": ["w"] * 10_000}, 200),
    "long word": ({"kind": "words", "words": ["w" * 20_000]}, 200),
    "words of SQL": ({"kind": "words", "words": ["'); DROP TABLE x; --"]}, 200),
    "column of SQL": (
        {"kind": "threshold", "column": '"; DROP TABLE x; --', "above": 1},
        422,
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_rules_that_somebody_types(client: Client, name: str) -> None:
    rule, expected = RULES[name]
    turn = time.monotonic_ns()
    body = {"rule": {"class": "pos"} | rule, "tab": "hostile", "turn": turn}
    status, _, answer = client.send("POST", "/preview", body, client.trusted)
    assert status == expected, answer[:200]


OURS = b"Host: 127.0.0.1\r\n"
RAW: dict[str, bytes] = {
    "no request": b"hello\r\n\r\n",
    "a header without end": b"GET / HTTP/1.1\r\n" + OURS + b"X: " + b"x" * 200_000,
    "many headers": b"GET / HTTP/1.1\r\n" + OURS + b"X: 1\r\n" * 20_000 + b"\r\n",
    "two lengths": b"POST /act HTTP/1.1\r\n"
    + OURS
    + b"Content-Length: 1\r\nContent-Length: 90\r\n\r\nx",
    "a length and chunks": b"POST /act HTTP/1.1\r\n"
    + OURS
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"0\r\n\r\nGET /state HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /state HTTP/1.1\r\n" + OURS + b"Host: evil.example\r\n\r\n",
    "no host": b"GET /state HTTP/1.0\r\n\r\n",
    "a whole address": b"GET http://evil.example/state HTTP/1.1\r\n"
    b"Host: evil.example\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
}


@pytest.mark.parametrize("name", RAW)
def test_bytes_that_are_hardly_requests(client: Client, name: str) -> None:
    with socket.create_connection((client.host, client.port), timeout=5) as line:
        try:
            line.sendall(RAW[name])
            line.shutdown(socket.SHUT_WR)
            answer = line.recv(1 << 16)
        except OSError:  # it hung up before all of it was sent
            answer = b""
    if answer[:5] == b"HTTP/":
        assert int(answer.split()[1]) in (400, 401, 403, 405, 413, 431), answer[:200]
    assert b"Traceback" not in answer


def test_slow_clients_do_not_keep_others_out(client: Client) -> None:
    place = (client.host, client.port)
    waiting = [socket.create_connection(place, timeout=5) for _ in range(50)]
    try:
        for line in waiting:
            line.sendall(b"POST /act HTTP/1.1\r\n" + OURS)
        began = time.monotonic()
        status, _, _ = client.send("GET", "/state", None, {"Cookie": client.cookie})
        assert (status, time.monotonic() - began < 5) == (200, True)
    finally:
        for line in waiting:
            line.close()


def test_the_name_of_a_download_adds_no_header(client: Client) -> None:
    _, headers, body = client.send(
        "GET", "/export/votes.csv", None, {"Cookie": client.cookie}
    )
    shown = headers["content-disposition"]
    assert "x-evil" not in headers
    assert shown.startswith("attachment;"), shown
    assert not {"\r", "\n"} & {*shown}
    assert 'filename="evil' not in shown, "quotes of the name are escaped"
    assert b"rule_" in body
