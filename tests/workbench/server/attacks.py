"""Requests that are refused: by name, what is sent, and the status of the answer."""

from __future__ import annotations

from typing import Any

from corral.workbench.server.guard import MAX_BYTES

RULE = {"kind": "words", "words": ["great"], "class": "pos"}
CHANGE = {"action": {"what": "add_rule", "rule": RULE}, "version": 0}
LONG = b'{"action": "' + b"x" * MAX_BYTES + b'"}'
GETS: dict[str, tuple[str, dict[str, str], int]] = {
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
POSTS: dict[str, tuple[dict[str, Any], Any, int]] = {
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
    "no version": ({}, {"action": CHANGE["action"]}, 400),
    "a version that is text": ({}, CHANGE | {"version": "0"}, 400),
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
