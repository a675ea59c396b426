"""The tables of README.md and docs, each written from stored results, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.end_models import (
    ITSELF,
    LEFT_OUT,
    SETS,
    TRUE,
    WEIGHED,
    gain,
    summarise,
)
from benchmarks.measure import RESULTS_FOLDER
from benchmarks.panel import BEST, ESTIMATES, FEW, GLADEN, PANEL, SKENE, VOTES
from benchmarks.panel import LABELS as ALONE


@cache
def read_stored(name: str) -> Any:
    """What ``make bench NAME=...`` has stored last, with its commit and date."""
    return json.loads((RESULTS_FOLDER / f"{name}.json").read_text())


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
        cells = result["found"].get("cells", [result])  # each may have its own commit
        said |= {(cell["commit"], cell["date"]) for cell in cells}
    when = ", ".join(f"at commit {commit} of {date}" for commit, date in sorted(said))
    when = when.replace("at commit unknown; stored in", "at or before commit")
    return f"{table}\nMeasured {when.replace('unknown; stored on ', '')}.\n"


def lay_out(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    head, *body = ("| " + " | ".join(line) + " |\n" for line in (headings, *rows))
    return head.replace("|  |", "| |") + "|---" * len(headings) + "|\n" + "".join(body)


# -- quality ------------------------------------------------------------------------

KINDS = ("rules", "raters", "panels", "crowds", "soft", "mixed")
LONG = {"panels": "panels of language models", "soft": "soft, rounded"}
SHORT = {
    "rules": "rules",
    "raters": "raters who answer everything",
    "panels": "panels of language models",
    "crowds": "crowd workers",
    "soft": "probabilities of models",
}
AUTO, VOTE = "Auto", "vote share"
TITLES = {
    "one-coin": "one-coin Dawid-Skene",
    "  silence counted": "Dawid-Skene, abstains are answers",
    "  abstains ignored": "Dawid-Skene, abstains ignored",
    "  abstains are answers": "Dawid-Skene, abstains are answers",
    "  one round": "Dawid-Skene, one round",
    "paper's CLL": "the paper's CLL",
    AUTO: "default",
}
COMPANY = {
    "rater 0.75": "a rater of 0.75",
    "rater 0.85": "a rater of 0.85",
    "rater 0.95": "a rater of 0.95",
    "spammer": "a rater who guesses",
    "adversary": "a rater who is right 30 times in a hundred",
    "shared errors": "three raters with shared errors",
    "constant workers": "`rte`, 30% of the workers always say the same",
}


def kinds() -> dict[str, Any]:
    """Summaries of the methods, by kind and method."""
    found: dict[str, Any] = stored("quality")["kinds"]
    return found


def gains() -> str:
    """The default beside the vote."""
    left_out = stored("quality")["constants"]["means"]["chosen without the family"]
    rows = []
    for kind in KINDS:
        vote, auto = kinds()[kind][VOTE], kinds()[kind][AUTO]
        rows.append(
            [
                LONG.get(kind, kind),
                f"{auto['sets']}",
                f"{vote['score']:.1f}",
                f"{auto['score']:.1f}",
                f"{auto['gain']:+.1f} ± {auto['+-']:.1f}",
                f"{left_out[kind]:+.1f}" if kind in left_out else "",
                f"{auto['worst']:.1f}",
                f"{auto['below']}",
            ]
        )
    headings = ["", "sets", "vote", "default", "gain", "left out", "worst"]
    return lay_out([*headings, "more than a point below"], rows)


def gains_in_short() -> str:
    """Gains over the vote of the default, constants left out, and of Dawid-Skene."""
    left_out = stored("quality")["constants"]["means"]["chosen without the family"]
    rows = []
    for kind, title in SHORT.items():
        methods = kinds()[kind]
        forms = [name for name in methods if name.startswith(("Dawid-Skene", "  "))]
        best = max(methods[name]["gain"] for name in forms)
        sets = f"{methods[AUTO]['sets']}"
        rows.append([title, sets, f"{left_out[kind]:+.1f}", f"{best:+.1f}"])
    return lay_out(["signals", "sets", "corral", "Dawid-Skene"], rows)


def log_losses() -> str:
    """Of the vote, smoothed or not, and of the default."""
    names = {VOTE: VOTE, "smoothed share": "smoothed vote share", AUTO: "default"}
    rows = [
        [title, *(f"{kinds()[kind][method]['log_loss']:.3f}" for kind in KINDS)]
        for method, title in names.items()
    ]
    return lay_out(["", *KINDS], rows)


def methods() -> str:
    """The gain of every method."""
    rows = [
        [TITLES.get(method, method), *(f"{_gain(kind, method)}" for kind in KINDS)]
        for method in kinds()["rules"]
        if "share" not in method
    ]
    return lay_out(["", *KINDS], rows)


def _gain(kind: str, method: str) -> str:
    row = kinds()[kind].get(method)
    return "" if row is None else f"{row['gain']:+.1f}"


def company() -> str:
    """Rules with a rater, or in bad company."""
    found = stored("quality")["raters"] | stored("quality")["company"]
    columns = ("rater alone", VOTE, "Dawid-Skene", AUTO)
    rows = [
        [
            COMPANY[name],
            *(f"{row[column]:.1f}" if column in row else "" for column in columns),
        ]
        for name, row in found.items()
    ]
    return lay_out(["", "rater alone", "vote", "Dawid-Skene", "default"], rows)


def intervals() -> str:
    """How many hold."""
    found = stored("quality")["intervals"]
    rows = [
        ["hold", *(f"{found[kind]['held']:.0%}" for kind in KINDS)],
        ["estimate less truth", *(f"{found[kind]['bias']:+.2f}" for kind in KINDS)],
        ["learned", *(f"{found[kind]['learned']:.2f}" for kind in KINDS)],
    ]
    return lay_out(["", *KINDS], rows)


def losses() -> str:
    """Where the default loses, and to what."""
    families = stored("quality")["families"]
    constant = stored("quality")["company"]["constant workers"]
    panels, rules = kinds()["panels"], kinds()["rules"]
    soft = stored("quality")["soft"].values()

    def mean(way: str) -> float:
        return sum(row[way]["score"] for row in soft) / len(soft)

    rows = [
        [title, f"{-families[name]:.1f} points below the vote", "vote", "label 50 rows"]
        for name, title in WORST.items()
    ]
    rows += [
        [
            "30% of a crowd's workers always say the same (`rte`)",
            f"{constant[AUTO]:.1f} (vote {constant[VOTE]:.1f})",
            *(f"Dawid-Skene, {constant['Dawid-Skene']:.1f}", "`DawidSkene`"),
        ],
        [
            "language models of mixed quality (20 panels)",
            f"{panels[AUTO]['score']:.1f} (vote {panels[VOTE]['score']:.1f})",
            *(f"Dawid-Skene, {panels['Dawid-Skene']['score']:.1f}", "try both"),
        ],
        [
            f"rules only ({rules[AUTO]['sets']} sets)",
            f"{rules[AUTO]['score']:.1f} (vote {rules[VOTE]['score']:.1f})",
            *("HyperLM, on the sets that it can run on", "try both"),
        ],
        [
            "probabilities of models of very different quality (`soft`, nine sets)",
            f"{mean('Auto, probabilities'):.1f} (averaging {mean('averaging'):.1f})",
            f"the best single model, {mean('best signal'):.1f}",
            "label 50 rows, and see which it is",
        ],
    ]
    return lay_out(["signals", "default", "better", "do this"], rows)


WORST = {
    "trecdl": "near-equal language models that are lenient together (`trecdl`)",
    "commercial": "two dense signals beside two sparse ones (`commercial`)",
    "chemprot": "26 rules for ten classes (`chemprot`)",
    "ducks240": "53 workers of whom some err together (`ducks240`)",
}


def few_labels() -> str:
    """Gains of `FromLabels` over the default, by number of labels."""
    rows = [
        [size, *(f"{row[k]['gain']:+.1f}, {row[k]['held']:.0f}%" for k in KINDS[:-1])]
        for size, row in stored("few_labels")["sizes"].items()
    ]
    return lay_out(["labels", *KINDS[:-1]], rows)


# -- advice, calibration, end models, grades ----------------------------------------

OWN, CORRECTED = "as they are", "calibrate"


def _sizes() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Labels, rows and scores by set, of *advice*."""
    for size, rows in stored("advice")["votes"].items():
        for name, row in rows.items():
            number = size.split()[0].replace("no", "0")
            yield number, name.replace("label-free", "none"), row


def advice_votes() -> str:
    """Suggested and random rows of the six public vote sets."""
    found = list(_sizes())
    sets = [name for name in found[0][2] if name != "mean"]
    rows = [
        [
            *(number, name),
            *(f"{row[one]['score']:.1f}" if one in row else "" for one in sets),
            f"{row['mean']['score']:.1f}",
            f"{row['mean']['log_loss']:.3f}",
        ]
        for number, name, row in found
    ]
    return lay_out(["labels", "rows", *sets, "mean", "log-loss"], rows)


def advice_rates() -> str:
    """How far rates are off."""
    rows = [
        [*(number, name), *(f"{row['mean'][rate]:.3f}" for rate in RATES)]
        for number, name, row in _sizes()
    ]
    return lay_out(["labels", "rows", *(f"`{rate}_`" for rate in RATES)], rows)


RATES = ("error_rates", "implied_error_rates")


def calibration_sizes() -> str:
    """Calibration error and log-loss, by number of labels."""
    ways = (OWN, CORRECTED, "calibrate, no prior", "FromLabels")
    rows = []
    for size, row in stored("calibration")["mean"].items():
        both = [f"{row[way]['error']:.3f}, {row[way]['log_loss']:.3f}" for way in ways]
        both[1] = f"**{both[1]}**"
        rows.append([size, f"{len(stored('calibration')['sets'][size])}", *both])
    names = [OWN, "`calibrate`", "`calibrate` without its prior", "`FromLabels`"]
    return lay_out(["labelled examples", "sets", *names], rows)


def calibration_sets() -> str:
    """The same by set."""
    found = stored("calibration")["sets"]

    def both(row: Any, way: str) -> str:
        return f"{row[way]['error']:.3f}, {row[way]['log_loss']:.3f}" if row else ""

    rows = [
        [
            name,
            both(found["50"][name], OWN),
            *(both(found[n].get(name), CORRECTED) for n in ("50", "100", "200")),
        ]
        for name in found["50"]
    ]
    return lay_out(["", OWN, "50 labels", "100 labels", "200 labels"], rows)


def end_models() -> str:
    """Classifiers on labels of several sources."""
    titles = {
        ITSELF: "`prior=None`",
        WEIGHED: '`class_weight="balanced"`',
        LEFT_OUT: LEFT_OUT,
        TRUE: TRUE,
    }
    rows = []
    for source, found in summarise(stored("end_models")).items():
        for way, title in titles.items():
            if way not in found or source not in SOURCES[way]:
                continue
            more = "{:+.1f} ± {:.1f}".format(*gain(found[way], found[ITSELF]))
            numbers = [f"{x:.1f}" for x in (*found[way], np.mean(found[way]))]
            own = way == ITSELF
            rows.append([f"{source}, {title}", *numbers, "" if own else more])
    return lay_out(["", *SETS, "mean", "gain"], rows)


LABELS = ("corral", "vote", "Snorkel")
SOURCES = {
    ITSELF: (*LABELS, "gold"),
    WEIGHED: ("corral",),
    LEFT_OUT: (*LABELS, "gold"),
    TRUE: LABELS,
}


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


def ordinal_sets() -> str:
    """Accuracy and distance by set with ordered classes."""
    names = ("median vote", "vote", "Dawid-Skene", "default", "ordinal")
    rows = [
        [
            one,
            *(
                f"{row[name]['accuracy']:.1f}, {row[name]['median_distance']:.3f}"
                for name in names
            ),
        ]
        for one, row in stored("ordinal")["sets"].items()
    ]
    return lay_out(["accuracy, distance", *names], rows)


ORDERED = {"mean": "six sets", "thinned_mean": "three votes", "simulated": "simulated"}


# -- speed --------------------------------------------------------------------------

PEERS = {
    "MeTaL": "Snorkel LabelModel",
    "DawidSkene": "Crowd-Kit DawidSkene",
    "OneCoinDawidSkene": "Crowd-Kit OneCoinDawidSkene",
}


def labelers() -> str:
    """Labelers of corral beside the same of other libraries."""
    found = stored("labelers")
    rows = []
    for name, seconds in found["seconds"].items():
        equal = found["labels equal"].get(name)
        rows.append(
            [
                name,
                f"{seconds:.2f}",
                f"{found['accuracy'][name]:.4f}",
                f"{found.get('settings', {}).get(name, '')}",
                f"{found['times as fast'][name]:.0f} ({PEERS[name]})"
                if name in found["times as fast"]
                else "",
                "" if equal is None else f"{100 * equal:.4g}%",
            ]
        )
    headings = ["", "seconds", "accuracy", "settings", "times as fast as"]
    return lay_out([*headings, "labels equal"], rows)


def speed_in_short() -> str:
    """A million rows beside other libraries, and a billion rows in files."""
    found = stored("labelers")["seconds"]
    rows = [
        [
            f"1,000,000 rows of ten votes in memory, `{name}`",
            f"{found[name]:.2f} s",
            f"{peer}: {found[peer]:.2f} s",
        ]
        for name, peer in {
            "ConstrainedLabeler": "Snorkel LabelModel",
            "MeTaL": "Snorkel LabelModel",
            "DawidSkene": "Crowd-Kit DawidSkene",
        }.items()
    ]
    for cell in stored("scale")["cells"]:
        if cell["method"] == "corral-files" and cell["rows"] == 1_000_000_000:
            what = "1,000,000,000 rows of ten votes, Parquet in and out"
            rows.append([what, f"{cell['seconds']:.0f} s", ""])
    return lay_out(["", "corral", "others"], rows)


def scale() -> str:
    """Files in, files out, beside DuckDB alone."""
    cells = {
        (cell["method"], cell["rows"]): cell
        for cell in stored("scale")["cells"]
        if cell["signals"] == 10 and "reason" not in cell
    }
    rows = []
    for (method, n), cell in cells.items():
        if method == "corral-files":
            alone = cells.get(("duckdb", n))
            rows.append(
                [
                    f"{n:,}",
                    f"{cell['seconds']:.1f} s",
                    f"{cell['peak'] / 1e9:.1f} GB",
                    "" if alone is None else f"{alone['seconds']:.1f} s",
                ]
            )
    return lay_out(["rows", "corral", "peak memory", "DuckDB alone"], rows)


def workbench_speed() -> str:
    """Time from a keystroke to painted numbers, in the browser."""
    rows = [
        [f"{one['texts']:,}", pace, *(f"{1000 * found[q]:.0f}" for q in ("p50", "p95"))]
        for one in stored("workbench")["keys"]
        for pace in ("one by one", "six a second")
        for found in [one[pace]]
    ]
    return lay_out(["texts", "keys", "median, ms", "95th percentile, ms"], rows)


# -- judges and preferences ---------------------------------------------------------

NAMES = {
    PANEL: "`corral.panel`",
    ALONE: "labels alone",
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
    rows = [
        [
            size,
            *(f"{row['rmse'][name]:.3f}" for name in ESTIMATES),
            f"{row['held'][PANEL]:.0f}% ({row['least held']:.0f} to "
            f"{row['most held']:.0f})",
        ]
        for size, row in _panel_sizes()
    ]
    names = [NAMES[name] for name in ESTIMATES]
    return lay_out(["labels", *names, "intervals hold"], rows)


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


def preference_speed() -> str:
    """Seconds of one processor core."""
    methods = ("corral", *RANKERS)
    rows = [
        [
            f"{case}: {row[name]['comparisons']:,} comparisons, {name}",
            f"{row[name]['cpu_seconds']:.1f}",
        ]
        for case, row in stored("preferences")["speed"].items()
        for name in methods
    ]
    return lay_out(["", "seconds of one core"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "quality gains": gains,
    "quality gains in short": gains_in_short,
    "quality log-loss": log_losses,
    "quality methods": methods,
    "quality company": company,
    "quality intervals": intervals,
    "quality losses": losses,
    "few labels": few_labels,
    "ordinal": ordinal,
    "ordinal sets": ordinal_sets,
    "advice votes": advice_votes,
    "advice rates": advice_rates,
    "calibration sizes": calibration_sizes,
    "calibration sets": calibration_sets,
    "end models": end_models,
    "labelers": labelers,
    "speed in short": speed_in_short,
    "scale": scale,
    "workbench speed": workbench_speed,
    "panel shares": panel_shares,
    "panel labels": panel_labels,
    "preferences quality": preference_quality,
    "preferences coverage": preference_coverage,
    "preferences tasks": preference_tasks,
    "preferences detection": preference_detection,
    "preferences speed": preference_speed,
}
