"""The page as text: one file, nothing of others runs in it, and it stays small."""

import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.results import Result, Table
from corral.results import page as pages

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "turned \u202eback\u202c and \u2066around",
    "x" * 1_000_000,
    "nul \x00 escape \x1b[2J bell \x07 \ud800",
    "family 👨‍👩‍👧 and naïve 漢字",
    "</style></script>{{ 7 * 7 }}{% raw %}",
]


class Tags(HTMLParser):
    """Start tags with their attributes, and the text of style and script."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts, self._open = [], {"style": [], "script": []}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._open = tag if tag in self.texts else None

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.texts[self._open].append(data)


@pytest.fixture(scope="module")
def hostile():
    votes, truth = random_votes(70, [0.9, 0.7, 0.6], coverage=0.7)
    classes = [HOSTILE[0], HOSTILE[2]]
    named = np.array([*classes, None], object)[votes]
    signals = corral.WeakSignals.from_votes(
        named, names=[HOSTILE[1], HOSTILE[4].replace("\ud800", ""), HOSTILE[6]]
    )
    return corral.report(
        signals,
        gold=np.array(classes, object)[truth],
        text=[HOSTILE[i % len(HOSTILE)] for i in range(70)],
        title=HOSTILE[0] + HOSTILE[6],
    )


def test_text_of_others_stays_text(hostile):
    page = hostile.to_html()
    tags = Tags(page)
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert "img" not in {tag for tag, _ in tags.found}
    assert "49" not in re.findall(r"<h1[^>]*>(.*?)</h1>", page)[0]
    for mark in "\u202e\u202c\u2066\x00\x1b\x07\ud800":
        assert mark not in page
    assert "\\u202e" in page
    assert "👨\u200d👩\u200d👧" in page
    assert "x" * 301 not in page
    assert len(page.encode()) < 500_000


def test_nothing_inline_and_nothing_from_elsewhere(hostile):
    tags = Tags(hostile.to_html())
    for tag, attributes in tags.found:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "srcset", "data", "action"):
            assert name not in attributes
        href = attributes.get("href", "#")
        assert href.startswith("#"), (tag, href)
    assert "innerHTML" not in "".join(tags.texts["script"])
    assert "eval(" not in "".join(tags.texts["script"])


def test_the_policy_has_the_hashes_of_the_one_style_and_script(hostile):
    page = hostile.to_html()
    tags = Tags(page)
    (policy,) = (
        attributes["content"]
        for tag, attributes in tags.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (text,) = ("".join(tags.texts[tag]),)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_long_texts_and_tables_are_cut():
    @dataclass(frozen=True, repr=False)
    class Long(Result):
        title = "Long"

        def parts(self):
            yield "x" * 2_000_000
            yield Table({"row": list(range(pages.MAX_ROWS + 7))})

    page = Long().to_html()
    assert len(page.encode()) < 500_000
    assert "7 more lines" in page
