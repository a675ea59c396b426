"""Text of others on a page: what cannot be seen is written out."""

from __future__ import annotations

from corral.text_table import printable

JOINERS = frozenset("\u200c\u200d")
"""Scripts and emoji need these; they turn nothing around."""


def make_visible(text: str) -> str:
    r"""A text whose direction marks, controls and lone surrogates are written out.

    Line breaks become blanks, and marks at the ends, as some editors leave them, go.

    Examples
    --------
    >>> from corral.reports.visible_text import make_visible
    >>> make_visible("buy\u202e now\x00\n\ufeff")
    'buy\\u202e now\\x00'
    """
    text = " ".join(text.strip("\ufeff").split())
    if text.isprintable():
        return text
    return "".join(c if c in JOINERS else printable(c) for c in text)
