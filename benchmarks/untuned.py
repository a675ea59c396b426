"""The default beside a majority vote on public sets that no choice of it was made on.

Accuracy over examples with a vote and a known class, ties in equal parts. The twelve sets
that `quality` shows are left out, and so are crowds where a worker answers a task twice.
"""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS_FOLDER
from benchmarks.quality_sets import DATA
from corral import ConstrainedLabeler, MajorityVote, WeakSignals
from corral.datasets.readers import read_crowd
from corral.errors import CorralError

RESULTS = RESULTS_FOLDER / "untuned.json"
TUNED_ON = {
    *("votes/youtube", "votes/cdr", "votes/commercial", "votes/yelp", "votes/trec"),
    *("votes/semeval", "votes/imdb", "crowd/bluebirds", "crowd/rte", "crowd/dogs"),
}
METHODS = {"majority vote": MajorityVote, "default": ConstrainedLabeler}


def vote_sets() -> Iterator[tuple[str, WeakSignals, Any]]:
    """Names, signals and true classes, one set after the other."""
    for folder in ("votes", "rules", "raters", "panels"):
        for path in sorted((DATA / folder).glob("*.npz")):
            name = f"{folder}/{path.stem}"
            if name in TUNED_ON:
                continue
            with np.load(path) as held:
                votes = held["train_votes" if folder == "votes" else "votes"]
                gold = held["train_labels" if folder == "votes" else "labels"]
            classes = range(int(max(votes.max(), gold.max())) + 1)
            yield name, WeakSignals.from_votes(votes, classes=classes), gold
    for path in sorted((DATA / "crowd").iterdir()):
        name = f"crowd/{path.name}"
        if name in TUNED_ON:
            continue
        try:
            part = read_crowd(path / "answers.csv", path / "truth.csv")
        except CorralError:
            continue  # answers that are there twice
        yield name, part.signals, part.labels


def run() -> dict[str, dict[str, float]]:
    """Accuracy of the methods by set."""
    found = {}
    for name, signals, gold in vote_sets():
        found[name] = {
            method: round(make().fit(signals).score(signals, gold), 4)
            for method, make in METHODS.items()
        }
    return found


def show(found: dict[str, dict[str, float]]) -> None:
    """One line per folder, and the sets where the default loses most."""
    folders = defaultdict(list)
    for name, scores in found.items():
        folders[name.partition("/")[0]].append(tuple(scores.values()))
    folders["all"] = [pair for pairs in folders.values() for pair in pairs]
    table = Table(box=None, header_style="bold")
    table.add_column("")
    for heading in ("sets", *METHODS, "sets more than a point below the vote"):
        table.add_column(heading, justify="right")
    for folder, pairs in folders.items():
        scores = 100 * np.array(pairs)
        below = int((scores[:, 1] < scores[:, 0] - 1).sum())
        means = (f"{mean:.1f}" for mean in scores.mean(axis=0))
        table.add_row(folder, str(len(pairs)), *means, str(below))
    console = Console()
    console.print(table)
    gains = {name: s["default"] - s["majority vote"] for name, s in found.items()}
    lost = [
        f"{name} ({100 * found[name]['default']:.1f} against "
        f"{100 * found[name]['majority vote']:.1f})"
        for name in sorted(gains, key=gains.__getitem__)[:5]
    ]
    console.print("loses most on", ", ".join(lost), soft_wrap=True)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accuracies = run()
    show(accuracies)
    RESULTS.write_text(json.dumps(accuracies, indent=1) + "\n")
