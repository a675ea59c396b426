"""``corral demo`` prints its table."""

import re

import pytest
from benchmarks.pages.demo import BLOCK, fill_demo
from benchmarks.pages.markdown import ROOT
from typer.testing import CliRunner

from corral.cli.app import app
from corral.cli.panel_demo import WIDTH

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


@pytest.fixture(scope="module")
def panel(shown):
    return shown.split("Six models vote")[1].split("Where it loses")[0]


def scores(text, name):
    line = next(line for line in text.splitlines() if line.startswith(name))
    return [float(score) for score in re.findall(r"\b[01]\.\d{3}\b", line)]


def test_the_models_are_better_together(panel):
    """And better than by the vote: labels, and what a classifier learns of them."""
    vote, corral = (scores(panel, name) for name in ("majority vote", "corral"))
    assert corral[0] > vote[0] + 0.05
    assert corral[1] > vote[1] + 0.05
    assert corral[0] > scores(panel, "the best model alone")[0]


def test_every_model_has_two_bars(panel):
    bars = re.findall(r"([▒█]+) (0\.\d\d)", panel)
    assert len(bars) == 12
    assert all(abs(len(bar) / WIDTH - float(rate)) < 0.02 for bar, rate in bars)


def test_the_loss_is_shown(shown):
    loss = shown.split("Where it loses")[1]
    assert len(scores(loss, "majority vote")) == len(scores(loss, "corral")) == 4


def test_the_page_shows_what_is_printed():
    """But for the times, and the way that lines are broken."""
    text = (ROOT / "docs" / "cli.md").read_text()
    assert BLOCK.search(text)
    assert fill_demo(text) == text, "run `python -m benchmarks pages`"
