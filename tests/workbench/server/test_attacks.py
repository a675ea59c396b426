"""Attacks on the server, each of which is refused and changes nothing."""

import json
import time
from contextlib import ExitStack, closing, suppress
from socket import create_connection

import pytest

pytest.importorskip("uvicorn", reason="it needs the extra serve")

from tests.workbench.server.client import Client, write_reviews

from corral.workbench import Workbench
from corral.workbench.server import WorkbenchServer, app
from corral.workbench.server.app import Handlers
from corral.workbench.server.guard import MAX_BYTES, Access

RULE = {"kind": "words", "words": ["great"], "class": "pos"}
CHANGE = {"action": {"what": "add_rule", "rule": RULE}, "version": 0}
LONG = b'{"action": "' + b"x" * MAX_BYTES + b'"}'
GETS = {
    "foreign Host": ("/state", {"Host": "evil.example"}, 403),
    "foreign Host, port of this server": ("/", {"Host": "evil.example:8765"}, 403),
    "Host with a user": ("/state", {"Host": "127.0.0.1@evil.example"}, 403),
    "Host that begins like ours": ("/state", {"Host": "127.0.0.1.evil.example"}, 403),
    "Host with a path": ("/state", {"Host": "127.0.0.1/evil"}, 403),
    "Host that is no name": ("/state", {"Host": "[::1"}, 403),
    "no cookie": ("/state", {"Cookie": ""}, 401),
    "no cookie, the page": ("/", {"Cookie": ""}, 403),
    "no cookie, a script": ("/static/main.js", {"Cookie": ""}, 401),
    "a guessed cookie": ("/state", {"Cookie": "corral_1=guess"}, 401),
    "a broken cookie": ("/state", {"Cookie": "\x7f;=;;corral"}, 401),
    "a guessed token": ("/?token=guess", {"Cookie": ""}, 403),
    "an empty token": ("/?token=", {"Cookie": ""}, 403),
    "a token elsewhere": ("/state?token={token}", {"Cookie": ""}, 401),
    "another site reads": ("/state", {"Sec-Fetch-Site": "cross-site"}, 403),
    "another port reads": ("/state", {"Sec-Fetch-Site": "same-site"}, 403),
    "a path out of static": ("/static/../app.py", {}, 404),
    "the same, escaped": ("/static/%2e%2e%2fapp.py", {}, 404),
    "the same, twice": ("/static/..%252fapp.py", {}, 404),
    "a backslash": ("/static/..%5capp.py", {}, 404),
    "an absolute path": ("/static//etc/passwd", {}, 404),
    "a path to export": ("/export/..%2f..%2fetc%2fpasswd", {}, 404),
    "something else to export": ("/export/passwords", {}, 400),
    "a format that is a path": ("/export/labels.csv%2f..%2fx", {}, 404),
    "a project of somebody else": ("/state?project=/etc/passwd", {}, 200),
    "a row that is none": ("/row/-1", {}, 400),
    "a row without end": (f"/row/{'9' * 5000}", {}, 400),
    "a row far away": ("/row/99999999999", {}, 422),
    "rows from nowhere": ("/rows?offset=-5", {}, 400),
    "all rows at once": ("/rows?limit=1e9", {}, 400),
    "a selection that is none": ("/rows?what=passwords", {}, 422),
    "a change by GET": ("/act", {}, 405),
}
POSTS = {
    "cross-site": ({"Origin": "http://evil.example"}, CHANGE, 403),
    "another port": ({"Origin": "http://127.0.0.1:1"}, CHANGE, 403),
    "no origin at all": ({"Origin": "null"}, CHANGE, 403),
    "https": ({"Origin": "https://127.0.0.1"}, CHANGE, 403),
    "fetch metadata: cross-site": ({"Sec-Fetch-Site": "cross-site"}, CHANGE, 403),
    "fetch metadata: same-site": ({"Sec-Fetch-Site": "same-site"}, CHANGE, 403),
    "fetch metadata: none": ({"Sec-Fetch-Site": "none"}, CHANGE, 403),
    "no custom header": ({"X-Corral": None}, CHANGE, 403),
    "no cookie": ({"Cookie": None}, CHANGE, 401),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=1", 415),
    "text, which needs no permission": ({"Content-Type": "text/plain"}, CHANGE, 415),
    "oversized": ({}, LONG, 413),
    "oversized, in chunks": ({"Transfer-Encoding": "chunked"}, LONG, 413),
    "no JSON": ({}, b"{", 400),
    "deep JSON": ({}, b"[" * 60_000, 400),
    "bytes that are no text": ({}, b"\xff\xfe\x00", 400),
    "half a character": (
        {},
        b'{"action": {"what": "add_rule", "rule": {"kind": "words", "class": "pos", '
        b'"words": ["\\ud800"]}}, "version": 0}',
        400,
    ),
    "a list": ({}, [1], 400),
    "no version": ({}, {"action": CHANGE["action"]}, 409),
    "an act that is none": ({}, {"action": {"what": "rm"}, "version": 0}, 422),
    "an act without a name": ({}, {"action": {}, "version": 0}, 422),
    "a rule that is none": (
        {},
        {"action": {"what": "add_rule", "rule": [1]}, "version": 0},
        422,
    ),
    "a rule with a path": (
        {},
        {"action": {"what": "add_rule", "rule": RULE | {"path": "/"}}, "version": 0},
        422,
    ),
}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """One server for all attacks."""
    path = write_reviews(tmp_path_factory.mktemp("attacked") / "reviews.csv", 50)
    bench = Workbench.open(path, text="text", classes=("neg", "pos"))
    with WorkbenchServer(bench, port=0) as server:
        yield Client(server.access.address).enter()
    assert bench.state()["version"] == 0
    assert bench.state()["rules"] == []
    bench.close()


@pytest.mark.parametrize("attack", GETS)
def test_reading(attacked, attack):
    path, changed, expected = GETS[attack]
    headers = {"Cookie": attacked.cookie} | changed
    headers = {name: value for name, value in headers.items() if value}
    status, answered, body = attacked.send(
        "GET", path.format(token=attacked.token), None, headers
    )
    assert status == expected, body
    assert "set-cookie" not in answered
    assert b"root:" not in body
    assert b"class Handlers" not in body


@pytest.mark.parametrize("attack", POSTS)
def test_changing(attacked, attack):
    changed, body, expected = POSTS[attack]
    headers = {
        name: value
        for name, value in (attacked.trusted | changed).items()
        if value is not None
    }
    status, _, answered = attacked.send("POST", "/act", body, headers)
    assert status == expected, answered
    assert json.loads(answered)["error"]


def test_a_preview_in_place_of_what_is_no_rule(attacked):
    for turn, given in enumerate(([1], {"r1": 1}, "r1", 1)):
        body = {"rule": RULE, "tab": "odd", "turn": turn, "replaces": given}
        status, _, answered = attacked.send("POST", "/preview", body, attacked.trusted)
        assert (status, json.loads(answered)["field"]) == (422, "rule")


@pytest.mark.parametrize(
    "method", ["PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE"]
)
def test_other_methods(attacked, method):
    status, _, _ = attacked.send(method, "/state", None, {"Cookie": attacked.cookie})
    assert status == 405


def test_no_websocket(attacked):
    asked = {
        "Cookie": attacked.cookie,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    status, _, _ = attacked.send("GET", "/state", None, asked)
    assert status != 101


@pytest.fixture
def few(serve, monkeypatch):
    """A client of a server that has few connections and little patience."""
    monkeypatch.setattr(app, "MAX_CONNECTIONS", 20)
    monkeypatch.setattr(app, "MAX_SECONDS_FOR_HEADERS", 1)
    return Client(serve().access.address).enter()


def test_who_connects_and_does_not_ask_keeps_nobody_out(few):
    with ExitStack() as stack:
        for begun in (b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"):
            for _ in range(15):
                one = stack.enter_context(create_connection((few.host, few.port)))
                one.sendall(begun)
            assert few.get("/state")["version"] == 0


def test_headers_that_take_too_long_are_cut_off(few):
    begun = time.monotonic()
    with create_connection((few.host, few.port)) as slow, suppress(ConnectionError):
        while time.monotonic() < begun + 20:
            slow.sendall(b"G")  # a byte now and then buys no time
            time.sleep(0.1)
    assert time.monotonic() < begun + 20


def test_every_answer_has_the_headers(attacked):
    for path in ("/", "/state", "/static/main.js", "/nowhere"):
        _, headers, _ = attacked.send("GET", path, None, {"Cookie": attacked.cookie})
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_the_cookie_is_for_this_site_only(attacked):
    _, headers, _ = attacked.send("GET", f"/?token={attacked.token}")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert attacked.token not in cookie


@pytest.mark.parametrize(
    "others", ['a={"b": 1}; ', "x[1]=2; ", 'open="; ', "é=ü; ", "corral_9=other; "]
)
def test_cookies_of_other_servers_do_not_lock_out(others):
    access = Access("127.0.0.1", 9)
    own = access.set_cookie().partition(";")[0]
    assert access.admits_cookie(f"{others}{own}")
    assert not access.admits_cookie(f"{others}corral_9=")
    assert not access.admits_cookie(f"{others}other_{own}")


def test_the_token_of_a_command_line_works_once():
    access = Access("127.0.0.1", 8765)
    token = access.address_once.partition("=")[2]
    assert access.admits_token(token)
    assert not access.admits_token(token)
    assert access.admits_token(access.token)
    assert access.admits_token(access.token)


@pytest.mark.parametrize(
    ("host", "name", "known"),
    [
        ("127.0.0.1", "localhost:1", True),
        ("127.0.0.1", "LOCALHOST", True),
        ("127.0.0.1", "[::1]:8765", True),
        ("127.0.0.1", "192.0.2.7", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "localhost:port", False),
        ("0.0.0.0", "192.0.2.7:8765", True),
        ("0.0.0.0", "rebound.example", False),
        ("192.0.2.7", "192.0.2.7:8765", True),
        ("192.0.2.7", "192.0.2.8", False),
    ],
)
def test_names_of_the_server(host, name, known):
    assert Access(host, 8765).knows_host(name) is known


def test_the_name_of_the_data_is_visible(tmp_path):
    data = tmp_path / "\x1b]0;x\x07\u202e<b>.csv"
    data.write_text("text\na\nb\n")
    with closing(Workbench.open(data, text="text", classes=["no", "yes"])) as bench:
        page = Handlers(bench).page
    assert "<title>\\x1b]0;x\\x07\\u202e&lt;b&gt;" in page
    assert not {"\x1b", "\x07", "\u202e"} & set(page)
