"""The page in Chromium: it loads, sorts, filters, asks for nothing, and is accessible."""

import pytest

import corral
from corral.datasets import random_votes

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
TEXTS = [
    "<script>alert(1)</script>",
    "turned \u202eback",
    "👨‍👩‍👧",
    "x" * 5000,
    "plain",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    votes, truth = random_votes(400, [0.9, 0.8, 0.7, 0.6] + [0.75] * 20, coverage=0.6)
    named = ["free", "win", "<b>link</b>", "reply", "a name " * 12]
    signals = corral.WeakSignals.from_votes(
        votes, names=named + [f"signal {i}" for i in range(19)]
    )
    report = corral.report(
        signals, gold=truth, text=[TEXTS[i % 5] for i in range(400)], title="Votes"
    )
    place = tmp_path_factory.mktemp("page") / "report.html"
    report.write(place)
    return place


def cells(page, column):
    table = page.locator("#signals table").first
    return table.locator(f"tbody tr td:nth-child({column})").all_inner_texts()


def test_it_loads_quietly(path, open_page):
    opened = open_page(path)
    assert opened.page.title() == "Votes · corral"
    assert opened.requests == []
    assert opened.errors == []
    assert opened.page.locator("main > section").count() == 6
    texts = opened.page.locator(".lines summary .most").all_text_contents()
    assert "<script>alert(1)</script>" in texts


def test_sorting_with_the_keyboard(path, open_page):
    page = open_page(path).page
    head = page.locator("#signals table").first.locator("thead th").nth(2)
    before = [float(c.rstrip("%")) for c in cells(page, 3)]
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    after = [float(c.rstrip("%")) for c in cells(page, 3)]
    assert after == sorted(before, reverse=True) != before
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(c.rstrip("%")) for c in cells(page, 3)] == sorted(before)


def test_rows_show_what_was_said_and_open(path, open_page):
    page = open_page(path, width=390).page
    row = page.locator(".lines details").first
    assert "free" in row.locator(".said").inner_text()
    assert not row.locator("dd").first.is_visible()
    row.locator("summary").click()
    assert row.locator("dd").first.is_visible()


def test_filtering_long_tables(path, open_page):
    page = open_page(path).page
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    line = page.locator(".filter").first
    rows = page.locator(".filter + .scroll").first.locator("tbody tr:visible")
    whole = rows.count()
    line.locator("input").fill("  SIGNAL 1 ")
    assert 0 < rows.count() < whole
    assert line.locator("output").inner_text() == f"{rows.count()} of {whole}"
    line.locator("input").fill("")
    assert rows.count() == whole


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_audit_and_width(path, open_page, width, dark):
    opened = open_page(path, width=width, dark=dark)
    opened.page.evaluate(
        "document.querySelectorAll('details').forEach(d => d.open = true)"
    )
    assert opened.audit() == []
    wide = opened.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


def test_without_script_everything_is_there(path, open_page):
    page = open_page(path, java_script_enabled=False).page
    assert page.locator("#signals tbody tr:visible").count() >= 24
    assert page.locator("#signals table button").count() == 0
    assert page.locator(".filter").first.is_hidden()
    assert page.locator("svg").first.is_visible()


def test_printing_unfolds_the_details(path, open_page):
    page = open_page(path).page
    folded = page.locator("details:not([open])").count()
    assert folded
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() == folded


def test_within_a_notebook(path, open_page, tmp_path):
    votes, _ = random_votes(100, [0.9, 0.8, 0.7], coverage=0.6)
    frame = corral.report(votes)._repr_html_()
    outer = tmp_path / "notebook.html"
    outer.write_text(f"<!doctype html><title>notebook</title><body>{frame}")
    opened = open_page(outer)
    inner = opened.page.frames[1]
    head = inner.locator("#signals table thead th").nth(2)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    inner.locator("nav a", has_text="Provenance").click()
    assert inner.locator("h1").count() == 1  # still the report, not the notebook
    assert opened.errors == []
