"""``python -m benchmarks workbench-transcript``: a session of rule writing, replayed.

``workbench_session.jsonl`` has every act of one session on the 25,000 training reviews of
IMDB in a shuffled order: rules were written, and random rows labelled, by reading reviews
and the numbers of the workbench, nothing else. The true classes are looked at here only,
after the last act. Replaying takes the same calls that the page makes, so every number that
was seen then is there again.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with, round_numbers
from corral.workbench import Workbench

SESSION = Path(__file__).with_name("workbench_session.jsonl")
RESULTS = RESULTS_FOLDER / "workbench_transcript.json"
CLASSES = {"neg": "negative", "pos": "positive"}
CHECKPOINTS = 8
"""Rules between two looks at the labels, which are scored after the last act."""


def replay(rows: list[str], folder: Path) -> list[dict[str, Any]]:
    """What the workbench showed on the way, with the votes and labels of every look."""
    data = folder / "reviews.csv"
    with open(data, "w", newline="") as file:
        csv.writer(file).writerows([["text"], *([row] for row in rows)])
    bench = Workbench.open(data, text="text", classes=tuple(CLASSES))
    looks, written = [], 0
    acts = [json.loads(line) for line in SESSION.read_text().splitlines()]
    for at, act in enumerate(acts):
        second = act.pop("second")
        state = bench.act(act, at)
        written += act["what"] != "label_row"
        last = at + 1 == len(acts)
        if last or (act["what"] != "label_row" and written % CHECKPOINTS == 0):
            evaluation = bench._snapshot.evaluation
            assert evaluation.labeler is not None
            looks.append(
                {
                    "minutes": second / 60,
                    "rules": len(state["rules"]),
                    "covered": state["totals"]["covered"] / len(rows),
                    "conflicting": state["totals"]["conflicting"] / len(rows),
                    "hand_labels": state["hand_labels"],
                    "labeler": evaluation.labeler,
                }
            )
    bench.close()
    return looks


def score(look: dict[str, Any], gold: Any) -> dict[str, float]:
    """Accuracy of the labels and of a majority vote of the same rules, beside the gold."""
    labeler = look["labeler"]
    signals = labeler._signals_
    vote = corral.MajorityVote().fit(signals)
    return {
        "corral": labeler.score(signals, gold),
        "majority_vote": vote.score(signals, gold),
    }


def main() -> None:
    """Replay, score, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    examples = corral.datasets.load("imdb").train
    order = np.random.default_rng(0).permutation(len(examples.data))
    rows = [examples.data[i] for i in order]
    with tempfile.TemporaryDirectory() as folder:
        looks = replay(rows, Path(folder))
    names = {full: short for short, full in CLASSES.items()}
    gold = np.array([names[examples.labels[i]] for i in order])
    table = Table(title="A session of rule writing on IMDB, accuracy on covered rows")
    shares = ("covered", "conflicting", "majority_vote", "corral")
    for column in ("minutes", "rules", *shares):
        table.add_column(column.replace("_", " "), justify="right")
    for look in looks:
        look |= score(look, gold)
        del look["labeler"]
        hand = look.pop("hand_labels")
        table.add_row(
            f"{look['minutes']:.1f}",
            str(look["rules"]),
            *(f"{look[share]:.1%}" for share in shares),
        )
    console = Console()
    console.print(table)
    last = looks[-1]
    session = [json.loads(line) for line in SESSION.read_text().splitlines()]
    drawn = {act["row"]: act["class"] for act in session if act["what"] == "label_row"}
    agreed = np.mean([gold[row] == said for row, said in drawn.items()])
    low, high = hand["interval"]
    console.print(
        f"random rows labelled by hand: {hand['random']}, of which the gold agrees with "
        f"{agreed:.1%}; the page says {hand['accuracy']:.1%} ({low:.1%} to {high:.1%}) "
        f"on {hand['measured']} of them"
    )
    kept = ("random", "measured", "accuracy", "interval", "majority_accuracy")
    found = {
        "looks": looks,
        "hand_labels": {key: hand[key] for key in kept} | {"agree": float(agreed)},
    }
    RESULTS.write_text(json.dumps(round_numbers(found), indent=1) + "\n")
    above = last["corral"] > last["majority_vote"]
    exit_with([] if above else ["labels are not above the vote"])


if __name__ == "__main__":
    main()
