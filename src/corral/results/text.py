"""Results as text that fits a screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from textwrap import wrap

MAX_LINES = 30
"""Lines of a table that a terminal shows."""
WIDTH = 100
"""Characters in a line, where they can be kept to that."""
JOINERS = "\u200c\u200d"
"""Joiners that scripts and emoji need; they do not reorder text."""
MIN_WIDTH = 12
"""Characters that a cut text keeps at least."""


def printable(text: str, *, lines: bool = False) -> str:
    r"""Untrusted text for a terminal: what is not visible is written as an escape.

    A name may hold sequences that clear the screen, or that turn the direction of the
    text around. With `lines`, ends of lines are kept.

    Examples
    --------
    >>> from corral.results.text import printable
    >>> print(printable("spam\x1b[2J"))
    spam\x1b[2J
    """
    if lines:
        return "\n".join(map(printable, text.split("\n")))
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode()
        for c in text
    )


def text_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int] = (0,),
    more: int = 0,
) -> str:
    """Columns side by side; where lines would pass `WIDTH`, the longest texts are cut.

    `left` are the columns of words, which stand to the left; `more` rows are left out.

    Examples
    --------
    >>> from corral.results.text import text_table
    >>> print(text_table(("signal", "rate"), [("free", "0.3"), ("win", "0.05")]))
    signal  rate
    free     0.3
    win     0.05
    """
    heads = [[printable(heading)] for heading in headings]
    lines = [list(map(printable, row)) for row in rows]
    widths = _find_widths(heads, lines)
    room = WIDTH - 2 * (len(widths) - 1)
    if sum(widths) > room:  # headings of several words take several lines
        heads = [
            wrap(head, max([MIN_WIDTH, *map(len, cells)]), break_long_words=False)
            or [""]
            for (head,), cells in zip(heads, zip(*lines, strict=True), strict=True)
        ]
        widths = _find_widths(heads, lines)
    while sum(widths) > room and max(widths) > MIN_WIDTH:
        widths[widths.index(max(widths))] -= 1
    above = max(map(len, heads))
    heads = [[""] * (above - len(head)) + head for head in heads]
    shown = [
        "  ".join(
            f"{shorten(cell, w):{'<' if at in left else '>'}{w}}"
            for at, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (*zip(*heads, strict=True), *lines)
    ]
    return "\n".join([*shown, *([f"and {more:,} more"] if more else [])])


def _find_widths(heads: list[list[str]], lines: list[list[str]]) -> list[int]:
    return [
        max(len(cell) for cell in (*head, *(line[at] for line in lines)))
        for at, head in enumerate(heads)
    ]


def shorten(text: str, width: int) -> str:
    """At most so many characters; an ellipsis stands for what is left out.

    Both ends stay, as names that begin alike often end in a number.

    Examples
    --------
    >>> from corral.results.text import shorten
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
    >>> from corral.results.text import join_names
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


# -- words of sentences --------------------------------------------------------------


def say_share(share: float) -> str:
    """A percentage that is never wrongly all or nothing.

    Examples
    --------
    >>> from corral.results.text import say_share
    >>> say_share(0.8613), say_share(1.0), say_share(0.99999), say_share(0.0002)
    ('86.1%', '100%', 'over 99.9%', 'under 0.1%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if share >= 0.9995 else f"{share:.1%}"


def say_count(number: float, noun: str) -> str:
    """1,843 examples; 1 example."""
    return f"{number:,.0f} {noun}{'' if round(number) == 1 else 's'}"
