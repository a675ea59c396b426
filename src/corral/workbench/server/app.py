"""A workbench on a port of this machine.

Every address is one call of `Workbench`, and its answer as JSON.
"""

from __future__ import annotations

import json
import socket
from asyncio import TimerHandle
from collections.abc import Callable
from contextvars import Context
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import h11
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from corral import __version__
from corral.errors import CorralError, ParameterError
from corral.results.colours import STYLESHEET
from corral.results.page import page_policy
from corral.results.text import printable
from corral.workbench import PreviewCancelled, StaleVersionError, Workbench
from corral.workbench.exports import FORMATS
from corral.workbench.server.guard import Access, BodyTooLongError, Guard, refuse_length

if TYPE_CHECKING:
    from starlette.requests import Request

DEFAULT_PORT = 8765
"""The port, unless somebody asks for another or it is in use."""
MAX_CONNECTIONS = 512
MAX_SECONDS_FOR_HEADERS = 5
"""Within which the headers of a request arrive."""
MAX_CALLS = 4
"""Calls that run at the same time, beside one of each slow kind; other calls wait."""
STATIC = Path(__file__).with_name("static")
FILES = tuple(f"{what}.{kind}" for what, kinds in FORMATS.items() for kind in kinds)
"""Files that the page may export."""


class Handlers:
    """From requests to calls of one workbench, and back."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        # By tab the turn of its latest preview, and the event that stops it.
        self.previews: dict[str, tuple[int, Event]] = {}
        self.threads = anyio.CapacityLimiter(MAX_CALLS)
        # Acts have a lock, exports wait until all rows are labelled, and learning takes
        # seconds. If they waited in those threads, looking would wait, too.
        slow = (bench.act, bench.export, bench.topics, bench.train)
        self.waiting = {function: anyio.CapacityLimiter(1) for function in slow}
        page = (STATIC.with_name("templates") / "workbench.html").read_text("utf-8")
        page = page.replace("{{ name }}", escape(printable(bench.name)))
        self.page = page.replace("{{ version }}", __version__)

    def make_routes(self) -> Starlette:
        """The app; a `Guard` must stand before it."""
        bench = self.bench
        gets: dict[str, Any] = {
            "/": Response(self.page, media_type="text/html"),
            "/static/theme.css": Response(STYLESHEET, media_type="text/css"),
            "/state": self._handle(bench.state),
            "/columns": self._handle(bench.columns),
            "/topics": self._handle(bench.topics),
            "/train": self._handle(bench.train),
            "/rows": self.rows,
            "/row/{row}": self.row,
            "/ask": self.ask,
            "/export/{file}": self.export,
        }
        posts = {"/preview": self.preview, "/act": self.act, "/propose": self.propose}
        routes = [
            Route(path, called, methods=[method])
            for method, calls in (("GET", gets), ("POST", posts))
            for path, called in calls.items()
        ]
        handled = (HTTPException, BodyTooLongError, CorralError, Exception)
        return Starlette(
            routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))],
            exception_handlers=dict.fromkeys(handled, say_error),
        )

    async def _call(self, function: Any, *args: Any, **named: Any) -> Any:
        """Call it in a thread: nobody else has to wait for it."""
        work = partial(function, *args, **named)
        limiter = self.waiting.get(function, self.threads)
        return await anyio.to_thread.run_sync(work, limiter=limiter)

    def _handle(self, function: Callable[[], Any]) -> Callable[..., Any]:
        """What answers a request without parameters."""

        async def give(_: Request) -> Response:
            return answer(await self._call(function))

        return give

    async def rows(self, request: Request) -> Response:
        given = request.query_params
        fields = ("what", "rule", "words")
        chosen: dict[str, Any] = {name: given[name] for name in fields if name in given}
        if "rows" in given:
            chosen["rows"] = [_whole(row) for row in given["rows"].split(",")]
        first, most = _whole(given.get("offset", "0")), _whole(given.get("limit", "50"))
        return answer(await self._call(self.bench.rows, chosen, first, most))

    async def row(self, request: Request) -> Response:
        row = _whole(request.path_params["row"])
        return answer(await self._call(self.bench.row, row))

    async def ask(self, request: Request) -> Response:
        given = request.query_params
        skip = [_whole(row) for row in given.get("skip", "").split(",") if row]
        how = given.get("how", "suggested")
        return answer(await self._call(self.bench.ask, how, skip))

    async def preview(self, request: Request) -> Response:
        given = await _read(request)
        tab, turn, stop = str(given.get("tab"))[:64], given.get("turn"), Event()
        if type(turn) is not int:
            raise HTTPException(400, "turn must be a whole number.")
        last, running = self.previews.get(tab, (-1, Event()))
        if turn <= last:
            return Response(status_code=204)
        running.set()
        self.previews[tab] = turn, stop
        asked = {"replaces": given.get("replaces"), "cancel": stop}
        try:
            found = await self._call(self.bench.preview, given.get("rule"), **asked)
        except PreviewCancelled:
            return Response(status_code=204)
        return answer(found)

    async def act(self, request: Request) -> Response:
        given = await _read(request)
        act = self._call(self.bench.act, given.get("action"), given.get("version"))
        try:
            return answer(await act)
        except StaleVersionError as error:
            current = await self._call(self.bench.state)
            return answer({"error": str(error), "state": current}, 409)

    async def propose(self, request: Request) -> Response:
        given = await _read(request)
        return answer(await self._call(self.bench.propose, given.get("words")))

    async def export(self, request: Request) -> Response:
        """A file to keep; the browser shows a report."""
        file = request.path_params["file"]
        if file not in FILES:
            raise HTTPException(400, f"Exports are {', '.join(FILES)}.")
        folder = TemporaryDirectory(prefix="corral_export_")
        target = Path(folder.name, file)
        try:
            await self._call(self.bench.export, target.stem, target)
        except BaseException:
            folder.cleanup()
            raise
        shown = target.suffix == ".html"
        policy = f"{page_policy()}; frame-ancestors 'none'"
        return FileResponse(
            target,
            headers={"content-security-policy": policy} if shown else {},
            filename=f"{self.bench.name}_{file}",
            media_type="text/html" if shown else "application/octet-stream",
            content_disposition_type="inline" if shown else "attachment",
            background=BackgroundTask(folder.cleanup),
        )


def answer(found: Any, status: int = 200) -> Response:
    """JSON; a lone surrogate, which UTF-8 cannot write, becomes "?"."""
    written = json.dumps(found, ensure_ascii=False, allow_nan=False)
    content = written.encode("utf-8", "replace")
    return Response(content, status, media_type="application/json")


async def _read(request: Request) -> dict[str, Any]:
    """The body of a request: an object of JSON."""
    try:
        found = json.loads(await request.body())
        json.dumps(found, ensure_ascii=False).encode()  # refuses lone surrogates
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "The body must be JSON in UTF-8.") from error
    if not isinstance(found, dict):
        raise HTTPException(400, "The body must be an object of JSON.")
    return found


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 12:
        raise HTTPException(400, f"{text[:40]!r} must be a whole number.")
    return int(text)


async def say_error(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """The answer to a request that failed."""
    if isinstance(error, BodyTooLongError):
        return refuse_length()
    if isinstance(error, CorralError):
        field = getattr(error, "parameter", None)
        return answer({"error": str(error), "field": field}, 422)
    if isinstance(error, HTTPException):
        return answer({"error": error.detail}, error.status_code)
    # uvicorn writes the traceback to the terminal.
    said = f"{type(error).__name__}: {error}. This is a fault of corral."
    return answer({"error": f"{said} The terminal shows where."}, 500)


# -- the server -----------------------------------------------------------------------


class ImpatientProtocol(H11Protocol):
    """Drops connections that are slow to ask, so that they keep nobody out.

    uvicorn limits neither the time for headers nor connections without a request.
    """

    _deadline: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._opened = self.loop.time()
        self._await_headers()
        if len(self.connections) >= MAX_CONNECTIONS:
            others: Any = self.connections - {self}
            idle = [each for each in others if each.conn.their_state is h11.IDLE]
            if idle:
                oldest = min(idle, key=lambda each: each._opened)
                self.connections.discard(oldest)  # at once: others connect meanwhile
                oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_headers()

    def _await_headers(self) -> None:
        """Start the clock with the first byte; stop it when all headers are there."""
        if self.conn.their_state is h11.IDLE:
            self._deadline = self._deadline or self.loop.call_later(
                MAX_SECONDS_FOR_HEADERS, self.transport.abort
            )
        elif self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class WorkbenchServer:
    """Serves the page of one workbench to whoever has the address `access.address`.

    `host` is the address to listen on: with any other than 127.0.0.1, people on the network
    can connect, and read what is sent. `port` is 8765 by default, or any free one.
    """

    def __init__(
        self, bench: Workbench, *, host: str = "127.0.0.1", port: int | None = None
    ) -> None:
        self.bench = bench
        self._socket = _listen(host, port)
        self.access = Access(host, self._socket.getsockname()[1])
        self._handlers = Handlers(bench)
        self._server = uvicorn.Server(
            uvicorn.Config(
                Guard(self._handlers.make_routes(), self.access),
                http=ImpatientProtocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                access_log=False,
                log_level="warning",
                server_header=False,
                proxy_headers=False,
                limit_concurrency=MAX_CONNECTIONS,
                timeout_graceful_shutdown=2,
            )
        )
        self._thread = Thread(target=self._server.run, args=([self._socket],))

    def run(self) -> None:
        """Serve until Ctrl-C, or until the process is told to end."""
        # In a context of its own: messages for the page do not name options of the shell.
        try:
            Context().run(self._server.run, [self._socket])
        except KeyboardInterrupt:  # uvicorn ended in order, and passes it on
            pass
        finally:
            self._socket.close()

    def __enter__(self) -> WorkbenchServer:
        """Serve from a thread until the block ends."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def _listen(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in (DEFAULT_PORT, 0) if port is None else (port,):
        try:
            return socket.create_server((host, tried), family=family, backlog=256)
        except OSError as error:
            failed = error
    raise ParameterError(
        f"{port or DEFAULT_PORT} of {host} cannot be used: {failed.strerror}. Choose "
        "another, or leave it out to take any free one.",
        parameter="port",
    ) from failed
