from dataclasses import replace

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


def test_a_section_shows_values_and_reasons() -> None:
    records = {("a", "x"): record(0.5, 0.51), ("a", "y"): record(0.8)}
    text = "\n".join(write_section(TABLE, records))
    assert "What it is." in text
    assert "| A | **0.505** (0.500) | 0.800 (0.900) |" in text  # the same is bold
    assert "Why values differ: other data.\n" in text
    assert "`repro/results/toy.json`, 0 minutes." in text


def test_published_values_that_all_rows_share_are_a_row() -> None:
    shared = {"x": [0.5, 0.01], "y": 0.9}
    table = replace(TABLE, skip=(), paper={"a": shared, "b": shared}, reasons={})
    records = {(row, "x"): record(0.5) for row in "ab"}
    records |= {(row, "y"): record(0.9) for row in "ab"}
    lines = list(write_table(table, records))
    assert lines[2:4] == ["| paper | 0.500 | 0.900 |", "| A | **0.500** | **0.900** |"]


def test_rows_of_other_data_are_left_out() -> None:
    noted = replace(record(0.5), note="a sample")
    records = {("a", "x"): record(0.5), ("b", "x"): noted}
    assert not any(line.startswith("| B") for line in write_table(TABLE, records))
    other = replace(TABLE, other_data={"a": "a sample"})
    assert not any(line.startswith("| A") for line in write_table(other, records))


def test_pairs_are_compared_seed_by_seed() -> None:
    records = {("a", "x"): record(0.5, 0.7), ("a", "y"): record(0.4, 0.5)}
    lines = list(write_table(replace(TABLE, paired_with="y", paper={}), records))
    assert "| A | 0.600<br>(+0.1500 ± 0.0500) | 0.450 |" in lines


def test_the_papers_columns_come_first() -> None:
    columns = {f"c{i}": f"C{i}" for i in range(3)}
    wide = replace(TABLE, columns=columns, skip=(), paper={"a": {"c2": 0.5}})
    records = {("a", column): record(0.5) for column in columns}
    assert next(write_table(wide, records)) == "|  | C2 | C0 | C1 |"
