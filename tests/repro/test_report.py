from dataclasses import replace
from pathlib import Path

import pytest
from repro.config import Experiment
from repro.paper_comparison import compare_with_paper
from repro.report import make_pages
from repro.results import Record
from repro.sections import write_section, write_table
from tests.repro.test_runner import EXPERIMENT

TABLE: Experiment = replace(
    EXPERIMENT,
    about="What it is.",
    skip=("b/y",),
    paper={"a": {"x": [0.5, 0.01], "y": 0.9}},
    reasons={"a/*": "other data"},
)


def record(*values: float) -> Record:
    return Record(
        list(values),
        rows=1234,
        seeds=list(range(len(values))),
        data={"d": "0123456789"},
    )


def test_pages_are_up_to_date() -> None:
    for path, text in make_pages().items():
        assert path.read_text("utf-8") == text, "run: python -m repro report"


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.5, "same"), (0.515, "same"), (0.485, "same"), (0.516, "above"), (0.4, "below")],
)
def test_the_same_is_within_deviation_and_tolerance(value: float, word: str) -> None:
    assert compare_with_paper(TABLE, "a", "x", record(value)).word == word


def test_no_published_figure_no_verdict() -> None:
    assert compare_with_paper(TABLE, "b", "x", record(0.1)).word == "new"


def test_other_data_are_not_compared() -> None:
    sample = replace(record(0.5), note="a sample")
    assert compare_with_paper(TABLE, "a", "x", sample) == ("other data", "a sample")
    others = replace(TABLE, other_data={"a": "other texts"})
    found = compare_with_paper(others, "a", "x", record(0.5))
    assert found == ("other data", "other texts")


def test_numbers_of_things_are_the_same_only_if_equal() -> None:
    counts = replace(TABLE, exact=True, paper={"a": {"x": 500}})
    assert compare_with_paper(counts, "a", "x", record(500.0)).word == "same"
    assert compare_with_paper(counts, "a", "x", record(499.0)).word == "below"


def test_a_difference_needs_a_reason() -> None:
    with pytest.raises(LookupError, match=r"toy: a / x is 0\.100 and not 0\.500"):
        compare_with_paper(replace(TABLE, reasons={}), "a", "x", record(0.1))


def test_a_section_shows_values_and_reasons_below_a_fold() -> None:
    records = {("a", "x"): record(0.5, 0.51), ("a", "y"): record(0.8)}
    text = "\n".join(write_section(replace(TABLE, about="Short.\n\nLong."), records))
    visible, folded = text.split("<details>")
    assert "Short." in visible
    assert "Long." in folded
    values = (
        "| 0.505 ± 0.005<br>paper 0.500 ± 0.010: same | 0.800<br>paper 0.900: below"
    )
    assert f"| A {values} [1] |" in folded
    assert "[1] Other data.\n" in folded
    assert "2 cells, 1 to 2 seeds each" in folded
    assert "`repro/results/toy.json`" in folded


def test_pairs_are_compared_seed_by_seed() -> None:
    records = {("a", "x"): record(0.5, 0.7), ("a", "y"): record(0.4, 0.5)}
    lines = list(write_table(replace(TABLE, paired_with="y", paper={}), records))
    assert "| A | 0.600 ± 0.100<br>(+0.1500 ± 0.0500) | 0.450 ± 0.050 |" in lines


def test_many_columns_are_several_tables_and_the_papers_come_first() -> None:
    columns = {f"c{i}": f"C{i}" for i in range(9)}
    paper = {"a": {"c8": 0.5}}
    wide = replace(TABLE, columns=columns, skip=(), paper=paper)
    records = {("a", column): record(0.5) for column in columns}
    heads = [line for line in write_table(wide, records) if line.startswith("|  |")]
    assert heads == [
        "|  | C8 |",
        "|  | C0 | C1 | C2 | C3 | C4 | C5 |",
        "|  | C6 | C7 |",
    ]


def test_values_of_an_earlier_version_are_marked() -> None:
    old = replace(TABLE, paper={}, earlier={"*/x": 1})
    records = {("a", "x"): record(0.5), ("a", "y"): record(0.8)}
    lines = list(write_table(old, records))
    assert "| A | 0.500 † | 0.800 |" in lines
    assert any(line.startswith("† Of an earlier version") for line in lines)


def test_a_hole_without_a_result_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="python -m repro run"):
        make_pages(tmp_path)
