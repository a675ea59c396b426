"""``corral demo``: from votes to labels to a trained classifier."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def demo(
    examples: Annotated[int, typer.Option(min=100, help="How many examples.")] = 5_000,
) -> None:
    """Label the paper's synthetic task, and train a classifier on the labels.

    10 signals each vote on 30% of the examples, and are wrong on 30 to 40% of those.
    """
    import numpy as np

    from corral.datasets import independent_task
    from corral.labelers import ConstrainedLabeler, Labeler, MajorityVote
    from corral.training import SoftLabelClassifier, metrics
    from corral.votes import WeakSignals

    console = Console(highlight=False)
    with console.status("drawing the data"):
        task = independent_task(n=examples)
        signals = WeakSignals.from_votes(task.votes)
    console.print(
        f"{len(signals):,} examples, and {len(task.test_labels):,} to test on; "
        f"{signals.n_signals} signals vote on {signals.covered.mean():.0%} of them.\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("training labels from")
    table.add_column("labels right", justify="right")
    table.add_column("classifier right", justify="right")
    labelers: dict[str, Labeler] = {
        "majority vote": MajorityVote(ties="random", random_state=0),
        "corral": ConstrainedLabeler(),
    }
    found = {
        name: (labeler.fit(signals).labels_, labeler.predict(signals), signals.covered)
        for name, labeler in labelers.items()
    }
    everything = np.ones(len(signals), bool)
    found["true labels"] = np.eye(2)[task.labels], task.labels, everything
    for name, (labels, hard, weight) in found.items():
        with console.status(name):
            right = metrics.accuracy(task.labels, hard, rows="answered")
            model = SoftLabelClassifier()
            model.fit(task.features, labels, sample_weight=weight)
            test = model.predict(task.test_features)
        tested = metrics.accuracy(task.test_labels, test)
        table.add_row(name, f"{right:.1%}", f"{tested:.1%}")
    console.print(table)
    console.print(
        "\nOnly the last line uses true labels. The classifier, a logistic regression,\n"
        "is tested on examples that it has not seen."
    )
