"""Colours of charts and pages on light and on dark, and the stylesheet that has them.

The colours keep apart for people who do not tell red from green (after Okabe and Ito), and
have a contrast of at least 3 with the paper, 4.5 where they are text.
"""

from __future__ import annotations

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "soft": "#59636e",  # text of less weight
    "rule": "#dfe3e8",  # lines to read along, which carry no meaning
    "blue": "#0072b2",
    "orange": "#c25400",
    "green": "#00805e",
    "pink": "#b0407f",
    "grey": "#6b7480",
}
DARK: Mapping[str, str] = {
    "paper": "#16181d",
    "ink": "#e6e8eb",
    "soft": "#a5adb8",
    "rule": "#343a43",
    "blue": "#5cb8f2",
    "orange": "#f5a04c",
    "green": "#35c79a",
    "pink": "#ec93c6",
    "grey": "#98a2ae",
}


def _variables(colours: Mapping[str, str]) -> str:
    return ";".join(f"--cd-{name}:{value}" for name, value in colours.items())


_CLASSES = "\n".join(
    f".cd-f-{name}{{fill:var(--cd-{name})}}.cd-s-{name}{{stroke:var(--cd-{name})}}"
    for name in LIGHT
)
STYLESHEET = f"""\
:root{{{_variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}
@media print{{:root{{{_variables(LIGHT)}}}}}
.cd{{max-width:100%;height:auto}}
{_CLASSES}
"""
"""For a page with charts: the theme of the reader's system, and light in print."""
