"""A report as a page: one file, without network, scripts of others or inline styles."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from corral.drawings import STYLESHEET
from corral.error_rates.rates import name_source
from corral.reports.charts import draw_charts
from corral.reports.headings import HEADINGS
from corral.reports.label_report import LabelReport
from corral.reports.phrases import cut, say_share, write_number, write_share
from corral.reports.sections import SignalLine
from corral.reports.visible_text import make_visible
from corral.solvers.feasibility import SMALL, Feasibility

MOST_BYTES = 2_000_000
"""Of a page, whatever is in it."""
FRAME_HEIGHT = 720
"""Pixels of the page within a notebook."""
LONGEST_NAME, LONGEST_LIST = 60, 80
"""Characters of names, and of lists of classes, in tables."""
LONGEST_TEXT = 5000
"""Characters of any text at all."""


@dataclass(frozen=True)
class Limits:
    """How much of everything a page shows.

    Attributes
    ----------
    lines : int
        Signals in the table: those with most votes.
    rows : int
        Rows worth reading, per group.
    cells : int
        Signals of the matrix.
    names : int
        Other signals that are listed by name.
    """

    lines: int = 2000
    rows: int = 30
    cells: int = 60
    names: int = 2000

    def halve(self) -> Limits:
        """Half of everything."""
        return Limits(self.lines // 2, self.rows // 2, self.cells // 2, self.names // 2)


def render_page(report: LabelReport) -> str:
    """The page; where it would be too large, with less of everything."""
    limits = Limits()
    while len((page := _render(report, limits)).encode()) > MOST_BYTES:
        if (less := limits.halve()) == limits:
            break  # nothing is left to leave out
        limits = less
    return page


def render_frame(report: LabelReport) -> str:
    """The page within another, as a notebook is: neither can touch the other."""
    page = escape(render_page(report), quote=True)
    title = escape(make_visible(report.title), quote=True)
    return (
        f'<iframe srcdoc="{page}" title="{title}" sandbox="allow-scripts allow-modals" '
        f'width="100%" height="{FRAME_HEIGHT}" frameborder="0"></iframe>'
    )


def _render(report: LabelReport, limits: Limits) -> str:
    style = STYLESHEET + _part("report.css")
    script = _part("report.js")
    found = report.constraints.feasibility
    lines, hidden = _choose_lines(report.signals.lines, limits.lines)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            headings=HEADINGS,
            limits=limits,
            lines=lines,
            n_hidden=hidden,
            has_gold=report.summary.accuracy is not None,
            charts={
                name: Markup(svg)
                for name, svg in draw_charts(report, limits.cells).items()
            },
            clashes=[] if found is None or found.feasible else _list_clashes(found),
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
        )
    )


@cache
def _part(name: str) -> str:
    return (files("corral.reports") / "templates" / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: its own style and script, and nothing else."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("corral.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "share": write_share,
        "count": lambda number: f"{number:,.0f}",
        "decimals": write_number,
        "interval": _format_interval,
        "signed": lambda share: f"{round(share * 100):+d}%" if share else "0%",
        "source": _name_source,
        "name": lambda text: cut(text, LONGEST_NAME),
        "listing": lambda names: cut(", ".join(names), LONGEST_LIST),
        "percent": say_share,
    }
    return environment


def _finalize(value: Any) -> Any:
    """Whatever a template shows; what cannot be seen in a text is written out.

    Texts are cut, so that no single one, such as a command, makes a page too large.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return make_visible(cut(value, LONGEST_TEXT))
    return value


def _choose_lines(
    lines: tuple[SignalLine, ...], most: int
) -> tuple[list[SignalLine], int]:
    """The signals of the table, in their order, and how many are not in it."""
    if len(lines) <= most:
        return list(lines), 0
    order = np.argsort([-line.coverage for line in lines], kind="stable")[:most]
    return [lines[at] for at in np.sort(order)], len(lines) - most


def _list_clashes(found: Feasibility) -> list[dict[str, Any]]:
    """Constraints that clash or must move, those first that move most."""
    moved = np.abs(found.change)
    at = np.flatnonzero(found.conflict | (moved > SMALL))
    return [
        {
            "name": found.names[r],
            "lower": float(found.lower[r]),
            "upper": float(found.upper[r]),
            "nearest": float(found.nearest[r]),
            "change": float(found.change[r]) if moved[r] > SMALL else None,
        }
        for r in at[np.argsort(-moved[at], kind="stable")][:100]
    ]


def _format_interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0] * 100:.0f} to {ends[1] * 100:.0f}"


def _name_source(line: SignalLine) -> str:
    """Where the expected error comes from."""
    if line.expected_error is None:
        return ""
    if line.learned is None:
        return "given" if line.expected_interval is None else "estimated"
    return name_source(line.learned)
