"""Who may talk to the server, and what every request and every answer passes."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, JSONResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 1 << 16
"""Of a request: rules and labels are small."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
GO_ON = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>corral workbench</title>'
    '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Go on</a></p></html>'
)
SIGN_IN = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>corral workbench</title>'
    '<meta name="color-scheme" content="light dark"><main><h1>This page is locked</h1>'
    "<p>Open the address that <code>corral serve</code> printed in its terminal: it has "
    "the token that lets a browser in. A server that was started again has a new one.</p>"
    "</main></html>"
)
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Access:
    """The secrets of one server, and the names it goes by.

    An address with a token opens the page once the token has become a cookie, which
    scripts cannot read and which the browser sends for pages of this server only. A token
    that stands on the command line of a browser, where others can see it, works once.
    """

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.token = secrets.token_urlsafe(32)
        self._single = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        # Cookies know no ports: two workbenches must not overwrite each other's.
        self.cookie_name = f"corral_{port}"

    @property
    def address(self) -> str:
        """For people: it works for as long as the server runs."""
        return self._address(self.token)

    @property
    def address_once(self) -> str:
        """For the browser that the command opens."""
        return self._address(self._single)

    def _address(self, token: str) -> str:
        host = self.host
        if is_wildcard(host):
            host = socket.gethostname()
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/?token={token}"

    def admits_token(self, given: str) -> bool:
        """Whether a token opens the page."""
        if _same(given, self._single):
            self._single = secrets.token_urlsafe(32)
            return True
        return _same(given, self.token)

    def set_cookie(self) -> str:
        """The header that lets a browser in."""
        return f"{self.cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def admits_cookie(self, header: str) -> bool:
        """Whether a request has the cookie."""
        # Not by `SimpleCookie`: it gives up at a cookie that it cannot read, and every
        # server of this machine sets its own.
        pairs = (part.strip().partition("=") for part in header.split(";"))
        given = [value for name, _, value in pairs if name == self.cookie_name]
        return any(_same(value, self._cookie) for value in given)

    def knows_host(self, header: str) -> bool:
        """Whether the Host of a request is a name of this server.

        A page of somebody else whose name was made to point here (DNS rebinding) sends
        that name. Any port will do, so that a tunnel can end at another one.
        """
        try:
            parts = urlsplit(f"//{header}")
            name, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or parts.netloc != header or "@" in header or parts.path:
            return False
        if name in LOCAL_NAMES or name == self.host.lower():
            return True
        return is_wildcard(self.host) and (
            _is_number(name) or name == socket.gethostname().lower()
        )

    def refuses(self, method: str, headers: Mapping[str, str]) -> str | None:
        """Why a request with these headers may come from another site, or None."""
        host = headers.get("host", "")
        site = headers.get("sec-fetch-site")
        if method == "GET":
            if site in (None, "same-origin", "none"):
                return None
            return "another site asked for this"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "another site sent this"
        if site not in (None, "same-origin"):
            return "another site sent this"
        if headers.get("x-corral") != "workbench":
            return "the header X-Corral is missing"
        return None


def is_wildcard(host: str) -> bool:
    """Whether a server listens on all addresses of the machine."""
    return host in ("0.0.0.0", "::")


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server."""
    return host in LOCAL_NAMES or (
        _is_number(host) and ipaddress.ip_address(host).is_loopback
    )


def _is_number(name: str) -> bool:
    """Whether a name is an IP address, which nobody can rebind."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())


class Guard:
    """Refuses what does not come from a page of this server, and limits bodies."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # neither websockets nor anything else
        headers = Headers(scope=scope)
        refusal = self._answer_itself(scope, headers)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    sent.setdefault(name, value)  # the report has a policy of its own
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self.app(scope, _limit(receive), send_guarded)

    def _answer_itself(self, scope: Scope, headers: Headers) -> Response | None:
        """What the guard answers, or None where the app does."""
        method, path = scope["method"], scope["path"]
        if not self.access.knows_host(headers.get("host", "")):
            return refuse(403, "The Host of the request is not a name of this server.")
        if method not in ("GET", "POST"):
            return refuse(405, "Only GET and POST are answered.")
        token = QueryParams(scope["query_string"]).get("token")
        if method == "GET" and path == "/" and token is not None:
            if self.access.admits_token(token):
                cookie = {"set-cookie": self.access.set_cookie()}
                if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
                    # A link on another page, as of a terminal in the browser: the next
                    # request must come from here, or it has no cookie.
                    return HTMLResponse(GO_ON, headers=cookie)
                return Response(status_code=303, headers=cookie | {"location": "/"})
            return HTMLResponse(SIGN_IN, 403)
        reason = self.access.refuses(method, headers)
        if reason is not None:
            return refuse(403, f"Refused: {reason}.")
        if not self.access.admits_cookie(headers.get("cookie", "")):
            if method == "GET" and path == "/":
                return HTMLResponse(SIGN_IN, 403)
            return refuse(
                401,
                "This page does not belong to the running server, which may have been "
                "started again. Open the address in its terminal.",
            )
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return refuse(415, "A change is sent as application/json.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            return refuse_length()
        return None


def _limit(receive: Receive) -> Receive:
    """The same, up to `MAX_BYTES` of a body."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BYTES:
            raise BodyTooLongError
        return message

    return receive_limited


class BodyTooLongError(Exception):
    """The body of a request has more bytes than are read."""


def refuse(status: int, why: str) -> JSONResponse:
    """An answer that says no, and closes the connection."""
    return JSONResponse({"error": why}, status, headers={"connection": "close"})


def refuse_length() -> JSONResponse:
    """The answer to a body that is too long."""
    return refuse(413, f"A request has at most {MAX_BYTES:,} bytes.")
