"""Features and targets of the text studies, and their cells in small."""

import sys
from pathlib import Path

import numpy as np
import pytest
from repro.config import Cell, experiments
from repro.store import Store
from repro.studies import STUDIES
from repro.studies.text_test import make_targets
from repro.text_features import CleanedTexts, tfidf
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


def test_words_of_test_texts_are_not_counted(tmp_path: Path) -> None:
    raw = CleanedTexts(TEXTS.train, TEXTS.test, TEXTS.uncovered, 1)
    train, test = tfidf(raw, Store(tmp_path))
    shuffled = tfidf(raw._replace(test=["wholly other words"]), Store(tmp_path))
    assert train.shape == shuffled.train.shape
    np.testing.assert_array_equal(train.toarray(), shuffled.train.toarray())
    assert test.nnz == 1  # "good"
    assert shuffled.test.nnz == 0


def _cell(name: str, row: str, column: str) -> Cell:
    cells = experiments()[name].cells(smoke=True)
    return next(cell for cell in cells if (cell.row, cell.column) == (row, column))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "column"),
    [("text_test", "100 labels"), ("text_test_features", "100 labels: glove+tfidf")],
)
def test_a_second_run_finds_the_same(
    name: str,
    column: str,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if name == "text_test":
        pytest.importorskip("torch", reason="networks need torch")
    monkeypatch.setenv("CORRAL_DATA", str(data))
    cell = _cell(name, "sst2", column)
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
    cell = _cell("text_test", "sst2", "auto")
    with pytest.raises(CorralError, match="torch"):
        STUDIES["text_test"].run(cell, Store(tmp_path))
