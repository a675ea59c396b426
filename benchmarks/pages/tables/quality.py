"""Tables of the benchmark *quality*."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored

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
STEPS = {
    "as it is": "as it is",
    "copies count in full": "1: copies count in full",
    "no anchor": "2: not held to the vote",
    "anchor 1: learned from the vote": "2: learned from the vote only",
    "rules learned": "3: rules are learned, too",
    "no tempering": "4: not divided by the root",
    "no floor": "4: no example misleads",
    "raters not held against rules": "5: raters not held against rules",
    "independence not looked for": "held back whatever the votes show",
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


def ablation() -> str:
    """What every step is worth."""
    rows = [
        [
            STEPS[name],
            *(f"{row[kind]:+.1f}" for kind in KINDS),
            row["log-loss"],
            f"{row['worst']:.1f}",
        ]
        for name, row in stored("quality")["ablation"].items()
    ]
    return lay_out(["", *KINDS, "log-loss", "worst set"], rows)


TABLES = {
    "quality gains": gains,
    "quality gains in short": gains_in_short,
    "quality log-loss": log_losses,
    "quality methods": methods,
    "quality company": company,
    "quality intervals": intervals,
    "quality steps": ablation,
}
