"""``corral demo`` prints its table."""

import re

import pytest
from typer.testing import CliRunner

from corral.cli.app import app

LINES = {
    "majority vote": (0.6, 0.8),
    "corral, uniform rate 0.01": (0.6, 0.8),
    "corral, constant rate 0.4": (0.6, 0.8),
    "corral, true rates": (0.6, 0.8),
    "supervised": (1.0, 1.0),
}


@pytest.fixture(scope="module")
def shown():
    result = CliRunner().invoke(
        app, ["demo", "--examples", "2000"], env={"COLUMNS": "100"}
    )
    assert result.exit_code == 0, result.output
    return result.output


def test_what_was_drawn(shown):
    assert "1,600 training examples, 400 for testing; 10 signals" in shown
    covered = float(re.search(r"([\d.]+)% covered", shown).group(1))
    assert covered == pytest.approx(100 * (1 - 0.7**10), abs=1.5)


@pytest.mark.parametrize("name", LINES)
def test_every_labeler_has_a_line_of_plausible_numbers(shown, name):
    line = next(line for line in shown.splitlines() if name in line)
    label, test = map(float, re.findall(r"\b[01]\.\d{3}\b", line))
    low, high = LINES[name]
    assert low <= label <= high
    assert 0.8 < test <= 1


def test_headings(shown):
    for heading in ("label accuracy", "test accuracy"):
        assert heading in shown


def test_the_journey_ends_in_a_good_classifier(shown):
    journey = shown.split("From raw data to a classifier")[1]
    (line,) = (x for x in journey.splitlines() if x.startswith("corral, estimated"))
    label, test = map(float, re.findall(r"\b[01]\.\d{3}\b", line))
    assert 0.9 < label < 1
    assert 0.9 < test < 1


def test_every_rule_has_two_bars(shown):
    bars = re.findall(r"([▒█]+) (0\.\d\d)", shown)
    assert len(bars) == 20
    assert all(abs(len(bar) / 60 - float(rate)) < 0.02 for bar, rate in bars)
