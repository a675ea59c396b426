"""``python -m benchmarks.panel``: `corral.panel` with 50, 100 and 200 human labels.

Labelled rows are drawn at random. Shares of classes and their 90% intervals are compared
with the truth of all rows; accuracy and log-loss are those of the rows without a label.
Beside the panel: the labels alone, ppi_py's intervals (PPI++, which corrects the share of
the vote), the vote and its correction by Rogan and Gladen, the best judge by the labels,
Dawid-Skene and `FromLabels`. Widths are also compared at equal coverage: times what would
have made 90% of a method's intervals hold. How far weights may move is chosen
with every family of sets left out. Panels made up to be hard show where intervals cover:
``--coverage`` runs and stores that part alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.measure import exit_with, store
from benchmarks.sets import LEAST, VoteSet, load_sets
from corral import FromLabels, WeakSignals
from corral._types import FloatArray, IntArray
from corral.decisions import winner_shares
from corral.labelers import DawidSkene
from corral.panels.automation import find_automation
from corral.panels.difference_estimator import (
    Estimate,
    PanelEstimator,
    find_slices,
)
from corral.panels.inputs import PanelVotes, Sample, read_panel
from corral.panels.judges import choose_labels, find_gain, find_hits
from corral.panels.pattern_model import BALANCE, JUDGE, SCALE, VOTE, fit_patterns

ONE, OTHERS = "first slice", "other slices"
PER_PANEL = 10
"""Draws of labels of a hard panel that is made up."""
SIZES = (50, 100, 200)
MANY_CLASSES = 30
LEFT = 50
"""Rows to score on, at least."""
SCORED, RATED, TRIED = 150, 50, 8
"""Draws of panels; those of raters and of panels made up; and those that constants are
chosen by."""
COMMON = 0.05
"""Share of a class from which on widths are compared at equal coverage."""
PROMISE, MAX_WRONG = "promise", 0.1
"""Of the rows that judges decide at most this share is to be wrong, at 90%."""
SLICES = 5
"""Slices of as many rows each."""
SMALL = 600
"""Rows of the sets of a quick look."""
ADDED_LABELS = 0.5
"""Labels, spread over the answers, that keep a confusion from being singular."""
LEVEL = 0.9
LEAST_HELD = 85
PANEL, LABELS, VOTES, BEST = "panel", "labels alone", "vote", "best judge"
PPI = "ppi_py"
GLADEN, SKENE, FEW = "Rogan-Gladen", "Dawid-Skene", "FromLabels"
PARTS = ("rmse", "held", "width", "width at 90%")
FITTED = "fitted"
"""The labels of the panel before any of them gives way to the vote or a judge."""
METHODS = (PANEL, FITTED, VOTES, BEST, SKENE, FEW)
ESTIMATES = (PANEL, LABELS, PPI, GLADEN, VOTES, SKENE, FEW)
INTERVALS = (PANEL, LABELS, PPI)
PRECISIONS = {
    f"{scale:g}, {judge:g}": (scale, BALANCE, judge, judge * VOTE / JUDGE)
    for scale, judge in product((2.0, SCALE, 8.0), (4.0, JUDGE, 64.0))
}
Row = dict[str, Any]


class Task:
    """A set, and what does not depend on the labels drawn."""

    def __init__(self, one: VoteSet) -> None:
        self.one = one
        self.panel: PanelVotes = read_panel(one.signals)
        self.gold = np.flatnonzero(one.gold >= 0)
        self.true = np.bincount(one.gold[self.gold], minlength=one.k) / len(self.gold)
        independent = DawidSkene(abstains="ignore").fit(one.signals)
        self.skene = independent.model_.row_labels(one.signals)
        # Some sets are sorted by class, so slices are drawn at random.
        self.blocks = np.random.default_rng(0).permutation(len(one.gold)) % SLICES
        self.right = (one.votes == one.gold[:, None])[self.gold].mean(axis=0)

    def draw(self, size: int, number: int) -> PanelEstimator:
        """The estimator of some labelled rows, drawn at random."""
        rng = np.random.default_rng([size, number])
        rows = np.sort(rng.choice(self.gold, size, replace=False))
        share = size / len(self.gold)
        sample = Sample(
            rows, self.one.gold[rows], np.ones(size), np.full(size, 1 - share)
        )
        return PanelEstimator.fit(self.panel, sample, LEVEL)

    def score(self, labels: FloatArray, rest: IntArray) -> tuple[float, float]:
        """Accuracy in per cent and log-loss of labels (u, k), on some rows."""
        at, true = self.panel.inverse[rest], self.one.gold[rest]
        logs = np.log(np.clip(labels[at, true], LEAST, 1))
        return 100 * float(winner_shares(labels)[at, true].mean()), -float(logs.mean())

    def measure(self, size: int, draws: int) -> Row:
        """All that is reported of a set and a number of labels."""
        errors: dict[str, list[FloatArray]] = {name: [] for name in ESTIMATES}
        scores: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
        held: dict[str, list[Any]] = {
            name: [] for name in (*INTERVALS, "judges", "slices", "gain", PROMISE)
        }
        width: dict[str, list[float]] = {name: [] for name in INTERVALS}
        needed: dict[str, list[FloatArray]] = {name: [] for name in INTERVALS}
        tried: dict[str, list[float]] = {name: [] for name in PRECISIONS}
        decided: list[float] = []
        gave_way = 0
        for number in range(draws):
            estimator = self.draw(size, number)
            for name, found in (
                (PANEL, estimator.shares()),
                (LABELS, estimator.labels_alone()),
                (PPI, self.find_ppi(estimator)),
            ):
                held[name].append((found.low <= self.true) & (self.true <= found.high))
                width[name].append(float((found.high - found.low).mean()))
                errors[name].append(found.value - self.true)
                # By how much the side that the truth is on would have to be longer.
                sides = found.high - found.value, found.value - found.low
                side = np.where(self.true > found.value, *sides)
                off = np.abs(self.true - found.value) / np.maximum(side, 1e-12)
                needed[name].append(off[self.true >= COMMON])
            if number >= SCORED:
                continue
            rest = np.setdiff1d(self.gold, estimator.sample.rows)
            gave_way += self.compare(estimator, rest, errors, scores, held, decided)
            if number < TRIED:
                for name, precisions in PRECISIONS.items():
                    labels, _ = fit_patterns(self.panel, estimator.sample, precisions)
                    tried[name].append(self.score(labels, rest)[1])
        by_class = np.mean(held[PANEL], axis=0)
        return {
            "rmse": {
                n: float(np.sqrt(np.mean(np.square(e)))) for n, e in errors.items()
            },
            "held": {n: 100 * float(np.mean(e)) for n, e in held.items() if len(e)},
            "worst class": 100 * float(by_class.min()),
            "width": {n: float(np.mean(e)) for n, e in width.items()},
            "width at 90%": {
                n: float(np.quantile(needed[n], LEVEL) * np.mean(e))
                for n, e in width.items()
            },
            "accuracy": {n: float(np.mean(e, axis=0)[0]) for n, e in scores.items()},
            "log-loss": {n: float(np.mean(e, axis=0)[1]) for n, e in scores.items()},
            "decided": 100 * float(np.mean(decided)),
            "gave way": 100 * gave_way / min(draws, SCORED),
            "precisions": {n: float(np.mean(e)) for n, e in tried.items()},
        }

    def find_ppi(self, estimator: PanelEstimator) -> Estimate:
        """The intervals of ppi_py for every class, from the share of the vote."""
        from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

        rest = np.setdiff1d(self.gold, estimator.sample.rows)
        others = self.panel.shares[self.panel.inverse[rest]]
        given = [
            (
                estimator.truth[:, c],
                estimator.panel.shares[estimator.at, c],
                others[:, c],
            )
            for c in range(self.one.k)
        ]
        value = np.array([float(ppi_mean_pointestimate(*one)[0]) for one in given])
        ends = [ppi_mean_ci(*one, alpha=1 - LEVEL) for one in given]
        low, high = (np.array([float(one[i][0]) for one in ends]) for i in (0, 1))
        # Where no label and no vote are for a class, ppi_py says nothing: it has none.
        value, low, high = (np.nan_to_num(each) for each in (value, low, high))
        return Estimate(value, low, high, (high - low) ** 2)

    def compare(
        self,
        estimator: PanelEstimator,
        rest: IntArray,
        errors: Any,
        scores: Any,
        held: Any,
        decided: list[float],
    ) -> bool:
        """Score a draw beside the others; whether labels gave way to vote or judge."""
        one, sample, panel = self.one, estimator.sample, self.panel
        hits = find_hits(estimator, np.random.default_rng(0))
        labels, by = choose_labels(estimator, hits, one.signals.names)
        judge = int(hits.judges.mean(axis=0).argmax())
        best = np.where(
            (panel.votes[:, judge] >= 0)[:, None], panel.hard[:, judge], 1 / one.k
        )
        known = one.signals.classes[sample.truth]
        labelled = one.signals.take(sample.rows)
        model: Any = FromLabels(known, labelled).estimate(one.signals).model
        few = model.row_labels(one.signals)
        kinds = (labels, estimator.labels, panel.shares, best, self.skene, few)
        for name, each in zip(METHODS, kinds, strict=True):
            scores[name].append(self.score(each, rest))
        errors[GLADEN].append(correct_vote(estimator) - self.true)
        errors[VOTES].append(estimator.vote_shares() - self.true)
        errors[SKENE].append(panel.mean(self.skene) - self.true)
        errors[FEW].append(panel.mean(few) - self.true)
        voted = (estimator.panel.votes >= 0).astype(float).T[:, :, None]
        said = estimator.panel.hard.transpose(1, 0, 2)
        right = estimator.ratio(said, np.broadcast_to(voted, said.shape))
        held["judges"].append(
            ((right.low <= self.right) & (self.right <= right.high)).mean()
        )
        blocks = find_slices(estimator, "block", self.blocks, np.arange(SLICES))
        held["slices"].append(
            np.mean([self.block_held(i, each) for i, each in enumerate(blocks)])
        )
        gain = find_gain(estimator, hits.panel, hits.best)
        # The panel and the judge that these labels choose, on the other rows. Those are a
        # sample, too, of what the interval is about: it is widened by their noise.
        chosen = self.score(estimator.labels, rest)[0] - self.score(best, rest)[0]
        off, wider = chosen / 100 - gain.value, np.sqrt(1 + len(sample) / len(rest))
        low, high = wider * (gain.low - gain.value), wider * (gain.high - gain.value)
        held["gain"].append(low <= off <= high)
        chances = np.full(len(one.gold), len(sample) / len(self.gold))
        rng = np.random.default_rng(0)
        plan = find_automation(estimator, labels, chances, rng, error=MAX_WRONG)
        rows = self.gold[plan.decided_[self.gold]]
        said = labels[panel.inverse[rows]].argmax(axis=1)
        wrong = np.mean(said != one.gold[rows]) if len(rows) else 0.0
        held[PROMISE].append(wrong <= MAX_WRONG)
        decided.append(len(rows) / len(self.gold))
        return by != PANEL

    def block_held(self, i: int, found: Any) -> float:
        """Share of the classes of a slice whose interval holds the truth."""
        gold = self.one.gold[(self.blocks == i) & (self.one.gold >= 0)]
        true = np.bincount(gold, minlength=self.one.k) / max(len(gold), 1)
        return float(((found.low <= true) & (true <= found.high)).mean())


def correct_vote(estimator: PanelEstimator) -> FloatArray:
    """(k,) shares of the vote, corrected by its confusion (Rogan and Gladen, 1978)."""
    answers = winner_shares(estimator.panel.shares)
    weighted = estimator.sample.weights[:, None] * estimator.truth
    confusion = weighted.T @ answers[estimator.at] + ADDED_LABELS / answers.shape[1]
    confusion /= confusion.sum(axis=1, keepdims=True)
    found = np.linalg.lstsq(confusion.T, estimator.vote_shares(), rcond=None)[0]
    found = np.clip(found, 0, None)
    return found / found.sum()


def hard_panels() -> Iterator[tuple[str, Any, Any]]:
    """A name, how votes, truth and slices are made, and labels or chances to be drawn."""
    for g, size, wrong in (
        *((20, 100, 1.0), (10, 100, 1.0), (5, 100, 1.0), (10, 200, 1.0)),
        *((10, 400, 1.0), (10, 100, 0.5), (5, 100, 0.3)),
    ):
        what = f"{g} slices, {size} labels; judges fail on {wrong:.0%} of one"
        yield what, partial(make_sliced, g=g, wrong=wrong), size
    for g, size in ((20, 100), (10, 200), (5, 100)):
        yield f"{g} slices, {size} labels; alike", partial(make_sliced, g=g), size
    for m, right in ((6, 0.8), (6, 0.85), (6, 0.9), (10, 0.85)):
        for size in (100, 200):
            what = f"{m} judges right on {right:.0%}, {size} labels"
            yield what, partial(make_sharing, m=m, own=1 - right), size
    for odds in ((0.01, 0.3), (0.02, 0.2)):
        what = f"others drawn at {odds[0]:.0%}, contested rows at {odds[1]:.0%}; "
        yield what + "errors shared", partial(make_sharing, own=0.05, shared=0.05), odds
        rare = partial(make_sharing, own=0.01, shared=0.09, share=0.1)
        yield what + "and a rare class", rare, odds


def make_sliced(rng: np.random.Generator, g: int, wrong: float = -1.0) -> Any:
    """Judges 80 to 90% right; in a slice that is 5% yes, all say yes of a part."""
    codes = rng.integers(g, size=2000)
    failing = (codes == 0) & (wrong > 0)
    gold = (rng.random(2000) < np.where(failing, 0.05, 0.4)).astype(np.int64)
    right = rng.random((2000, 4)) < (0.8, 0.83, 0.87, 0.9)
    votes = np.where(right, gold[:, None], 1 - gold[:, None])
    votes[failing & (rng.random(2000) < wrong)] = 1
    return votes, gold, codes


def make_sharing(
    rng: np.random.Generator,
    m: int = 3,
    own: float = 0.1,
    shared: float = 0.0,
    share: float = 0.4,
) -> Any:
    """Judges who err each for itself, and on some rows together."""
    gold = (rng.random(2000) < share).astype(np.int64)
    wrong = (rng.random((2000, m)) < own) | (rng.random((2000, 1)) < shared)
    return np.where(wrong, 1 - gold[:, None], gold[:, None]), gold, None


def measure_coverage(draws: int) -> Row:
    """In per cent, the 90% intervals that hold the share of a class; and their widths."""
    found: Row = {}
    for name, make, labels in track(list(hard_panels()), "hard panels"):
        seen: dict[str, list[tuple[float, float]]] = {}
        for number in range(draws):
            if number % PER_PANEL == 0:
                rng = np.random.default_rng([11, number])
                votes, gold, codes = make(rng)
                signals = WeakSignals.from_votes(votes, classes=range(2))
                panel = read_panel(signals)
            if isinstance(labels, int):
                rows = np.sort(rng.choice(len(gold), labels, replace=False))
                drawn = np.full(labels, labels / len(gold))
            else:
                chances = np.where(np.ptp(votes, axis=1) > 0, labels[1], labels[0])
                rows = np.flatnonzero(rng.random(len(gold)) < chances)
                drawn = chances[rows]
            weights = drawn.mean() / drawn
            sample = Sample(rows, gold[rows], weights, 1 - drawn)
            estimator = PanelEstimator.fit(panel, sample, LEVEL)
            each: list[Any] = [(PANEL, estimator.shares(), gold)]
            each.append((LABELS, estimator.labels_alone(), gold))
            if codes is not None:
                slices = find_slices(estimator, "slice", codes, np.unique(codes))
                each += [
                    (OTHERS if i else ONE, one, gold[codes == i])
                    for i, one in enumerate(slices)
                ]
            for kind, one, true in each:
                held = 100.0 * (one.low[1] <= true.mean() <= one.high[1])
                seen.setdefault(kind, []).append((held, one.high[1] - one.low[1]))
        found[name] = {n: np.mean(e, axis=0).tolist() for n, e in seen.items()}
    return found


def measure_simulated(draws: int) -> Row:
    """Panels made up: five good judges, and three that fail together."""
    found = {}
    for name, make in (
        ("five good judges", five_good),
        ("three that share 8%", sharing),
    ):
        rows = []
        for number in range(draws):
            rng = np.random.default_rng([7, number])
            votes, gold = make(rng)
            task = Task(VoteSet(name, "panels", name, votes, gold, 2))
            rows.append(task.measure(100, 1))
        found[name] = {
            part: {
                n: float(np.sqrt(np.mean([row[part][n] ** 2 for row in rows])))
                if part == "rmse"
                else float(np.mean([row[part][n] for row in rows]))
                for n in rows[0][part]
            }
            for part in ("rmse", "accuracy", "log-loss", "held")
        }
    return found


def five_good(rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Five judges that are right on 97%, each for itself."""
    gold = (rng.random(2000) < 0.3).astype(np.int64)
    wrong = rng.random((2000, 5)) < 0.03
    return np.where(wrong, 1 - gold[:, None], gold[:, None]), gold


def sharing(rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Three judges that err on 10% each for itself, and on the same 8% of the rows."""
    gold = (rng.random(2000) < 0.3).astype(np.int64)
    wrong = (rng.random((2000, 3)) < 0.1) | (rng.random((2000, 1)) < 0.08)
    return np.where(wrong, 1 - gold[:, None], gold[:, None]), gold


def summarise(rows: list[Row]) -> Row:
    """Means over sets."""
    found: Row = {"sets": len(rows)}
    for part in (*PARTS, "accuracy", "log-loss"):
        found[part] = {
            name: float(np.mean([row[part][name] for row in rows]))
            for name in rows[0][part]
        }
    held = np.array([row["held"][PANEL] for row in rows])
    found["least held"] = float(held.min())
    found["most held"] = float(held.max())
    found["held 85 to 95"] = int(((held >= 85) & (held <= 95)).sum())
    found["worst class"] = float(np.mean([row["worst class"] for row in rows]))
    found["decided"] = float(np.mean([row["decided"] for row in rows]))
    found["gave way"] = float(np.mean([row["gave way"] for row in rows]))
    return found


def choose(rows: list[Row], part: str) -> Row:
    """Which constants are chosen without each family, and what they give there.

    The lowest log-loss.
    """
    families = sorted({row["family"] for row in rows})
    names = list(rows[0][part])

    costs = np.array(
        [
            np.mean(
                [list(row[part].values()) for row in rows if row["family"] == f], axis=0
            )
            for f in families
        ]
    )
    chosen = {
        f: names[int(np.delete(costs, i, axis=0).mean(axis=0).argmin())]
        for i, f in enumerate(families)
    }
    left_out = [costs[i, names.index(chosen[f])] for i, f in enumerate(families)]
    return {
        "cost": dict(zip(names, costs.mean(axis=0).tolist(), strict=True)),
        "chosen": chosen,
        "left out": float(np.mean(left_out)),
    }


def judge(result: Row) -> Iterator[str]:
    """What is claimed and does not hold."""
    yield from judge_coverage(result["coverage"])
    for size, kinds in result["sizes"].items():
        for kind, row in kinds.items():
            where = f"{size} labels, {kind}"
            if not LEAST_HELD <= row["held"][PANEL] <= 95:
                yield f"{where}: intervals hold {row['held'][PANEL]:.1f}%"
            if row["held"][PROMISE] < 100 * LEVEL:
                yield f"{where}: {row['held'][PROMISE]:.1f}% of the promises are kept"
            for name in (LABELS, GLADEN):
                if row["rmse"][PANEL] > row["rmse"][name]:
                    yield f"{where}: shares are worse than those of {name}"
            for name in (VOTES, BEST):
                if row["accuracy"][PANEL] < row["accuracy"][name] - 0.5:
                    yield f"{where}: labels are worse than those of the {name}"


def judge_coverage(found: Row) -> Iterator[str]:
    """Hard panels whose intervals hold less than 85%."""
    for name, row in found.items():
        for kind, (held, _) in row.items():
            if held < LEAST_HELD:
                yield f"{name}, {kind}: {held:.1f}% of the intervals hold"


def show(result: Row) -> None:
    """One table per number of labels."""
    console = Console(width=150)
    for size, kinds in result["sizes"].items():
        for kind, row in kinds.items():
            title = f"{size} labels, {row['sets']} {kind}"
            table = Table("", *ESTIMATES, BEST, title=title, title_justify="left")
            for part in (*PARTS, "accuracy", "log-loss"):
                cells = (row[part].get(name) for name in (*ESTIMATES, BEST))
                table.add_row(part, *("" if c is None else f"{c:.3f}" for c in cells))
            console.print(table)
            console.print({k: v for k, v in row.items() if not isinstance(v, dict)})
    console.print(result["simulated"], result["precisions"])


def show_coverage(found: Row) -> None:
    """In per cent, which intervals hold, and how wide they are."""
    kinds = (PANEL, LABELS, ONE, OTHERS)
    table = Table("hard panels, 90% intervals: hold, width", *kinds)
    for name, row in found.items():
        cells = (row.get(kind) for kind in kinds)
        table.add_row(name, *(f"{c[0]:.1f}%, {c[1]:.3f}" if c else "" for c in cells))
    Console(width=150).print(table)


def measure_set(one: VoteSet, draws: int) -> list[Row]:
    """Everything on one set, with so many labels each."""
    about = {"set": one.name, "kind": one.kind, "family": one.family}
    most = min(SCORED if one.kind == "panels" else RATED, draws)
    with threadpool_limits(1):  # matrices are small
        task = Task(one)
        sizes = [size for size in SIZES if len(task.gold) >= size + LEFT]
        return [{**about, "size": n, **task.measure(n, most)} for n in sizes]


def main() -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=SCORED)
    parser.add_argument("--small", action="store_true", help="small sets only")
    parser.add_argument("--coverage", action="store_true", help="hard panels only")
    options = parser.parse_args()
    with threadpool_limits(1):
        coverage = measure_coverage(min(options.draws, SCORED))
    show_coverage(coverage)
    if options.coverage:
        store("panel_coverage", coverage)
        exit_with(list(judge_coverage(coverage)))
        return
    sets: list[VoteSet] = [
        one
        for one in load_sets(("panels", "raters"))
        if one.k <= MANY_CLASSES and (len(one.votes) <= SMALL or not options.small)
    ]
    # Two at a time: nothing here is timed.
    every = Parallel(n_jobs=2, return_as="generator")(
        delayed(measure_set)(one, options.draws) for one in sets
    )
    rows = [row for found in track(every, "panels", len(sets)) for row in found]
    with threadpool_limits(1):  # matrices are small
        simulated = measure_simulated(min(options.draws, RATED))
    result: Row = {
        "draws": options.draws,
        "sizes": {},
        "simulated": simulated,
        "precisions": choose(rows, "precisions"),
        "coverage": coverage,
        "sets": rows,
    }
    for size in SIZES:
        mine = [row for row in rows if row["size"] == size]
        kinds = {k: [r for r in mine if r["kind"] == k] for k in ("panels", "raters")}
        result["sizes"][str(size)] = {k: summarise(v) for k, v in kinds.items() if v}
    show(result)
    store("panel", result)
    exit_with(list(judge(result)))


if __name__ == "__main__":
    main()
