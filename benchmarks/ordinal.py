"""``python -m benchmarks.ordinal``: classes with an order, beside methods without.

Six public sets whose classes are grades, of two crowds, of sentiment lexicons and of four
automatic scores of relevance, cut into the grades 0 to 3 at equal distances; and simulated
graders with a bias and a noise of their own. Scores are the accuracy of the likeliest class
(ties in shares), the mean distance of the median from the true grade, the root mean square
distance of the mean, and the log-loss. Gold labels are used for scores only.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import exit_with, store
from benchmarks.sets import DATA, LEAST, load_set
from corral import (
    ConstrainedLabeler,
    DawidSkene,
    MajorityVote,
    OneCoinDawidSkene,
    OrdinalLabeler,
    WeakSignals,
)
from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares
from corral.labelers import Labeler
from corral.labelers.ordinal import summarise_grades

TOP = np.array([1.0, 5.0, 1.0, 1.0])
"""The highest value of every score of relevance."""
BROKEN = 3
"""The class of s_relevance that is no grade: the link is broken."""
FEW = 3
"""Votes per example of a thinned set."""
LEVEL = 0.9
METHODS: dict[str, Labeler] = {
    "vote": MajorityVote(),
    "one-coin Dawid-Skene": OneCoinDawidSkene(),
    "Dawid-Skene": DawidSkene(),
    "default": ConstrainedLabeler(),
    "ordinal": OrdinalLabeler(),
}
SCORES = ("accuracy", "median_distance", "mean_distance", "log_loss", "held")
Scores = dict[str, float]


@dataclass(frozen=True)
class GradedSet:
    """Votes (n, m), -1 for an abstain, and true grades (n,), -1 where unknown."""

    name: str
    votes: IntArray
    gold: IntArray
    k: int

    def thin(self, most: int, seed: int) -> GradedSet:
        """Of every labelled example, so many votes, drawn at random."""
        rng = np.random.default_rng(seed)
        known = self.gold >= 0
        votes = self.votes[known]
        draw = np.where(votes >= 0, rng.random(votes.shape), 2.0)
        last = np.sort(draw, axis=1)[:, most - 1 : most]
        kept = np.where((votes >= 0) & (draw <= last), votes, -1)
        return GradedSet(self.name, kept, self.gold[known], self.k)


def load_graded(small: bool) -> Iterator[GradedSet]:
    """The public sets with ordered classes."""
    web = load_set("crowd/web_search")
    yield GradedSet("web_search", web.votes, web.gold, web.k)
    if small:
        return
    pages = load_set("crowd/s_relevance")
    votes, gold = (np.where(a == BROKEN, -1, a) for a in (pages.votes, pages.gold))
    heard = (votes >= 0).any(axis=1)
    yield GradedSet("s_relevance", votes[heard], gold[heard], BROKEN)
    norec = load_set("rules/norec_lexicons")
    yield GradedSet("norec_lexicons", norec.votes, norec.gold, norec.k)
    for year in (19, 20, 21):
        with np.load(DATA / "panels" / f"trecdl{year}_llmrel.npz") as held:
            scores, grades = held["scores"], held["grades"]
        cut = np.rint(3 * np.clip(np.nan_to_num(scores) / TOP, 0, 1))
        yield GradedSet(
            f"trecdl{year} scores",
            np.where(np.isnan(scores), -1, cut).astype(int),
            grades,
            4,
        )


def simulate(seed: int, n: int = 1000, m: int = 50, k: int = 5) -> GradedSet:
    """Graders with a bias and a noise of their own, three per example."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    bias, noise = rng.normal(0, 0.5, m), rng.uniform(0.4, 1.3, m)
    said = truth[:, None] + bias + noise * rng.normal(size=(n, m))
    votes = np.clip(np.rint(said), 0, k - 1).astype(int)
    asked = rng.random((n, m)).argsort(axis=1) < FEW
    return GradedSet("simulated", np.where(asked, votes, -1), truth, k)


def score(labels: FloatArray, gold: IntArray) -> Scores:
    """Scores of labels (n, k) where gold (n,) is known."""
    known = np.flatnonzero(gold >= 0)
    labels, gold = labels[known], gold[known]
    at = np.arange(len(gold)), gold
    found = summarise_grades(labels, np.arange(labels.shape[1]), LEVEL)
    return {
        "accuracy": 100 * float(winner_shares(labels)[at].mean()),
        "median_distance": float(np.abs(found.median - gold).mean()),
        "mean_distance": float(np.sqrt(((found.mean - gold) ** 2).mean())),
        "log_loss": -float(np.log(np.clip(labels[at], LEAST, 1)).mean()),
        "held": float(((found.low <= gold) & (gold <= found.high)).mean()),
    }


def score_votes(one: GradedSet) -> dict[str, Scores]:
    """Mean and median of the votes, rounded (halves to even); nothing is learned."""
    known = one.gold >= 0
    said = np.where(one.votes < 0, np.nan, one.votes.astype(float))[known]
    gold = one.gold[known]
    found = {}
    for name, middle in (("mean vote", np.nanmean), ("median vote", np.nanmedian)):
        value = middle(said, axis=1)
        grade = np.rint(value)
        found[name] = {
            "accuracy": 100 * float((grade == gold).mean()),
            "median_distance": float(np.abs(grade - gold).mean()),
            "mean_distance": float(np.sqrt(((value - gold) ** 2).mean())),
        }
    return found


def score_methods(one: GradedSet) -> dict[str, Scores]:
    """Scores of all methods on a set."""
    heard = (one.votes >= 0).any(axis=1)
    one = GradedSet(one.name, one.votes[heard], one.gold[heard], one.k)
    signals = WeakSignals.from_votes(one.votes, classes=range(one.k))
    found = score_votes(one)
    for name, labeler in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # labels that collapse are scored, too
            found[name] = score(labeler.fit(signals).labels_, one.gold)
    return found


def mean_scores(some: list[dict[str, Scores]]) -> dict[str, Scores]:
    """The mean over sets or draws, by method."""
    return {
        name: {
            what: float(np.mean([each[name][what] for each in some]))
            for what in some[0][name]
        }
        for name in some[0]
    }


def measure(small: bool, draws: int) -> dict[str, Any]:
    """All scores: sets as they are, thinned, and simulated."""
    sets = list(load_graded(small))
    whole = {one.name: score_methods(one) for one in track(sets, "ordered classes")}
    dense = [one for one in sets if (one.votes >= 0).sum(axis=1).mean() > FEW]
    thinned = {
        one.name: mean_scores([score_methods(one.thin(FEW, d)) for d in range(draws)])
        for one in track(dense, f"{FEW} votes each")
    }
    return {
        "sets": whole,
        "mean": mean_scores(list(whole.values())),
        "thinned": thinned,
        "thinned_mean": mean_scores(list(thinned.values())),
        "simulated": mean_scores([score_methods(simulate(d)) for d in range(draws)]),
        "draws": draws,
    }


def judge(result: dict[str, Any]) -> Iterator[str]:
    """Claims that were missed."""
    for part in ("mean", "thinned_mean", "simulated"):
        mine = result[part]["ordinal"]
        for other in ("vote", "Dawid-Skene"):
            yours = result[part][other]
            if mine["accuracy"] < yours["accuracy"]:
                yield f"{part}: accuracy below that of {other}"
            for what in ("median_distance", "log_loss"):
                if mine[what] > yours[what]:
                    yield f"{part}: {what} above that of {other}"


def show(result: dict[str, Any]) -> None:
    """Print one table per part."""
    parts = {**result["sets"], "mean of all": result["mean"]}
    parts |= {f"{name}, {FEW} votes": rows for name, rows in result["thinned"].items()}
    parts |= {"mean of these": result["thinned_mean"], "simulated": result["simulated"]}
    for title, rows in parts.items():
        table = Table("method", *SCORES, title=title)
        for name, scores in rows.items():
            table.add_row(
                name, *(f"{scores[s]:.3f}" if s in scores else "" for s in SCORES)
            )
        Console().print(table)


def main() -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="one set only")
    options = parser.parse_args()
    result = measure(options.small, options.draws)
    show(result)
    store("ordinal", result)
    exit_with(list(judge(result)))


if __name__ == "__main__":
    main()
