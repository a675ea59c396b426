"""``python -m benchmarks.few_labels``: `FromLabels` with few labels, beside none at all.

Labelled examples are drawn at random, and scores are those of the others: accuracy, ties in
shares, and log-loss. Intervals are those of error rates that at least `FEWEST_VOTES` votes
tell. How far labels may move weights (`SPREAD`) is chosen with one family of sets left out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from unittest import mock

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import exit_with, store
from benchmarks.sets import KINDS, LEAST, VoteSet, load_sets
from corral import Auto, FromLabels, WeakSignals
from corral._types import BoolArray, FloatArray, IntArray
from corral.decisions import winner_shares
from corral.model import LogLinear
from corral.rates import Rates, from_labels

SIZES = (20, 50, 100, 200)
MANY_CLASSES = 50
"""Sets with more are left out: weights of votes times classes are fitted many times."""
LEFT = 50
"""Examples to score on, at least."""
SMALL = 1500
"""Examples of the sets of a quick look."""
FEWEST_VOTES = 20
LEVEL = 1.645
SPREADS = (2.0, 1.0, 0.7, 0.5, 0.25)
CAUTION = 0.1
"""Points that the most cautious spread may be behind the best."""
VOTE, FREE, FEW = "vote", "Auto", "FromLabels"
Row = dict[str, Any]


def score_draws(one: VoteSet, seed: int, draws: int) -> Iterator[Row]:
    """Scores of the vote, of no labels and of labels, for every size and draw."""
    free: Any = Auto().estimate(one.signals).model
    gold = np.flatnonzero(one.gold >= 0)
    shares = (one.votes[:, :, None] == np.arange(one.k)).mean(axis=1)
    labels = free.labels(one.signals)
    for size in SIZES:
        if len(gold) < size + LEFT:
            continue
        for draw in range(draws):
            rng = np.random.default_rng([seed, size, draw])
            drawn = rng.choice(gold, size, replace=False)
            rest = np.setdiff1d(gold, drawn)
            labelled = one.signals.take(drawn)
            truth = np.eye(one.k)[one.gold[drawn]]
            known = one.signals.classes[one.gold[drawn]]
            rates = FromLabels(known, labelled).estimate(one.signals)
            scored, true = one.signals.take(rest), one.gold[rest]
            model: Any = rates.model
            yield {
                "set": one.name,
                "kind": one.kind,
                "family": one.family,
                "size": size,
                VOTE: score(shares[rest] / shares[rest].sum(1, keepdims=True), true),
                FREE: score(labels[rest], true),
                FEW: score(model.labels(scored), true),
                "held": held_share(one, rates),
                "spreads": {
                    spread: score(
                        move(free, labelled, truth, spread).labels(scored), true
                    )[0]
                    for spread in SPREADS
                },
            }


def move(
    free: LogLinear, labelled: WeakSignals, truth: FloatArray, spread: float
) -> LogLinear:
    """The model that labelled examples move, with another spread of the weights."""
    with mock.patch.object(from_labels, "SPREAD", spread):
        return from_labels.move(free, labelled, truth)


def score(labels: FloatArray, gold: IntArray) -> tuple[float, float]:
    """Accuracy in per cent, ties in shares, and log-loss."""
    at = np.arange(len(gold))
    logs = np.log(np.clip(labels[at, gold], LEAST, 1))
    return 100 * float(winner_shares(labels)[at, gold].mean()), -float(logs.mean())


def held_share(one: VoteSet, rates: Rates) -> float:
    """Share of the 90% intervals that hold the true rate; NaN without any.

    Where gold is partial, the true rate is itself an estimate, whose sampling error is
    added to the standard error.
    """
    spoken: BoolArray = one.votes >= 0
    said = spoken & (one.gold >= 0)[:, None]
    number = said.sum(axis=0)
    wrong = ((one.votes != one.gold[:, None]) & said).sum(axis=0)
    at = np.flatnonzero(number >= FEWEST_VOTES)
    true = wrong[at] / number[at]
    partial = number[at] < spoken.sum(axis=0)[at]
    sampling = partial * true * (1 - true) / number[at]
    half = LEVEL * np.sqrt(rates.standard_errors[at] ** 2 + sampling)
    held = np.abs(rates.error_rates[at] - true) <= half
    return float(held.mean()) if len(at) else np.nan


def summarise(rows: list[Row]) -> Row:
    """Means over sets, of the means over draws; gains with their standard errors."""
    sets = sorted({row["set"] for row in rows})
    own = [[row for row in rows if row["set"] == name] for name in sets]
    means = {
        method: np.array([np.mean([r[method] for r in some], axis=0) for some in own])
        for method in (VOTE, FREE, FEW)
    }
    gains = (means[FEW] - means[FREE])[:, 0]
    worst = int(gains.argmin())
    held = [np.mean([row["held"] for row in some]) for some in own]
    return {
        "sets": len(sets),
        **{method: each[:, 0].mean() for method, each in means.items()},
        "gain": gains.mean(),
        "+-": float(gains.std(ddof=min(1, len(gains) - 1)) / len(gains) ** 0.5),
        "worst": gains[worst],
        "on": sets[worst],
        **{f"{method} log-loss": each[:, 1].mean() for method, each in means.items()},
        "held": 100 * float(np.nanmean(held)),
    }


def choose_spread(rows: list[Row]) -> Row:
    """By how much spreads gain over families, and which is chosen without each."""
    families = sorted({row["family"] for row in rows})
    gains = np.array(
        [
            np.mean(
                [
                    [row["spreads"][s] - row[FREE][0] for s in SPREADS]
                    for row in rows
                    if row["family"] == family
                ],
                axis=0,
            )
            for family in families
        ]
    )
    chosen, left_out = [], []
    for at in range(len(families)):
        others = np.delete(gains, at, axis=0).mean(axis=0)
        last = int(np.flatnonzero(others >= others.max() - CAUTION)[-1])
        chosen.append(SPREADS[last])
        left_out.append(gains[at, last])
    return {
        "gain": dict(zip(map(str, SPREADS), gains.mean(axis=0), strict=True)),
        "worst family": dict(zip(map(str, SPREADS), gains.min(axis=0), strict=True)),
        "chosen": {str(p): times for p, times in Counter(chosen).items()},
        "left out": float(np.mean(left_out)),
    }


def judge(result: Row) -> Iterator[str]:
    """What is claimed and does not hold."""
    for size, kinds in result["sizes"].items():
        for kind, row in kinds.items():
            where = f"{size} labels, {kind}"
            if row["gain"] < -row["+-"] / 2:
                yield f"{where}: {row['gain']:.2f} below the label-free labels"
            if row[FEW] < row[VOTE]:
                yield f"{where}: {row[VOTE] - row[FEW]:.2f} below the vote"
            if not 80 <= row["held"] <= 95:
                yield f"{where}: 90% intervals hold {row['held']:.0f}%"
    commonest = max(result["spread"]["chosen"].items(), key=lambda pair: pair[1])[0]
    if float(commonest) != from_labels.SPREAD:
        yield f"the spread chosen is {commonest}, not {from_labels.SPREAD:g}"


def show(result: Row) -> None:
    """One line per size and kind."""
    console = Console()
    for size, kinds in result["sizes"].items():
        table = Table(title=f"{size} labels", title_justify="left")
        table.add_column("kind")
        for heading in next(iter(kinds.values())):
            table.add_column(heading, justify="right")
        for kind, row in kinds.items():
            cells = (
                f"{x:.3g}" if isinstance(x, float) else str(x) for x in row.values()
            )
            table.add_row(kind, *cells)
        console.print(table)
    console.print(result["spread"])


def plain(numbers: Iterable[tuple[str, Any]]) -> Row:
    """The same with Python's numbers."""
    return {k: float(v) if isinstance(v, np.floating) else v for k, v in numbers}


def main() -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="small sets only")
    options = parser.parse_args()
    sets = [
        one
        for one in load_sets()
        if one.k <= MANY_CLASSES and (len(one.votes) <= SMALL or not options.small)
    ]
    rows = [
        row
        for seed, one in enumerate(track(sets, "few labels"))
        for row in score_draws(one, seed, options.draws)
    ]
    result: Row = {"sizes": {}, "spread": choose_spread(rows)}
    for size in SIZES:
        mine = [row for row in rows if row["size"] == size]
        kinds = {
            kind: [row for row in mine if row["kind"] == kind] for kind in KINDS
        } | {"all": mine}
        result["sizes"][str(size)] = {
            kind: plain(summarise(some).items()) for kind, some in kinds.items() if some
        }
    show(result)
    store("few_labels", result)
    exit_with(list(judge(result)))


if __name__ == "__main__":
    main()
