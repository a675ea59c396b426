"""What every result can do, tried on one that has every kind of part."""

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from corral.errors import ParameterError
from corral.results import (
    Facts,
    Result,
    Section,
    Table,
    bars,
    dots,
    histogram,
    matrix,
)

HOSTILE = "<script>alert('x')</script>\x1b[2J"


@dataclass(frozen=True, eq=False, repr=False)
class Everything(Result):
    names: tuple[str, ...]
    rates: np.ndarray
    labels: np.ndarray = field(repr=False)
    title = "Everything"

    def parts(self):
        n = len(self.names)
        ends = np.column_stack([self.rates / 2, self.rates * 2])
        yield f"{n} signals, the first of which is {self.names[0]}."
        yield Facts((("signals", str(n), "that vote"),))
        columns = {"signal": self.names, "rate": self.rates, "ends": list(ends)}
        yield Table(
            {**columns, "ends": list(map(tuple, ends))}, formats={"rate": ".1%"}
        )
        series = {"expected": self.rates, "true": self.rates}
        yield dots("Errors", "Dots.", self.names, series, intervals={"true": ends})
        kappa = np.full((n, n), 0.5)
        yield Section(
            "Two words",
            (
                bars("Worth", "Bars.", self.names, {"worth": self.rates}),
                matrix("Agreement", self.names, kappa, 9 * kappa, measure="kappa"),
                histogram("Sure", "Bins.", [0.5, 0.75, 1], [1, 3]),
            ),
        )


@pytest.fixture
def result():
    return Everything((HOSTILE, "b", "c"), np.array([0.1, np.nan, 0.3]), np.zeros(9))


def test_text_has_every_table_and_no_control_character(result):
    text = str(result)
    assert "10.0%" in text
    assert "Two words" in text
    assert "\x1b" not in text


def test_json_has_the_attributes_without_those_per_row(result):
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(found) == {"names", "rates"}
    assert found["rates"] == [0.1, None, 0.3]


def test_a_page_is_escaped_and_needs_nothing_else(result):
    page = result.to_html()
    assert HOSTILE not in page
    assert "\x1b" not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    assert page.count("<svg") == 4
    assert 'id="two-words"' in page


@pytest.mark.parametrize("suffix", [".html", ".json", ".txt", ".csv", ".svg"])
def test_it_is_written_by_the_suffix_and_never_over_a_file(result, tmp_path, suffix):
    path = tmp_path / f"result{suffix}"
    result.write(path)
    before = path.read_bytes()
    assert before
    with pytest.raises(ParameterError, match="exists"):
        result.write(path)
    result.write(path, overwrite=True)
    assert path.read_bytes() == before


def test_other_suffixes_are_refused_before_anything_is_written(result, tmp_path):
    with pytest.raises(ParameterError, match="xlsx"):
        result.write(tmp_path / "result.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_frame_has_the_numbers(result):
    pytest.importorskip("pandas")
    assert result.to_frame()["rate"].tolist()[::2] == [0.1, 0.3]
