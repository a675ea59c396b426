"""From votes and a labelled sample to a `PanelReport`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import check_share, make_generator
from corral.errors import ParameterError
from corral.panels.assisted import Evidence
from corral.panels.comparison import choose_labels, compare, find_hits
from corral.panels.dependence import find_dependence, read_families
from corral.panels.judges import find_judges
from corral.panels.known import read_known, tilt
from corral.panels.next_steps import count_more_labels, find_absences, find_newcomer
from corral.panels.panel_report import PanelReport
from corral.panels.panel_votes import read_panel
from corral.panels.pattern_model import fit_patterns
from corral.panels.sampling import take_sample
from corral.panels.shares import (
    correct_votes,
    count_labels,
    count_votes,
    find_shares,
)
from corral.panels.slices import find_slices
from corral.signals import WeakSignals
from corral.signals.abstains import is_missing

MOST_SLICES = 1000
"""Values that a column of slices may have."""


def study_panel(
    signals: WeakSignals,
    truth: IntArray,
    *,
    slices: Mapping[str, ArrayLike] | None = None,
    sampling: ArrayLike | None = None,
    families: Mapping[str, Any] | None = None,
    class_balance: ArrayLike | None = None,
    error_rates: Mapping[str, float] | ArrayLike | None = None,
    level: float = 0.9,
    random_state: Any = 0,
) -> PanelReport:
    """What `corral.panel` does, once votes are read.

    Parameters
    ----------
    signals : WeakSignals
    truth : (n,) array of int
        Positions of the classes; -1 where unknown.
    slices : mapping from a name to (n,) values
    sampling, families, class_balance, error_rates, level, random_state
        As for `corral.panel`.
    """
    check_share("level", level, "between 0 and 1")
    rng = make_generator(random_state)
    names = signals.names
    read_families(names, families)  # refused before the work
    coded = {
        name: _code(name, values, len(signals))
        for name, values in (slices or {}).items()
    }
    panel = read_panel(signals)
    sample = take_sample(panel, truth, sampling)
    known = read_known(panel, names, class_balance, error_rates)
    fitted = fit_patterns(panel, sample.rows, sample.truth, sample.weights)
    at = panel.inverse[sample.rows]
    labels, left_out = tilt(fitted.labels, fitted.left_out, panel, known, at)
    evidence = Evidence(panel, sample, labels, left_out, known, level)

    shares, alone = find_shares(evidence), count_labels(evidence)
    hits = find_hits(evidence, rng)
    chosen, labels_from = choose_labels(evidence, hits, names)
    judges = find_judges(evidence, names)
    best = max(judge.hits for judge in judges)
    return PanelReport(
        names=names,
        classes=signals.classes,
        n_rows=len(signals),
        n_labelled=len(sample),
        level=level,
        shares=shares,
        labels_alone=alone,
        rogan_gladen=correct_votes(evidence),
        vote=count_votes(evidence),
        slices=tuple(
            each
            for name, (codes, values) in coded.items()
            for each in find_slices(evidence, name, codes, values)
        ),
        judges=judges,
        dependence=find_dependence(evidence, names, families, rng),
        over_best=compare(evidence, hits.panel, hits.best),
        over_vote=compare(evidence, hits.panel, hits.vote),
        absences=find_absences(evidence, signals, names),
        newcomer=find_newcomer(evidence, best),
        more_labels=count_more_labels(len(sample), len(signals)),
        worth_labels=_count_worth(shares.variance, alone.variance, len(sample)),
        labels_from=labels_from,
        labels_=chosen[panel.inverse],
    )


def _count_worth(own: FloatArray, alone: FloatArray, n: int) -> float:
    """Labels alone that would tell the shares as well as these and the panel."""
    return float(n * alone.sum() / max(own.sum(), 1e-12)) if own.any() else float("inf")


def _code(name: str, values: ArrayLike, n: int) -> tuple[IntArray, Any]:
    """(n,) the slice of every row, -1 where its value is missing, and their names."""
    given = np.asarray(values, object)
    if given.shape != (n,):
        raise ParameterError(
            f"must hold one value of {name!r} for each of the {n:,} rows; the shape given "
            f"is {given.shape}.",
            parameter="slices",
        )
    texts = ["" if is_missing(value) else str(value) for value in given.tolist()]
    found = np.array(sorted(set(texts) - {""}, key=_by_number), str)
    place = {text: i for i, text in enumerate(found.tolist())} | {"": -1}
    codes = np.array([place[text] for text in texts])
    if not 1 <= len(found) <= MOST_SLICES:
        raise ParameterError(
            f"must have from 1 to {MOST_SLICES:,} different values of {name!r}; there are "
            f"{len(found):,}.",
            parameter="slices",
        )
    return codes, found


def _by_number(text: str) -> tuple[bool, float, str]:
    """A key that sorts numbers by size, before texts."""
    try:
        number = float(text)
    except ValueError:
        return True, 0.0, text
    return False, number, text
