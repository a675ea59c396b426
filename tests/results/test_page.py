"""The page as text: one file, nothing of others runs in it, and it stays small."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.errors import StorageError
from corral.reports.rows import SignalPart
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


def test_every_section_opens_with_its_verdict(hostile):
    page = hostile.to_html()
    sections = re.findall(r"<h2[^>]*>(.*?)</h2>\n\n?<p ", page)
    assert sections == [
        *("What to do next", "Rows worth reading", "Signals", "Agreement and conflict"),
        *("Labels", "Constraints", "Methods compared", "Provenance"),
    ]


def test_a_usual_page_is_below_500_kilobytes():
    votes, truth = random_votes(1500, [0.75] * 60, coverage=0.3)
    names = [f"contains_a_word_of_list_{i}" for i in range(60)]
    signals = corral.WeakSignals.from_votes(votes, names=names)
    report = corral.report(signals, gold=truth, text=["a text of words " * 40] * 1500)
    assert len(report.to_html().encode()) < 500_000


def test_any_page_is_below_two_megabytes(hostile):
    """Thousands of signals, long names and texts, all of characters of four bytes."""
    long = "𐍈" * 400
    every = hostile.signals
    arrays = ("coverage", "overlaps", "conflicts", "share", "implied_error_rates")
    many = {name: np.resize(getattr(every, name), 5000) for name in arrays}
    many |= {"names": (long,) * 5000, "polarity": ((long,) * 9,) * 5000}
    many |= {"learned": np.full(5000, 0.2), "error_intervals": np.full((5000, 2), 0.2)}
    part = SignalPart(long[:40], long[:40], 0.1)
    row = replace(hostile.rows[0].rows[0], text=long[:300], parts=(part,) * 8)
    group = replace(hostile.rows[0], rows=(row,) * 30)
    whole = replace(
        hostile,
        signals=replace(every, **many, rate_sources=("learned",) * 5000, gold=None),
        rows=(group,) * 4,
        agreement=replace(
            hostile.agreement,
            names=(long,) * 200,
            kappa=np.full((200, 200), 0.5),
            kappa_interval=np.full((200, 200, 2), 0.5),
            common=np.full((200, 200), 1e6),
        ),
    )
    assert len(whole.to_html().encode()) < 2_000_000


def test_a_page_that_would_be_too_large_shows_less(monkeypatch, hostile):
    whole = hostile.to_html()
    monkeypatch.setattr(pages, "MOST_BYTES", len(whole.encode()) - 1)
    assert len(hostile.to_html().encode()) < len(whole.encode())


def test_a_frame_for_notebooks(hostile):
    frame = hostile._repr_html_()
    ((tag, attributes),) = Tags(frame).found
    assert tag == "iframe"
    assert attributes["srcdoc"] == hostile.to_html()
    assert "allow-same-origin" not in attributes["sandbox"]


def test_written_whole_or_not_at_all(hostile, tmp_path, monkeypatch):
    def fill_the_disk(*_, **__):
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.html"
    hostile.write(path)
    before = path.read_bytes()
    monkeypatch.setattr("pathlib.Path.write_text", fill_the_disk)
    with pytest.raises(StorageError, match="space"):
        hostile.write(path, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StorageError, match="folder"):
        hostile.write(tmp_path / "nowhere" / "report.html")


def test_a_page_that_nothing_makes_small_ends(monkeypatch):
    report = corral.report([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
    monkeypatch.setattr(pages, "MOST_BYTES", 10)
    assert report.to_html().startswith("<!doctype html>")


def test_a_long_command_is_cut():
    report = corral.report([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
    origin = report.provenance | {"command": "corral report " + "x" * 2_100_000}
    page = replace(report, provenance=origin).to_html()
    assert len(page.encode()) < pages.MOST_BYTES
    assert "<table" in page
