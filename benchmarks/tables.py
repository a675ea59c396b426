"""The tables of README.md and docs, each written from stored results, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.end_models import (
    ITSELF,
    LEFT_OUT,
    TRUE,
    WEIGHED,
    summarise,
)
from benchmarks.panel import (
    BEST,
    ESTIMATES,
    FEW,
    GLADEN,
    INTERVALS,
    PANEL,
    PPI,
    PROMISE,
    SKENE,
    VOTES,
)
from benchmarks.panel import LABELS as ALONE
from benchmarks.sources import RESULTS
from benchmarks.speed import pairs_of
from corral.results.chart import TONES, Axis, Chart, Line, Points


@cache
def read_stored(name: str) -> Any:
    """What ``make bench NAME=...`` has stored last, with its commit and date."""
    return json.loads((RESULTS / f"{name}.json").read_text())


_used: set[str] = set()
"""Results that the table being written has asked for."""


def stored(name: str) -> Any:
    """What was found."""
    _used.add(name)
    return read_stored(name)["found"]


def write_table(name: str) -> str:
    """A table, and when its figures were measured."""
    _used.clear()
    table, said = TABLES[name](), set()
    for result in map(read_stored, sorted(_used)):
        said.add((result["commit"], result["date"]))
    when = ", ".join(f"at commit {commit} of {date}" for commit, date in sorted(said))
    when = when.replace("at commit unknown; stored in", "at or before commit")
    return f"{table}\nMeasured {when.replace('unknown; stored on ', '')}.\n"


def results_of(name: str) -> list[str]:
    """The stored results that a table is made of."""
    write_table(name)
    return sorted(_used)


def lay_out(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    head, *body = ("| " + " | ".join(line) + " |\n" for line in (headings, *rows))
    return head.replace("|  |", "| |") + "|---" * len(headings) + "|\n" + "".join(body)


# -- quality ------------------------------------------------------------------------

KINDS = {
    "rules": "rules",
    "raters": "raters who answer everything",
    "panels": "panels of language models",
    "crowds": "crowd workers",
    "soft": "probabilities of models, rounded",
}
DEFAULT, MOVED, BALANCED = "default", "as it is", "balanced answers"
TITLES = {
    "smoothed share": "vote share, one vote spread",
    "Wawa": "Wawa",
    "Dawid-Skene": "Dawid-Skene",
    "  one round": "Dawid-Skene, one round",
    "MeTaL": "MeTaL",
    "HyperLM": "HyperLM",
    "paper's CLL": "the paper's CLL at 0.01",
    DEFAULT: "**corral's default**",
}


def _gain(row: dict[str, Any]) -> str:
    return f"{row['gain']:+.1f} ± {row['gain ±']:.1f}"


def _loss(row: dict[str, Any]) -> str:
    return f"{row['over smoothed']:+.3f} ± {row['smoothed ±']:.3f}"


def quality_methods() -> str:
    """Every method beside the vote, on all sets and on the late ones."""
    groups = stored("quality")["groups"]
    rows = []
    for name, title in TITLES.items():
        every, late = groups["all"][name], groups["late"][name]
        worst = f"{every['worst']:.0f}"
        rows.append(
            [
                title,
                f"{every['sets']}",
                _gain(every),
                _loss(every),
                f"{every['1 below']}",
                worst,
                _gain(late),
                _loss(late),
            ]
        )
    headings = ["", "sets", "gain", "log-loss", "a point below", "worst"]
    return lay_out([*headings, "gain, late", "log-loss, late"], rows)


def quality_kinds() -> str:
    """The default by kind of signals."""
    groups = stored("quality")["groups"]
    rows = [
        [
            title,
            f"{row['sets']}",
            f"{row['families']}",
            _gain(row),
            _loss(row),
            f"{row['1 below']}",
            f"{row['worst']:.1f} (`{row['on'].split('/')[-1]}`)",
        ]
        for kind, title in KINDS.items()
        for row in [groups[kind][DEFAULT]]
    ]
    headings = ["", "sets", "families", "gain", "log-loss", "a point below", "worst"]
    return lay_out(headings, rows)


OTHERS = (*tuple(TITLES)[1:6], "data programming")


def quality_beside() -> str:
    """The default beside the method that gains most on each kind, seen by its results."""
    rows = []
    for kind, title in KINDS.items():
        methods = stored("quality")["groups"][kind]
        best = max(OTHERS, key=lambda name: methods[name]["gain"])
        ours, theirs = (
            f"{_gain(methods[name])}, {_loss(methods[name])}"
            for name in (DEFAULT, best)
        )
        families = f"{methods[DEFAULT]['families']}"
        rows.append([title, families, ours, f"{TITLES.get(best, best)}: {theirs}"])
    return lay_out(["", "families", "corral", "best of six others"], rows)


def quality_labels() -> str:
    """What labelled rows bring."""
    rows = []
    for size in ("20", "100"):
        methods, late = (
            stored("quality")["labels"][group][size] for group in ("all", "late")
        )
        for name, title in ((DEFAULT, "none"), (MOVED, size), (BALANCED, "")):
            row, answers = methods[name], name == BALANCED  # which are no probabilities
            rows.append(
                [
                    title or f"{size}, balanced answers",
                    f"{row['sets']} of {row['families']}",
                    _gain(row),
                    "" if answers else _loss(row),
                    f"{row['balanced gain']:+.1f}",
                    f"{row['rare F1 gain']:+.1f}",
                    f"{row['worst']:.1f}",
                    _gain(late[name]),
                    "" if answers else _loss(late[name]),
                ]
            )
    parts = ("accuracy", "log-loss", "balanced", "rare F1", "worst")
    return lay_out(["labels", "sets", *parts, "accuracy, late", "log-loss, late"], rows)


def quality_in_short() -> str:
    """What no labels give, and what 20 and 100 give, each on the same sets."""
    rows = []
    for size in ("20", "100"):
        for group, title in (("all", "all"), ("late", "late")):
            methods = stored("quality")["labels"][group][size]
            none, few = methods[DEFAULT], methods[MOVED]
            rows.append(
                [
                    f"{none['families']}, {title}",
                    *(f"{_gain(none)}, {_loss(none)}", size),
                    f"{_gain(few)}, {_loss(few)}",
                ]
            )
    return lay_out(["families", "no labels", "labelled rows", "with these"], rows)


def quality_losses() -> str:
    """The families on which the default is furthest below the vote."""
    lost = list(stored("quality")["lost"].items())[:8]
    return lay_out(["family", "gain"], [[f"`{k}`", f"{v:+.1f}"] for k, v in lost])


def quality_company() -> str:
    """Rules with a rater, whose rate is known or not; and bad company."""
    known, bad = stored("quality")["known rates"], stored("quality")["company"]
    names = ("vote share", "Dawid-Skene", DEFAULT, "default, rate given")
    rows = [
        [COMPANY[case], *(f"{row[name]:.1f}" if name in row else "" for name in names)]
        for case, row in (known | bad).items()
    ]
    return lay_out(["", "vote", "Dawid-Skene", "default", "its rate given"], rows)


COMPANY = {
    "rater 0.75": "a rater of 0.75",
    "rater 0.85": "a rater of 0.85",
    "rater 0.95": "a rater of 0.95",
    "spammer": "a rater who guesses",
    "adversary": "a rater who is right 30 times in a hundred",
    "shared errors": "three raters with shared errors",
    "constant workers": "`rte`, 30% of the workers always say the same",
}


def quality_intervals() -> str:
    """How many intervals of error rates hold."""
    rows = [
        [title, *(f"{found[kind]['held']:.0%}" for kind in KINDS)]
        for title, found in (
            ("no labels", stored("quality")["intervals"]),
            ("50 labels", stored("quality")["intervals, 50 labels"]),
        )
    ]
    return lay_out(["", *KINDS], rows)


# -- calibration, end models, grades ---------------------------------------------------

OWN, CORRECTED = "as they are", "calibrate"


def calibration_sizes() -> str:
    """Calibration error and log-loss, by number of labels."""
    ways = (OWN, CORRECTED, "calibrate, no prior", "FromLabels")
    rows = []
    for size, row in stored("calibration")["mean"].items():
        both = [f"{row[way]['error']:.3f}, {row[way]['log_loss']:.3f}" for way in ways]
        rows.append([size, f"{len(stored('calibration')['sets'][size])}", *both])
    names = [OWN, "`calibrate`", "`calibrate` without its prior", "`FromLabels`"]
    return lay_out(["labelled examples", "sets", *names], rows)


def end_models() -> str:
    """Classifiers on labels of several sources: the mean over the sets of texts."""
    ways = (ITSELF, WEIGHED, LEFT_OUT, TRUE)
    titles = ("`prior=None`", "classes balanced", LEFT_OUT, TRUE)
    found = summarise(stored("end_models"))
    sources = ("corral", "vote", "Snorkel", "gold")
    rows = [
        [title]
        + [
            f"{np.mean(found[source][way]):.1f}" if way in found[source] else ""
            for source in sources
        ]
        for way, title in zip(ways, titles, strict=True)
    ]
    return lay_out(["", *sources], rows)


def _grades(row: dict[str, float]) -> str:
    """Accuracy, distance and, of methods that give probabilities, log-loss."""
    scores = f"{row['accuracy']:.1f}, {row['median_distance']:.3f}"
    return f"{scores}, {row['log_loss']:.3f}" if "log_loss" in row else scores


def ordinal() -> str:
    """Methods on ordered classes: means over sets, thinned sets and simulated graders."""
    result = stored("ordinal")
    rows = [
        [
            name,
            *(_grades(result[part][name]) for part in ORDERED),
            f"{100 * row['held']:.0f}%" if "held" in row else "",
        ]
        for name, row in result["mean"].items()
    ]
    return lay_out(["accuracy, distance, log-loss", *ORDERED.values(), "held"], rows)


ORDERED = {"mean": "six sets", "thinned_mean": "three votes", "simulated": "simulated"}


# -- speed --------------------------------------------------------------------------

IN_MEMORY = {
    "default": "1,000,000 rows of ten votes",
    "labelers": "the same rows, MeTaL in both",
    "soft": "1,000,000 rows of ten probabilities",
    "crowd": "1,000,000 answers of 5,000 workers",
}
FILES = ("files", "billion")


def speed_results(jobs: Iterable[str]) -> list[tuple[str, Any]]:
    """Jobs of `benchmarks.speed` that were measured, and what was found."""
    names = {job: f"speed_{job}" for job in jobs}
    held = {
        job: name for job, name in names.items() if (RESULTS / f"{name}.json").exists()
    }
    return [(job, stored(name)) for job, name in held.items()]


def labelers() -> str:
    """Labelers of corral beside the same of other libraries."""
    rows = []
    for job, found in speed_results(IN_MEMORY):
        seconds, pairs = found["seconds"], pairs_of(job, found)
        rows.append([f"**{IN_MEMORY[job]}**", *[""] * 6])
        for name in seconds:
            right, equal = found["accuracy"].get(name), found["labels equal"].get(name)
            memory, peer = found["memory"].get(name), pairs.get(name)
            rows.append(
                [
                    name,
                    f"{seconds[name]:.3f}",
                    "" if right is None else f"{right:.4f}",
                    "" if memory is None else f"{memory:.1f}",
                    found["settings"][name],
                    f"{seconds[peer] / seconds[name]:.1f} ({peer})" if peer else "",
                    "" if equal is None else f"{100 * equal:.4g}%",
                ]
            )
    headings = ["", "seconds", "accuracy", "memory", "settings", "times as fast as"]
    return lay_out([*headings, "labels equal"], rows)


def speed_in_short() -> str:
    """In memory beside other libraries, and files beside DuckDB alone."""
    rows = []
    for job, found in speed_results(IN_MEMORY):
        ours, theirs = (
            f"{name}: {found['seconds'][name]:.3g} s, "
            f"{100 * found['accuracy'][name]:.1f}% right"
            for name in next(iter(pairs_of(job, found).items()))
        )
        rows.append([IN_MEMORY[job], ours, theirs])
    for _, each in speed_results(FILES):
        for found in each:
            ours, theirs = (
                f"{found['warm'][name]:.3g} s" for name in ("corral", "DuckDB")
            )
            what = f"{found['rows']:,} rows of ten votes, Parquet in and out"
            rows.append([what, ours, f"DuckDB reads and writes them: {theirs}"])
    return lay_out(["", "corral", "others"], rows)


def scale() -> str:
    """Files in, files out, beside DuckDB's and Spark's own read and write."""
    rows = []
    sizes = [found for _, each in speed_results(FILES) for found in each]
    for found in [*sizes, *(found for _, found in speed_results(["spark"]))]:
        for part in ("fresh", "warm"):
            if part in found:
                ours, alone = found[part]["corral"], [*found[part]][1]
                theirs = found[part][alone]
                peak = found.get("peak", {}).get("corral")
                rows.append(
                    [
                        f"{found['rows']:,}",
                        part,
                        f"{ours:.1f} s",
                        "" if peak is None else f"{peak / 1e9:.1f} GB",
                        f"{alone}: {theirs:.1f} s",
                        f"{ours / theirs:.2f}",
                    ]
                )
    headings = [
        "rows",
        "process",
        "corral",
        "peak memory",
        "read and write alone",
        "times",
    ]
    return lay_out(headings, rows)


def starts() -> str:
    """Processor seconds of processes that do little."""
    cpu = stored("speed_start")["cpu"]
    rows = [[name, f"{seconds:.2f} s"] for name, seconds in cpu.items()]
    return lay_out(["a process that does no more than", "processor time"], rows)


def draw_growth() -> Chart | None:
    """Seconds of the default against sizes, both in doublings of the least."""
    if not (measured := speed_results(["growth"])):
        return None
    marks: list[Line | Points] = [Line((0, 6), (0, 6), "as the size")]
    for (tone, shape), (what, each) in zip(TONES, measured[0][1].items(), strict=True):
        size, seconds = np.array(each["points"]).T
        tips = [f"{n:,.0f} {what}: {s:.3g} s" for n, s in each["points"]]
        x, y = np.log2(size / size[0]), np.log2(seconds / seconds[0])
        none, name = np.full(len(x), np.nan), f"{what}: power {each['exponent']:.2f}"
        marks.append(Points(x, y, tips, none, none, tone, name, shape))
    ends = [end for mark in marks for end in (min(mark.y), max(mark.y))]
    said = ", ".join(mark.name for mark in marks if isinstance(mark, Points))
    return Chart(
        "Time of the default, as the data grow",
        f"Doublings of the time against doublings of the size. Fitted: {said}.",
        Axis("doublings of the size", (-0.2, 6.2)),
        Axis("doublings of the time", (min(ends) - 0.2, max(ends) + 0.2)),
        marks,
        ("Dashed: as the size.",),
    )


def workbench_speed() -> str:
    """Time from a keystroke to painted numbers, in the browser."""
    rows = [
        [f"{one['texts']:,}", str(one["rules"]), pace]
        + [f"{1000 * found[q]:.0f}" for q in ("p50", "p95")]
        for one in stored("workbench")["keys"]
        for pace in ("one by one", "six a second")
        for found in [one[pace]]
    ]
    return lay_out(
        ["texts", "rules", "keys", "median, ms", "95th percentile, ms"], rows
    )


# -- judges and preferences ---------------------------------------------------------

NAMES = {
    PANEL: "`corral.panel`",
    ALONE: "labels alone",
    PPI: "ppi_py",
    GLADEN: "vote, corrected",
    VOTES: "vote",
    BEST: "best judge by the labels",
    SKENE: "Dawid-Skene",
    FEW: "`FromLabels`",
}
SHOWN = (PANEL, VOTES, BEST, SKENE, FEW)


def _panel_sizes() -> list[tuple[str, dict[str, Any]]]:
    return [(size, row["panels"]) for size, row in stored("panel")["sizes"].items()]


def panel_shares() -> str:
    """Errors of shares, and coverage, by number of labels."""
    shown = [name for name in ESTIMATES if name in _panel_sizes()[0][1]["rmse"]]
    rows = [
        [
            size,
            *(f"{row['rmse'][name]:.3f}" for name in shown),
            f"{row['held'][PANEL]:.0f}% ({row['least held']:.0f} to "
            f"{row['most held']:.0f})",
        ]
        for size, row in _panel_sizes()
    ]
    names = [NAMES[name] for name in shown]
    return lay_out(["labels", *names, "intervals hold"], rows)


def panel_intervals() -> str:
    """Which intervals of 90% hold, and their widths: as they are, and at equal coverage."""
    shown = [name for name in INTERVALS if name in _panel_sizes()[0][1]["width"]]
    headings = ["labels", *(NAMES[name] for name in shown)]
    rows = []
    for size, row in _panel_sizes():
        equal = row.get("width at 90%", {})
        cells = [
            f"{row['held'][name]:.0f}%, {row['width'][name]:.3f}"
            + (f", {equal[name]:.3f}" if equal else "")
            for name in shown
        ]
        if PROMISE in row["held"]:
            cells.append(f"{row['held'][PROMISE]:.0f}%, {row['decided']:.0f}%")
        rows.append([size, *cells])
    if len(rows[0]) > len(headings):
        headings.append("promises kept, rows decided")
    return lay_out(headings, rows)


def panel_labels() -> str:
    """Accuracy and log-loss of labels, by number of labels."""
    rows = [
        [
            size,
            *(
                f"{row['accuracy'][name]:.1f}, {row['log-loss'][name]:.2f}"
                for name in SHOWN
            ),
        ]
        for size, row in _panel_sizes()
    ]
    return lay_out(["labels", *(NAMES[name] for name in SHOWN)], rows)


RANKERS = ("choix", "Crowd-Kit BradleyTerry", "Crowd-Kit NoisyBradleyTerry")


def preference_quality() -> str:
    """Order of items, and of judges."""
    methods = ("corral", *RANKERS)

    def both(row: dict[str, Any]) -> str:
        known = "" if row["judges"] is None else f", {row['judges']:.2f}"
        return f"{row['order']:.2f}{known}"

    rows = [
        [case, *(both(row[name]) for name in methods)]
        for case, row in stored("preferences")["quality"].items()
    ]
    return lay_out(["", *methods], rows)


def preference_coverage() -> str:
    """Shares of intervals that hold the truth."""
    found = stored("preferences")["coverage"]
    names = ("strengths", "sensitivities", "position bias")
    rows = [
        [case, *(f"{row[name]:.0%}" if name in row else "" for name in names)]
        for case, row in found.items()
    ]
    return lay_out(["", *names], rows)


def preference_tasks() -> str:
    """The same where judges err together."""
    found = stored("preferences")["tasks"]
    rows = [
        ["taken for independent", f"{found['independent']:.0%}"],
        ["with `task=`", f"{found['by task']:.0%}"],
    ]
    return lay_out(["verdicts", "intervals that hold the truth"], rows)


def preference_detection() -> str:
    """Shares of judges of whom the right thing is said."""
    rows = [
        [kind, f"{share:.0%}"]
        for kind, share in stored("preferences")["detection"].items()
    ]
    return lay_out(["judges", "of whom that is said"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "quality methods": quality_methods,
    "quality kinds": quality_kinds,
    "quality labels": quality_labels,
    "quality in short": quality_in_short,
    "quality beside others": quality_beside,
    "quality losses": quality_losses,
    "quality company": quality_company,
    "quality intervals": quality_intervals,
    "ordinal": ordinal,
    "calibration sizes": calibration_sizes,
    "end models": end_models,
    "labelers": labelers,
    "speed in short": speed_in_short,
    "scale": scale,
    "starts": starts,
    "workbench speed": workbench_speed,
    "panel shares": panel_shares,
    "panel intervals": panel_intervals,
    "panel labels": panel_labels,
    "preferences quality": preference_quality,
    "preferences coverage": preference_coverage,
    "preferences tasks": preference_tasks,
    "preferences detection": preference_detection,
}
