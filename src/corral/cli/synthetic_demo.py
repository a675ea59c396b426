"""The paper's synthetic task, from votes to a trained classifier."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from corral import metrics
from corral._types import FloatArray
from corral.constraints import signal_errors
from corral.datasets import SyntheticTask, independent_task
from corral.end_models import SoftLabelClassifier
from corral.labelers import ConstrainedLabeler, Labeler, MajorityVote
from corral.signals import WeakSignals


def show_synthetic(console: Console, examples: int) -> None:
    """Label a synthetic task of some size in several ways, and print how well."""
    with console.status("drawing the data"):
        task = independent_task(n=examples)
    signals = WeakSignals.from_votes(task.votes)
    console.print(
        f"{len(signals):,} training examples, {len(task.test_labels):,} for testing; "
        f"{signals.n_signals} signals, {len(signals.patterns):,} vote patterns, "
        f"{signals.covered.mean():.1%} covered\n",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("training labels from")
    for heading in ("label accuracy", "test accuracy", "labeling time"):
        table.add_column(heading, justify="right")
    for name, labeler in _labelers(signals, task):
        with console.status(name):
            began = time.perf_counter()
            labels = labeler.fit(signals).labels_
            seconds = time.perf_counter() - began
            covered = labeler.covered_
            hard = labeler.decide(labels, covered)
            accuracy = metrics.accuracy(task.labels, hard, rows="answered")
            test = _test_accuracy(task, labels, covered)
        table.add_row(name, f"{accuracy:.3f}", f"{test:.3f}", f"{seconds * 1e3:.0f} ms")
    with console.status("supervised"):
        truth = np.eye(2)[task.labels]
        test = _test_accuracy(task, truth, np.ones(len(truth), bool))
    table.add_row("supervised (true labels)", "1.000", f"{test:.3f}", "")
    console.print(table)
    console.print(
        "\nLabel accuracy is over the covered examples. The classifier, a logistic "
        "regression on the soft labels, is trained on those and tested on all test "
        "examples.",
        highlight=False,
    )


def _labelers(signals: WeakSignals, task: SyntheticTask) -> list[tuple[str, Labeler]]:
    true_rates = signal_errors(signals, task.labels)
    return [
        ("majority vote", MajorityVote(ties="random", random_state=0)),
        ("corral, estimated rates", ConstrainedLabeler()),
        ("corral, uniform rate 0.01", ConstrainedLabeler(0.01)),
        ("corral, constant rate 0.4", ConstrainedLabeler(0.4)),
        ("corral, true rates", ConstrainedLabeler(true_rates)),
    ]


def _test_accuracy(task: SyntheticTask, labels: FloatArray, weight: Any) -> float:
    model = SoftLabelClassifier().fit(task.features, labels, sample_weight=weight)
    return metrics.accuracy(task.test_labels, model.predict(task.test_features))
