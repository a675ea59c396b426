"""Text in a drawing: how wide it is, cut to fit, on several lines, and escaped."""

from __future__ import annotations

from html import escape
from unicodedata import east_asian_width

from corral.text_table import printable, shorten

NARROW, WIDE = frozenset("ijlt.,:;'|!()[] fr-"), frozenset("mwMW@%—")


def clean(text: object) -> str:
    r"""A text of others as XML: escaped, and nothing invisible in it.

    Examples
    --------
    >>> from corral.drawings.words import clean
    >>> clean("a<b & \x00")
    'a&lt;b &amp; \\x00'
    """
    return escape(printable(str(text)))


def text_width(text: str, size: float) -> float:
    """About how many pixels a text takes in a plain font; rather too many than too few."""
    return size * sum(map(_width, text))


def _width(character: str) -> float:
    if character in NARROW:
        return 0.36
    if character in WIDE:
        return 0.92
    if east_asian_width(character) in "WF":
        return 1.05
    return 0.7 if character.isupper() else 0.59


def cut(text: str, room: float, size: float) -> str:
    """At most so many pixels; an ellipsis stands for what is left out.

    Examples
    --------
    >>> from corral.drawings.words import cut
    >>> cut("contains_free_shipping_17", 110, 12)
    'contains_fr…ng_17'
    """
    text = printable(text)
    # No character takes less than a third of its size: cut in one go what is far too long.
    length = min(len(text), max(int(3 * room / size) + 2, 1))
    text = shorten(text, length)
    while text_width(text, size) > room and length > 1:
        length -= 1
        text = shorten(text, length)
    return text


def wrap(text: str, room: float, size: float) -> list[str]:
    """The text on as many lines as it takes; a word that is too long is cut.

    Examples
    --------
    >>> from corral.drawings.words import wrap
    >>> wrap("one two three", 50, 12)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in printable(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size))
    return lines
