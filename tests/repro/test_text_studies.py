"""Features and targets of the text studies, and their cells in small."""

import sys
from pathlib import Path

import numpy as np
import pytest
from repro.config import Cell, experiments
from repro.store import Store
from repro.studies import STUDIES
from repro.studies.text_test import make_targets
from repro.texts import Texts

from corral import WeakSignals
from corral.errors import CorralError

VOTES = [[0, -1, 1], [0, 0, -1], [-1, 1, 1], [1, -1, 1], [0, 1, 0]]
TEXTS = Texts(
    "small",
    ("negative", "positive"),
    train=["bad film", "dull film", "good film", "great film", "bad plot"],
    signals=WeakSignals.from_votes(VOTES, classes=(0, 1), abstain=-1),
    truth=np.array([0, 0, 1, 1, 1]),
    uncovered=["a film"],
    test=["good unseen"],
    test_truth=np.array([1]),
)


def test_the_network_learns_what_the_paper_gave_it() -> None:
    supervised = make_targets("supervised", TEXTS, 0.01, 0)
    assert supervised.argmax(axis=1).tolist() == TEXTS.truth.tolist()
    for rounded in ("MMCE", "DP", "supervised", "MV"):
        assert set(make_targets(rounded, TEXTS, 0.01, 0).ravel()) == {0.0, 1.0}
    soft = make_targets("auto", TEXTS, 0.01, 0)
    assert len(set(soft.ravel())) > 2
    np.testing.assert_allclose(soft.sum(axis=1), 1)


def _cell(name: str, row: str, column: str) -> Cell:
    cells = experiments()[name].cells(smoke=True)
    return next(cell for cell in cells if (cell.row, cell.column) == (row, column))


@pytest.mark.data
def test_a_second_run_finds_the_same(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="networks need torch")
    monkeypatch.setenv("CORRAL_DATA", str(data))
    cell = _cell("text_test", "sst2", "CLL")
    study = STUDIES[cell.experiment.study]
    first, second = (study.run(cell, Store(tmp_path / part)) for part in "ab")
    assert first == second
    assert 0 < first.values[0] < 1


@pytest.mark.data
def test_without_torch_the_network_says_what_is_missing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    monkeypatch.setitem(sys.modules, "torch", None)
    cell = _cell("text_test", "sst2", "CLL")
    with pytest.raises(CorralError, match="torch"):
        STUDIES["text_test"].run(cell, Store(tmp_path))
