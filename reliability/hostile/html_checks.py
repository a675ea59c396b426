"""What a page of others' texts may hold: what the same page of harmless texts holds."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

LEADING = (
    *("src", "href", "xlink:href", "action", "formaction", "srcset", "data", "poster"),
    *("background", "cite", "ping", "manifest", "content", "http-equiv", "style"),
    *("srcdoc", "target", "rel", "type", "sandbox"),
)
"""Attributes that load or lead somewhere, or say how: their values are compared, too."""
LAID_OUT = {
    *("<text>", "</text>", "<title>", "</title>"),
    *("<text x>", "<text y>", "<text transform>", "<text text-anchor>"),
    *("<text font-size>", "<text font-weight>", "<text class>", "<text fill>"),
}
"""What a drawing has more of where a name is longer: it takes lines, is turned, or is cut
and given in whole as a title. None of these runs or loads anything."""
DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Classes of characters that turn the direction of what stands beside them."""


class Elements(HTMLParser):
    """All of a page but its texts.

    Attributes
    ----------
    parts : Counter
        Elements, names of their attributes, values of those in `LEADING`, comments, and
        what is in a script or a style.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: Counter[str] = Counter()
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        self.parts[f"<{tag}>"] += 1
        for name, value in attrs:
            self.parts[f"<{tag} {name}>"] += 1
            if name in LEADING:
                self.parts[f"<{tag} {name}={value!r}>"] += 1

    def handle_endtag(self, tag: str) -> None:
        self._open = ""
        self.parts[f"</{tag}>"] += 1

    def handle_data(self, data: str) -> None:
        if self._open in ("script", "style"):
            self.parts[f"<{self._open}> {data}"] += 1

    def handle_comment(self, data: str) -> None:
        self.parts[f"<!--{data}"] += 1

    def handle_decl(self, decl: str) -> None:
        self.parts[f"<!{decl}"] += 1

    def handle_pi(self, data: str) -> None:
        self.parts[f"<?{data}"] += 1

    def unknown_decl(self, data: str) -> None:
        self.parts[f"<![{data}"] += 1


def harmless(texts: tuple[str, ...]) -> tuple[str, ...]:
    """As many texts, blank where others are, and different where others are."""
    return tuple(
        f"plain{at}" if text.strip() else text for at, text in enumerate(texts)
    )


def check_html(page: str, like: str) -> None:
    """Nothing but texts tells a page from the same one of harmless names."""
    _compare(Elements(page).parts, Elements(like).parts)


def check_visible(page: str) -> None:
    """No control character, and none that turns the direction of a text.

    Others that are invisible may stand on a page: some emoji are joined by them.
    """
    bad = {
        c
        for c in set(page) - {"\n", "\t"}
        if unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in DIRECTIONS
    }
    assert not bad, sorted(bad)


def check_svg(text: str, like: str) -> None:
    """The same of a drawing, which is XML."""
    _compare(_parts_of_svg(text), _parts_of_svg(like))


def _compare(found: Counter[str], wanted: Counter[str]) -> None:
    more, fewer = found - wanted, wanted - found
    for counts, what in ((more, "more"), (fewer, "less")):
        other = {part: counts[part] for part in counts if part not in LAID_OUT}
        assert not other, f"{what} than corral's own: {other!s:.400}"


def _parts_of_svg(text: str) -> Counter[str]:
    assert not re.search(r"<[!?](?!xml )", text), "a declaration or a comment"
    parts: Counter[str] = Counter()
    for element in ElementTree.fromstring(text).iter():
        tag = str(element.tag).rpartition("}")[2]
        parts[f"<{tag}>"] += 1
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            parts[f"<{tag} {plain}>"] += 1
            parts[f"<{tag} {plain}={value!r}>"] += plain in LEADING
    return parts
