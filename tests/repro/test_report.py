from dataclasses import replace

import pytest
from repro.config import Experiment
from repro.paper_comparison import compare_with_paper
from repro.report import make_pages, write_section
from repro.results import Record
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
    [(0.5, "same"), (0.515, "same"), (0.485, "same"), (0.52, "above"), (0.4, "below")],
)
def test_the_same_is_within_deviation_and_tolerance(value: float, word: str) -> None:
    assert compare_with_paper(TABLE, "a", "x", record(value)).word == word


def test_no_published_figure_no_verdict() -> None:
    assert compare_with_paper(TABLE, "b", "x", record(0.1)).word == "new"


def test_other_data_are_not_compared() -> None:
    sample = replace(record(0.5), note="a sample")
    assert compare_with_paper(TABLE, "a", "x", sample) == ("other data", "a sample")


def test_a_difference_needs_a_reason() -> None:
    with pytest.raises(LookupError, match=r"toy: a / x is 0\.100 and not 0\.500"):
        compare_with_paper(replace(TABLE, reasons={}), "a", "x", record(0.1))


def test_a_section_shows_figures_reasons_and_details() -> None:
    records = {("a", "x"): record(0.5, 0.51), ("a", "y"): record(0.8)}
    lines = list(write_section(TABLE, records))
    assert "| X | 0.505 ± 0.005<br>paper 0.500 ± 0.010: same | not run |" in lines
    assert "| Y | 0.800<br>paper 0.900: below [1] |  |" in lines
    assert "[1] Other data.\n" in lines
    assert "| A | X | 1,234 |  | 0 to 1 | 0.0 | d `01234567` |" in lines


def test_pairs_are_compared_seed_by_seed() -> None:
    records = {("a", "x"): record(0.5, 0.7), ("a", "y"): record(0.4, 0.5)}
    lines = list(write_section(replace(TABLE, paired_with="y", paper={}), records))
    assert "| X | 0.600 ± 0.100<br>(+0.1500 ± 0.0500) | not run |" in lines
    assert "| Y | 0.450 ± 0.050 |  |" in lines


def test_many_rows_are_several_tables() -> None:
    wide = replace(TABLE, rows={f"r{i}": f"R{i}" for i in range(5)}, skip=(), paper={})
    lines = list(write_section(wide, {}))
    assert "|  | R0 | R1 | R2 | R3 |" in lines
    assert "|  | R4 |" in lines
