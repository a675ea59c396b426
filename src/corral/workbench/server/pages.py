"""The page and what it loads: read once, at the start; no path ever comes from outside."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from corral import __version__
from corral.results.colours import STYLESHEET
from corral.results.text import printable

if TYPE_CHECKING:
    from corral.workbench import Workbench

KINDS = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def load_static() -> dict[str, tuple[bytes, str]]:
    """Files that the page may ask for: content and kind, by name.

    Examples
    --------
    >>> from corral.workbench.server.pages import load_static
    >>> load_static()["main.js"][1]
    'text/javascript'
    """
    found = {"theme.css": (STYLESHEET.encode(), "text/css")}
    for file in (files("corral.workbench.server") / "static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in KINDS:
            found[file.name] = file.read_bytes(), KINDS[ending]
    return found


def render_page(bench: Workbench) -> str:
    """The page of a workbench, without numbers: it asks for these."""
    environment = Environment(
        loader=PackageLoader("corral.workbench.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("workbench.html").render(
        name=printable(bench.name), version=__version__
    )
