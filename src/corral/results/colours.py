"""Colours of charts and pages on light and on dark, and the stylesheet that has them.

The colours keep apart for people who do not tell red from green (after Okabe and Ito), and
have a contrast of at least 3 with the paper, 4.5 where they are text. Tests measure both.
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
STEPS = 6
"""Shades on each side of the weakest."""
_ENDS = {  # the weakest shade, the strongest above zero, the strongest below
    "light": ("#eef0f2", "#0a4f82", "#973e00"),
    "dark": ("#2b3038", "#86cdff", "#ffb06b"),
}


def _mix(first: str, second: str, part: float) -> str:
    ends = (
        [int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (first, second)
    )
    mixed = (round(a + (b - a) * part) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _ramp(theme: str) -> dict[int, str]:
    weakest, above, below = _ENDS[theme]
    return {
        step: _mix(weakest, above if step > 0 else below, abs(step) / STEPS)
        for step in range(-STEPS, STEPS + 1)
    }


LIGHT_SHADES, DARK_SHADES = _ramp("light"), _ramp("dark")
"""Colours of cells, by step from -`STEPS` to `STEPS`."""


def shade_name(step: int) -> str:
    """The class of a cell of this shade."""
    return f"cd-{'n' if step < 0 else 'p'}{abs(step)}"


def text_name(step: int) -> str:
    """The class of text on a shade."""
    return f"cd-t-{shade_name(step)[3:]}"


def text_on(shade: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    parts = [int(shade[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (((part + 0.055) / 1.055) ** 2.4 for part in parts)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (light + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def _variables(colours: Mapping[str, str], shades: Mapping[int, str]) -> str:
    named = {f"cd-{name}": value for name, value in colours.items()}
    for step, shade in shades.items():
        named |= {shade_name(step): shade, text_name(step): text_on(shade)}
    return ";".join(f"--{name}:{value}" for name, value in named.items())


def _rules() -> str:
    rules = [
        f".cd-f-{name}{{fill:var(--cd-{name})}}.cd-s-{name}{{stroke:var(--cd-{name})}}"
        for name in LIGHT
    ]
    for step in LIGHT_SHADES:
        names = shade_name(step), text_name(step)
        rules.append("".join(f".{name}{{fill:var(--{name})}}" for name in names))
    return "\n".join(rules)


DARK_VARIABLES = _variables(DARK, DARK_SHADES)
"""What an element around charts sets to show them on dark paper."""

STYLESHEET = f"""\
:root{{{_variables(LIGHT, LIGHT_SHADES)}}}
@media (prefers-color-scheme:dark){{:root{{{DARK_VARIABLES}}}}}
@media print{{:root{{{_variables(LIGHT, LIGHT_SHADES)}}}}}
.cd{{max-width:100%;height:auto}}
{_rules()}
"""
"""For a page with charts: the theme of the reader's system, and light in print."""


def find_step(value: float) -> int:
    """The step of a value: -`STEPS` (orange) at -1, 0 (weakest), `STEPS` (blue) at 1."""
    return round(max(-1.0, min(1.0, value)) * STEPS)
