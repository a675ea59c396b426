"""Folders of the WRENCH benchmark: texts, labels and votes in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from corral.datasets.dataset import Dataset, Examples
from corral.datasets.readers.base import StrPath, named, named_votes, reading
from corral.signals import WeakSignals


def read_wrench(folder: StrPath) -> Dataset:
    """Read ``train.json``, ``valid.json``, ``test.json`` and ``label.json``.

    An entry is ``{id: {"label": 0, "weak_labels": [0, -1], "data": {"text": ...}}}``, -1
    for abstain. Labels and votes get the names of ``label.json``.

    Parameters
    ----------
    folder : path
    """
    folder = Path(folder)
    with reading(folder / "label.json", "class names, {'0': name, ...}"):
        names = json.loads((folder / "label.json").read_text("utf-8"))
        classes = tuple(str(names[str(code)]) for code in range(len(names)))
    train, valid, test = (
        _examples(folder / f"{part}.json", classes)
        for part in ("train", "valid", "test")
    )
    return Dataset(folder.name, classes, train, test, valid)


def _examples(path: Path, classes: tuple[str, ...]) -> Examples:
    with reading(path, "{id: {label, weak_labels, data: {text}}}"):
        rows = json.loads(path.read_text("utf-8")).values()
        votes = np.array([row["weak_labels"] for row in rows])
        signals = WeakSignals.from_votes(named_votes(votes, classes), classes=classes)
        labels = named((row["label"] for row in rows), classes)
        return Examples(labels, [row["data"]["text"] for row in rows], signals)
