"""A gate: what must hold of labels, judges and shares, and whether human labels show it.

A requirement such as ``kappa(best) >= 0.6`` is compared with the interval of what it is
about. It holds if all of the interval is on the right side, it fails if all of it is on
the wrong one, and it is open in between: the labels are too few to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Literal, NamedTuple
from xml.etree import ElementTree

import numpy as np
from scipy.special import ndtri

from corral.errors import ParameterError
from corral.panels.difference_estimator import Estimate
from corral.panels.judges import count_labels
from corral.results import Part, Result, Table, join_names
from corral.storage import atomic_write

if TYPE_CHECKING:
    from corral.panels.panel_report import PanelReport

Verdict = Literal["holds", "fails", "open"]
EXIT_CODES = {"holds": 0, "fails": 1, "open": 3}
FORM = re.compile(r"(\w+)\s*(?:\((.*)\))?\s*(>=|<=)\s*([-+]?\d*\.?\d+)(%?)")


class Measure(NamedTuple):
    """A number of a panel, its interval, and how many rows it is of."""

    value: float
    low: float
    high: float
    rows: float


@dataclass(frozen=True)
class Requirement:
    """What is required, what was found, and what follows."""

    text: str
    value: float
    low: float
    high: float
    verdict: Verdict
    labels: int | None  # human labels in all that would settle it, if it is open
    sentence: str


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Requirements of a panel, and whether they hold."""

    requirements: tuple[Requirement, ...]
    verdict: Verdict  # fails if one does; else open if one is

    title = "What was required"

    @property
    def exit_code(self) -> int:
        """0 if all hold, 1 if one fails, 3 if labels are too few to say."""
        return EXIT_CODES[self.verdict]

    def parts(self) -> Iterator[Part]:
        lines = self.requirements
        yield Table(
            {
                "required": [each.text for each in lines],
                "found": [each.value for each in lines],
                "interval": [(each.low, each.high) for each in lines],
                "verdict": [each.verdict for each in lines],
                "labels to settle it": [each.labels for each in lines],
            }
        )
        yield "\n".join(each.sentence for each in lines)

    def write_junit(
        self, path: str | PathLike[str], *, overwrite: bool = False
    ) -> None:
        """Write JUnit XML: one test per requirement; one that is open is an error."""
        said = [each.verdict for each in self.requirements]
        numbers = {"failures": said.count("fails"), "errors": said.count("open")}
        texts = {name: str(n) for name, n in {"tests": len(said), **numbers}.items()}
        suite = ElementTree.Element("testsuite", texts, name="corral panel")
        for each in self.requirements:
            case = ElementTree.SubElement(
                suite, "testcase", classname="corral.panel", name=each.text
            )
            if each.verdict != "holds":
                kind = "failure" if each.verdict == "fails" else "error"
                ElementTree.SubElement(case, kind, message=each.sentence)
        text = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
        with atomic_write(path, overwrite=overwrite) as temporary:
            temporary.write_text(f"{text}\n", "utf-8")


def check_requirements(found: PanelReport, required: str | Sequence[str]) -> Gate:
    """Compare requirements with what a panel found."""
    measures = list_measures(found)
    texts = required if isinstance(required, list | tuple) else [required]
    checked = tuple(_check(found, measures, str(text)) for text in texts)
    worst: tuple[Verdict, ...] = ("fails", "open", "holds")
    said = {each.verdict for each in checked}
    return Gate(checked, next((each for each in worst if each in said), "holds"))


def _check(found: PanelReport, measures: dict[str, Measure], text: str) -> Requirement:
    parsed = FORM.fullmatch(text.strip())
    if parsed is None:
        raise ParameterError(
            "takes a measure, >= or <=, and a number, such as 'accuracy >= 0.85', "
            f"'kappa(best) >= 0.6' or 'share(fail) <= 10%'; {text!r} was given.",
            parameter="require",
        )
    what, about, sign, number, percent = parsed.groups()
    of = [about.strip()] if about else []
    # Without a name, it is about the labels.
    keys = write_measure(what, *of), write_measure(what, "labels", *of)
    key = next((key for key in keys if key in measures), None)
    if key is None:
        near = [each for each in measures if each.startswith(f"{what}(")]
        kinds = dict.fromkeys(each.partition("(")[0] for each in measures)
        raise ParameterError(
            f"asks for {text!r}, which this panel has not; it has "
            f"{join_names(near or kinds, 300)}.",
            parameter="require",
        )
    value, low, high, _ = measures[key]
    limit = float(number) / (100 if percent else 1)
    if what not in ("grade", "judges") and abs(limit) > 1:
        raise ParameterError(
            f"compares {what} with a number from 0 to 1, or with a percentage such as "
            f"95%; {text!r} was given.",
            parameter="require",
        )
    right, wrong = low >= limit, high < limit
    if sign == "<=":
        right, wrong = high <= limit, low > limit
    verdict: Verdict = "holds" if right else "fails" if wrong else "open"
    sentence = f"{text}: {verdict}, {value:.3f} ({low:.3f} to {high:.3f})."
    labels = None
    if verdict == "open":
        reach = max(value - low if value >= limit else high - value, 1e-12)
        part = min(abs(value - limit) / reach, 1.0) if np.isfinite(value) else 0.0
        labels = count_labels(found.n_labelled, found.n_rows, part)
        sentence += (
            f" {labels:,} labels of random rows in all would settle it, if it stays so."
        )
    return Requirement(text, value, low, high, verdict, labels, sentence)


def write_measure(what: str, *of: str) -> str:
    """A measure as requirements name it, such as ``recall(labels, fail)``."""
    return re.sub(r"\s*,\s*", ", ", f"{what}({', '.join(of)})") if of else what


def list_measures(found: PanelReport) -> dict[str, Measure]:
    """All that requirements can be about, by how they name it."""
    panel, n = found.estimator.panel, float(found.n_rows)
    classes = [str(each) for each in found.classes.tolist()]
    together = found.dependence
    measures = {"judges": Measure(together.effective, *together.effective_interval, n)}

    def add(measure: Measure, *name: str) -> None:
        measures[write_measure(*name)] = measure

    if found.grade is not None:
        add(Measure(*found.grade.three, n), "grade")
    for c, name in enumerate(classes):
        add(Measure(*found.shares.pick(c).three, n), "share", name)
        for one in found.slices:
            part = float(one.share[c]), float(one.low[c]), float(one.high[c])
            where = f"{one.column}={one.name}"
            add(Measure(*part, one.n_rows), "share", name, where)
    best: dict[tuple[str, ...], list[Measure]] = {}
    names = [*found.names, "vote", "labels"]
    every = (*found.judges, *found.answers)
    for name, judge in zip(names, every, strict=True):
        mine: dict[tuple[str, ...], Estimate] = {
            ("accuracy",): judge.accuracy,
            ("kappa",): judge.kappa,
        }
        if judge.rank_correlation is not None:
            mine["rank",] = judge.rank_correlation
        for c, word in enumerate(classes):
            mine["recall", word] = judge.recall.pick(c)
            mine["precision", word] = judge.precision.pick(c)
            if len(classes) == 2:
                mine[("tnr", "tpr")[c],] = judge.recall.pick(c)
        for (what, *of), estimate in mine.items():
            measure = Measure(*estimate.three, max(judge.coverage * n, 1.0))
            add(measure, what, name, *of)
            if judge in found.judges:
                best.setdefault((what, *of), []).append(measure)
    # The best of several was lucky, too: its interval is for all of them together.
    level, m = found.level, len(found.names)
    wider = float(ndtri(1 - (1 - level) / (2 * m)) / ndtri((1 + level) / 2))
    for (what, *of), several in best.items():
        value, low, high, rows = max(
            several, key=lambda one: np.nan_to_num(one.value, nan=-1)
        )
        low, high = value - wider * (value - low), value + wider * (high - value)
        add(Measure(value, low, high, rows), what, "best", *of)
    places = {"": panel.counts}
    for column, (codes, values) in found.places.items():
        for g, value in enumerate(values.tolist()):
            inside = (codes == g).astype(float)
            places[f"{column}={value}"] = np.bincount(
                panel.inverse, inside, len(panel.counts)
            ).astype(float)
    named = panel.hard.sum(axis=1)
    for i, name in enumerate(found.names):
        said = panel.hard[:, i]
        rows = float(panel.counts @ said.sum(axis=1))
        for c, word in enumerate(classes):
            value = float(panel.counts @ said[:, c]) / max(rows, 1)
            add(Measure(value, value, value, max(rows, 1)), "verdicts", name, word)
        others = named - said
        heard = others.sum(axis=1) * said.sum(axis=1)
        same = (said * others).sum(axis=1) / np.maximum(heard, 1)
        for where, counts in places.items():
            if met := float(counts @ (heard > 0)):
                value = float(counts @ same) / met
                about = [name, where] if where else [name]
                add(Measure(value, value, value, met), "agreement", *about)
    return measures
