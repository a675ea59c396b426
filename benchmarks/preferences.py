"""``python -m benchmarks.preferences``: strengths beside choix and Crowd-Kit.

All comparisons are made at random, so that strengths and judges are known: how far the
same model of others is from ours, who finds the order and the bad judges, how often
intervals hold the truth, and how long a million comparisons take.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import choix
import numpy as np
import pandas as pd
from crowdkit.aggregation import BradleyTerry, NoisyBradleyTerry
from rich.console import Console
from rich.table import Table
from scipy.stats import kendalltau, spearmanr

import corral
from benchmarks.measure import exit_with, store
from corral.datasets import random_comparisons

N_ITEMS = 20
ROOM = 0.05
"""How far from 90% the coverage of intervals may be. A judge who does not look is named if
its interval holds zero, so nine of ten are; 1,000 such judges tell 90% from 85%."""
Judges = dict[str, tuple[float, float]]


def make_strengths(n: int, draw: Any) -> dict[str, float]:
    """Strengths of items, centred."""
    values = draw.normal(size=n)
    names = (f"m{i}" for i in range(n))
    return dict(zip(names, (values - values.mean()).tolist(), strict=True))


def _judges(numbers: Any) -> Judges:
    return {f"j{i}": (float(s), float(b)) for i, (s, b) in enumerate(numbers)}


def equal(_: Any) -> Judges:
    """Ten judges who are all the same."""
    return _judges([(1, 0)] * 10)


def panel(draw: Any) -> Judges:
    """Ten judges who differ, some of whom favour what they see first."""
    return _judges(
        zip(draw.uniform(0.3, 1.7, 10), draw.normal(0.3, 0.5, 10), strict=True)
    )


def spammed(draw: Any) -> Judges:
    """The same, with six who do not look and two who prefer the weaker item."""
    bad = [(0, b) for b in draw.normal(0, 0.7, 6)] + [(-1, 0), (-1, 0)]
    return _judges([*panel(draw).values(), *bad])


def crowd(draw: Any) -> Judges:
    """A hundred judges with twenty verdicts each, a fifth of whom do not look."""
    some = draw.normal(1, 0.4, 100) * (np.arange(100) >= 20)
    return _judges(zip(some, draw.normal(0, 0.3, 100), strict=True))


CASES: dict[str, Callable[[Any], Judges]] = {
    "equal judges": equal,
    "a panel": panel,
    "a panel and spammers": spammed,
    "a crowd": crowd,
}


def as_table(made: dict[str, Any]) -> pd.DataFrame:
    """The comparisons as Crowd-Kit takes them; it knows no ties."""
    winner = np.where(made["winner"] == "a", made["a"], made["b"])
    return pd.DataFrame(
        {
            "worker": made["judge"],
            "left": made["a"],
            "right": made["b"],
            "label": winner,
        }
    )


def as_pairs(made: dict[str, Any]) -> list[tuple[int, int]]:
    """The comparisons as choix takes them: numbers of winner and loser."""
    a, b = (np.char.lstrip(made[name], "m").astype(int) for name in "ab")
    won = made["winner"] == "a"
    both = np.where(won, a, b).tolist(), np.where(won, b, a).tolist()
    return list(zip(*both, strict=True))


def by_corral(made: dict[str, Any], **options: Any) -> tuple[Any, Any]:
    """Strengths of items and sensitivities of judges, by name."""
    found = corral.preferences(made, **options)
    judges = pd.Series(found.judges.sensitivity, found.judges.names)
    return pd.Series(found.strengths, found.items), judges


def by_choix(made: dict[str, Any]) -> tuple[Any, Any]:
    """Maximum likelihood, all judges equal."""
    n = 1 + max(map(max, as_pairs(made)))
    found = choix.opt_pairwise(n, as_pairs(made), alpha=0.02)
    return pd.Series(found, [f"m{i}" for i in range(n)]), None


def by_bradley_terry(made: dict[str, Any]) -> tuple[Any, Any]:
    """Crowd-Kit's; with any tolerance it would stop after two rounds."""
    return np.log(BradleyTerry(n_iter=500, tol=0).fit_predict(as_table(made))), None


def by_noisy(made: dict[str, Any]) -> tuple[Any, Any]:
    """Crowd-Kit's, with a skill per judge."""
    model = NoisyBradleyTerry(n_iter=100).fit(as_table(made))
    return model.scores_, model.skills_


METHODS: dict[str, Callable[[dict[str, Any]], tuple[Any, Any]]] = {
    "corral": lambda made: by_corral(made, judge="judge"),
    "corral, one judge": lambda made: by_corral(made, first=None),
    "choix": by_choix,
    "Crowd-Kit BradleyTerry": by_bradley_terry,
    "Crowd-Kit NoisyBradleyTerry": by_noisy,
}


def measure_agreement() -> dict[str, float]:
    """Largest difference of any strength from the same model of others, by library."""
    draw = np.random.default_rng(0)
    made = random_comparisons(
        3000, make_strengths(N_ITEMS, draw), {"j": (1, 0)}, ties=0, seed=0
    )
    pairs, names = as_pairs(made), [f"m{i}" for i in range(N_ITEMS)]

    def apart(other: Any, prior: float) -> float:
        ours = by_corral(made, first=None, prior=prior)[0][names]
        return float(np.abs(ours - (other - other.mean())).max())

    ridge = choix.opt_pairwise(N_ITEMS, pairs, alpha=0.02, tol=1e-10)
    crowd_kit = by_bradley_terry(made)[0][names].to_numpy()
    return {  # choix takes alpha, not half of it, times the squares
        "choix, with a prior": apart(ridge, 0.04**-0.5),
        "choix, without": apart(choix.ilsr_pairwise(N_ITEMS, pairs), 1e6),
        "Crowd-Kit": apart(crowd_kit, 1e6),
    }


def measure_quality(draws: int, n: int = 2000) -> dict[str, Any]:
    """Kendall's tau with the true order, and Spearman's rho with true sensitivities."""
    found: dict[str, Any] = {}
    for case, make_judges in CASES.items():
        scores: dict[str, list[list[float]]] = {name: [] for name in METHODS}
        for seed in range(draws):
            draw = np.random.default_rng([seed, 1])
            strengths, judges = make_strengths(N_ITEMS, draw), make_judges(draw)
            made = random_comparisons(n, strengths, judges, ties=0, seed=seed)
            for name, method in METHODS.items():
                items, skills = method(made)
                tau = kendalltau(items[list(strengths)], list(strengths.values()))[0]
                known = (
                    skills is not None and len(skills) > 1 and case != "equal judges"
                )
                true = [s for s, _ in judges.values()]
                rho = spearmanr(skills[list(judges)], true)[0] if known else np.nan
                scores[name].append([float(tau), float(rho)])
        found[case] = {
            name: dict(zip(("order", "judges"), _mean(rows), strict=True))
            for name, rows in scores.items()
        }
    return found


def _mean(rows: list[list[float]]) -> list[float | None]:
    columns = np.array(rows).T
    return [None if np.isnan(c).any() else float(c.mean()) for c in columns]


def measure_detection(draws: int) -> dict[str, float]:
    """Shares of judges that are named: those who should be, and those who should not."""
    hits: dict[str, list[float]] = {}
    for seed in range(draws):
        draw = np.random.default_rng([seed, 2])
        judges = _judges([(1, 0)] * 6 + [(1, 1)] * 2 + [(0, 0)] * 2 + [(-1, 0)] * 2)
        made = random_comparisons(
            3000, make_strengths(N_ITEMS, draw), judges, seed=seed
        )
        found = corral.preferences(made, judge="judge")
        notes = dict(zip(found.judges.names, found.judges.describe(), strict=True))
        wanted = ["favours the first", "no better than chance", "prefers the weaker"]
        kinds = [""] * 6 + [words for words in wanted for _ in range(2)]
        for i, kind in enumerate(kinds):
            said = notes[f"j{i}"]
            hits.setdefault(kind or "good judges without a note", []).append(
                kind in said if kind else said == ""
            )
    return {kind: float(np.mean(rows)) for kind, rows in hits.items()}


def measure_coverage(draws: int) -> dict[str, dict[str, float]]:
    """Shares of 90% intervals that hold the true number: of strengths, and of judges."""
    cases = {"one judge": lambda _: _judges([(1, 0.3)]), **CASES}
    found = {}
    for case, make_judges in cases.items():
        hits = []
        for seed in range(draws):
            draw = np.random.default_rng([seed, 3])
            strengths, judges = make_strengths(8, draw), make_judges(draw)
            made = random_comparisons(2000, strengths, judges, seed=seed)
            each = "judge" if len(judges) > 1 else None
            fit = corral.preferences(made, judge=each)
            share = pd.Series(fit.judges.n_verdicts, fit.judges.names)
            true = pd.DataFrame(judges, index=["s", "b"]).T.reindex(fit.judges.names)
            if each is None:
                true = pd.DataFrame({"s": [1.0], "b": [0.3]})
                share = pd.Series([1.0])
            root = float(np.sqrt((true["s"] ** 2) @ share.to_numpy() / share.sum()))
            values = root * np.array([strengths[name] for name in fit.items])
            bias = 1 / (1 + np.exp(-true["b"].to_numpy()))
            hits.append(
                [
                    _within(fit.interval, values),
                    _within(
                        fit.judges.sensitivity_interval, true["s"].to_numpy() / root
                    ),
                    _within(fit.judges.first_share_interval, bias),
                ]
            )
        rows = np.array(hits)
        names = ("strengths", "sensitivities", "position bias")
        found[case] = {
            name: float(column.mean())
            for name, column in zip(names, rows.T, strict=True)
            if each or name != "sensitivities"
        }
    return found


def _within(interval: Any, values: Any) -> float:
    return float(np.mean((interval[:, 0] <= values) & (values <= interval[:, 1])))


def measure_tasks(draws: int) -> dict[str, float]:
    """Coverage where six judges err together on a task, with and without its column."""
    draw = np.random.default_rng(4)
    strengths, judges = make_strengths(8, draw), _judges([(1, 0)] * 6)
    large = random_comparisons(100_000, strengths, judges, shared=2.0, seed=1)
    true = by_corral(large, judge="judge")[0]  # what more and more tasks lead to
    hits: dict[str, list[float]] = {"independent": [], "by task": []}
    for seed in range(draws):
        made = random_comparisons(300, strengths, judges, shared=2.0, seed=seed + 2)
        for name, task in (("independent", None), ("by task", "task")):
            fit = corral.preferences(made, judge="judge", task=task)
            hits[name].append(_within(fit.interval, true[list(fit.items)].to_numpy()))
    return {name: float(np.mean(rows)) for name, rows in hits.items()}


def measure_speed(n: int) -> dict[str, Any]:
    """Seconds for `n` comparisons; for fewer, of those who are slow."""
    found: dict[str, Any] = {}
    for n_items, n_judges in ((100, 20), (1000, 100)):
        draw = np.random.default_rng(5)
        judges = _judges([(s, 0) for s in draw.uniform(0.5, 1.5, n_judges)])
        strengths = make_strengths(n_items, draw)
        made = random_comparisons(n, strengths, judges, ties=0, seed=5)
        frame = pd.DataFrame(made)
        few = random_comparisons(n // 50, strengths, judges, ties=0, seed=5)
        works: dict[str, tuple[int, Callable[[], Any]]] = {
            "corral": (n, lambda f=frame: corral.preferences(f, judge="judge")),
            "choix": (n // 50, lambda m=few: by_choix(m)),
            "Crowd-Kit BradleyTerry": (n, lambda m=made: by_bradley_terry(m)),
            "Crowd-Kit NoisyBradleyTerry": (n // 50, lambda m=few: by_noisy(m)),
        }
        row = {}
        for name, (size, work) in works.items():
            clock, cpu = time.perf_counter(), time.process_time()
            work()
            row[name] = {
                "comparisons": size,
                "seconds": time.perf_counter() - clock,
                "cpu_seconds": time.process_time() - cpu,
            }
        found[f"{n_items:,} items, {n_judges} judges"] = row
    return found


def show(found: dict[str, Any]) -> None:
    """Every part as a table: its lines, and what is in them."""
    for title, part in found.items():
        if title == "machine" or not isinstance(part, dict):
            continue
        nested = isinstance(next(iter(part.values())), dict)
        lines = part if nested else {title: part}
        table = Table(title=title, box=None, title_justify="left", header_style="bold")
        table.add_column("")
        names = list(dict.fromkeys(name for row in lines.values() for name in row))
        for name in names:
            table.add_column(name, justify="right")
        for name, row in lines.items():
            table.add_row(name, *(_write(row.get(column)) for column in names))
        Console(width=150).print(table)


def _write(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(_write(part) for part in value.values())
    return (
        ""
        if value is None
        else f"{value:.3g}"
        if isinstance(value, float)
        else str(value)
    )


def find_missed(found: dict[str, Any]) -> list[str]:
    """Claims that the figures do not bear out."""
    missed = [
        f"within 1e-4 of {name}"
        for name, gap in found["agreement"].items()
        if gap > 1e-4
    ]
    for case, row in found["coverage"].items():
        for name, share in row.items():
            if abs(share - 0.9) > ROOM:
                missed.append(f"{case}: 90% intervals of {name} hold {share:.0%}")
    if abs(found["tasks"]["by task"] - 0.9) > ROOM:
        missed.append("intervals by task hold 85 to 95%")
    for case, row in found["quality"].items():
        ours = row["corral"]["order"]
        for name in ("choix", "Crowd-Kit BradleyTerry", "Crowd-Kit NoisyBradleyTerry"):
            if ours < row[name]["order"] - 0.01:
                missed.append(f"{case}: an order as good as that of {name}")
    for kind, share in found["detection"].items():
        if share < 0.9 - ROOM:
            missed.append(f"detection: {kind}, {share:.0%}")
    return missed


def run(small: bool) -> dict[str, Any]:
    """All parts."""
    few = 5 if small else 1
    draws = {"quality": 10, "detection": 500, "coverage": 150, "tasks": 100}
    draws = {
        part: number if part == "detection" else number // few
        for part, number in draws.items()
    }
    return {
        "load": os.getloadavg()[0],
        "draws": draws,
        "agreement": measure_agreement(),
        "quality": measure_quality(draws["quality"]),
        "detection": measure_detection(draws["detection"]),
        "coverage": measure_coverage(draws["coverage"]),
        "tasks": measure_tasks(draws["tasks"]),
        "speed": measure_speed(1_000_000 // few),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="fewer draws and rows")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    results = run(given.small)
    show(results)
    store("preferences", results)
    exit_with(find_missed(results))
