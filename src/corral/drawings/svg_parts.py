"""Small pieces of SVG text."""

from __future__ import annotations

from dataclasses import dataclass, field

from corral.drawings.layout import SIZE, Layout
from corral.drawings.style import LIGHT
from corral.drawings.words import clean, text_width


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel.

    Examples
    --------
    >>> from corral.drawings.svg_parts import number
    >>> number(12.04), number(-0.01), number(3.25)
    ('12', '0', '3.2')
    """
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def fill(colour: str) -> str:
    """Attributes: the class that the page's rules know, and the colour on light paper."""
    return f' class="cd-f-{colour}" fill="{LIGHT[colour]}"'


def stroke(colour: str) -> str:
    """The same for lines."""
    return f' class="cd-s-{colour}" stroke="{LIGHT[colour]}"'


def tip_of(text: str) -> str:
    """What is shown to those who point at the element around it."""
    return f"<title>{clean(text)}</title>" if text else ""


def text(words: str, x: float, y: float, attributes: str = "", *, tip: str = "") -> str:
    """An element of text."""
    space = " " if attributes and not attributes.startswith(" ") else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}"{space}{attributes}>'
        f"{clean(words)}{tip_of(tip)}</text>"
    )


@dataclass
class Place:
    """Where marks go, and which places are taken by words."""

    layout: Layout
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)

    def take(self, x: float, y: float, radius: float) -> None:
        """Keep words away from a point."""
        self.taken.append((x - radius, y - radius, x + radius, y + radius))

    def find(self, words: str, x: float, y: float) -> tuple[float, float, str]:
        """Where words beside a point are free of others: x, y, and the side they end on.

        If every place is taken, the first stays: words that overlap can still be pointed
        at, words that are left out cannot.
        """
        wide, high = text_width(words, SIZE), SIZE
        sides = [(x, y - 9, "middle"), (x, y + 18, "middle")]
        for lift in (0, -15, 15, -30, 30):
            sides += [(x + 9, y + 4 + lift, "start"), (x - 9, y + 4 + lift, "end")]
        for at_x, at_y, anchor in sides:
            start = at_x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
            box = start, at_y - high, start + wide, at_y + 3
            if self._is_free(box):
                self.taken.append(box)
                return at_x, at_y, anchor
        return sides[0]

    def _is_free(self, box: tuple[float, float, float, float]) -> bool:
        x0, y0, x1, y1 = box
        layout = self.layout
        if x0 < layout.left or x1 > layout.width or y0 < layout.top:
            return False
        if y1 > layout.bottom:
            return False
        return all(
            x1 <= a or x0 >= c or y1 <= b or y0 >= d for a, b, c, d in self.taken
        )
