from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repro.config import Cell, Experiment
from repro.results import Outcome, Record, Results
from repro.runner import run
from repro.store import Store
from repro.studies import STUDIES

from corral.errors import ParameterError

EXPERIMENT = Experiment(
    name="toy",
    title="Toy",
    order=0,
    kind="table",
    study="toy",
    measure="accuracy",
    about="",
    rows={"a": "A", "b": "B"},
    columns={"x": "X", "y": "Y"},
    settings={"seeds": 2, "size": 10, "column_seeds": {"y": 1}},
    smoke={"size": 1},
)


class Toy:
    """Counts its calls; the data of row "b" may be missing."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.hash = "1"
        self.missing = False

    def data(self, cell: Cell) -> dict[str, str]:
        if self.missing and cell.row == "b":
            raise ParameterError("put b where it belongs.")
        return {cell.row: self.hash}

    def run(self, cell: Cell, store: Store) -> Outcome:
        self.calls.append(f"{cell.row}/{cell.column}")
        base = store.get("base", [cell.row], lambda: np.array([0.5]))
        values = [float(base[0]) + 0.1 * seed for seed in cell.seeds]
        return Outcome(values, rows=cell.settings["size"])


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    study = Toy()
    monkeypatch.setitem(STUDIES, "toy", study)
    return study


def ran(folder: Path, experiment: Experiment = EXPERIMENT, **options: Any) -> list[Any]:
    found = run(experiment, results=folder / "r", cache=folder / "c", **options)
    return list(found)


def test_every_cell_once_and_then_from_the_file(toy: Toy, tmp_path: Path) -> None:
    first = ran(tmp_path)
    assert toy.calls == ["a/x", "a/y", "b/x", "b/y"]
    assert [kept for *_, kept in first] == [False] * 4
    again = ran(tmp_path)
    assert [kept for *_, kept in again] == [True] * 4
    assert [record for _, record, _ in again] == [record for _, record, _ in first]
    assert len(toy.calls) == 4


def test_what_a_record_holds(toy: Toy, tmp_path: Path) -> None:
    ran(tmp_path)
    record = Results("toy", tmp_path / "r").records["a", "x"]
    assert (record.seeds, record.rows, record.data) == ([0, 1], 10, {"a": "1"})
    assert str(record) == "0.550 ± 0.050"
    single = Results("toy", tmp_path / "r").records["a", "y"]
    assert (single.sd, str(single)) == (None, "0.500")


def test_new_data_settings_or_version_are_computed_again(
    toy: Toy, tmp_path: Path
) -> None:
    ran(tmp_path)
    toy.hash = "2"
    assert not any(kept for *_, kept in ran(tmp_path))
    newer = replace(EXPERIMENT, version=2)
    assert not any(kept for *_, kept in ran(tmp_path, newer))
    larger = replace(newer, settings=EXPERIMENT.settings | {"size": 11})
    assert not any(kept for *_, kept in ran(tmp_path, larger))
    assert all(kept for *_, kept in ran(tmp_path, larger))
    assert not any(kept for *_, kept in ran(tmp_path, larger, again=True))


def test_a_stopped_run_goes_on_where_it_was(toy: Toy, tmp_path: Path) -> None:
    cells = run(EXPERIMENT, results=tmp_path / "r", cache=tmp_path / "c")
    next(cells), next(cells)
    cells.close()
    del toy.calls[:]
    assert sum(kept for *_, kept in ran(tmp_path)) >= 2
    assert "a/x" not in toy.calls


def test_missing_data_leave_the_other_cells_alone(toy: Toy, tmp_path: Path) -> None:
    toy.missing = True
    found = {(cell.row, cell.column): what for cell, what, _ in ran(tmp_path)}
    assert isinstance(found["a", "x"], Record)
    assert "put b where" in str(found["b", "x"])
    assert ("b", "x") not in Results("toy", tmp_path / "r").records
    # What was stored while they were there stays, but is not passed off as new.
    toy.missing = False
    ran(tmp_path)
    toy.missing = True
    assert [kept for *_, kept in ran(tmp_path)] == [True, True, False, False]


def test_smoke_settings_are_used(toy: Toy, tmp_path: Path) -> None:
    assert {record.rows for _, record, _ in ran(tmp_path, smoke=True)} == {1}


def test_a_store_keeps_arrays(tmp_path: Path) -> None:
    store, made = Store(tmp_path), []

    def make() -> Any:
        made.append(1)
        return np.arange(3)

    for source in ([1], [1], [2]):
        np.testing.assert_array_equal(store.get("x", source, make), [0, 1, 2])
    assert len(made) == 2
    assert not list(tmp_path.glob("*.part"))
