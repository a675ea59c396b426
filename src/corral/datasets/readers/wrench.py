"""Folders of the WRENCH benchmark: texts or features, labels and votes in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.datasets.dataset import Dataset, Examples
from corral.datasets.readers.reader_tools import (
    StrPath,
    check_rows,
    name_codes,
    name_votes,
    reading,
)
from corral.errors import StorageError
from corral.signals import WeakSignals

PARTS = ("train", "valid", "test")


def read_wrench(folder: StrPath) -> Dataset:
    """Read ``label.json`` and those of ``train.json``, ``valid.json``, ``test.json`` there.

    An entry is ``{id: {"label": 0, "weak_labels": [0, -1], "data": {"text": ...}}}``, or
    has ``{"feature": [...]}`` instead of a text. A vote of -1 is an abstain, and a label of
    -1 is not known: None among the labels. The names of classes are in ``label.json``.

    Parameters
    ----------
    folder : path
        ``train.json`` must be in it; `Dataset.notes` says which other parts are not.
    """
    folder = Path(folder)
    with reading(folder / "label.json", "class names, {'0': name, ...}"):
        names = json.loads((folder / "label.json").read_text("utf-8"))
        classes = tuple(str(names[str(code)]) for code in range(len(names)))
    there = [part for part in PARTS if (folder / f"{part}.json").exists()]
    if "train" not in there:
        raise StorageError(
            f"expected train.json in {str(folder)!r}, found: "
            f"{', '.join(f'{part}.json' for part in there) or 'none of the parts'}."
        )
    found = {part: _examples(folder / f"{part}.json", classes) for part in there}
    missing = [part for part in PARTS if part not in there]
    lacks = f"no {' and no '.join(f'{part}.json' for part in missing)}"
    notes = (f"{lacks}; found {', '.join(there)}",) if missing else ()
    return Dataset(folder.name, classes, **found, notes=notes)


def _examples(path: Path, classes: tuple[str, ...]) -> Examples:
    expected = "{id: {label, weak_labels, data: {text} or {feature}}}"
    with reading(path, expected):
        entries = json.loads(path.read_text("utf-8") or "{}")
        if not isinstance(entries, dict) or not entries:
            found = "none" if not entries else f"a {type(entries).__name__}"
            raise StorageError(f"expected examples, {expected}, found {found}.")
        rows = list(entries.values())
        votes = np.array(
            check_rows([row["weak_labels"] for row in rows], "weak_labels")
        )
        signals = WeakSignals.from_votes(name_votes(votes, classes), classes=classes)
        labels = _labels([row["label"] for row in rows], classes)
        return Examples(labels, _data([row["data"] for row in rows]), signals)


def _labels(codes: list[Any], classes: tuple[str, ...]) -> NDArray[Any]:
    """Class names; None for -1, not known."""
    known = [code for code in codes if code != -1]
    if len(known) == len(codes):
        return name_codes(codes, classes)
    labels = np.full(len(codes), None, object)
    if known:
        labels[[code != -1 for code in codes]] = name_codes(known, classes)
    return labels


def _data(data: list[dict[str, Any]]) -> list[str] | NDArray[np.float64]:
    """The texts, or the features (n, d) if there are no texts."""
    if all("text" in entry for entry in data):
        return [entry["text"] for entry in data]
    lacking = sum("feature" not in entry for entry in data)
    if lacking:
        raise StorageError(
            f"expected a text, or else a feature, of every example; {lacking:,} of "
            f"{len(data):,} have no feature and not all have a text."
        )
    rows = check_rows([entry["feature"] for entry in data], "numbers in the feature")
    features = np.array(rows, float)
    if features.ndim != 2 or not np.isfinite(features).all():
        raise StorageError(
            "expected as many finite numbers in every feature, found an array of shape "
            f"{features.shape} from {features.min()} to {features.max()}."
        )
    return features
