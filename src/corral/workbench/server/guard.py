"""What every request passes before the app sees it, and every answer after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, JSONResponse, Response

from corral.workbench.server.access import Access

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 16
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


class Guard:
    """Refuses what does not come from a page of this server, and limits bodies.

    Parameters
    ----------
    app : ASGI application
    access : Access
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # neither websockets nor anything else
        headers = Headers(scope=scope)
        refusal = self._answer_itself(scope, headers)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
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
        if _length(headers) > MOST_BYTES:
            return refuse_length()
        return None


def _limit(receive: Receive) -> Receive:
    """The same, but for a body that goes on after the most that is read."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES:
            raise BodyTooLongError
        return message

    return receive_limited


class BodyTooLongError(Exception):
    """The body of a request goes on after the most that is read."""


def refuse(status: int, why: str) -> JSONResponse:
    """An answer that says no, and closes the connection."""
    return JSONResponse({"error": why}, status, headers={"connection": "close"})


def refuse_length() -> JSONResponse:
    """The answer to a body that is too long."""
    return refuse(413, f"A request has at most {MOST_BYTES:,} bytes.")


def _length(headers: Headers) -> int:
    """Of the body, as far as the request says."""
    said = headers.get("content-length", "0")
    return int(said) if said.isdecimal() else MOST_BYTES + 1
