"""All public sets of votes with gold labels, each with its kind and family.

One loader for the folder of `CORRAL_DATA` (by default ``../shared/data``). Gold labels are
used in `VoteSet.score` only. Examples without any vote are left out, so that all methods
answer everywhere; examples without gold stay, to learn from.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from corral import WeakSignals
from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares

DATA = Path(
    os.environ.get("CORRAL_DATA", Path(__file__).parents[2] / "shared" / "data")
)
KINDS = ("rules", "raters", "panels", "crowds", "soft")
KIND_OF_FOLDER = {
    "votes": "rules",
    "wrench": "rules",
    "rules": "rules",
    "paper": "rules",
    "raters": "raters",
    "panels": "panels",
    "crowd": "crowds",
    "soft": "soft",
    "nell": "soft",
}
OTHER_KIND = {
    "votes/aa2": "raters",
    "votes/domain": "raters",
    "rules/norec_lexicons": "raters",
    "votes/web": "crowds",
}
"""Sets whose signals are not what their folder says."""
LATE = (
    *("adult_content2", "chexpert", "claude9", "dices350", "finphrase_kw"),
    *("imagenet_real_golden", "labelme", "medrel", "mitr_tokens", "politifact"),
    *("tweets_mozafari", "zencrowd"),
)
"""Families that were first looked at when the default was finished."""
PREFIXES = (
    *("llmcss", "trecdl", "slurp", "api", "mvh"),
    *("chexpert", "medrel", "politifact", "zencrowd"),
)
SAME_FAMILY = {
    "tvs_edge": "mvh",
    "tvs_silhouette": "mvh",
    "cf_amt": "cf",
    "web_search": "web",
    "imdb136": "imdb",
    "trec6": "trec",
}
LEAST = 1e-3
"""Probabilities are cut off here before the logarithm."""
DECIDED = 0.01
"""How far above chance the probability of a vote is, at least."""


@dataclass(frozen=True)
class VoteSet:
    """Votes with gold labels.

    Attributes
    ----------
    name : str
        Folder and name.
    kind, family : str
        What the signals are, and which sets have the same source.
    votes : (n, m) array of int
        -1 is an abstain; every row has a vote, every signal votes.
    gold : (n,) array of int
        The class; -1 where it is not known.
    k : int
        Number of classes.
    probabilities : (n, m, k) array of float, optional
        What soft signals say of every class; NaN where they abstain.
    """

    name: str
    kind: str
    family: str
    votes: IntArray
    gold: IntArray
    k: int
    probabilities: FloatArray | None = None

    @cached_property
    def signals(self) -> WeakSignals:
        """The votes, as a labeler takes them."""
        return WeakSignals.from_votes(self.votes, classes=range(self.k))

    @property
    def is_late(self) -> bool:
        """Whether the default was finished before it was first run on this set."""
        return self.family in LATE

    @property
    def soft_signals(self) -> WeakSignals:
        """The probabilities, as a labeler takes them."""
        assert self.probabilities is not None
        return WeakSignals.from_probabilities(self.probabilities, classes=range(self.k))

    def score(
        self, labels: FloatArray, rows: IntArray | None = None
    ) -> dict[str, float]:
        """Scores of labels (n, k) where the class is known, on all rows or some.

        Accuracy, balanced accuracy and the F1 of the rarest class in per cent, ties in
        shares; log-loss.
        """
        known = np.flatnonzero(self.gold >= 0) if rows is None else rows
        labels, gold = labels[known], self.gold[known]
        at = np.arange(len(gold))
        hard = winner_shares(labels)
        hits = hard[at, gold]
        number = np.bincount(gold, minlength=self.k)
        right = np.bincount(gold, hits, self.k)
        rarest = int(np.where(number > 0, number, len(gold) + 1).argmin())
        both = number[rarest] + hard[:, rarest].sum()
        return {
            "accuracy": 100 * float(hits.mean()),
            "balanced": 100 * float((right[number > 0] / number[number > 0]).mean()),
            "rare F1": 200 * float(right[rarest] / both),
            "log-loss": -float(np.log(np.clip(labels[at, gold], LEAST, 1)).mean()),
        }


def load_sets(kinds: tuple[str, ...] = KINDS) -> Iterator[VoteSet]:
    """All sets of some kinds, one after the other."""
    for folder, kind in KIND_OF_FOLDER.items():
        for name in sorted(_names(folder)):
            kind_of_set = OTHER_KIND.get(f"{folder}/{name}", kind)
            if kind_of_set in kinds:
                yield load_set(f"{folder}/{name}")


def load_set(name: str) -> VoteSet:
    """One set by folder and name."""
    folder, _, short = name.partition("/")
    votes, gold, probabilities = READERS.get(folder, _read_arrays)(folder, short)
    k = int(max(votes.max(), gold.max())) + 1
    covered = (votes >= 0).any(axis=1)
    speaks = (votes >= 0).any(axis=0)
    if probabilities is not None:
        probabilities = probabilities[covered][:, speaks]
    return VoteSet(
        name,
        OTHER_KIND.get(name, KIND_OF_FOLDER[folder]),
        next(
            (p for p in PREFIXES if short.startswith(p)), SAME_FAMILY.get(short, short)
        ),
        np.ascontiguousarray(votes[covered][:, speaks], np.int16),
        gold[covered].astype(int),
        k,
        probabilities,
    )


Arrays = tuple[Any, Any, Any]
"""Votes, gold, and probabilities or None."""


def _names(folder: str) -> Iterator[str]:
    """The sets of a folder."""
    if folder == "paper":
        return iter(PAPER)
    return (p.stem for p in (DATA / folder).iterdir() if not p.name.startswith("."))


def _read_arrays(folder: str, name: str) -> Arrays:
    before = "train_" if folder == "votes" else ""
    with np.load(DATA / folder / f"{name}.npz", allow_pickle=False) as held:
        votes, gold = held[f"{before}votes"], held[f"{before}labels"]
        if "conf" in held:
            k = int(max(votes.max(), gold.max())) + 1
            return votes, gold, spread_confidences(votes, held["conf"], k)
        return votes, gold, held.get("probs")


def spread_confidences(votes: IntArray, confidences: FloatArray, k: int) -> FloatArray:
    """(n, m, k) probabilities of votes that come with a confidence (n, m).

    A vote stays one however low its confidence: it is above chance by `DECIDED`. (That
    of sentiment services is a strength, 0.1 for a vote they hardly ever change.)
    """
    own = np.maximum(confidences, 1 / k + DECIDED)[:, :, None].astype(np.float32)
    said = votes[:, :, None] == np.arange(k)
    return np.where(
        votes[:, :, None] < 0, np.nan, np.where(said, own, (1 - own) / (k - 1))
    )


def _read_crowd(folder: str, name: str) -> Arrays:
    """Of a worker who answers a task several times, the commonest answer (the first)."""
    answers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with open(DATA / folder / name / "answers.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            answers[row["task"], row["worker"]][row["label"]] += 1
    with open(DATA / folder / name / "truth.csv", encoding="utf-8") as file:
        truth = {row["task"]: row["label"] for row in csv.DictReader(file)}
    tasks, workers = (sorted(set(column)) for column in zip(*answers, strict=True))
    said = {label for times in answers.values() for label in times}
    code = {label: at for at, label in enumerate(sorted(said | set(truth.values())))}
    line = {task: at for at, task in enumerate(tasks)}
    column = {worker: at for at, worker in enumerate(workers)}
    votes = np.full((len(tasks), len(workers)), -1)
    for (task, worker), times in answers.items():
        votes[line[task], column[worker]] = code[times.most_common(1)[0][0]]
    gold = np.array([code[truth[task]] if task in truth else -1 for task in tasks])
    return votes, gold, None


def _read_wrench(folder: str, name: str) -> Arrays:
    rows: list[dict[str, Any]] = []
    for part in ("train", "valid", "test"):
        path = DATA / folder / name / f"{part}.json"
        if path.exists():
            rows += json.loads(path.read_text(encoding="utf-8")).values()
    votes = np.array([row["weak_labels"] for row in rows])
    return votes, np.array([row["label"] for row in rows]), None


def _read_nell(folder: str, name: str) -> Arrays:
    table = np.genfromtxt(DATA / folder / f"{name}.csv", delimiter=",", skip_header=1)
    yes = table[:, 1:]
    return (yes > 0.5).astype(int), table[:, 0].astype(int), np.stack([1 - yes, yes], 2)


def _read_sst2() -> tuple[Any, Any]:
    folder = DATA / "sst-2"
    return np.load(folder / "weak_signals.npy"), np.load(folder / "data_labels.npy")


def _read_imdb() -> tuple[Any, Any]:
    with np.load(DATA / "imdb" / "weak_signals.npz") as held:
        return held["signals"], held["labels"]


def _read_trec6() -> tuple[Any, Any]:
    """Signals that say yes of a class, or nothing: a yes is a vote for the class."""
    with np.load(DATA / "trec" / "weak_signals.npz") as held:
        said = np.where(held["signals"] == 1, np.arange(6), -1)
        return np.concatenate(list(said), axis=1), held["labels"]


PAPER = {"sst2": _read_sst2, "imdb": _read_imdb, "trec6": _read_trec6}


def _read_paper(_: str, name: str) -> Arrays:
    votes, gold = PAPER[name]()
    return votes, gold.ravel(), None


READERS = {
    "crowd": _read_crowd,
    "wrench": _read_wrench,
    "nell": _read_nell,
    "paper": _read_paper,
}
