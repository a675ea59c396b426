"""Requests to a running workbench, by a browser of others or by none at all."""

from __future__ import annotations

import json
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.workbench.server.attacks import GETS, POSTS, RULE
from tests.workbench.server.client import Client, write_reviews

from reliability.hostile.cases import Case, RefusedError, Surface

OTHERS = ("PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE", "CONNECT", "x")
ODD_NAME = 'a"; filename="evil.sh\r\nX-Evil: 1'
"""Of the file of data, as far as a file system takes it."""


@dataclass(frozen=True)
class Running:
    """A workbench that is served.

    Attributes
    ----------
    client : Client
        With the cookie.
    bench : Workbench
    """

    client: Client
    bench: Any


@contextmanager
def serve() -> Iterator[Running]:
    """A server for all requests; whatever came, nothing was changed."""
    from corral.workbench import Workbench
    from corral.workbench.server import WorkbenchServer

    with tempfile.TemporaryDirectory(prefix="corral_hostile_") as folder:
        path = write_reviews(Path(folder, f"{ODD_NAME}.csv"), 50)
        with closing(
            Workbench.open(path, text="text", classes=("neg", "pos"))
        ) as bench:
            bench.act({"what": "add_rule", "rule": RULE}, 0)  # so that it can export
            with WorkbenchServer(bench, port=0) as server:
                yield Running(Client(server.access.address).enter(), bench)


def check(
    running: Running, status: int, body: bytes, expected: tuple[int, ...]
) -> None:
    """An answer as it should be, and a project as it was."""
    assert status in expected, f"{status}: {body[:200]!r}"
    assert b"root:" not in body, "a file of the system was sent"
    assert b"def make_app" not in body, "the source was sent"
    assert b"Traceback" not in body
    state = running.bench.state()
    assert (state["version"], len(state["rules"])) == (1, 1), "something was changed"
    if status >= 300:
        raise RefusedError(f"{status}: {body[:100].decode(errors='replace')!r}")


def read(name: str) -> Callable[[Running], None]:
    """A `Case.use` of one of `GETS`."""

    def use(running: Running) -> None:
        path, changed, expected = GETS[name]
        headers = {"Cookie": running.client.cookie} | changed
        given = {k: v for k, v in headers.items() if v}
        asked = path.format(token=running.client.token)
        status, answered, body = running.client.send("GET", asked, None, given)
        assert "set-cookie" not in answered
        check(running, status, body, (expected,))

    return use


def change(name: str) -> Callable[[Running], None]:
    """A `Case.use` of one of `POSTS`, on the version that there is."""

    def use(running: Running) -> None:
        changed, content, expected = POSTS[name]
        if isinstance(content, dict) and content.get("version") == 0:
            content = content | {"version": 1}
        headers = running.client.trusted | changed
        given = {k: v for k, v in headers.items() if v is not None}
        status, _, body = running.client.send("POST", "/act", content, given)
        assert json.loads(body)["error"]
        check(running, status, body, (expected,))

    return use


def other_method(method: str) -> Callable[[Running], None]:
    """A `Case.use` of a method that no page uses."""

    def use(running: Running) -> None:
        given = {"Cookie": running.client.cookie}
        status, _, body = running.client.send(method, "/state", None, given)
        check(running, status, body, (400, 405))

    return use


def post(path: str, content: Any, *expected: int) -> Callable[[Running], None]:
    """A `Case.use` of a request that the page itself could send."""

    def use(running: Running) -> None:
        status, _, body = running.client.send(
            "POST", path, content, running.client.trusted
        )
        check(running, status, body, expected)

    return use


def preview(**rule: Any) -> dict[str, Any]:
    """What the page sends while somebody types."""
    return {"rule": {"class": "pos"} | rule, "tab": "hostile", "turn": _turn()}


def _turn() -> int:
    return time.monotonic_ns()


def previewed(*expected: int, **rule: Any) -> Callable[[Running], None]:
    """A `Case.use` of a rule that somebody types."""
    return lambda running: post("/preview", preview(**rule), *expected)(running)


def raw(content: bytes) -> Callable[[Running], None]:
    """A `Case.use` of bytes that are no request."""

    def use(running: Running) -> None:
        place = (running.client.host or "", running.client.port)
        with socket.create_connection(place, timeout=5) as connection:
            try:
                connection.sendall(content)
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(1 << 16)
            except OSError:  # it hung up before all of it was sent
                answer = b""
        status = int(answer.split()[1]) if answer[:5] == b"HTTP/" else 400
        check(running, status, answer, (400, 401, 403, 405, 413, 431))

    return use


def slow(running: Running) -> None:
    """Fifty clients that send nothing more after a first line do not keep others out."""
    place = (running.client.host or "", running.client.port)
    waiting = [socket.create_connection(place, timeout=5) for _ in range(50)]
    try:
        for connection in waiting:
            connection.sendall(b"POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        began = time.monotonic()
        status, _, body = running.client.send(
            "GET", "/state", None, {"Cookie": running.client.cookie}
        )
        assert time.monotonic() - began < 5
        check(running, status, body, (200,))
    finally:
        for connection in waiting:
            connection.close()


def download(running: Running) -> None:
    """The name of a file of data can add no header to a download."""
    _, headers, body = running.client.send(
        "GET", "/export/votes", None, {"Cookie": running.client.cookie}
    )
    assert "x-evil" not in headers
    shown = headers["content-disposition"]
    assert shown.startswith("attachment;"), shown
    assert "\r" not in shown
    assert "\n" not in shown
    # Quotes of the name are escaped, so that no second name follows.
    assert 'filename="evil' not in shown, shown
    assert b"rule_" in body


EXTRA: dict[str, Callable[[Running], None]] = {
    "a pattern without end": previewed(200, 422, kind="regex", pattern="(a+)+$"),
    "a pattern of nested repetition": previewed(
        200, 422, kind="regex", pattern="((a{1,100}){1,100}){1,100}"
    ),
    "a pattern of brackets": previewed(200, 422, kind="regex", pattern="(" * 9000),
    "a pattern of pairs of brackets": previewed(
        200, 422, kind="regex", pattern="(" * 4900 + ")" * 4900
    ),
    "a pattern that is too long": previewed(422, kind="regex", pattern="a" * 20_000),
    "a pattern with a back reference": previewed(422, kind="regex", pattern=r"(a)\1"),
    "10,000 words": previewed(200, kind="words", words=["w"] * 10_000),
    "a word that is too long": previewed(422, kind="words", words=["w" * 20_000]),
    "words of SQL": previewed(200, kind="words", words=["'); DROP TABLE x; --"]),
    "a column of SQL": previewed(
        422, kind="threshold", column='"; DROP TABLE x; --', above=1
    ),
    "a number without end": post(
        "/preview",
        b'{"rule": {"kind": "threshold", "class": "pos", "column": "stars", "above": '
        + b"9" * 50_000
        + b'}, "tab": "a", "turn": 1}',
        400,
    ),
    "a number beyond doubles": post(
        "/preview",
        b'{"rule": {"kind": "threshold", "class": "pos", "column": "stars", "above": '
        b'1e999}, "tab": "a", "turn": 1}',
        *(400, 422),
    ),
    "a turn without end": post(
        "/preview", {"rule": RULE, "tab": "b", "turn": 10**400}, 200, 204, 400, 422
    ),
    "a key twice": post(
        "/act", b'{"version": 1, "version": 7, "action": {}}', 409, 422
    ),
    "words to propose, without end": post("/propose", {"words": "a " * 20_000}, 422),
    "words to propose, of HTML": post("/propose", {"words": "<script>"}, 200, 422),
    "no request at all": raw(b"hello\r\n\r\n"),
    "a header without end": raw(
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 200_000
    ),
    "many headers": raw(
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: 1\r\n" * 20_000 + b"\r\n"
    ),
    "two lengths": raw(
        b"POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n"
        b"Content-Length: 90\r\n\r\nx"
    ),
    "a length and chunks": raw(
        b"POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /state HTTP/1.1\r\n\r\n"
    ),
    "two hosts": raw(
        b"GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n"
    ),
    "no host": raw(b"GET /state HTTP/1.0\r\n\r\n"),
    "a whole address": raw(
        b"GET http://evil.example/state HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    ),
    "TLS": raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)),
    "a websocket": raw(
        b"GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "fifty slow clients": slow,
    "the name of a download": download,
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for name in GETS:
        yield Case(f"GET, {name}", lambda running: running, read(name))
    for name in POSTS:
        yield Case(f"POST, {name}", lambda running: running, change(name), "refused")
    for method in OTHERS:
        yield Case(
            f"{method}", lambda running: running, other_method(method), "refused"
        )
    for name, use in EXTRA.items():
        yield Case(name, lambda running: running, use)


SURFACE = Surface(
    "requests to the workbench",
    "A request of another site, without the cookie, or of another form is refused, and "
    "changes nothing",
    list_cases,
    serve,
    is_shared=True,
)
