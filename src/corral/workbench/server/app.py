"""The app: every address is one call of `Workbench`, and its answer as JSON."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from corral import __version__
from corral.errors import CorralError
from corral.results.colours import STYLESHEET
from corral.results.text import printable
from corral.workbench import PreviewCancelled, StaleVersionError, Workbench
from corral.workbench.exports import FORMATS
from corral.workbench.server.guard import BodyTooLongError, refuse_length

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_CALLS = 4
"""Calls that run at the same time, one act, and one export; the others wait."""
MAX_ROWS = 200
"""Rows in one answer."""
MAX_SKIPPED = 200
"""Rows that may be skipped in one request."""
MAX_TABS = 256
"""Tabs whose last preview is remembered."""
CONTENT_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""What the page may load, by ending."""


class BadRequest(Exception):  # noqa: N818
    """A request is not what the page sends."""


class Handlers:
    """From requests to calls of one workbench, and back."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.previews = Previews()
        self.threads = anyio.CapacityLimiter(MAX_CALLS)
        # Acts have a lock, and exports wait until all rows are labelled. If they waited in
        # those threads, looking would wait, too.
        self.waiting = {
            function: anyio.CapacityLimiter(1) for function in (bench.act, bench.export)
        }
        self.static = load_static()
        self.page = render_page(bench)

    def make_routes(self) -> Starlette:
        """The app, which a `Guard` has to stand before."""
        routes: Mapping[str, tuple[str, Any]] = {
            "/": ("GET", self.show_page),
            "/static/{name}": ("GET", self.show_static),
            "/state": ("GET", self.state),
            "/rows": ("GET", self.rows),
            "/row/{row}": ("GET", self.row),
            "/ask": ("GET", self.ask),
            "/export/{what}": ("GET", self.export),
            "/preview": ("POST", self.preview),
            "/act": ("POST", self.act),
            "/propose": ("POST", self.propose),
        }
        handled = (BadRequest, BodyTooLongError, CorralError, Exception, 404, 405)
        return Starlette(
            routes=[
                Route(path, called, methods=[method])
                for path, (method, called) in routes.items()
            ],
            exception_handlers=dict.fromkeys(handled, say_error),
        )

    async def _call(
        self, function: Callable[..., Any], *args: Any, **named: Any
    ) -> Any:
        """Call it in a thread: nobody else has to wait for it."""
        work = partial(function, *args, **named)
        limiter = self.waiting.get(function, self.threads)
        return await anyio.to_thread.run_sync(work, limiter=limiter)

    async def show_page(self, request: Request) -> Response:  # noqa: ARG002
        return Response(self.page, media_type="text/html")

    async def show_static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.static:
            raise HTTPException(404)
        content, kind = self.static[name]
        return Response(content, media_type=kind)

    async def state(self, request: Request) -> Response:  # noqa: ARG002
        return answer(await self._call(self.bench.state))

    async def rows(self, request: Request) -> Response:
        given = request.query_params
        chosen = {
            name: given[name] for name in ("what", "rule", "words") if name in given
        }
        chosen.setdefault("what", "all")
        limit = min(_whole(given.get("limit", "50")), MAX_ROWS)
        offset = _whole(given.get("offset", "0"))
        return answer(await self._call(self.bench.rows, chosen, offset, limit))

    async def row(self, request: Request) -> Response:
        row = _whole(request.path_params["row"])
        return answer(await self._call(self.bench.row, row))

    async def ask(self, request: Request) -> Response:
        given = request.query_params
        skipped = [_whole(row) for row in given.get("skip", "").split(",") if row]
        how, skip = given.get("how", "suggested"), skipped[-MAX_SKIPPED:]
        return answer(await self._call(self.bench.ask, how, skip))

    async def preview(self, request: Request) -> Response:
        given = await _read(request)
        rule, tab = _get(given, "rule", dict), _get(given, "tab", str)[:64]
        stop = self.previews.begin(tab, _get(given, "turn", int))
        if stop is None:
            return Response(status_code=204)
        try:
            found = await self._call(
                self.bench.preview, rule, replaces=given.get("replaces"), cancel=stop
            )
        except PreviewCancelled:
            return Response(status_code=204)
        return answer(found)

    async def act(self, request: Request) -> Response:
        given = await _read(request)
        action, version = _get(given, "action", dict), _get(given, "version", int)
        try:
            return answer(await self._call(self.bench.act, action, version))
        except StaleVersionError as error:
            current = await self._call(self.bench.state)
            return answer({"error": str(error), "state": current}, 409)

    async def propose(self, request: Request) -> Response:
        given = await _read(request)
        return answer(await self._call(self.bench.propose, _get(given, "words", str)))

    async def export(self, request: Request) -> Response:
        what = request.path_params["what"]
        kinds = FORMATS.get(what)
        if kinds is None:
            raise BadRequest(f"Exports are {', '.join(FORMATS)}.")
        kind = request.query_params.get("format", kinds[0])
        if kind not in kinds:
            raise BadRequest(f"{what} are written as {' or '.join(kinds)}.")
        folder = TemporaryDirectory(prefix="corral_export_")
        name = f"{self.bench.name}_{what}.{kind}"
        target = Path(folder.name, f"export.{kind}")
        try:
            path = await self._call(self.bench.export, what, target, kind)
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(
            path,
            filename=name,
            media_type="application/octet-stream",
            background=BackgroundTask(folder.cleanup),
        )


def answer(found: Any, status: int = 200) -> Response:
    """JSON; half a character (a lone surrogate), which UTF-8 has not, becomes "?"."""
    written = json.dumps(found, ensure_ascii=False, allow_nan=False)
    content = written.encode("utf-8", "replace")
    return Response(content, status, media_type="application/json")


async def _read(request: Request) -> dict[str, Any]:
    """The body of a request: an object of JSON."""
    try:
        found = json.loads(await request.body())
        json.dumps(found, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError) as error:
        raise BadRequest("The body of the request is not JSON, or not text.") from error
    if not isinstance(found, dict):
        raise BadRequest("The body of the request must be an object of JSON.")
    return found


def _get(given: dict[str, Any], name: str, kind: type) -> Any:
    found = given.get(name)
    if type(found) is not kind:
        raise BadRequest(f"{name} must be of type {kind.__name__}.")
    return found


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 12:
        raise BadRequest(f"A row is a whole number; {text[:40]!r} came.")
    return int(text)


async def say_error(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """What a request that failed is told."""
    if isinstance(error, BadRequest):
        return answer({"error": str(error)}, 400)
    if isinstance(error, BodyTooLongError):
        return refuse_length()
    if isinstance(error, CorralError):
        field = getattr(error, "parameter", None)
        return answer({"error": str(error), "field": field}, 422)
    if isinstance(error, HTTPException):
        said = "There is nothing at this address."
        return answer({"error": said}, error.status_code)
    # uvicorn writes the traceback to the terminal.
    said = f"{type(error).__name__}: {error}. This is a fault of corral; the terminal shows"
    return answer({"error": f"{said} where."}, 500)


class Previews:
    """One running preview per tab, which a later one stops; for the event loop only."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[int, Event]] = OrderedDict()

    def begin(self, tab: str, turn: int) -> Event | None:
        """The event that stops this preview; None if a later one is there already."""
        last, event = self._last.get(tab, (-1, None))
        if turn <= last:
            return None
        if event is not None:
            event.set()
        started = Event()
        self._last[tab] = turn, started
        self._last.move_to_end(tab)
        while len(self._last) > MAX_TABS:
            self._last.popitem(last=False)[1][1].set()
        return started


def load_static() -> dict[str, tuple[bytes, str]]:
    """All files that the page may ask for: content and kind, by name."""
    found = {"theme.css": (STYLESHEET.encode(), "text/css")}
    for file in (files("corral.workbench.server") / "static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in CONTENT_TYPES:
            found[file.name] = file.read_bytes(), CONTENT_TYPES[ending]
    return found


def render_page(bench: Workbench) -> str:
    """The page of a workbench, without numbers: it asks for these."""
    page = (files("corral.workbench.server") / "templates/workbench.html").read_text(
        "utf-8"
    )
    name = escape(printable(bench.name))
    return page.replace("{{ name }}", name).replace("{{ version }}", __version__)
