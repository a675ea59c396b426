"""The workbench: any acts, any project file, any request."""

from __future__ import annotations

import asyncio
import csv
import json
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from corral.errors import CorralError
from corral.workbench import Workbench
from reliability.fuzz.json_edits import Edit, edited, edits, json_values
from reliability.fuzz.on_files import Damage, damaged, damages
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.values import mostly, texts

ROWS = (
    "text,stars,place\n"
    '"A great film, really great",9,x\n"great cast, bad plot",4,y\nbad. just bad,1,x\n'
    "awful and boring,2,y\nboring,,x\n,6,y\n日本 film,5,x\n=1+1 <b>great</b>,7,y\n"
)
CLASSES = ("neg", "pos")


# -- acts ---------------------------------------------------------------------------

words = st.one_of(
    st.lists(
        st.sampled_from(["great", "bad", "boring", "film", "日本"]),
        min_size=1,
        max_size=2,
    ),
    texts,
    st.lists(texts, max_size=2),
)
classes = mostly(st.sampled_from(CLASSES), st.one_of(st.just("mid"), texts))
shares = mostly(st.one_of(st.floats(0, 1), st.sampled_from([0, 1, None])), json_values)
ids = mostly(st.integers(1, 4).map("r{}".format), json_values)
limits = mostly(st.one_of(st.none(), st.integers(0, 9), st.floats(0, 10)), json_values)
good_rules = st.one_of(
    st.fixed_dictionaries({"kind": st.just("words"), "class": classes, "words": words}),
    st.builds(
        lambda name, sought: {"kind": "words", "class": name, "words": [sought]},
        st.sampled_from(CLASSES),
        st.sampled_from(["great", "bad", "boring", "film"]),
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("regex"),
            "class": classes,
            "pattern": st.one_of(st.sampled_from(["gr.+t", "(?i)BAD", "("]), texts),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("threshold"),
            "class": classes,
            "column": st.sampled_from(["stars", "stars", "place", "", "none"]),
            "above": limits,
        },
        optional={"below": limits, "name": mostly(texts, json_values)},
    ),
)
rules = mostly(good_rules, json_values)
listed = st.lists(classes, min_size=1, max_size=4)
rows = mostly(st.integers(0, 8), json_values)
good_actions: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"what": st.just("add_rule"), "rule": rules}),
    st.fixed_dictionaries({"what": st.just("add_rule"), "rule": rules}),
    st.fixed_dictionaries({"what": st.just("edit_rule"), "rule": ids, "to": rules}),
    st.fixed_dictionaries({"what": st.just("remove_rule"), "rule": ids}),
    st.fixed_dictionaries(
        {"what": st.just("set_rate"), "rule": ids},
        optional={"rate": shares, "at_most": shares},
    ),
    st.fixed_dictionaries(
        {"what": st.just("set_balance"), "class": classes},
        optional={"at_least": shares, "at_most": shares},
    ),
    st.fixed_dictionaries(
        {"what": st.just("label_row"), "row": rows, "class": classes},
        optional={"how": st.one_of(st.sampled_from(["random", "chosen"]), json_values)},
    ),
    st.fixed_dictionaries({"what": st.just("set_classes"), "classes": listed}),
    st.sampled_from([{"what": "undo"}, {"what": "redo"}]),
)
actions = mostly(
    good_actions, st.one_of(st.sampled_from([{}, {"what": "act"}]), json_values)
)


@contextmanager
def opened(folder: Path, *, good: bool = False) -> Iterator[Workbench]:
    """The workbench of the rows in a folder; if its project is good, it must open."""
    with must_work() if good else nullcontext():
        bench = Workbench.open(folder / "rows.csv", text="text")
    try:
        yield bench
    finally:
        with must_work():
            bench.close()


@contextmanager
def new_project() -> Iterator[Path]:
    """A folder with rows and a project that has classes and no rules."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.csv").write_text(ROWS)
        (folder / "rows.corral.json").write_bytes(empty_project())
        yield folder


@cache
def empty_project() -> bytes:
    """The file of a project that has classes and no rules."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.csv"
        path.write_text(ROWS)
        Workbench.open(path, text="text", classes=CLASSES).close()
        return path.with_name("rows.corral.json").read_bytes()


def kept(bench: Workbench) -> dict[str, Any]:
    """What a workbench holds: all it shows but what the last act changed."""
    state = bench.state()
    del state["totals"]["changed"]
    found = {"state": state, "rows": bench.rows({"what": "all"})["rows"]}
    json.dumps(found, allow_nan=False)
    return found


def entries(folder: Path) -> Any:
    """The sections of a project, as its file has them."""
    found = json.loads((folder / "rows.corral.json").read_text())
    sections = ("settings", "rules", "rates", "balance", "hand_labels")
    return {name: found[name] for name in sections}


def act(bench: Workbench, action: Any) -> bool:
    """Act on the present state; whether it was done. A refusal changes nothing."""
    before = bench.state()
    try:
        after = bench.act(action, before["version"])
    except CorralError:
        assert bench.state() == before
        return False
    assert after["version"] == before["version"] + 1
    return True


@holds_for(st.lists(actions, min_size=1, max_size=6), cost=120)
def workbench_acts(case: list[Any]) -> None:
    """Acts on the workbench are done or refused, can be undone, and are kept on disk."""
    # Only acts may be refused, which `act` notes: the project is a good one.
    with new_project() as folder, must_work():
        with opened(folder) as bench:
            first = entries(folder)
            steps = 0
            for action in case:
                undoes = isinstance(action, dict) and action.get("what") == "undo"
                steps += act(bench, action) * (-1 if undoes else 1)
            last, shown = entries(folder), kept(bench)
            assert_shown_rows(bench)
        with opened(folder) as bench:
            assert kept(bench) == shown
            for _ in range(steps):
                assert act(bench, {"what": "undo"})
            assert entries(folder) == first
            for _ in range(steps):
                assert act(bench, {"what": "redo"})
            assert entries(folder) == last


def assert_shown_rows(bench: Workbench) -> None:
    """Rows have labels that are shares, and can be exported."""
    for row in range(3):
        assert bench.row(row)["row"] == row
    if not bench.state()["totals"]["covered"]:
        return  # there is nothing to export
    with tempfile.TemporaryDirectory() as name:
        path = bench.export("labels", Path(name) / "labels.csv")
        with path.open(newline="") as file:
            lines = list(csv.reader(file))  # a class may be called by two lines
    assert len(lines) == len(ROWS.splitlines()), lines


# -- previews -----------------------------------------------------------------------


@holds_for(st.tuples(rules, rules, texts, mostly(st.none(), ids)), cost=70)
def workbench_previews(case: tuple[Any, Any, str, Any]) -> None:
    """A preview says what adding the rule then does, and changes nothing."""
    first, rule, sought, replaces = case
    with new_project() as folder, opened(folder, good=True) as bench:
        with must_work():
            act(bench, {"what": "add_rule", "rule": first})
            before = kept(bench)
        with suppress(CorralError):  # a search for nothing is refused
            shown = bench.rows({"what": "search", "words": sought})
            json.dumps(shown, allow_nan=False)
        try:
            found = bench.preview(rule, replaces=replaces)
        finally:
            with must_work():
                assert kept(bench) == before
        json.dumps(found, allow_nan=False)
        if replaces is None:
            with must_work():
                version = bench.state()["version"]
                state = bench.act({"what": "add_rule", "rule": rule}, version)
            assert state["rules"][-1]["covered"] == found["covered"]


# -- project files ------------------------------------------------------------------

GREAT = {"kind": "words", "class": "pos", "words": ["great"]}
BAD = {"kind": "words", "class": "neg", "words": ["bad", "boring"]}
STARS = {"kind": "threshold", "class": "pos", "column": "stars", "above": 5}
ACTS: tuple[dict[str, Any], ...] = (
    *({"what": "add_rule", "rule": rule} for rule in (GREAT, BAD, STARS)),
    {"what": "remove_rule", "rule": "r2"},
    {"what": "set_rate", "rule": "r1", "rate": 0.2},
    {"what": "set_balance", "class": "pos", "at_most": 0.7},
    {"what": "label_row", "row": 2, "class": "neg", "how": "random"},
    {"what": "label_row", "row": 0, "class": "pos"},
    {"what": "undo"},
)


@cache
def written_project() -> dict[str, Any]:
    """A project with something in every section, as its file has it."""
    with new_project() as folder:
        with must_work(), opened(folder) as bench:
            assert all(act(bench, action) for action in ACTS)
        found: dict[str, Any] = json.loads((folder / "rows.corral.json").read_text())
    return found


@dataclass(frozen=True)
class EditedFile:
    """What is done to a project file, and an act after it was opened."""

    edits: list[Edit]
    damage: list[Damage]
    act: Any


edited_files = st.builds(EditedFile, edits, mostly(st.just([]), damages), actions)


@holds_for(edited_files, cost=85)
def project_files(case: EditedFile) -> None:
    """A project file that was edited or damaged is refused and stays, or goes on as any."""
    document = edited(written_project(), case.edits)
    content = damaged(json.dumps(document).encode(), case.damage)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.csv").write_text(ROWS)
        file = folder / "rows.corral.json"
        file.write_bytes(content)
        try:
            with opened(folder) as bench, must_work():
                kept(bench)
                act(bench, case.act)
                for what in ("undo", "redo"):
                    act(bench, {"what": what})
                shown = kept(bench)
        except CorralError:
            assert file.read_bytes() == content
            raise
        with must_work(), opened(folder) as bench:
            assert kept(bench) == shown


# -- requests -----------------------------------------------------------------------

queries = st.dictionaries(
    st.sampled_from(
        ["what", "rule", "words", "limit", "offset", "how", "skip", "format"]
    ),
    st.one_of(
        st.sampled_from(
            ["all", "covered", "search", "random", "csv", "0", "1,2", "r1"]
        ),
        texts,
    ),
    max_size=3,
)
paths = st.one_of(
    st.sampled_from(["/", "/state", "/rows", "/row/0", "/ask", "/static/main.js"]),
    st.sampled_from(
        ["/export/labels", "/export/functions", "/export/report", "/row/9"]
    ),
    texts.map(lambda text: "/" + text),
    texts.map(lambda text: "/row/" + text),
)
bodies = st.one_of(
    st.fixed_dictionaries({"action": actions, "version": st.integers(0, 3)}),
    st.fixed_dictionaries(
        {"rule": rules, "tab": texts, "turn": st.integers(0, 3)},
        optional={"replaces": ids},
    ),
    st.fixed_dictionaries({"words": texts}),
    st.dictionaries(st.sampled_from(["action", "version", "rule", "tab"]), json_values),
    json_values,
)


@dataclass(frozen=True)
class Request:
    """A request of the page, or of somebody who plays with it."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes


gets = st.builds(Request, st.just("GET"), paths, queries, st.just(b""))
posts = st.builds(
    Request,
    st.sampled_from(["POST", "POST", "POST", "PUT"]),
    st.sampled_from(["/act", "/act", "/preview", "/propose"]),
    st.just({}),
    mostly(
        bodies.map(lambda body: json.dumps(body).encode()),
        st.one_of(st.binary(max_size=9), st.just(b"[" * 9000)),
    ),
)


@holds_for(st.lists(st.one_of(gets, posts, posts), min_size=1, max_size=6), cost=65)
def server_requests(case: list[Request]) -> None:
    """Any request is answered, as JSON where that is due, and never by a fault."""
    from corral.workbench.server.access import Access
    from corral.workbench.server.app import make_app

    # A thread of its own: in that of the tests, a browser may have its loop.
    with (
        must_work(),
        new_project() as folder,
        opened(folder) as bench,
        ThreadPoolExecutor(1) as thread,
    ):
        access = Access("127.0.0.1", 8765)
        app = make_app(bench, access)
        cookie = access.set_cookie().partition(";")[0]
        for request in case:
            answered = thread.submit(asyncio.run, send(app, request, cookie))
            status, kind, body = answered.result()
            assert status in (200, 204, 400, 404, 405, 409, 422), (status, body)
            if kind.startswith("application/json"):
                json.loads(body, parse_constant=_refuse)
        kept(bench)


async def send(app: Any, request: Request, cookie: str) -> tuple[int, str, bytes]:
    """Ask the app: status, kind and body of its answer."""
    headers = {
        "host": "127.0.0.1:8765",
        "cookie": cookie,
        "origin": "http://127.0.0.1:8765",
        "x-corral": "workbench",
        "content-type": "application/json",
        "content-length": str(len(request.body)),
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": quote(request.path).encode(),
        "root_path": "",
        "query_string": "&".join(
            f"{name}={quote(value)}" for name, value in request.query.items()
        ).encode(),
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
    }
    sent: list[Any] = []
    left = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> Any:
        return left.pop() if left else {"type": "http.disconnect"}

    async def note(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, note)
    start = sent[0]
    kinds = {k.decode().lower(): v.decode("latin-1") for k, v in start["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return start["status"], kinds.get("content-type", ""), body


def _refuse(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")
