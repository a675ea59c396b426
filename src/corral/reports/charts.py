"""The drawings of a report."""

from __future__ import annotations

import re

import numpy as np

from corral.drawings import (
    Drawing,
    draw_agreement,
    draw_class_shares,
    draw_confidence,
    draw_reliability,
    draw_sensitivity,
    draw_signal_errors,
    draw_signal_values,
    to_svg,
)
from corral.reports.label_report import LabelReport
from corral.reports.phrases import cut
from corral.reports.sections import AgreementSection, LabelsSection, SignalLine
from corral.text_table import shorten

WIDTHS = {"agreement": 540, "shares": 344, "confidence": 344, "reliability": 344}
WIDTH = 460
"""Pixels of a chart: not many more than a phone has, so that text can be read there."""
MOST_WORTH = 20
"""Signals whose worth is drawn; beyond the first few, hardly any has some."""
LEAST_WORTH = 0.0005
"""Below this, all bars would be as long as none."""
LONGEST_NAME, MATRIX_NAME = 40, 20
"""Characters of a name; every cell of the matrix names two signals."""


def draw_charts(report: LabelReport, most_cells: int) -> dict[str, str]:
    """SVG text by chart; those that would be empty are left out.

    Parameters
    ----------
    report : LabelReport
    most_cells : int
        Signals of the matrix.
    """
    drawings = {
        "errors": _draw_errors(report.signals.lines),
        "worth": _draw_worth(report.signals.lines),
        "shares": _draw_shares(report.labels),
        "confidence": _draw_confidence(report),
        "reliability": _draw_reliability(report.labels),
        "sensitivity": _draw_sensitivity(report),
        "agreement": _draw_agreement(report.agreement, most_cells),
    }
    return {
        name: _drop_fallbacks(to_svg(drawing, width=WIDTHS.get(name, WIDTH)))
        for name, drawing in drawings.items()
        if drawing is not None
    }


def _drop_fallbacks(svg: str) -> str:
    """Leave out colours for pages that have no stylesheet for drawings; this one has."""
    return re.sub(r'( class="cd-[^"]*") (?:fill|stroke)="#[0-9a-f]{6}"', r"\1", svg)


def _column(values: list[float | None]) -> np.ndarray | None:
    """Numbers, NaN where there is none; None if there is none at all."""
    if all(value is None for value in values):
        return None
    return np.array([np.nan if value is None else value for value in values])


def _ends(pairs: list[tuple[float, float] | None]) -> np.ndarray | None:
    if all(pair is None for pair in pairs):
        return None
    return np.array([(np.nan, np.nan) if pair is None else pair for pair in pairs])


def _names(lines: tuple[SignalLine, ...]) -> list[str]:
    return [cut(line.name, LONGEST_NAME) for line in lines]


def _draw_errors(lines: tuple[SignalLine, ...]) -> Drawing | None:
    lines = tuple(line for line in lines if line.coverage)
    columns = {
        "expected": _column([line.expected_error for line in lines]),
        "implied": _column([line.implied_error for line in lines]),
        "true": _column([line.gold_error for line in lines]),
        "expected_interval": _ends([line.expected_interval for line in lines]),
        "true_interval": _ends([line.gold_interval for line in lines]),
    }
    if all(values is None for values in columns.values()):
        return None
    return draw_signal_errors(_names(lines), **columns)


def _draw_worth(lines: tuple[SignalLine, ...]) -> Drawing | None:
    lines = tuple(
        sorted(
            (line for line in lines if line.worth is not None),
            key=lambda line: -(line.worth or 0),
        )[:MOST_WORTH]
    )
    worth = _column([line.worth for line in lines])
    if worth is None or np.nanmax(worth) < LEAST_WORTH:
        return None
    return draw_signal_values(_names(lines), worth)


def _draw_shares(labels: LabelsSection) -> Drawing:
    shares = labels.shares
    return draw_class_shares(
        [cut(share.value, LONGEST_NAME) for share in shares],
        [share.labels for share in shares],
        majority=[share.votes for share in shares],
        true=_column([share.gold for share in shares]),
    )


def _draw_confidence(report: LabelReport) -> Drawing:
    edges = np.array(report.labels.edges)
    middles, counts = (edges[1:] + edges[:-1]) / 2, np.array(report.labels.counts)
    return draw_confidence(middles, counts, n_classes=len(report.summary.classes))


def _draw_reliability(labels: LabelsSection) -> Drawing | None:
    found = labels.reliability
    if found is None:
        return None
    return draw_reliability(
        found.confidence,
        found.accuracy,
        found.intervals,
        found.counts,
        calibration_error=found.calibration_error,
    )


def _draw_sensitivity(report: LabelReport) -> Drawing | None:
    found = report.constraints.sensitivity
    if found is None:
        return None
    return draw_sensitivity(
        [cut(name, LONGEST_NAME) for name in found.names],
        found.lower,
        found.higher,
        all_lower=found.all_lower,
        all_higher=found.all_higher,
        change=found.change,
    )


def _draw_agreement(found: AgreementSection, most: int) -> Drawing | None:
    if len(found.names) < 2 or found.agreeing is None or most < 2:
        return None
    at = slice(None, most)
    values = np.array(
        [[np.nan if a is None else a for a in row[at]] for row in found.agreement[at]]
    )
    return draw_agreement(
        [shorten(name, MATRIX_NAME) for name in found.names[at]],
        values,
        np.array([row[at] for row in found.common[at]]),
        measure="Agreement",
        limits=(0.0, 1.0),
        order=range(len(values)),
        unit="pairs of votes",
    )
