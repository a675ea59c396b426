"""Reports as text that fits a screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

MOST = 30
"""Lines that are shown."""
WIDTH = 100
"""Characters in a line, where they can be kept to that."""
LEAST = 12
"""Characters that are left of any text, however long others are."""


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
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def text_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int] = (0,),
) -> str:
    """Columns side by side: the first to the left, numbers to the right.

    Beyond `MOST` rows, only says how many more there are. Where lines would be longer than
    `WIDTH`, the longest texts are cut.

    Parameters
    ----------
    headings : sequence of str
    rows : sequence of sequences of str
    left : collection of int
        Columns of words, which stand to the left.

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
    room = WIDTH - 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > LEAST:
        widths[widths.index(max(widths))] -= 1
    shown = [
        "  ".join(
            f"{shorten(cell, w):{'<' if at in left else '>'}{w}}"
            for at, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    more = len(rows) - MOST
    return "\n".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])


def shorten(text: str, width: int) -> str:
    """At most so many characters; an ellipsis stands for what is left out.

    Both ends stay, as names that begin alike often end in a number.

    Examples
    --------
    >>> from corral.text_table import shorten
    >>> shorten("contains_free_shipping_17", 16)
    'contains_f…ng_17'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 3
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def join_names(items: Iterable[str], room: int = WIDTH) -> str:
    """Names with commas between, as many as there is room for, and how many more.

    Examples
    --------
    >>> from corral.text_table import join_names
    >>> join_names(["free", "win", "prize", "cash", "now"], 24)
    'free, win and 3 more'
    """
    names = [printable(item) for item in items]
    shown, rest = min(len(names), room), ""  # of a million names, no more can fit
    text = ", ".join(names[:shown])
    while len(text) + len(rest) > room and shown > 1:
        shown -= 1
        rest = f" and {len(names) - shown:,} more"
        text = ", ".join(names[:shown])
    return shorten(text, room - len(rest)) + rest
