"""What `corral.panel` found, as text: tables, what to do next, three sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corral.panels.comparison import Gain
from corral.panels.dependence import REPEATS
from corral.text_table import join_names, text_table

if TYPE_CHECKING:
    from corral.panels.panel_report import PanelReport

TOGETHER = 0.95
"""Part of their number below which judges are said to err together."""


def write_panel(found: PanelReport) -> str:
    """All of it: shares, slices, judges, families and what to do next."""
    columns = dict.fromkeys(each.column for each in found.slices)
    parts = [
        f"{_count_judges(found)} on {found.n_rows:,} rows, {found.n_labelled:,} of "
        f"them labelled; intervals of {found.level:.0%}",
        _write_shares(found),
        *(_write_slices(found, column) for column in columns),
        _write_judges(found),
        *_write_families(found),
        *_write_steps(found),
    ]
    return "\n\n".join(parts)


def _write_shares(found: PanelReport) -> str:
    headings = (
        "class",
        "share",
        "interval",
        "labels alone",
        "interval",
        "vote",
        "vote corrected",
    )
    own, alone = found.shares, found.labels_alone
    rows = [
        (
            str(name),
            *_write_share(own.value[c], own.low[c], own.high[c]),
            *_write_share(alone.value[c], alone.low[c], alone.high[c]),
            f"{found.vote[c]:.3f}",
            f"{found.rogan_gladen[c]:.3f}",
        )
        for c, name in enumerate(found.classes.tolist())
    ]
    return text_table(headings, rows)


def _write_slices(found: PanelReport, column: str) -> str:
    # Of two classes, the second says it all.
    shown = range(len(found.classes)) if len(found.classes) > 2 else (1,)
    names = found.classes.tolist()
    rows = [
        (
            each.name,
            f"{each.n_rows:,}",
            f"{each.n_labelled:,}",
            str(names[c]),
            *_write_share(each.share[c], each.low[c], each.high[c]),
            f"{each.vote[c]:.3f}",
        )
        for each in found.slices
        if each.column == column
        for c in shown
    ]
    headings = (column, "rows", "labelled", "class", "share", "interval", "vote")
    return text_table(headings, rows, left=(0, 3))


def _write_judges(found: PanelReport) -> str:
    two = len(found.classes) == 2
    losses = {each.name: each for each in found.absences}
    rows = []
    for i in np.argsort([-judge.hits for judge in found.judges], kind="stable"):
        judge, near = found.judges[i], found.dependence.find_nearest(int(i))
        each = losses.get(judge.name)
        rows.append(
            (
                judge.name,
                _number(judge.accuracy),
                "{:.2f} to {:.2f}".format(*judge.accuracy_interval),
                *(map(_number, judge.sensitivity[::-1]) if two else ()),
                "" if near is None else f"{found.dependence.correlation[i, near]:.2f}",
                "" if near is None else found.names[near],
                "" if each is None else f"{each.loss:+.3f}",
            )
        )
    rates = ("sensitivity", "specificity") if two else ()
    headings = (
        "judge",
        "right",
        "interval",
        *rates,
        "errs with",
        "whom",
        "without",
    )
    return text_table(headings, rows, left=(0, len(headings) - 2))


def _write_families(found: PanelReport) -> list[str]:
    rows = [
        (
            each.name,
            str(len(each.judges)),
            f"{each.effective:.1f}",
            _number(each.within),
            _number(each.outside),
        )
        for each in found.dependence.families
    ]
    headings = ("family", "judges", "worth", "err together", "with others")
    return [text_table(headings, rows)] if rows else []


def _write_share(value: float, low: float, high: float) -> tuple[str, str]:
    return f"{value:.3f}", f"{low:.3f} to {high:.3f}"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def _write_steps(found: PanelReport) -> list[str]:
    """What to make of it, a sentence per line."""
    best, effective = found.best_judge, found.dependence.effective
    low, high = found.dependence.effective_interval
    if len(found.names) == 1:
        lines = [_say_gain("Its vote, corrected,", "as it is", found.over_best)]
    else:
        chosen = "the judge that labels would choose"
        lines = [
            f"The {len(found.names)} judges are worth {effective:.1f} who err "
            f"independently ({low:.1f} to {high:.1f}).",
            _say_gain("The panel", chosen, found.over_best),
            _say_gain("The panel", "the vote", found.over_vote),
        ]
    if found.labels_from != "panel":
        lines.append(
            f"So doubtful labels name the class that {_who(found.labels_from)} names."
        )
    drop = [each.name for each in found.absences if each.is_needless]
    if drop and len(drop) < len(found.names):
        lines.append(f"Any one of these may be dropped: {join_names(drop, 65)}.")
    repeats = _find_repeats(found)
    if repeats:
        lines.append(f"These repeat each other: {join_names(repeats, 70)}.")
    if np.isfinite(found.newcomer.accuracy):
        lines.append(
            "A judge who errs independently is worth adding if right on "
            f"{found.newcomer.accuracy:.0%} or more;\none as good as {best.name} would add "
            f"{100 * found.newcomer.like_best:.1f} points."
        )
    if np.isfinite(found.worth_labels):
        lines.append(
            f"{found.more_labels:,} more labels would halve the intervals; the panel makes "
            f"{found.n_labelled:,} labels worth {found.worth_labels:,.0f}."
        )
    else:
        lines.append(f"Shares have no intervals: {_why_sure(found)}.")
    return ["\n".join(lines)]


def _count_judges(found: PanelReport) -> str:
    return "1 judge" if len(found.names) == 1 else f"{len(found.names)} judges"


def _why_sure(found: PanelReport) -> str:
    """Why shares are known."""
    everything = found.n_labelled == found.n_rows
    return "every row has a human label" if everything else "the shares were given"


def _say_gain(one: str, other: str, gain: Gain) -> str:
    shown = "not shown to be" if gain.low <= 0 <= gain.high else "shown to be"
    kind = "better" if gain.value >= 0 else "worse"
    return (
        f"{one} is right on {gain.accuracy:.1%}, {other} on {gain.other:.1%}:\n"
        f"{shown} {kind} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f} points)."
    )


def _who(labels_from: str) -> str:
    return "the vote" if labels_from == "vote" else labels_from


def _find_repeats(found: PanelReport) -> list[str]:
    a, b = np.nonzero(
        np.triu(np.nan_to_num(found.dependence.correlation), 1) >= REPEATS
    )
    order = np.argsort(-found.dependence.correlation[a, b], kind="stable")
    return [f"{found.names[a[i]]} and {found.names[b[i]]}" for i in order]


def write_sentences(found: PanelReport) -> tuple[str, str, str]:
    """For a paper: the share, the judges, the panel."""
    c = 1 if len(found.classes) == 2 else int(found.shares.value.argmax())
    name, shares = str(found.classes.tolist()[c]), found.shares
    share = f"Of {found.n_rows:,} rows, {100 * shares.value[c]:.1f}% are {name}"
    if np.isfinite(found.worth_labels):
        share += (
            f" ({found.level:.0%} interval {100 * shares.low[c]:.1f} to "
            f"{100 * shares.high[c]:.1f}%), estimated from {_count_judges(found)} and "
            f"{found.n_labelled:,} human labels of rows drawn at random, by a difference "
            "estimator that no error of the judges biases."
        )
    else:
        share += f"; that is no estimate, as {_why_sure(found)}."
    best, gain = found.best_judge, found.over_best
    agrees = (
        f"{best.name}, agrees with people on {100 * best.accuracy:.1f}% "
        f"({100 * best.accuracy_interval[0]:.1f} to "
        f"{100 * best.accuracy_interval[1]:.1f}%)"
    )
    clear = "" if gain.low > 0 or gain.high < 0 else ", which is not beyond chance"
    gained = (
        f"right {abs(100 * gain.value):.1f} points {'more' if gain.value >= 0 else 'less'} "
        "often than"
    )
    ends = (
        f"({100 * gain.low:+.1f} to {100 * gain.high:+.1f}{clear}), by leave-one-out."
    )
    if len(found.names) == 1:
        return (
            share,
            f"The judge, {agrees}.",
            f"Corrected by the labels, it is {gained} as it is {ends}",
        )
    low, high = found.dependence.effective_interval
    together = "err together and " if high < TOGETHER * len(found.names) else ""
    return (
        share,
        f"The best judge, {agrees}; the judges {together}are worth "
        f"{found.dependence.effective:.1f} independent ones ({low:.1f} to {high:.1f}).",
        f"Together they are {gained} the judge that the labels would choose {ends}",
    )
