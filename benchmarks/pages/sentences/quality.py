"""Sentences that rest on the benchmarks *quality* and *few-labels*."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.claims import Claim
from benchmarks.pages.stored import stored

AUTO, VOTE, DAWID_SKENE = "Auto", "vote share", "Dawid-Skene"
REAL = ("rules", "raters", "panels", "crowds", "soft")
LEVELS = ("rater 0.75", "rater 0.85", "rater 0.95")
CHOSEN = "chosen without the family"

quality: dict[str, Any] = stored("quality")
kinds, families, sets = quality["kinds"], quality["families"], quality["sets"]
aims, means = quality["aims"], quality["constants"]["means"]
held = [row["held"] for row in quality["intervals"].values()]
sizes = stored("few_labels")["sizes"].values()
few = [row for size in sizes for kind, row in size.items() if kind in REAL]
left_out = [means[CHOSEN][kind] for kind in REAL]


FORMS = [DAWID_SKENE] + [name for name in kinds["rules"] if name.startswith("  ")]
"""Of Dawid-Skene: the default, and its options."""
ANSWERS = next(name for name in FORMS if "silence" in name or "are answers" in name)
PUBLISHED = ("youtube", "cdr", "commercial", "yelp", "trec", "semeval")


def by_kind(method: str, part: str = "gain") -> tuple[float, ...]:
    """A figure of a method for all kinds of real sets."""
    return tuple(kinds[kind][method][part] for kind in REAL)


def by_level(column: str) -> tuple[float, ...]:
    """Mean accuracy with raters of 0.75, 0.85 and 0.95."""
    return tuple(quality["raters"][level][column] for level in LEVELS)


def changed(method: str, *names: str) -> tuple[float, ...]:
    """Labels that noisy copies change, in per cent."""
    return tuple(quality["copies"][name][method] for name in names)


def soft_mean(way: str) -> float:
    """Mean score on the soft sets."""
    rows = quality["soft"].values()
    return sum(row[way]["score"] for row in rows) / len(rows)


def aim(beginning: str) -> dict[str, Any]:
    """An aim by its beginning."""
    rows = [row for name, row in aims.items() if name.startswith(beginning)]
    if not rows:
        raise KeyError(f"no aim of the benchmark quality begins with {beginning!r}")
    return rows[0]


def found(beginning: str) -> float:
    """What was found for an aim."""
    return float(aim(beginning)["found"])


def verdict(*beginnings: str) -> str:
    """Whether all of some aims are met."""
    met = all(aim(beginning)[""] == "met" for beginning in beginnings)
    return "met" if met else "**missed**"


def where(kind_values: dict[str, float]) -> str:
    """The name with the least value, without its folder."""
    return min(kind_values, key=kind_values.__getitem__).split("/")[-1].split("_llm")[0]


MOST = ("rules", "crowds", "raters", "soft", "panels")
below = sum(kinds[kind][AUTO]["below"] for kind in REAL)
worst = min(by_kind(AUTO, "worst"))
trecdl = [v for name, v in sets.items() if "trecdl" in name]
constant = quality["company"]["constant workers"]
hyperlm = [
    row["HyperLM"][0] - row[AUTO][0]
    for name, row in sets.items()
    if "HyperLM" in row
    and " + " not in name
    and name.startswith(("votes/", "wrench/", "rules/", "paper/"))
    and name not in ("votes/aa2", "votes/domain", "votes/web", "rules/norec_lexicons")
]
chosen, families_chosen = next(iter(quality["constants"]["chosen"].items()))
yelp = quality["soft"]["soft/api_yelp"]
under = sum(gain < -0.3 for gain in families.values())
RATER = "how the rater is simulated"

CLAIMS = (
    Claim(
        "which average 71.0. Here it has {:.1f} on them, and the default {:.1f}",
        tuple(
            sum(sets[f"votes/{name}"][method][0] for name in PUBLISHED) / len(PUBLISHED)
            for method in (ANSWERS, AUTO)
        ),
        reason="the mean of six published figures, some of which are tested in "
        "tests/labelers/test_dawid_skene.py",
    ),
    Claim("is right 75, 85 or 95 times in a hundred", reason=RATER),
    Claim(
        "corral {:.1f}, {:.1f}, {:.1f}; the vote {:.1f}, {:.1f}, {:.1f}; the rater alone "
        "{:.1f}, {:.1f}, {:.1f}",
        (*by_level(AUTO), *by_level(VOTE), *by_level("rater alone")),
    ),
    Claim(
        "{:.0f} to {:.0f}% of the 90% intervals hold the true rate",
        (100 * min(held), 100 * max(held)),
        reason="intervals of that level",
    ),
    Claim(
        "{:.0f} of 91 sets are more than a point below the vote, the worst by {:.1f}",
        (below, -worst),
        reason="how many sets there are",
    ),
    Claim(
        "with 5% of the votes flipped change {:.1f}% of the labels of rules and {:.1f}% of "
        "those of crowds, but {:.1f}% of raters', {:.1f}% of soft signals' and {:.1f}% of "
        "panels' (a vote: {:.1f}, {:.1f}, {:.1f}, {:.1f}, {:.1f}%;",
        (*changed("Auto", *MOST), *changed("vote", *MOST)),
        reason="how the copies are made",
    ),
    Claim(
        "the default is {:.1f} points above a majority vote",
        (sum(left_out) / len(left_out),),
    ),
    Claim(
        "(`trecdl`, three sets) | {:.1f} points below the vote, at worst {:.1f} |",
        (-families["trecdl"], max(row[VOTE][0] - row[AUTO][0] for row in trecdl)),
    ),
    Claim("(`commercial`) | F1 {:.1f} below the vote", (-families["commercial"],)),
    Claim("(`chemprot`) | {:.1f} below the vote", (-families["chemprot"],)),
    Claim("(`ducks240`) | {:.1f} below the vote", (-families["ducks240"],)),
    Claim(
        "share errors | 0.82 | vote 0.84 |",
        reason="printed by the example below it, which is tested",
    ),
    Claim(
        "30% of a crowd's workers always say the same (`rte`) | {:.1f} (vote {:.1f}) | "
        "Dawid-Skene {:.1f} |",
        (constant[AUTO], constant[VOTE], constant[DAWID_SKENE]),
        reason="how the workers are simulated",
    ),
    Claim(
        "(20 panels) | {:.1f} (vote {:.1f}) | Dawid-Skene {:.1f} |",
        tuple(kinds["panels"][m]["score"] for m in (AUTO, VOTE, DAWID_SKENE)),
    ),
    Claim(
        "rules only (28 sets) | {:.1f} (vote {:.1f}) | HyperLM, {:.1f} above on the {} it "
        "can run on",
        (
            kinds["rules"][AUTO]["score"],
            kinds["rules"][VOTE]["score"],
            sum(hyperlm) / len(hyperlm),
            len(hyperlm),
        ),
    ),
    Claim(
        "(`soft`, nine sets) | {:.1f} (averaging {:.1f}) | the best single model, {:.1f} |",
        tuple(map(soft_mean, ("Auto, probabilities", "averaging", "best signal"))),
    ),
    Claim(
        "above `Auto`, in the mean over sets of every kind (by {:.1f} to {:.1f} points), "
        "and {:.0f}% to {:.0f}% of its 90% intervals hold",
        (
            min(row["gain"] for row in few),
            max(row["gain"] for row in few),
            min(row["held"] for row in few),
            max(row["held"] for row in few),
        ),
        reason="intervals of that level",
    ),
    Claim(
        "on single sets it lost up to {:.1f} points",
        (-min(row["worst"] for row in few),),
    ),
    Claim("agreement seen, between 0.5 and 0.9", reason="constants of the method"),
    Claim("the labels without the 0.05", reason="a constant of the method"),
    Claim("a standard deviation of 1.2 in log-odds", reason="a constant of the method"),
    Claim("cut off at 0.001", reason="how log-loss is defined here"),
    Claim(
        "over families its mean is {:+.2f}, that of the constants in the code {:+.2f}. "
        "Constants chosen so were the same for {} of {} families ({}, {}, {}, {} "
        "and {});",
        (
            means[CHOSEN]["families"],
            means["constants in the code"]["families"],
            families_chosen["families"],
            sum(row["families"] for row in quality["constants"]["chosen"].values()),
            *(part.split()[1] for part in chosen.split(", ")),
        ),
    ),
    Claim(
        "those in the code are as good to {:.1f}.",
        (
            max(
                abs(means[CHOSEN][kind] - means["constants in the code"][kind])
                for kind in REAL
            ),
        ),
    ),
    Claim("90% intervals that hold the true error rate", reason="their level"),
    Claim(
        "no kind below the vote | {:+.1f} ({}) |",
        (found("a: no kind"), aims["a: no kind below the vote"]["where"]),
    ),
    Claim(
        "no family more than 0.3 below it | {:.1f} (`commercial`); {} of {} families are",
        (found("a: no family"), under, len(families)),
        reason="the aim",
    ),
    Claim(
        "no set more than 3 below it | {:.1f} (`{}`) | {} |",
        (
            worst,
            where({kinds[k][AUTO]["on"]: kinds[k][AUTO]["worst"] for k in REAL}),
            verdict("a: no set"),
        ),
    ),
    Claim(
        "mean over kinds | {:+.1f} (left out {:+.1f}) | {} |",
        (found("b: 2 above"), sum(left_out) / len(left_out), verdict("b: 2 above")),
    ),
    Claim(
        "in every kind | by {:.3f} at least (rules)",
        (-max(found("c: log-loss below the vote"), found("c: log-loss below the sm")),),
    ),
    Claim(
        "at most 0.5 below the better of vote and rater | {:.1f} at 0.95 | {} |",
        (found("d: rater 0.95"), verdict(*(f"d: {level}" for level in LEVELS))),
        reason="the aim, and the rater",
    ),
    Claim(
        "at most one below the better of vote and Dawid-Skene | {:+.1f} at least",
        (min(map(found, ("d: spammer", "d: adversary", "d: shared errors"))),),
    ),
    Claim(
        "constant workers: the same | {:.1f} | {} |",
        (found("d: constant"), verdict("d: constant")),
    ),
    Claim(
        "change at most 1% of the labels | rules {:.1f}, crowds {:.1f}, raters {:.1f}, "
        "soft {:.1f}, panels {:.1f}% | {} |",
        (*changed("Auto", *MOST), verdict("e: noisy")),
        reason="the aim",
    ),
    Claim(
        "80 to 95% of the 90% intervals hold, in every kind | {:.0f} to {:.0f}% |",
        (100 * min(held), 100 * max(held)),
        reason="the aim",
    ),
    Claim(
        "as good as averaging | {:+.1f} |",
        (soft_mean("Auto, probabilities") - soft_mean("averaging"),),
    ),
    Claim(
        "as good as the best single signal | {:.1f}; worst `api_yelp`, {:.1f} against "
        "{:.1f} |",
        (
            soft_mean("Auto, probabilities") - soft_mean("best signal"),
            yelp["Auto, probabilities"]["score"],
            yelp["best signal"]["score"],
        ),
    ),
    Claim("they change {:.1f}% of the vote's labels, too", changed("vote", "panels")),
)
