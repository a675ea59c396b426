"""``python -m benchmarks.functions``: 20 keyword signals on 100,000 texts.

SST-2 sentences and IMDB reviews of the public sets, repeated to 100,000, against Snorkel's
applier for the same rules. Snorkel gets the first texts only, as many as `--sample` says,
and its seconds are scaled to 100,000: it takes them one by one. Fails if a target is
missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import tarfile
import tempfile
from collections.abc import Callable
from typing import Any

import pandas
from rich.console import Console
from rich.table import Table
from snorkel.labeling import LabelingFunction, PandasLFApplier

import corral
from benchmarks.measure import RESULTS_FOLDER, exit_with, machine, time_in_turns
from benchmarks.sets import DATA
from corral.functions import keywords, signal

RESULTS = RESULTS_FOLDER / "functions.json"
TEXTS = 100_000
FASTER = 50

POSITIVE = [
    "good great nice delight wonderful", "love best genuine well thriller",
    "clever enjoy fine deliver fascinating", "super excellent charming pleasure strong",
    "fresh comedy interesting fun entertain charm clever",
    "amazing romantic intelligent classic stunning",
    "rich compelling delicious intriguing smart", "brilliant", "superb", "perfect",
]  # fmt: skip
NEGATIVE = [
    "bad better leave never disaster", "nothing action fail suck difficult",
    "mess dull dumb bland outrageous", "slow terrible boring insult weird damn",
    "drag no not awful waste flat", "horrible ridiculous stupid annoying painful",
    "poor pathetic pointless offensive silly", "worst", "lame", "tedious",
]  # fmt: skip
"""The paper's groups for SST-2, and three words more each."""
RULES = [(group.split(), 1) for group in POSITIVE] + [
    (group.split(), 0) for group in NEGATIVE
]


def sst2() -> list[str]:
    """Sentences of the training set."""
    with open(DATA / "sst-2" / "sst2-train.csv", encoding="utf-8") as file:
        return [row["sentence"] for row in csv.DictReader(file)]


def imdb() -> list[str]:
    """All reviews."""
    with tarfile.open(DATA / "imdb" / "aclImdb_v1.tar.gz") as archive:
        files = (archive.extractfile(m) for m in archive if m.name.endswith(".txt"))
        return [file.read().decode() for file in files if file is not None]


SETS: dict[str, tuple[Callable[[], list[str]], float]] = {
    "SST-2": (sst2, 1.0),
    "IMDB": (imdb, 6.0),
}
"""How the texts are read, and the seconds that 100,000 may take."""


def plain_rule(words: list[str], label: int) -> Callable[[Any], int]:
    """The rule as people write it for Snorkel; -1 abstains."""

    def rule(row: Any) -> int:
        text = row.text.lower()
        return label if any(word in text for word in words) else -1

    return rule


def measure(name: str, runs: int, sample: int) -> dict[str, Any]:
    """Seconds for all texts, and whether Snorkel says the same."""
    read, limit = SETS[name]
    texts = read()
    frame = pandas.DataFrame({"text": (texts * (TEXTS // len(texts) + 1))[:TEXTS]})
    part = frame[:sample]
    ours = [keywords("text", words, label) for words, label in RULES]
    plain = [signal(name=str(at))(plain_rule(*rule)) for at, rule in enumerate(RULES)]
    theirs = PandasLFApplier(
        [LabelingFunction(str(at), plain_rule(*rule)) for at, rule in enumerate(RULES)]
    )
    votes = corral.apply(ours, frame).votes
    same = bool((votes[:sample] == theirs.apply(part, progress_bar=False)).all())
    with tempfile.TemporaryDirectory() as folder:
        corral.apply(ours, frame, cache=folder)
        seconds = time_in_turns(
            {
                "keywords": lambda: corral.apply(ours, frame),
                "keywords, cached": lambda: corral.apply(ours, frame, cache=folder),
                "plain functions": lambda: corral.apply(plain, part, jobs=1),
                "Snorkel": lambda: theirs.apply(part, progress_bar=False),
            },
            runs,
        )
    for scaled in ("plain functions", "Snorkel"):
        seconds[scaled] *= TEXTS / sample
    return {
        "texts": TEXTS,
        "characters": int(frame["text"].str.len().sum()),
        "signals": len(RULES),
        "words": sum(len(words) for words, _ in RULES),
        "scaled from": sample,
        "limit": limit,
        "seconds": {work: round(s, 3) for work, s in seconds.items()},
        "times as fast as Snorkel": round(seconds["Snorkel"] / seconds["keywords"], 1),
        "same votes": same,
    }


def find_missed(results: dict[str, Any]) -> list[str]:
    """Claims that the figures do not meet."""
    failed = []
    for name, row in results.items():
        if row["seconds"]["keywords"] > row["limit"]:
            failed.append(f"{name} in {row['limit']:g} s")
        if row["times as fast as Snorkel"] < FASTER:
            failed.append(f"{FASTER} times as fast as Snorkel on {name}")
        if not row["same votes"]:
            failed.append(f"the votes of Snorkel on {name}")
    return failed


def show(results: dict[str, Any]) -> None:
    """A line per set."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(f"seconds for {TEXTS:,} texts")
    works = list(next(iter(results.values()))["seconds"])
    for heading in (*works, "times as fast"):
        table.add_column(heading, justify="right")
    for name, row in results.items():
        cells = (f"{row['seconds'][work]:.2f}" for work in works)
        table.add_row(name, *cells, f"{row['times as fast as Snorkel']:g}")
    Console().print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--sample", type=int, default=2000)
    arguments = parser.parse_args()
    results = {name: measure(name, arguments.runs, arguments.sample) for name in SETS}
    show(results)
    if arguments.runs >= 7:
        kept = {"machine": machine(), **results}
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n")
    exit_with(find_missed(results))
