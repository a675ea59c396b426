"""Texts that a spreadsheet would run: how they begin, and how they are made plain."""

import csv
import json

import pytest

from corral import label
from corral.tables.spreadsheet_formulas import escape_cell, formulas_in

SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_formula_may_begin_with_a_line_break_or_a_full_width_sign(sign):
    text = f"{sign}SUM(1)"
    assert formulas_in([text, "SUM(1)"]) == {text}
    assert escape_cell(text) == f"'{text}"


def test_numbers_are_no_formulas():
    assert formulas_in(["-1", "+1e3", "-.5"]) == set()
    assert escape_cell(-1) == -1


def test_cells_that_duckdb_writes_are_escaped_by_the_same_signs(tmp_path):
    votes, output = tmp_path / "votes.jsonl", tmp_path / "labels.csv"
    ids = [f"{sign}A1" for sign in SIGNS]
    rows = [{"id": id, "a": i % 2, "b": i % 2} for i, id in enumerate(ids)]
    votes.write_text("".join(json.dumps(row) + "\n" for row in rows))
    label(votes, id="id", output=output, escape_formulas=True)
    with output.open(newline="", encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    assert [line[0] for line in lines] == [f"'{id}" for id in ids]
