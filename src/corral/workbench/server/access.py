"""Who may talk to the server: tokens that become a cookie, and names that are its own."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Access:
    """The secrets of one server, and the names it goes by.

    An address with a token opens the page once the token has become a cookie, which
    scripts cannot read and which the browser sends for pages of this server only. A token
    that stands on the command line of a browser, where others can see it, works once.

    Parameters
    ----------
    host : str
        What the server listens on.
    port : int

    Examples
    --------
    >>> from corral.workbench.server.access import Access
    >>> access = Access("127.0.0.1", 8765)
    >>> access.knows_host("localhost:8765"), access.knows_host("rebound.example:8765")
    (True, False)
    >>> access.admits_token(access.token), access.admits_token("guess")
    (True, False)
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
        """Why a request may come from another site, or None.

        Parameters
        ----------
        method : str
        headers : mapping
            By name in lower case.
        """
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
