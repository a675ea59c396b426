"""Text that fits a screen."""

from corral.results import Table
from corral.results.text import MOST, WIDTH, join_names, shorten, text_table


def test_long_names_are_cut_and_numbers_are_not():
    rows = [("n" * 500, "0.123", "w" * 90), ("short", "12345.678", "x")]
    head, first, second = text_table(("signal", "rate", "with"), rows).splitlines()
    assert max(map(len, (head, first, second))) <= WIDTH
    assert "0.123" in first
    assert first.count("…") == 2
    assert "12345.678" in second
    assert (
        len({line.index(word) for line, word in ((first, "nn"), (second, "sh"))}) == 1
    )


def test_short_tables_are_as_they_were():
    table = text_table(("a", "b"), [("x", "1")])
    assert table == "a  b\nx  1"


def test_words_may_stand_to_the_left():
    rows = [("a", "1", "one"), ("b", "22", "twenty two")]
    lines = text_table(("id", "n", "words"), rows, left=(0, 2)).splitlines()
    assert [line.split()[-1] for line in lines] == ["words", "one", "two"]
    assert len({lines[0].index("words"), lines[1].index("one")}) == 1


def test_more_rows_than_are_shown():
    lines = str(Table({"a": ["x"] * (MOST + 1_000)})).splitlines()
    assert len(lines) == MOST + 2
    assert lines[-1] == "and 1,000 more"
    assert len(str(Table({"a": ["x"] * MOST})).splitlines()) == MOST + 1


def test_headings_of_several_words_take_several_lines_before_cells_are_cut():
    heads = [f"share of number {i}" for i in range(8)]
    lines = text_table(heads, [["12.5%"] * 8]).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "…" not in "".join(lines)


def test_what_moves_the_cursor_is_written_out():
    table = text_table(("signal",), [("red\x1b[31m\nalert",)])
    assert "\x1b" not in table
    assert table.splitlines()[1] == r"red\x1b[31m\nalert"


def test_lists_end_with_how_many_more():
    names = [f"worker{i}" for i in range(300)]
    text = join_names(names)
    assert len(text) <= WIDTH
    shown = text.split(" and ")[0].split(", ")
    assert text.endswith(f" and {300 - len(shown)} more")
    assert join_names(["a", "b"]) == "a, b"
    assert join_names([]) == ""
    assert join_names(["n" * 200, "m"], 30) == "nnnnnnnnnnnn…nnnnnn and 1 more"


def test_names_that_begin_alike_can_be_told_apart():
    names = [f"a rule with a long name, number {i}" * 9 for i in range(3)]
    lines = text_table(
        ("signal", "rate"), [(name, "0.1") for name in names]
    ).splitlines()
    assert len(set(lines)) == 4
    assert shorten("abcdefgh", 2) == "a…"
    assert shorten("abcdefgh", 8) == "abcdefgh"
