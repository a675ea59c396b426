"""Tables of advice, calibration, end models, labelers with features, and MMCE."""

from __future__ import annotations

from collections.abc import Iterator
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
from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored

OWN, CORRECTED = "as they are", "calibrate"


def _sizes(part: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Labels, rows and scores by set, of one part of *advice*."""
    for size, rows in stored("advice")[part].items():
        for name, row in rows.items():
            number = size.split()[0].replace("no", "0")
            yield number, name.replace("label-free", "none"), row


def _advice(part: str) -> str:
    found = list(_sizes(part))
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


def advice_votes() -> str:
    """Suggested and random rows of the six public vote sets."""
    return _advice("votes")


def advice_others() -> str:
    """The same of six other sets."""
    return _advice("others")


def advice_rates() -> str:
    """How far rates are off."""
    rows = [
        [*(number, name), *(f"{row['mean'][rate]:.3f}" for rate in RATES)]
        for number, name, row in _sizes("votes")
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


def networks() -> str:
    """Classifiers and networks on labels of SST-2."""
    found = stored("networks")
    columns = list(found["label accuracy"])
    lines = {"accuracy of the labels": found["label accuracy"], **found["test"]}
    rows = [[name, *(f"{row[c]:.3f}" for c in columns)] for name, row in lines.items()]
    return lay_out(["", *columns], rows)


def _both(part: str) -> str:
    rows = [
        [
            name.replace("DCWS, 0, network", "DCWS, 0, the published network"),
            f"{row['train']:.3f} / {row['test']:.3f}",
        ]
        for name, row in sorted(
            stored("adversarial")[part].items(), key=lambda item: _order(item[0])
        )
    ]
    return lay_out([part, "labels / test"], rows)


def _order(name: str) -> int:
    methods = ("averaging", "majority", "ALL", "Stoch-GALL", "DCWS")
    return [name.startswith(m) for m in methods].index(True)


def adversarial_tumours() -> str:
    """Labelers with features on breast cancer."""
    return _both("breast cancer")


def adversarial_digits() -> str:
    """The same on digits."""
    return _both("digits")


def minimax() -> str:
    """Labels that are right, of MMCE and the published code."""
    signals = {"SST-2": "14 rules", "TREC-6": "30 rules", "bluebirds": "39 workers"}
    rows = [
        [
            f"{name}, {signals[name]}",
            *(f"{row[part]:,}" for part in COUNTS),
            "yes" if row["degenerate"] else "no",
        ]
        for name, row in stored("minimax").items()
        if name in signals
    ]
    headings = ["set", "of", "published", "`MinimaxEntropy`", "majority vote"]
    return lay_out([*headings, "degenerate"], rows)


COUNTS = ("examples", "published", "right", "right by vote")


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

TABLES = {
    "ordinal": ordinal,
    "ordinal sets": ordinal_sets,
    "advice votes": advice_votes,
    "advice others": advice_others,
    "advice rates": advice_rates,
    "calibration sizes": calibration_sizes,
    "calibration sets": calibration_sets,
    "end models": end_models,
    "networks": networks,
    "adversarial breast cancer": adversarial_tumours,
    "adversarial digits": adversarial_digits,
    "minimax": minimax,
}
