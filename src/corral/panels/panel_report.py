"""`PanelReport`: what `corral.panel` found, as arrays, as plain values and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._plain import as_plain
from corral._types import FloatArray
from corral.metrics import class_values
from corral.panels.assisted import Estimate
from corral.panels.comparison import Gain
from corral.panels.dependence import REPEATS, Dependence
from corral.panels.judges import Judge
from corral.panels.next_steps import Absence, Newcomer
from corral.panels.slices import Slice
from corral.text_table import join_names, text_table


@dataclass(frozen=True, eq=False, repr=False)
class PanelReport:
    """What `corral.panel` found; print it.

    Attributes
    ----------
    names : tuple of str
        The judges.
    classes : (k,) array
    n_rows, n_labelled : int
    level : float
        Probability of all intervals.
    shares : Estimate
        ``value``, ``low`` and ``high`` (k,): the share of every class among all rows.
    labels_alone : Estimate
        The same by the labelled rows alone.
    rogan_gladen : (k,) array of float
        The shares of the majority vote, corrected by its confusion on the labelled rows.
    vote : (k,) array of float
        The shares of the majority vote as they are.
    slices : tuple of Slice
    judges : tuple of Judge
    dependence : Dependence
    over_best, over_vote : Gain
        How much more often the panel is right than its best judge, and than the vote.
    absences : tuple of Absence
        What happens without each judge; empty for one judge, and for more than 50.
    newcomer : Newcomer
    more_labels : int
        Labels beyond those there are that would halve the intervals of the shares.
    worth_labels : float
        How many labels alone would tell the shares as well.
    labels_from : str
        "panel"; or "vote" or a judge, to whom doubtful labels give way as the labelled
        rows say that it is right more often.
    labels_ : (n, k) array of float
        A label for every row.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_rows: int
    n_labelled: int
    level: float
    shares: Estimate
    labels_alone: Estimate
    rogan_gladen: FloatArray
    vote: FloatArray
    slices: tuple[Slice, ...]
    judges: tuple[Judge, ...]
    dependence: Dependence
    over_best: Gain
    over_vote: Gain
    absences: tuple[Absence, ...]
    newcomer: Newcomer
    more_labels: int
    worth_labels: float
    labels_from: str
    labels_: FloatArray

    def predict(self) -> NDArray[Any]:
        """(n,) the likeliest class of every row."""
        silent = np.zeros(len(self.labels_), bool)
        return class_values(self.labels_.argmax(axis=1), silent, self.classes)

    def label_columns(self) -> dict[str, NDArray[Any]]:
        """What `corral.label` adds to a table: probabilities, the class, its probability.

        Of two classes the probability of the second, else one per class.
        """
        names = self.classes.tolist()
        shown = (1,) if len(names) == 2 else range(len(names))
        columns: dict[str, NDArray[Any]] = {
            f"p_{names[c]}": self.labels_[:, c] for c in shown
        }
        return columns | {
            "label": self.predict(),
            "confidence": self.labels_.max(axis=1),
        }

    @property
    def best_judge(self) -> Judge:
        """The judge that is most often right, as far as the labels tell."""
        return max(self.judges, key=lambda judge: judge.accuracy * judge.coverage)

    @property
    def sentences(self) -> tuple[str, str, str]:
        """Three sentences for a paper: the share, the judges, the panel."""
        return _write_sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """All but the labels of the rows in plain values."""
        judges = [
            {
                "name": j.name,
                "coverage": j.coverage,
                "accuracy": j.accuracy,
                "accuracy_interval": j.accuracy_interval,
                "sensitivity": j.sensitivity,
                "specificity": j.specificity,
                "specificity_interval": [j.specificity_low, j.specificity_high],
                "confusion": j.confusion,
                "confusion_interval": [j.confusion_low, j.confusion_high],
            }
            for j in self.judges
        ]
        found: dict[str, Any] = as_plain(
            {
                "judges": judges,
                "classes": self.classes,
                "n_rows": self.n_rows,
                "n_labelled": self.n_labelled,
                "level": self.level,
                "shares": self.shares,
                "labels_alone": self.labels_alone,
                "rogan_gladen": self.rogan_gladen,
                "vote": self.vote,
                "slices": self.slices,
                "effective": self.dependence.effective,
                "effective_interval": self.dependence.effective_interval,
                "error_correlation": self.dependence.correlation,
                "families": self.dependence.families,
                "over_best": self.over_best,
                "over_vote": self.over_vote,
                "absences": self.absences,
                "newcomer": self.newcomer,
                "more_labels": self.more_labels,
                "worth_labels": self.worth_labels,
                "labels_from": self.labels_from,
                "sentences": self.sentences,
            }
        )
        return found

    def __str__(self) -> str:
        parts = [
            f"{len(self.names)} judges on {self.n_rows:,} rows, {self.n_labelled:,} of "
            f"them labelled; intervals of {self.level:.0%}",
            self._table_of_shares(),
            *(
                self._table_of_slices(c)
                for c in dict.fromkeys(s.column for s in self.slices)
            ),
            self._table_of_judges(),
            *self._say_families(),
            *_write_steps(self),
        ]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _table_of_shares(self) -> str:
        headings = (
            "class",
            "share",
            "interval",
            "labels alone",
            "interval",
            "vote",
            "vote corrected",
        )
        own, alone = self.shares, self.labels_alone
        rows = [
            (
                str(name),
                *_write_share(own.value[c], own.low[c], own.high[c]),
                *_write_share(alone.value[c], alone.low[c], alone.high[c]),
                f"{self.vote[c]:.3f}",
                f"{self.rogan_gladen[c]:.3f}",
            )
            for c, name in enumerate(self.classes.tolist())
        ]
        return text_table(headings, rows)

    def _table_of_slices(self, column: str) -> str:
        # Of two classes, the second says it all.
        shown = range(len(self.classes)) if len(self.classes) > 2 else (1,)
        names = self.classes.tolist()
        rows = [
            (
                each.name,
                f"{each.n_rows:,}",
                f"{each.n_labelled:,}",
                str(names[c]),
                *_write_share(each.share[c], each.low[c], each.high[c]),
                f"{each.vote[c]:.3f}",
            )
            for each in self.slices
            if each.column == column
            for c in shown
        ]
        headings = (column, "rows", "labelled", "class", "share", "interval", "vote")
        return text_table(headings, rows, left=(0, 3))

    def _table_of_judges(self) -> str:
        two = len(self.classes) == 2
        losses = {each.name: each for each in self.absences}
        rows = []
        for i in np.argsort(
            [-j.accuracy * j.coverage for j in self.judges], kind="stable"
        ):
            judge, near = self.judges[i], self.dependence.find_nearest(int(i))
            each = losses.get(judge.name)
            rows.append(
                (
                    judge.name,
                    f"{judge.accuracy:.2f}",
                    "{:.2f} to {:.2f}".format(*judge.accuracy_interval),
                    *(
                        (f"{judge.confusion[1, 1]:.2f}", f"{judge.confusion[0, 0]:.2f}")
                        if two
                        else ()
                    ),
                    ""
                    if near is None
                    else f"{self.dependence.correlation[i, near]:.2f}",
                    "" if near is None else self.names[near],
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

    def _say_families(self) -> list[str]:
        rows = [
            (
                each.name,
                str(len(each.judges)),
                f"{each.effective:.1f}",
                _number(each.within),
                _number(each.outside),
            )
            for each in self.dependence.families
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
    lines = [
        f"The {len(found.names)} judges are worth {effective:.1f} who err independently "
        f"({low:.1f} to {high:.1f}).",
        _say_gain("the judge that labels would choose", found.over_best),
        _say_gain("the vote", found.over_vote),
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
    lines.append(
        f"{found.more_labels:,} more labels would halve the intervals; the panel makes "
        f"{found.n_labelled:,} labels worth {found.worth_labels:,.0f}."
    )
    return ["\n".join(lines)]


def _say_gain(other: str, gain: Gain) -> str:
    shown = "not shown to be" if gain.low <= 0 <= gain.high else "shown to be"
    kind = "better" if gain.value >= 0 else "worse"
    return (
        f"The panel is right on {gain.accuracy:.1%}, {other} on {gain.other:.1%}:\n"
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


def _write_sentences(found: PanelReport) -> tuple[str, str, str]:
    c = 1 if len(found.classes) == 2 else int(found.shares.value.argmax())
    name, shares = str(found.classes.tolist()[c]), found.shares
    best, gain = found.best_judge, found.over_best
    low, high = found.dependence.effective_interval
    clear = "" if gain.low > 0 or gain.high < 0 else ", which is not beyond chance"
    return (
        f"Of {found.n_rows:,} rows, {100 * shares.value[c]:.1f}% are {name} "
        f"({found.level:.0%} interval {100 * shares.low[c]:.1f} to "
        f"{100 * shares.high[c]:.1f}%), estimated from {len(found.names)} judges and "
        f"{found.n_labelled:,} human labels of rows drawn at random, by a difference "
        "estimator that no error of the judges biases.",
        f"The best judge, {best.name}, agrees with people on {100 * best.accuracy:.1f}% "
        f"({100 * best.accuracy_interval[0]:.1f} to "
        f"{100 * best.accuracy_interval[1]:.1f}%); the judges err together and are worth "
        f"{found.dependence.effective:.1f} independent ones ({low:.1f} to {high:.1f}).",
        f"Together they are right {100 * gain.value:+.1f} points more often than the judge "
        f"that the labels would choose ({100 * gain.low:+.1f} to {100 * gain.high:+.1f}"
        f"{clear}), by leave-one-out.",
    )
