"""What a page of others' texts may hold: no element, script or address of theirs."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

ADDRESSES = ("src", "href", "xlink:href", "action", "formaction", "srcset", "data")
FOREIGN = ("img", "iframe", "object", "embed", "form", "base", "x", "a:x", "audio")


class Elements(HTMLParser):
    """The elements of a page.

    Attributes
    ----------
    tags : Counter
    bad : list of str
        Attributes that run or load something, and elements that corral does not write.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.bad: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag in FOREIGN:
            self.bad.append(f"<{tag}>")
        for name, value in attrs:
            given = (value or "").strip().lower()
            loads = name in ADDRESSES and not given.startswith(("#", "data:", "/"))
            runs = name.startswith("on") or given.startswith("javascript:")
            if loads or runs:
                self.bad.append(f"{tag} {name}={value!r:.60}")


def check_html(page: str, scripts: int) -> None:
    """No element, handler or address of others; so many scripts, all of them corral's."""
    found = Elements(page)
    assert not found.bad, found.bad
    assert found.tags["script"] == scripts, f"{found.tags['script']} scripts"
    hidden = [c for c in page if ord(c) < 32 and c not in "\n\t"]
    assert not hidden, hidden
    assert not any(c in page for c in "\u202e\u2066\x7f\x9b"), "direction or control"
