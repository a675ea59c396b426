"""``python -m benchmarks quality``: label quality on public sets, beside other methods.

Without labels, and with 20 to 200 labelled rows drawn at random. Figures are means over
families of sets, with standard errors: sets of one study count once. Gains are points of
accuracy over the vote, log-losses beside those of the smoothed vote share. No method reads
gold labels but those that it is given, which are not scored.

*Late* are families that were first run when the default was finished. On the others its
form was found, so its constants are also quoted as chosen without the family.
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import exit_with, store
from benchmarks.methods import MANY_CLASSES, METHODS, can_run, vote_share
from benchmarks.sets import KINDS, VoteSet, load_sets
from benchmarks.simulated import (
    ACCURACIES,
    add_noisy_copies,
    rules_with_gold,
    with_bad_company,
    with_rater,
)
from corral import Auto, ConstrainedLabeler, FromLabels
from corral.decisions import winner_shares
from corral.rates import default, from_labels

VOTE, SMOOTHED, DEFAULT = "vote share", "smoothed share", "default"
PREVIOUS = "previous default"
SIZES = (20, 50, 100, 200)
LEFT = 4
"""Of the gold rows of a set, no more than one in so many is given as a label."""
DRAWS, SPREAD_DRAWS = 12, 3
"""Draws of labelled rows; the first few also with other spreads."""
SMALL = 1500
"""Examples of the sets of a quick look."""
FEWEST = 20
"""Votes on examples with gold from which the error rate of a signal is known."""
LEVEL = 1.645
"""Standard errors to either side of a 90% interval."""
NEAR_BEST = 0.1
"""Constants whose mean gain is so near the best are chosen between by log-loss."""
GRID = {
    "ASSUMED": (0.65, 0.75, 0.85),
    "CORRELATION": (0.2, 1 / 3, 0.5),
    "PRIOR": (2.0, 5.0, 10.0),
    "FLOOR": (0.02, 0.05, 0.1),
}
"""Constants of the default."""
SPREADS = {
    "all 0.5": (0.5, 0.5, 0.5),
    "all 0.3": (0.3, 0.3, 0.3),
    "classes 0.3": (0.5, 0.3, 0.5),
    "as it is": (0.5, 0.3, 0.7),
    "signals 1": (0.5, 0.3, 1.0),
}
"""Constants of `FromLabels`: spreads of cells and trust, of classes, and of signals."""
ABLATIONS: dict[str, dict[str, float]] = {
    "as it is": {},
    "signals not told apart": {"PRIOR": 1e6},
    "not shrunk": {"PRIOR": 1e-6},
    "half of all votes informed, where they cannot tell": {"ASSUMED": 0.5},
    "votes independent, no shares": {"CORRELATION": 0.0},
    "no floor": {"FLOOR": 0.0},
    "copies counted": {"MIN_COPIED_VOTES": np.inf},
}
Scores = dict[str, float]
Row = dict[str, Any]


def previous(one: VoteSet) -> Scores:
    """Accuracy and log-loss of the default of commit 4bc39b8, stored by set."""
    known = json.loads(Path(__file__).with_name("previous_default.json").read_text())
    accuracy, loss = known[one.name]
    return {"accuracy": accuracy, "log-loss": loss}


def score_all(
    sets: list[VoteSet], methods: Iterable[str]
) -> dict[str, dict[str, Scores]]:
    """Scores by set and method."""
    wanted, found = list(methods), {}
    for one in track(sets, "scores"):
        found[one.name] = {
            name: one.score(METHODS[name](one)) for name in wanted if can_run(name, one)
        }
        found[one.name][PREVIOUS] = previous(one)
    return found


def by_family(
    sets: Iterable[VoteSet], figure: Callable[[VoteSet], float]
) -> tuple[float, float]:
    """Mean over families of a figure, and its standard error."""
    own = defaultdict(list)
    for one in sets:
        own[one.family].append(figure(one))
    means = np.array([np.mean(values) for values in own.values()])
    return float(means.mean()), float(means.std() / max(len(means) - 1, 1) ** 0.5)


def summarise(
    sets: list[VoteSet], scores: Mapping[str, Mapping[str, Scores]], method: str
) -> Row:
    """One method on the sets that it ran on, beside the vote on the same."""
    ran = [one for one in sets if method in scores[one.name]]

    def over(part: str, other: str) -> Callable[[VoteSet], float]:
        return lambda one: (
            scores[one.name][method][part] - scores[one.name][other][part]
        )

    gains = {one.name: over("accuracy", VOTE)(one) for one in ran}
    worst = min(gains, key=gains.__getitem__)
    row: Row = {"sets": len(ran), "families": len({one.family for one in ran})}
    row["gain"], row["gain ±"] = by_family(ran, over("accuracy", VOTE))
    row["log-loss"], _ = by_family(
        ran, lambda one: scores[one.name][method]["log-loss"]
    )
    row["over smoothed"], row["smoothed ±"] = by_family(ran, over("log-loss", SMOOTHED))
    if "balanced" in scores[ran[0].name][method]:
        row["balanced gain"], _ = by_family(ran, over("balanced", VOTE))
        row["rare F1 gain"], _ = by_family(ran, over("rare F1", VOTE))
    row["1 below"] = sum(gain < -1 for gain in gains.values())
    return row | {"worst": gains[worst], "on": worst}


def label_draws(one: VoteSet, seed: int, draws: int) -> dict[int, dict[str, Scores]]:
    """By number of labels: scores on the other rows, means over draws."""
    free: Any = Auto().estimate(one.signals).model
    without = {VOTE: vote_share(one), SMOOTHED: vote_share(one, 1.0)}
    without[DEFAULT] = free.labels(one.signals)
    gold, found = np.flatnonzero(one.gold >= 0), {}
    for size in SIZES:
        if len(gold) < LEFT * size:
            continue
        runs = defaultdict(list)
        for draw in range(draws):
            rng = np.random.default_rng([seed, size, draw])
            rows = rng.choice(gold, size, replace=False)
            rest = np.setdiff1d(gold, rows)
            truth = np.eye(one.k)[one.gold[rows]]
            for method, labels in without.items():
                runs[method].append(one.score(labels, rest))
            for name, (cell, classes, signals) in SPREADS.items():
                if name != "as it is" and draw >= SPREAD_DRAWS:
                    continue
                with mock.patch.multiple(
                    from_labels,
                    SPREAD=cell,
                    CLASS_SPREAD=classes,
                    SIGNAL_SPREAD=signals,
                ):
                    model = from_labels.move_weights(
                        free, one.signals.take(rows), truth
                    )
                labels = model.labels(one.signals)
                runs[name].append(one.score(labels, rest))
                if name == "as it is":
                    rare = labels / np.sqrt(labels.mean(axis=0))
                    rare /= rare.sum(axis=1, keepdims=True)
                    runs["balanced answers"].append(one.score(rare, rest))
        found[size] = {
            method: {part: mean(run[part] for run in some) for part in some[0]}
            for method, some in runs.items()
        }
    return found


def label_table(sets: list[VoteSet], found: dict[str, Any]) -> Row:
    """By number of labels and method: what labels bring."""
    rows = {}
    for size in SIZES:
        some = [one for one in sets if size in found[one.name]]
        if some:
            at = {one.name: found[one.name][size] for one in some}
            shown = (DEFAULT, "as it is", "balanced answers")
            rows[size] = {method: summarise(some, at, method) for method in shown}
    return rows


def spreads_left_out(sets: list[VoteSet], found: dict[str, Any]) -> Row:
    """Gain and log-loss with spreads chosen without the family, by number of labels."""
    figures = defaultdict(dict)
    for size, name in itertools.product(SIZES, SPREADS):
        for family in {one.family for one in sets}:
            own = [found[o.name] for o in sets if o.family == family]
            pairs = [
                (
                    at[size][name]["accuracy"] - at[size][VOTE]["accuracy"],
                    at[size][name]["log-loss"],
                )
                for at in own
                if size in at
            ]
            if pairs:
                figures[family][size, name] = np.mean(pairs, axis=0)
    chosen, left_out = Counter(), defaultdict(list)
    for family, mine in figures.items():
        others = [each for name, each in figures.items() if name != family]
        mean_of = {
            name: np.mean(
                [e[size, name] for e in others for size in SIZES if (size, name) in e],
                0,
            )
            for name in SPREADS
        }
        best = max(gain for gain, _ in mean_of.values())
        near = [name for name in SPREADS if mean_of[name][0] >= best - NEAR_BEST]
        pick = min(near, key=lambda name: mean_of[name][1])
        chosen[pick] += 1
        for size in SIZES:
            if (size, pick) in mine:
                left_out[size].append(mine[size, pick])
    figures_left = {s: np.mean(rows, axis=0).tolist() for s, rows in left_out.items()}
    return {"chosen": dict(chosen), "gain and log-loss": figures_left}


def find_gain(one: VoteSet, constants: dict[str, float]) -> tuple[float, float]:
    """Gain over the vote and log-loss of the default with other constants."""
    with mock.patch.multiple(default, **({"PRIOR": default.PRIOR} | constants)):
        found = one.score(METHODS[DEFAULT](one))
    return found["accuracy"] - one.score(vote_share(one))["accuracy"], found["log-loss"]


def ablation(sets: list[VoteSet]) -> Row:
    """Gain over the vote and log-loss by family, with one constant changed."""
    rows = {}
    for name, changes in track(list(ABLATIONS.items()), "ablation"):
        found = {one.name: find_gain(one, changes) for one in sets}
        kinds = {
            kind: mean(found[one.name][0] for one in sets if one.kind == kind)
            for kind in KINDS
        }
        families = {
            part: by_family(sets, lambda one, at=at, found=found: found[one.name][at])[
                0
            ]
            for at, part in enumerate(("gain by family", "log-loss"))
        }
        rows[name] = families | kinds
    return rows


def constants_left_out(sets: list[VoteSet]) -> Row:
    """Gain and log-loss by family, with constants chosen on all other families."""
    points = list(itertools.product(*GRID.values()))
    found = np.array(
        [
            [find_gain(one, dict(zip(GRID, point, strict=True))) for point in points]
            for one in track(sets, "constants")
        ]
    )
    family = np.array([one.family for one in sets])
    names = np.unique(family)
    means = np.stack([found[family == name].mean(axis=0) for name in names])
    chosen = []
    for at in range(len(names)):
        others = np.delete(means, at, axis=0).mean(axis=0)
        near = others[:, 0] >= others[:, 0].max() - NEAR_BEST
        chosen.append(int(np.where(near, others[:, 1], np.inf).argmin()))
    left_out = means[np.arange(len(names)), chosen].mean(axis=0)
    own = points.index(tuple(getattr(default, name) for name in GRID))
    listed = Counter(str(dict(zip(GRID, points[at], strict=True))) for at in chosen)
    return {
        "as it is": means[:, own].mean(axis=0).tolist(),
        "left out": left_out.tolist(),
        "chosen": dict(listed.most_common()),
    }


def rates_that_are_known(rules: list[VoteSet]) -> dict[str, Row]:
    """Rules and one rater: mean accuracy and log-loss, and with the rate of the rater."""
    rows = {}
    for accuracy in ACCURACIES:
        found = defaultdict(list)
        for one in with_rater(rules, accuracy):
            rater = one.signals.names[-1]
            known = ConstrainedLabeler({rater: 1 - accuracy}).fit(one.signals)
            for name in (VOTE, "Dawid-Skene", DEFAULT):
                found[name].append(one.score(METHODS[name](one)))
            found["default, rate given"].append(one.score(known.labels_))
        rows[f"rater {accuracy}"] = {
            f"{name}{part}": mean(each[key] for each in some)
            for name, some in found.items()
            for key, part in (("accuracy", ""), ("log-loss", ", log-loss"))
        }
    return rows


def company(rules: list[VoteSet]) -> dict[str, Row]:
    """Mean accuracy beside signals that are bad."""
    found = defaultdict(lambda: defaultdict(list))
    for one in with_bad_company(rules):
        for name in (VOTE, "Dawid-Skene", DEFAULT):
            found[one.kind][name].append(one.score(METHODS[name](one))["accuracy"])
    return {
        kind: {name: mean(some) for name, some in row.items()}
        for kind, row in found.items()
    }


def interval_coverage(sets: list[VoteSet], size: int = 0) -> dict[str, Row]:
    """By kind: how many 90% intervals of error rates hold the true rate.

    Without labels, or with `size` of them. Where gold is partial, the true rate is itself
    an estimate, whose sampling error is added to the standard error.
    """
    found = defaultdict(list)
    for one in track(sets, "intervals"):
        gold = np.flatnonzero(one.gold >= 0)
        if len(gold) < LEFT * size:
            continue
        estimator: Any = Auto()
        if size:
            rows = np.random.default_rng(0).choice(gold, size, replace=False)
            estimator = FromLabels(one.gold[rows], one.signals.take(rows))
        rates = estimator.estimate(one.signals)
        said = (one.votes >= 0) & (one.gold >= 0)[:, None]
        number = said.sum(axis=0)
        at = np.flatnonzero(number >= FEWEST)
        if not len(at):
            continue
        true = ((one.votes != one.gold[:, None]) & said).sum(axis=0)[at] / number[at]
        partial = number[at] < (one.votes >= 0).sum(axis=0)[at]
        sampling = partial * true * (1 - true) / number[at]
        half = LEVEL * np.sqrt(rates.standard_errors[at] ** 2 + sampling)
        off = rates.error_rates[at] - true
        found[one.kind].append((float((np.abs(off) <= half).mean()), float(off.mean())))
    return {
        kind: {
            "held": mean(row[0] for row in rows),
            "bias": mean(row[1] for row in rows),
        }
        for kind, rows in found.items()
    }


def copies_change(sets: list[VoteSet], flipped: float) -> dict[str, Row]:
    """By kind: per cent of hard labels that three copies of a signal change."""
    found = defaultdict(list)
    for at, one in enumerate(track(sets, "copies")):
        more = add_noisy_copies(one, np.random.default_rng(at), flipped=flipped)
        found[one.kind].append(
            [
                50
                * np.abs(winner_shares(method(one)) - winner_shares(method(more)))
                .sum(axis=1)
                .mean()
                for method in (vote_share, METHODS[DEFAULT])
            ]
        )
    return {
        kind: dict(zip((VOTE, DEFAULT), np.mean(rows, axis=0).tolist(), strict=True))
        for kind, rows in found.items()
    }


def soft_scores(sets: list[VoteSet]) -> dict[str, Row]:
    """On soft sets: the default on probabilities, and simpler things."""
    found = {}
    for one in track(sets, "soft signals"):
        assert one.probabilities is not None
        silent = np.isnan(one.probabilities)
        spoken = np.maximum((~silent[:, :, 0]).sum(axis=1), 1)
        average = np.where(silent, 0, one.probabilities).sum(axis=1) / spoken[:, None]
        each = np.where(silent, 1 / one.k, one.probabilities)
        alone = [one.score(each[:, i]) for i in range(each.shape[1])]
        rows = {
            "averaging": one.score(average),
            "best signal": max(alone, key=lambda s: s["accuracy"]),
            "default, rounded": one.score(METHODS[DEFAULT](one)),
            DEFAULT: one.score(ConstrainedLabeler().fit(one.soft_signals).labels_),
        }
        found[one.name] = {
            f"{name}{part}": row[key]
            for name, row in rows.items()
            for key, part in (("accuracy", ""), ("log-loss", ", log-loss"))
        }
    return found


def mean(values: Iterable[float]) -> float:
    """A plain number."""
    return float(np.mean(list(values)))


def run(small: bool) -> Row:
    """Everything, printed as it comes."""
    sets = sorted(load_sets(), key=lambda one: KINDS.index(one.kind))
    rules = rules_with_gold()
    if small:
        sets, rules = [one for one in sets if len(one.votes) <= SMALL], rules[:3]
    few = [one for one in sets if one.k <= MANY_CLASSES]
    early, late = [
        [o for o in few if o.is_late is is_late] for is_late in (False, True)
    ]
    groups = {"all": few, "early": early, "late": late}
    groups |= {kind: [one for one in few if one.kind == kind] for kind in KINDS}
    methods = [name for name in METHODS if not (small and name == "HyperLM")]
    scores = score_all(sets, methods)
    result: Row = {"groups": {}}
    for group, some in groups.items():
        rows = {name: summarise(some, scores, name) for name in [*methods, PREVIOUS]}
        result["groups"][group] = rows
        show(f"{group}: {len(some)} sets, {rows[VOTE]['families']} families", rows)
    families = {one.family for one in few}
    gains = {
        family: mean(
            scores[one.name][DEFAULT]["accuracy"] - scores[one.name][VOTE]["accuracy"]
            for one in few
            if one.family == family
        )
        for family in families
    }
    lost = sorted(family for family in families if gains[family] < 0)
    result["lost"] = {f: gains[f] for f in sorted(lost, key=gains.__getitem__)}
    show(
        "Where it loses",
        {name: {"gain": gain} for name, gain in result["lost"].items()},
    )
    draws = {
        one.name: label_draws(one, seed, 1 if small else DRAWS)
        for seed, one in enumerate(track(few, "few labels"))
    }
    result["labels"] = {
        name: label_table(some, draws)
        for name, some in groups.items()
        if name in ("all", "early", "late")
    }
    for name, sizes in result["labels"].items():
        for size, rows in sizes.items():
            show(f"{size} labels, {name}", rows)
    result["spreads"] = spreads_left_out(few, draws)
    result["known rates"] = rates_that_are_known(rules)
    result["company"] = company(rules)
    result["intervals"] = interval_coverage(few)
    result["intervals, 50 labels"] = interval_coverage(few, 50)
    result["copies"] = copies_change(few, 0.0)
    result["noisy copies"] = copies_change(few, 0.05)
    soft = [one for one in sets if one.kind == "soft" and one.k <= MANY_CLASSES]
    result["soft"] = soft_scores(soft)
    result["ablation"] = ablation(early)
    sections = ["known rates", "company", "intervals", "intervals, 50 labels"]
    for name in [*sections, "copies", "noisy copies", "soft", "ablation"]:
        show(name, result[name])
    if not small:
        result["constants"] = constants_left_out(early)
        Console().print(result["constants"], result["spreads"])
    return result


def show(title: str, rows: Mapping[str, Row]) -> None:
    """One line per entry; numbers with two or three digits."""
    table = Table(box=None, header_style="bold", title=title, title_justify="left")
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    for heading in ("", *columns):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in rows.items():
        cells = [row.get(column, "") for column in columns]
        texts = (
            (f"{x:.3f}" if "lo" in column or "smoothed" in column else f"{x:.2f}")
            if isinstance(x, float)
            else str(x)
            for column, x in zip(columns, cells, strict=True)
        )
        table.add_row(str(name), *texts)
    Console(width=170).print("\n", table)


def missed(result: Row) -> list[str]:
    """What README and the docs claim and the run did not show."""
    every, late = (result["groups"][group][DEFAULT] for group in ("all", "late"))
    claims = {
        "log-loss below the smoothed share's": every["over smoothed"]
        < -2 * every["smoothed ±"],
        "on late families, too, on average": late["over smoothed"] < 0,
        "a gain over the vote": every["gain"] > 2 * every["gain ±"],
    }
    for size, most in ((20, 3.0), (100, 1.5)):
        none, few, balanced = result["labels"]["all"][size].values()
        claims |= {
            f"{size} labels: no set {most} below the vote": few["worst"] > -most,
            f"{size} labels: a point more than none": few["gain"] > none["gain"] + 1,
            f"{size} labels: balanced answers find rare classes": balanced[
                "rare F1 gain"
            ]
            > none["rare F1 gain"],
        }
    return [claim for claim, shown in claims.items() if not shown]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="small sets only")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(options.small)
    if store("quality", found):
        exit_with(missed(found))
