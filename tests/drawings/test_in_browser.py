"""Drawings in a real browser: nothing is refused by a strict page, and no texts overlap."""

import pytest
from tests.drawings.samples import SAMPLES

from corral.drawings import STYLESHEET, to_svg

pytestmark = pytest.mark.browser

# The stylesheet is let in by its number; a style of an element could not be.
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'nonce-sheet'">
<title>Drawings</title><style nonce="sheet">{sheet}
body{{background:var(--cd-paper);color:var(--cd-ink)}}</style></head>
<body><main><h1>Drawings</h1>{drawings}</main></body></html>"""

OVERLAPS = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const page = svg.getBoundingClientRect(), found = [];
  const boxes = [...svg.querySelectorAll("text")].map(
    (text) => [text.firstChild.textContent, text.getBoundingClientRect()]);
  boxes.forEach(([name, a], i) => {
    if (a.left < page.left - 1 || a.right > page.right + 1 || a.top < page.top - 1 ||
        a.bottom > page.bottom + 1) found.push(name + " is cut off");
    for (const [other, b] of boxes.slice(i + 1))
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
        found.push(name + " overlaps " + other);
  });
  return found;
})"""


@pytest.mark.parametrize(
    ("dark", "paper"), [(False, "rgb(255, 255, 255)"), (True, "rgb(22, 24, 29)")]
)
def test_drawings_in_a_strict_page(dark, paper, open_page, tmp_path):
    path = tmp_path / "page.html"
    drawings = "".join(map(to_svg, SAMPLES.values()))
    page = PAGE.format(sheet=STYLESHEET, drawings=drawings)
    path.write_text(page, encoding="utf-8")
    opened = open_page(path, dark=dark)
    assert opened.audit() == []
    assert opened.errors == []
    assert opened.requests == []
    seen = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert seen == paper


@pytest.mark.parametrize("width", [320, 640, 900])
def test_texts_do_not_overlap_and_are_not_cut_off(width, open_page, tmp_path):
    path = tmp_path / "page.html"
    drawings = "".join(to_svg(each, width=width) for each in SAMPLES.values())
    path.write_text(PAGE.format(sheet="", drawings=drawings), encoding="utf-8")
    assert open_page(path).page.evaluate(OVERLAPS) == []
