"""Six models that contradict each other, on the digits that scikit-learn carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from corral._types import FloatArray, IntArray
from corral.constraints import signal_errors
from corral.end_models import SoftLabelClassifier
from corral.labelers import ConstrainedLabeler, DawidSkene, Labeler, MajorityVote
from corral.signals import WeakSignals

LEFT, RIGHT, ALL = slice(0, 4), slice(4, 8), slice(0, 8)
PARTS = {
    "top left": (LEFT, LEFT),
    "top right": (LEFT, RIGHT),
    "bottom left": (RIGHT, LEFT),
    "bottom right": (RIGHT, RIGHT),
    "top left again": (LEFT, LEFT),
    "left edge": (ALL, slice(0, 2)),
}
"""Lines and columns of the 8 x 8 pixels that a model sees: the four quarters, one of them
twice, and an edge that is nearly blank."""
KNOWN, TRAIN = 100, 1200
"""Images that the models were trained on, and those that they vote on; then the test."""
WIDTH = 50
"""Characters of a bar for an error of one."""


@dataclass(frozen=True)
class Panel:
    """Votes of the models, and what they are about."""

    signals: WeakSignals
    images: FloatArray
    truth: IntArray
    test_images: FloatArray
    test_truth: IntArray

    def test(self, labels: Any) -> float:
        """Test accuracy of a classifier of whole images, trained on labels."""
        model = SoftLabelClassifier(LogisticRegression(max_iter=1000))
        return float(
            model.fit(self.images, labels).score(self.test_images, self.test_truth)
        )


def make_panel() -> Panel:
    """Train the models, each on its part of the first images, and let them vote."""
    pixels, truth = load_digits(return_X_y=True)
    images = pixels.reshape(-1, 8, 8) / 16
    votes = []
    for name, (lines, columns) in PARTS.items():
        seen = images[:, lines, columns].reshape(len(images), -1)
        weight = 0.1 if name.endswith("again") else 1.0  # a near copy, not the same
        model = LogisticRegression(C=weight, max_iter=1000)
        model.fit(seen[:KNOWN], truth[:KNOWN])
        votes.append(model.predict(seen[KNOWN : KNOWN + TRAIN]))
    signals = WeakSignals.from_votes(np.column_stack(votes), names=list(PARTS))
    whole = images.reshape(len(images), -1)
    end = KNOWN + TRAIN
    return Panel(signals, whole[KNOWN:end], truth[KNOWN:end], whole[end:], truth[end:])


def score_panel(panel: Panel) -> dict[str, tuple[float, float]]:
    """Label accuracy and test accuracy, by where the training labels come from."""
    best = panel.signals.names[int(signal_errors(panel.signals, panel.truth).argmin())]
    at = panel.signals.names.index(best)
    methods: dict[str, Labeler] = {
        "majority vote": MajorityVote(),
        "Dawid-Skene": DawidSkene(),
        "corral, estimated rates": ConstrainedLabeler(),
    }
    found = {}
    for name, labeler in methods.items():
        labels = labeler.fit(panel.signals).labels_
        right = labeler.score(panel.signals, panel.truth)
        found[name] = right, panel.test(labels)
    alone = panel.signals.votes[:, at]
    found[f"the best model alone ({best})"] = (
        float((alone == panel.truth).mean()),
        panel.test(alone),
    )
    found["supervised (true labels)"] = 1.0, panel.test(panel.truth)
    return found


def score_known() -> float:
    """Test accuracy of a classifier of the whole images that the models learned from."""
    pixels, truth = load_digits(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(pixels[:KNOWN] / 16, truth[:KNOWN])
    return float(model.score(pixels[KNOWN + TRAIN :] / 16, truth[KNOWN + TRAIN :]))


def show_panel(console: Console) -> None:
    """Print the scores, and how often every model is wrong."""
    panel = make_panel()
    console.print(
        f"\nSix models vote on {len(panel.truth):,} images of digits. Each sees a part of "
        "the image: a quarter, one quarter twice, and an edge that is nearly blank. They "
        "contradict each other, and no label says which to trust.\n",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("training labels from")
    for heading in ("label accuracy", "test accuracy"):
        table.add_column(heading, justify="right")
    for name, scores in score_panel(panel).items():
        table.add_row(name, *(f"{score:.3f}" for score in scores))
    console.print(table)
    console.print(
        f"\nThe models learned from {KNOWN} labelled images. If you had those, a "
        f"classifier of whole images would have a test accuracy of {score_known():.3f}.",
        highlight=False,
    )
    console.print("\nHow often a model is wrong: estimated ▒, and in truth █\n")
    estimated = ConstrainedLabeler().fit(panel.signals).error_rates_
    draw_bars(
        console,
        panel.signals.names,
        estimated,
        signal_errors(panel.signals, panel.truth),
    )
    console.print(
        "\nThe two that see the same quarter agree, so both seem better than they are.",
        highlight=False,
    )


def draw_bars(console: Console, names: Any, estimated: Any, true: Any) -> None:
    """Two bars per signal, one below the other."""
    for name, *rates in zip(names, estimated, true, strict=True):
        for title, mark, rate in zip((name, ""), "▒█", rates, strict=True):
            bar = mark * round(WIDTH * rate)
            console.print(f"{title:>22} {bar} {rate:.2f}", highlight=False)
