"""Parts, files and frames of a result that has every kind of part."""

import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from corral.results import (
    Code,
    Facts,
    Result,
    Section,
    Table,
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
        ends = np.column_stack([self.rates / 2, self.rates * 2])
        kappa = np.full((len(self.names),) * 2, 0.5)
        yield f"The first is {self.names[0]}."
        yield Facts((("signals", str(len(self.names)), "that vote"),))
        yield Code(f"corral label {HOSTILE}")
        columns = {"signal": self.names, "rate": self.rates, "ends": ends}
        yield Table(columns, formats={"rate": ".1%"})
        series = {"expected": self.rates, "true": self.rates}
        yield dots("Errors", "Dots.", self.names, series, intervals={"true": ends})
        yield Section(
            "Two words",
            (
                dots("Worth", "Bars.", self.names, {"worth": self.rates}),
                matrix("Agreement", self.names, kappa, 9 * kappa, measure="kappa"),
                histogram("Sure", "Bins.", [0.5, 0.75, 1], [1, 3]),
            ),
        )


@pytest.fixture
def result():
    return Everything((HOSTILE, "b", "c"), np.array([0.1, np.nan, 0.3]), np.zeros(9))


def test_every_part_is_shown_and_none_is_run(result):
    for shown in (str(result), page := result.to_html()):
        assert "10.0%" in shown
        assert "Two words" in shown
        assert "\x1b" not in shown
    assert HOSTILE[:9] not in page.split("<main")[1].split("</main")[0]
    assert not re.search(r'(src|href)="(?!#)', page)
    assert page.count("<svg") == 4
    assert page.count("<pre>") == 1
    assert 'id="two-words"' in page


def test_json_and_frame_have_the_numbers(result):
    assert result.to_dict() == {"names": [HOSTILE, "b", "c"], "rates": [0.1, None, 0.3]}
    pytest.importorskip("pandas", reason="pandas is an extra")
    frame = result.to_frame()
    assert frame["rate"].tolist()[::2] == [0.1, 0.3]
    assert frame["ends high"].tolist()[::2] == [0.2, 0.6]
