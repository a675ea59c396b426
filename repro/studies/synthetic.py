"""Test accuracy on the paper's synthetic data: as published, and under equal terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifier

from corral import SoftLabelClassifier
from corral._types import BoolArray, FloatArray
from repro.config import Cell
from repro.keys import make_key
from repro.networks import SoftLabelMLP
from repro.results import Outcome
from repro.store import Store
from repro.synthetic import SUPERVISED, SyntheticData, draw_data, soft_labels

ROUNDED = ("MV", "DP")
"""Columns that the paper rounded, with ties to class 0; CLL keeps its random start."""
LINEAR = "linear"
"""The row of logistic regression; others are networks."""


class SyntheticTest:
    """Train an end model on the labels of the paper's own draw, trial by trial.

    Settings: ``task``; ``examples``, ``features``; ``networks``, options of
    `SoftLabelMLP` by row; ``targets`` by column, what end models learn: "soft", the
    labels as they are, "rounded", 0 or 1 with ties to 0, or "covered", soft labels of
    the examples with votes only; ``seeds``, for random starts and networks.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hash of the draw."""
        task = cell.settings["task"]
        return {f"{task} task": _draw(cell, task, None).hash}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Test accuracy for every seed."""
        drawn = _draw(cell, cell.settings["task"], None)
        target = cell.settings["targets"][cell.column]
        used = drawn.signals.covered if target == "covered" else None
        values = []
        for seed in cell.seeds:
            labels = soft_labels(cell.column, drawn, seed, store)
            if target == "rounded":
                labels = np.eye(2)[labels.argmax(axis=1)]
            values.append(_test(self._model(cell, seed), drawn, labels, used))
        return Outcome(values, _count(drawn, used), len(drawn.test_truth))

    def _model(self, cell: Cell, seed: int) -> Any:
        if cell.row == LINEAR:
            return SoftLabelClassifier(prior=None)
        return SoftLabelMLP(**cell.settings["networks"][cell.row], random_state=seed)


class SyntheticPairs:
    """Label fresh draws, and treat examples without votes the same in all columns.

    A row is a kind of data and what is done with these examples: "published", what the
    paper did with them, column by column; "left out" of training; trained on as "half" of
    both classes; or "labels": no end model, the share of right labels among all other
    examples. The end model is linear, by least squares.

    Settings: ``tasks`` and ``uncovered`` by row; ``examples``, ``features``; ``seeds``,
    each a draw of its own.
    """

    def data(self, cell: Cell) -> dict[str, str]:
        """The hash of the draws."""
        task = cell.settings["tasks"][cell.row]
        hashes = [_draw(cell, task, seed).hash for seed in cell.seeds]
        return {f"{task} task, fresh": make_key(hashes)}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every draw."""
        task = cell.settings["tasks"][cell.row]
        draws = [_draw(cell, task, seed) for seed in cell.seeds]
        values = [
            self._accuracy(cell, drawn, seed, store)
            for seed, drawn in zip(cell.seeds, draws, strict=True)
        ]
        first, uncovered = draws[0], cell.settings["uncovered"][cell.row]
        alone = uncovered in ("left out", "labels")
        rows = _count(first, first.signals.covered if alone else None)
        tested = None if uncovered == "labels" else len(first.test_truth)
        return Outcome(values, rows, tested)

    def _accuracy(
        self, cell: Cell, drawn: SyntheticData, seed: int, store: Store
    ) -> float:
        labels = soft_labels(cell.column, drawn, seed, store)
        covered = drawn.signals.covered
        uncovered = cell.settings["uncovered"][cell.row]
        if uncovered == "labels":
            return _share_right(labels[covered], drawn.truth[covered])
        if uncovered == "half" and cell.column != SUPERVISED:
            labels = np.where(covered[:, None], labels, 0.5)
        if uncovered == "published" and cell.column in ROUNDED:
            labels = np.eye(2)[labels.argmax(axis=1)]
        used = covered if uncovered == "left out" else None
        return _test(
            SoftLabelClassifier(RidgeClassifier(), prior=None), drawn, labels, used
        )


def _count(drawn: SyntheticData, used: BoolArray | None) -> int:
    return len(drawn.truth) if used is None else int(used.sum())


def _draw(cell: Cell, task: str, fresh: int | None) -> SyntheticData:
    return draw_data(task, fresh, cell.settings["examples"], cell.settings["features"])


def _test(
    model: Any, drawn: SyntheticData, labels: FloatArray, used: BoolArray | None
) -> float:
    """Accuracy on the test examples of a model trained on labels, or some of them."""
    rows = slice(None) if used is None else used
    model.fit(drawn.features[rows].astype(float), labels[rows])
    found = model.predict(drawn.test_features.astype(float))
    return float((found == drawn.test_truth).mean())


def _share_right(labels: FloatArray, truth: Any) -> float:
    """Share of right labels; a tie is half right, whatever the method."""
    tied = np.isclose(labels[:, 0], labels[:, 1])
    return float(np.where(tied, 0.5, labels.argmax(axis=1) == truth).mean())
