"""A workbench on a port of this machine."""

from __future__ import annotations

import socket
from asyncio import TimerHandle
from contextvars import Context
from threading import Thread
from types import TracebackType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from corral.errors import ParameterError
from corral.workbench import Workbench
from corral.workbench.server.app import Handlers
from corral.workbench.server.guard import Access, Guard

DEFAULT_PORT = 8765
"""Where it is free, and nobody asked for another."""
MAX_CONNECTIONS = 512
MAX_SECONDS_FOR_HEADERS = 5
"""Within which the headers of a request arrive."""


class ImpatientProtocol(H11Protocol):
    """Does not let those keep others out who connect, and do not ask.

    uvicorn limits neither how long headers take, nor what has no request yet.
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
                self.connections.discard(oldest)  # now: others connect meanwhile
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
    r"""Serves the page of one workbench, to whoever has its address.

    Parameters
    ----------
    bench : Workbench
        It is not closed with the server.
    host : str
        What to listen on; other than 127.0.0.1, others on the network can connect, and
        read what is sent.
    port : int, optional
        Default: 8765 if it is free, or any that is.

    Attributes
    ----------
    access : Access
        `access.address` opens the page.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from urllib.error import HTTPError
    >>> from urllib.request import urlopen
    >>> from corral.workbench import Workbench
    >>> from corral.workbench.server import WorkbenchServer
    >>> file = Path(tempfile.mkdtemp()) / "reviews.csv"
    >>> _ = file.write_text("text\ngreat\nawful\n")
    >>> bench = Workbench.open(file, text="text", classes=("neg", "pos"))
    >>> with WorkbenchServer(bench, port=0) as server:
    ...     try:
    ...         _ = urlopen(f"http://127.0.0.1:{server.access.port}/state")
    ...     except HTTPError as error:
    ...         with error:
    ...             print(error.code)
    401
    >>> bench.close()
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
        self._thread: Thread | None = None

    def run(self) -> None:
        """Serve until Ctrl-C, or until the process is told to end."""
        # In a context of its own: messages for the page do not speak of a shell's options.
        try:
            Context().run(self._server.run, [self._socket])
        except KeyboardInterrupt:  # uvicorn has ended in order, and passes it on
            pass
        finally:
            self._socket.close()

    def __enter__(self) -> WorkbenchServer:
        """Serve from a thread, for as long as this lasts."""
        self._thread = Thread(target=self._server.run, args=([self._socket],))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._socket.close()


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket that waits for connections."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in (DEFAULT_PORT, 0) if port is None else (port,):
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, tried))
            listening.listen(256)
        except OSError as error:
            listening.close()
            failed = error
            continue
        return listening
    raise ParameterError(
        f"{port or DEFAULT_PORT} of {host} cannot be used: {failed.strerror}. Choose "
        "another, or leave it out to take any that is free.",
        parameter="port",
    ) from failed
