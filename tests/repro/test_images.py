from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repro.config import experiments
from repro.data import load
from repro.images import ImageData
from repro.store import Store
from repro.studies.images import ONE_HOT, ImageTest

N = 100  # as in the smoke form


@pytest.fixture
def task(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    made = ImageData("fashion_mnist", {"images": N}, Store(tmp_path))
    said = np.linspace(0, 1, N * 10, dtype=np.float32).reshape(N, 10)
    monkeypatch.setattr(ImageData, "_make_pseudo_labels", lambda _: said)
    return made, said


@pytest.mark.data
def test_pseudo_labels_come_first_and_soft_annotators_are_rounded(task: Any) -> None:
    made, said = task
    signals = made.signals
    assert (signals.n_signals, signals.n_classes, len(signals)) == (5, 10, N)
    published = load("paper/fashion_mnist").train.signals.take(slice(N))
    values = signals.probabilities
    np.testing.assert_allclose(values[:, 0], said)
    np.testing.assert_array_equal(
        values[:, 1:], np.rint(published.probabilities[:, :4])
    )


@pytest.mark.data
def test_truth_and_images_are_of_the_same_rows(task: Any) -> None:
    made, _ = task
    dataset = load("fashion_mnist")
    named = np.array(dataset.classes)[made.truth]
    np.testing.assert_array_equal(named, dataset.train.labels[:N])
    assert made.train.images.shape == (N, 28, 28)
    assert made.train.images.max() <= 1
    assert made.note == f"a sample: {N} of 60,000 images"


@pytest.mark.data
def test_missing_exemplars_abstain(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    task = ImageData("svhn_exemplars", {"images": N}, Store(tmp_path))
    said, _ = task._annotated
    silent = np.isnan(said).all(axis=1)
    assert silent.sum() == 2  # classes with three exemplars
    assert silent[-1].sum() == 2
    assert task.signals.is_hard


@pytest.mark.data
@pytest.mark.parametrize("column", ["CLL", "DP", "CLL, rounded"])
def test_what_the_network_learns(
    task: Any, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = []

    class Model:
        def __init__(self, **_: Any) -> None: ...

        def fit(self, _: Any, labels: Any) -> "Model":
            learned.append(labels)
            return self

        def predict_proba(self, images: Any) -> Any:
            return np.eye(10)[np.zeros(len(images), int)]

    monkeypatch.setattr("repro.studies.images.SoftLabelCNN", Model)
    cells = experiments()["image_test"].cells(smoke=True)
    cell = next(c for c in cells if (c.row, c.column) == ("fashion_mnist", column))
    ImageTest().run(cell, task[0].store)
    entries = learned[0]
    if column == "CLL, rounded":  # entries need not add up to one
        assert set(np.unique(entries)) == {0, 1}
        assert set(entries.sum(axis=1)) != {1}
    else:
        np.testing.assert_allclose(entries.sum(axis=1), 1)
        assert (column in ONE_HOT) == bool((entries.max(axis=1) == 1).all())
