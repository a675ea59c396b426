from pathlib import Path

import pytest
from repro.__main__ import app
from repro.config import Cell, experiments
from repro.studies import STUDIES
from typer.testing import CliRunner

from corral.errors import StorageError


def call(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def test_list_names_every_experiment_and_all_is_stored() -> None:
    code, shown = call("list")
    assert code == 0
    assert "text_labels" in shown
    counts = [line.split("│")[-3:-1] for line in shown.splitlines() if " of " in line]
    counts = [
        pair for pair in counts if len(pair) == 2 and pair[0].strip()[0].isdigit()
    ]
    assert len(counts) == len(experiments())
    for count, stale in counts:
        there, _, wanted = count.split()
        assert (there, stale.strip()) == (wanted, ""), count


def test_list_shows_what_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cell, "key", lambda *_: "another")
    _, shown = call("list")
    line = next(line for line in shown.splitlines() if "│ rank" in line)
    assert [cell.strip() for cell in line.split("│")[-3:-1]] == ["0 of 12", "12"]


def test_an_unknown_name_is_told_the_known_ones() -> None:
    code, shown = call("run", "tables")
    assert code == 2
    assert "'tables' is none of" in " ".join(shown.split())


def test_missing_data_are_named_and_fail_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def data(cell: Cell) -> dict[str, str]:
        raise StorageError(f"put {cell.row} here [torch]")

    monkeypatch.setattr(STUDIES["text_labels"], "data", data)
    code, shown = call("run", "published_code", "--smoke")
    assert code == 1
    assert "not computed: put imdb here [torch]" in shown
    assert "27 cells could not be computed" in shown


def test_report_says_what_is_out_of_date(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("report", "--check") == (0, "")
    page = Path("a_page.md").absolute()
    monkeypatch.setattr("repro.__main__.make_pages", lambda: {page: "new"})
    code, shown = call("report", "--check")
    assert code == 1
    assert "out of date" in shown
    assert not page.exists()
