"""Reports as text."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 30
"""Lines that are shown."""


def printable(text: str, *, lines: bool = False) -> str:
    r"""A text of others, for a terminal: what is not visible is written out.

    A name may hold sequences that clear the screen, or that turn the direction of the
    text around.

    Parameters
    ----------
    text : str
    lines : bool
        It has lines, which are kept.

    Examples
    --------
    >>> from corral.text_table import printable
    >>> print(printable("spam\x1b[2J"))
    spam\x1b[2J
    """
    if lines:
        return "\n".join(map(printable, text.split("\n")))
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode()


def text_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: the first to the left, numbers to the right.

    Beyond `MOST` rows, only says how many more there are.

    Examples
    --------
    >>> from corral.text_table import text_table
    >>> print(text_table(("signal", "rate"), [("free", "0.3"), ("win", "0.05")]))
    signal  rate
    free     0.3
    win     0.05
    """
    lines = [tuple(map(printable, line)) for line in (headings, *rows[:MOST])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            [f"{line[0]:<{widths[0]}}"]
            + [f"{c:>{w}}" for c, w in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    ]
    left = len(rows) - MOST
    return "\n".join([*shown, *([f"and {left} more"] if left > 0 else [])])
