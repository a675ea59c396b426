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
