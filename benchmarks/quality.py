"""``python -m benchmarks.quality``: label quality on the public sets, beside other methods.

By kind of signals (`benchmarks.sets`); *mixed* are 16 sets of rules with one simulated
rater who is right 75, 85 or 95 times in a hundred. Scores are accuracies, or the F1 of
class 1 on seven sets; ties count in shares. No method reads gold labels.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import quality_checks as checks
from benchmarks.measure import exit_with, store
from benchmarks.methods import MANY_CLASSES, METHODS, can_run
from benchmarks.quality_checks import mean
from benchmarks.sets import KINDS, VoteSet, load_sets
from benchmarks.simulated import (
    ACCURACIES,
    rules_with_gold,
    with_bad_company,
    with_rater,
)

VOTE, AUTO = "vote share", "Auto"
ALL = "all but mixed"
COMPARED = (VOTE, "Dawid-Skene", AUTO)
DRAWS = range(1, 6)
"""Seeds of the raters that are held against max(vote, rater)."""
SMALL = 1500
"""Examples of the sets of a quick look."""
Scores = dict[str, dict[str, float]]
"""By method: score, log-loss and Brier."""


def score_all(
    sets: list[VoteSet], methods: Iterable[str], what: str
) -> dict[str, Scores]:
    """Scores of the methods on every set, by its name."""
    return {
        one.name: {
            name: one.score(METHODS[name](one))
            for name in methods
            if can_run(name, one)
        }
        for one in track(sets, what)
    }


def summarise(scores: list[tuple[str, Scores]]) -> dict[str, dict[str, Any]]:
    """By method: means over sets (name, scores), the gain over the vote, and the worst."""
    rows = {}
    for method in METHODS:
        mine = [(name, row) for name, row in scores if method in row]
        if not mine:
            continue
        means = {
            part: mean(row[method][part] for _, row in mine)
            for part in ("score", "log_loss", "brier")
        }
        gains = [row[method]["score"] - row[VOTE]["score"] for _, row in mine]
        worst = int(np.argmin(gains))
        rows[method] = means | {
            "sets": len(mine),
            "gain": mean(gains),
            "+-": float(np.std(gains, ddof=min(1, len(gains) - 1)) / len(gains) ** 0.5),
            "worst": gains[worst],
            "on": mine[worst][0],
            "below": sum(gain < -1 for gain in gains),
        }
    return rows


def run(small: bool) -> dict[str, Any]:
    """Everything, printed as it comes."""
    sets = sorted(load_sets(), key=lambda one: KINDS.index(one.kind))
    rules = rules_with_gold()
    if small:
        sets, rules = [one for one in sets if len(one.votes) <= SMALL], rules[:3]
    mixed = [replace(m, kind="mixed") for a in ACCURACIES for m in with_rater(rules, a)]
    every = sets + mixed
    methods = [name for name in METHODS if not (small and name == "HyperLM")]
    scores = score_all(every, methods, "scores")
    result: dict[str, Any] = {"kinds": {}}
    for kind in (*KINDS, "mixed", ALL):
        wanted = KINDS if kind == ALL else (kind,)
        some = [(one.name, scores[one.name]) for one in every if one.kind in wanted]
        rows = result["kinds"][kind] = summarise(some)
        show(
            f"{kind}: {len(some)} sets", {m: kind_line(row) for m, row in rows.items()}
        )
    result["families"] = family_gains(sets, scores)
    show("Families below the vote", losing(result["families"]))
    result["raters"] = rater_scores(rules, DRAWS[:1] if small else DRAWS)
    company = list(with_bad_company(rules))
    beside = score_all(company, COMPARED, "bad company")
    result["company"] = group_scores(company, beside)
    rows = result["raters"] | result["company"]
    show("Rules and one rater; bad company: mean accuracy", rows)
    result["intervals"] = checks.interval_coverage(every)
    show("90% intervals of error rates that hold the truth", result["intervals"])
    few = [one for one in every if one.k <= MANY_CLASSES]
    real = [one for one in few if one.kind != "mixed"]
    result["copies"] = checks.copies_change(real, draws=1 if small else 3)
    show("% of labels that three noisy copies of a signal change", result["copies"])
    result["soft"] = checks.soft_scores([one for one in sets if one.kind == "soft"])
    show("Soft signals: score / log-loss", soft_lines(result["soft"]))
    result["time"] = checks.time_of_a_million(100_000 if small else 1_000_000)
    show("Seconds from votes to labels", {"": result["time"]})
    result["ablation"] = checks.ablation(few)
    show("Auto with one constant changed: gain over the vote", result["ablation"])
    if not small:
        result["constants"] = checks.leave_one_family_out(real)
        show(
            "Constants: gain over the vote, log-loss over families",
            result["constants"]["means"],
        )
        show("Chosen with a family left out", result["constants"]["chosen"])
    result["aims"] = judge(result)
    show("Aims", result["aims"])
    result["sets"] = {
        name: {m: [s["score"], s["log_loss"]] for m, s in row.items()}
        for name, row in (scores | beside).items()
    }
    return result


def family_gains(sets: list[VoteSet], scores: dict[str, Scores]) -> dict[str, float]:
    """Mean gain of the default over the vote, by family, the worst first."""
    gains: dict[str, list[float]] = {}
    for one in sets:
        row = scores[one.name]
        gains.setdefault(one.family, []).append(row[AUTO]["score"] - row[VOTE]["score"])
    means = {family: mean(values) for family, values in gains.items()}
    return dict(sorted(means.items(), key=lambda item: item[1]))


def losing(families: dict[str, float]) -> dict[str, dict[str, float]]:
    """The families on which the default is below the vote."""
    return {name: {"gain": gain} for name, gain in families.items() if gain < 0}


def rater_scores(rules: list[VoteSet], draws: Any) -> dict[str, dict[str, float]]:
    """Mean accuracies by that of the rater, and of the rater alone."""
    rows = {}
    for accuracy in ACCURACIES:
        some = [one for seed in draws for one in with_rater(rules, accuracy, seed)]
        right = ((one.votes[:, -1] == one.gold).mean() for one in some)
        methods = {
            m: mean(one.score(METHODS[m](one))["score"] for one in some)
            for m in COMPARED
        }
        rows[f"rater {accuracy}"] = {"rater alone": 100 * mean(right), **methods}
    return rows


def group_scores(
    sets: list[VoteSet], scores: dict[str, Scores]
) -> dict[str, dict[str, float]]:
    """Mean scores by kind and method."""
    return {
        kind: {
            m: mean(scores[o.name][m]["score"] for o in sets if o.kind == kind)
            for m in COMPARED
        }
        for kind in dict.fromkeys(one.kind for one in sets)
    }


def judge(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The aims of the default: what was found, and whether it is enough."""
    aims: dict[str, dict[str, Any]] = {}

    def add(aim: str, found: float, enough: bool, where: str = "") -> None:
        verdict = "met" if enough else "MISSED"
        aims[aim] = {"found": found, "": verdict, "where": where}

    kinds = {k: rows for k, rows in result["kinds"].items() if k != ALL}
    gains = {kind: rows[AUTO]["gain"] for kind, rows in kinds.items()}
    low = min(gains, key=gains.__getitem__)
    add("a: no kind below the vote", gains[low], gains[low] >= 0, low)
    family, gain = next(iter(result["families"].items()))
    below = sum(g < -0.3 for g in result["families"].values())
    note = f"{family}; {below} of {len(result['families'])} below"
    add("a: no family below it by 0.3", gain, gain >= -0.3, note)
    worst = min((rows[AUTO]["worst"], rows[AUTO]["on"]) for rows in kinds.values())
    add("a: no set below it by more than 3", worst[0], worst[0] >= -3, worst[1])
    real = [gains[kind] for kind in KINDS]
    note = f"with mixed {mean(gains.values()):.2f}"
    add("b: 2 above it, mean over kinds", mean(real), mean(real) >= 2, note)
    for other in (VOTE, "smoothed share"):
        over = {
            kind: rows[AUTO]["log_loss"] - rows[other]["log_loss"]
            for kind, rows in kinds.items()
        }
        high = max(over, key=over.__getitem__)
        add(
            f"c: log-loss below the {other}'s in every kind",
            over[high],
            over[high] < 0,
            high,
        )
    for name, row in result["raters"].items():
        gap = row[AUTO] - max(row[VOTE], row["rater alone"])
        add(f"d: {name}: max(vote, rater) - 0.5", gap, gap >= -0.5)
    for name, row in result["company"].items():
        gap = row[AUTO] - max(row[VOTE], row["Dawid-Skene"])
        add(f"d: {name}: max(vote, Dawid-Skene) - 1", gap, gap >= -1)
    changed = {kind: row["Auto"] for kind, row in result["copies"].items()}
    high = max(changed, key=changed.__getitem__)
    add("e: noisy copies change at most 1%", changed[high], changed[high] <= 1, high)
    for kind, row in result["intervals"].items():
        held = row["held"]
        add(f"f: {kind}: 80 to 95% of intervals hold", 100 * held, 0.8 <= held <= 0.95)
    soft = {
        m: mean(row[m]["score"] for row in result["soft"].values())
        for m in ("averaging", "best signal", "Auto, probabilities")
    }
    for other in ("averaging", "best signal"):
        gap = soft["Auto, probabilities"] - soft[other]
        add(f"soft signals: {other}, mean over sets", gap, gap >= 0)
    ratio = result["time"]["ratio"]
    aims["g: time, as a multiple of Dawid-Skene's"] = {"found": ratio, "": "no limit"}
    return aims


def kind_line(row: dict[str, Any]) -> dict[str, Any]:
    """A method's line in the table of a kind."""
    return row | {
        "log_loss": f"{row['log_loss']:.3f}",
        "brier": f"{row['brier']:.3f}",
        "gain": f"{row['gain']:+.2f}",
        "on": row["on"] if row["worst"] < 0 else "",
    }


def soft_lines(rows: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Score and log-loss of every soft set, and their means."""
    parts = ("score", "log_loss")
    methods = next(iter(rows.values()))
    means = {
        m: {p: mean(r[m][p] for r in rows.values()) for p in parts} for m in methods
    }
    return {
        name: {m: f"{s['score']:.2f} / {s['log_loss']:.3f}" for m, s in row.items()}
        for name, row in (rows | {"mean": means}).items()
    }


def show(title: str, rows: dict[str, dict[str, Any]]) -> None:
    """One line per entry; numbers with two digits."""
    table = Table(box=None, header_style="bold")
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    for heading in ("", *columns):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for name, row in rows.items():
        cells = (row.get(column, "") for column in columns)
        texts = (f"{x:,.2f}" if isinstance(x, float) else str(x) for x in cells)
        table.add_row(name, *texts)
    console = Console()
    console.print(f"\n[bold]{title}[/]", highlight=False)
    console.print(table)


def missed(result: dict[str, Any]) -> list[str]:
    """What the docs claim and the run did not show."""
    claims = ("a: no kind", "c:", "d: rater")
    return [
        aim
        for aim, row in result["aims"].items()
        if aim.startswith(claims) and row[""] != "met"
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="small sets only")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(options.small)
    if store("quality", found):
        exit_with(missed(found))
