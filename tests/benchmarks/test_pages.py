"""Tables in README.md and docs are those of the stored results."""

import re

import pytest
from benchmarks.pages import BLOCK, ROOT, fill, pages
from benchmarks.tables import TABLES, draw_growth

from corral.results.svg import to_svg


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_are_those_of_the_stored_results(page):
    text = page.read_text()
    assert fill(text) == text, "run `make bench NAME=pages`"
    blocks = [m[0] for m in BLOCK.finditer(text)]
    assert all(re.search(r"\nMeasured at .*commit \w+.* of \d{4}-", b) for b in blocks)


def test_every_table_is_on_a_page():
    found = {m[2] for page in pages() for m in BLOCK.finditer(page.read_text())}
    assert found == set(TABLES)


def test_the_picture_of_growth_is_that_of_the_stored_results():
    chart = draw_growth()
    assert chart is not None
    stored = (ROOT / "docs" / "images" / "growth.svg").read_text()
    assert stored == to_svg(chart, standalone=True), "run `make bench NAME=pages`"
