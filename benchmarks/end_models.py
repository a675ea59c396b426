"""Labels to classifiers on eight text sets, and how these are best made to predict.

A draw is four fifths of the training texts. Labels of their votes train TF-IDF and
logistic regression; the test texts score it (F1 on youtube and sms, else accuracy). What
is done to training and to predictions is chosen for every set on the other seven, for
every source of labels by itself, and that is what "left out" shows: among ways that leave
probabilities as they were learned, and among all, also those that balance the classes in
training. True labels score, and are the rows of "gold". IMDB is 6,250 of its training
reviews and 2,500 of its test reviews.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.measure import exit_with, store
from benchmarks.peers import snorkel
from benchmarks.sets import DATA
from corral import (
    ConstrainedLabeler,
    MajorityVote,
    SoftLabelClassifier,
    WeakSignals,
    apply,
)
from corral.datasets import read_wrench
from corral.decisions import winner_shares
from corral.training.classifier import class_scores, find_offsets
from repro import data as paper_data
from repro import rules

WRENCH = ("youtube", "trec", "hausa", "yoruba", "sms")
RULES = {
    "sst2": rules.SST2_RULES,
    "imdb": rules.IMDB_RULES,
    "trec-6": rules.TREC_RULES,
}
SETS = (*WRENCH, *RULES)
F1 = ("youtube", "sms")
IMDB_TRAIN, IMDB_TEST = 6250, 2500
PART = 0.8
"""Of the training texts, in every draw."""
SHARPNESS = (1, 2, 4, 8)
ITSELF, DEFAULT, TRUE = "soft, as it is", "default", "true shares given"
BALANCED = "balanced"
WEIGHED = f"soft, {BALANCED}, as it is"
LEFT_OUT = "left out"
CHOICES = {LEFT_OUT: False, f"{LEFT_OUT}, {BALANCED} too": True}
"""Whether ways that balance the classes are among those chosen from, by name."""
OTHERS = {"LinearSVC": LinearSVC, "MultinomialNB": MultinomialNB}
LEAST_GAIN = 3.0
"""Points that the default must be worth, left out, with corral's labels."""

Array = np.ndarray[Any, Any]
Scores = dict[str, dict[str, list[float]]]
"""By what was done, set and draw."""


@dataclass(frozen=True)
class Texts:
    """A set: texts, classes by position, and votes on the training texts."""

    name: str
    train: list[str]
    truth: Array
    signals: WeakSignals
    test: list[str]
    test_truth: Array

    def take(self, rows: Array) -> Texts:
        """Some of the training texts."""
        texts, signals = [self.train[i] for i in rows], self.signals.take(rows)
        return replace(self, train=texts, truth=self.truth[rows], signals=signals)

    def score(self, predicted: Array) -> float:
        """F1 of the second class, or accuracy, in per cent."""
        if self.name in F1:
            return 100 * float(f1_score(self.test_truth, predicted))
        return 100 * float((self.test_truth == predicted).mean())


@cache
def load(name: str) -> Texts:
    """A set by name."""
    if name in WRENCH:
        data: Any = read_wrench(DATA / "wrench" / name)
    else:
        data = paper_data.load(name.replace("-6", ""))
    code = {value: position for position, value in enumerate(data.classes)}
    parts = []
    for part, size in ((data.train, IMDB_TRAIN), (data.test, IMDB_TEST)):
        rows = np.arange(len(part.data))
        if name == "imdb":
            rows = np.random.default_rng(0).choice(rows, size, replace=False)
        truth = np.array([code[part.labels[i]] for i in rows])
        parts.append(([part.data[i] for i in rows], truth))
    (train, truth), (test, test_truth) = parts
    signals = data.train.signals
    if name in RULES:
        functions = [rule.function() for rule in RULES[name]]
        signals = apply(functions, train, classes=data.classes)
    return Texts(name, train, truth, signals, test, test_truth)


def label(texts: Texts, draw: int) -> dict[str, Array]:
    """Labels (n, k) of every source."""
    labelers = {"corral": ConstrainedLabeler(), "vote": MajorityVote()}
    found = {name: each.fit(texts.signals).labels_ for name, each in labelers.items()}
    found["Snorkel"] = snorkel(texts.signals, seed=draw)
    return found | {"gold": np.eye(found["vote"].shape[1])[texts.truth]}


def classify(
    texts: Texts, X: Any, new: Any, labels: Array
) -> Iterator[tuple[str, float]]:
    """What was done, and its score, for every way to train and to cut."""
    covered = texts.signals.covered
    hard = winner_shares(labels)
    shares = {"hard": hard[covered].mean(axis=0), "soft": labels[covered].mean(axis=0)}
    for training, each in {"soft": labels, "hard": hard}.items():
        known = np.where(covered[:, None], each, 0)
        mass = known.sum(axis=0)
        even = known * mass[mass > 0].min() / np.where(mass > 0, mass, 1)
        for weighing, weighed in {"": known, f", {BALANCED}": even}.items():
            model = SoftLabelClassifier(prior=None).fit(X, weighed)
            done = f"{training}{weighing}"
            yield f"{done}, as it is", texts.score(model.predict(new))
            scores, ahead = (class_scores(model.estimator_, x) for x in (X, new))
            present = np.flatnonzero(each[covered].any(axis=0))
            for (of, share), sharpness in (
                (pair, s) for pair in shares.items() for s in SHARPNESS
            ):
                wanted = share[present] / share[present].sum()
                moved = find_offsets(scores, wanted, np.ones(len(scores)), sharpness)
                cut = present[(ahead + moved).argmax(axis=1)]
                yield f"{done}, {of} shares, {sharpness}", texts.score(cut)
    truth = np.bincount(texts.truth, minlength=labels.shape[1]) / len(texts.truth)
    for done, prior in {DEFAULT: "labels", TRUE: truth}.items():
        model = SoftLabelClassifier(prior=prior)
        model.fit(X, np.where(covered[:, None], labels, 0))
        yield done, texts.score(model.predict(new))


def run(draws: int) -> dict[str, Scores]:
    """Scores by source of the labels, and by classifier for others than the default."""
    found: dict[str, Scores] = {}
    jobs = [(name, draw) for name in SETS for draw in range(draws)]

    def put(source: str, done: str, name: str, score: float) -> None:
        by_set = found.setdefault(source, {}).setdefault(done, {})
        by_set.setdefault(name, []).append(score)

    for name, draw in jobs:
        print(f"{name}, draw {draw + 1} of {draws}", file=sys.stderr, flush=True)
        whole = load(name)
        n = len(whole.train)
        rng = np.random.default_rng(draw)
        texts = whole.take(np.sort(rng.choice(n, round(PART * n), replace=False)))
        words = TfidfVectorizer()
        X, new = words.fit_transform(texts.train), words.transform(texts.test)
        labels = label(texts, draw)
        for source, each in labels.items():
            for done, score in classify(texts, X, new, each):
                put(source, done, name, score)
        for other, make in OTHERS.items():
            for done, prior in {ITSELF: None, DEFAULT: "labels"}.items():
                model = SoftLabelClassifier(make(), prior=prior)
                covered = texts.signals.covered[:, None]
                model.fit(X, np.where(covered, labels["corral"], 0))
                put(other, done, name, texts.score(model.predict(new)))
    return found


def choose(scores: Scores, *, balanced: bool) -> dict[str, str]:
    """For every set, what does best on the others; also of balanced training, if asked."""
    ways = [done for done in scores if done not in (DEFAULT, TRUE)]
    ways = [done for done in ways if balanced or BALANCED not in done]
    means = {done: {s: np.mean(scores[done][s]) for s in SETS} for done in ways}
    return {
        left: max(ways, key=lambda d: sum(means[d][s] for s in SETS if s != left))
        for left in SETS
    }


def summarise(found: dict[str, Scores]) -> dict[str, dict[str, list[float]]]:
    """Mean score of every set, by source and by what was done."""
    rows: dict[str, dict[str, list[float]]] = {}
    for source, scores in found.items():
        rows[source] = {
            done: [float(np.mean(scores[done][s])) for s in SETS]
            for done in (ITSELF, WEIGHED, DEFAULT, TRUE)
            if done in scores
        }
        for name, balanced in CHOICES.items() if TRUE in scores else ():
            ways = choose(scores, balanced=balanced)
            picked = [float(np.mean(scores[ways[s]][s])) for s in SETS]
            rows[source][name] = picked
    return rows


def gain(row: list[float], base: list[float]) -> tuple[float, float]:
    """Mean difference, and its standard error over sets."""
    more = np.subtract(row, base)
    return float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more)))


def show(found: dict[str, Scores]) -> None:
    """One line per source and what was done, and what was chosen."""
    table = Table(box=None, header_style="bold")
    table.add_column("")
    for heading in (*SETS, "mean", "gain"):
        table.add_column(heading, justify="right", no_wrap=True)
    for source, rows in summarise(found).items():
        for done, row in rows.items():
            more = "{:+.1f} +- {:.1f}".format(*gain(row, rows[ITSELF]))
            cells = (f"{value:.1f}" for value in (*row, np.mean(row)))
            table.add_row(f"{source}, {done}", *cells, "" if done == ITSELF else more)
    console = Console(width=120)
    console.print(table)
    for name, balanced in CHOICES.items():
        picked = choose(found["corral"], balanced=balanced)
        console.print(f"corral, {name}", picked, soft_wrap=True)


def find_missed(found: dict[str, Scores]) -> list[str]:
    """What the figures should show, and do not."""
    rows = summarise(found)
    worth = gain(rows["corral"][LEFT_OUT], rows["corral"][ITSELF])[0]
    wanted = {f"left out, shares are worth {LEAST_GAIN:g} points": worth >= LEAST_GAIN}
    for other in ("vote", "Snorkel"):
        ahead = gain(rows["corral"][LEFT_OUT], rows[other][LEFT_OUT])[0]
        wanted[f"corral's labels train better than those of {other}"] = ahead > 0
    return [claim for claim, met in wanted.items() if not met]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5, help="of every set")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figures = run(parser.parse_args().draws)
    show(figures)
    store("end_models", figures)
    exit_with(find_missed(figures))
