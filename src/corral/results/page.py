"""Any result as one page of HTML: no network, every value escaped, light and dark."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from corral.results.chart import Cells, Chart
from corral.results.colours import STYLESHEET
from corral.results.result import Part, Result, Section
from corral.results.svg import to_svg
from corral.results.text import printable, shorten

FRAME_HEIGHT = 720
"""Pixels of the page within a notebook."""
MAX_ROWS = 2000
"""Lines of a table that a page shows."""
MAX_CHARACTERS = 5000
"""Of any one text of a page."""
CHART_WIDTH = 440
"""Pixels; two charts stand side by side on a screen, and one is readable on a phone."""


def render_page(result: Result) -> str:
    """The page of a result."""
    parts = list(result.parts())
    style, script = _style_and_script()
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=result.title,
            version=version("corral-labels"),
            parts=parts,
            sections=[part for part in parts if isinstance(part, Section)],
            style=Markup(style),
            script=Markup(script),
            policy=page_policy(),
            kind_of=kind_of,
            draw=draw,
            max_rows=MAX_ROWS,
        )
    )


def page_policy() -> str:
    """The content security policy of every page: its own style and script, no network."""
    style, script = map(_digest, _style_and_script())
    return (
        f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; "
        "form-action 'none'"
    )


def _style_and_script() -> tuple[str, str]:
    return STYLESHEET + _file("page.css"), _file("page.js")


def render_frame(result: Result) -> str:
    """The page in a frame for a notebook: neither page can touch the other."""
    page = escape(render_page(result), quote=True)
    title = escape(printable(result.title), quote=True)
    return (
        f'<iframe srcdoc="{page}" title="{title}" sandbox="allow-scripts allow-modals" '
        f'width="100%" height="{FRAME_HEIGHT}" frameborder="0"></iframe>'
    )


def kind_of(part: Part) -> str:
    """What the template calls a part."""
    if isinstance(part, Chart) and isinstance(part.marks[0], Cells):
        return "matrix"
    return "text" if isinstance(part, str) else type(part).__name__.lower()


def draw(chart: Chart) -> Markup:
    """The chart as SVG for this page."""
    return Markup(to_svg(chart, width=CHART_WIDTH))


@cache
def _file(name: str) -> str:
    return (files("corral.results") / "templates" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("corral.results"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: Any) -> Any:
    """A value as the template shows it: long texts cut, invisible characters escaped."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(shorten(value, MAX_CHARACTERS), lines=True)
    return value
