"""Text that fits a screen."""

from corral.results import Table
from corral.results.text import MAX_LINES, WIDTH, text_table


def test_long_names_are_cut_and_numbers_are_not():
    rows = [("n" * 500, "0.123", "w" * 90), ("short", "12345.678", "x")]
    head, first, second = text_table(("signal", "rate", "with"), rows).splitlines()
    assert max(map(len, (head, first, second))) <= WIDTH
    assert "0.123" in first
    assert first.count("…") == 2
    assert "12345.678" in second


def test_more_rows_than_are_shown():
    lines = str(Table({"a": ["x"] * (MAX_LINES + 1_000)})).splitlines()
    assert len(lines) == MAX_LINES + 2
    assert lines[-1] == "and 1,000 more"


def test_headings_take_several_lines_before_cells_are_cut():
    heads = [f"share of number {i}" for i in range(8)]
    lines = text_table(heads, [["12.5%"] * 8]).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "…" not in "".join(lines)
