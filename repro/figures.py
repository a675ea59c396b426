"""Figures from stored results, as SVG with a hash of what is drawn in its metadata.

By the hash, a picture that is out of date is found without drawing it again.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from corral.errors import ParameterError
from repro.config import Experiment, experiments
from repro.keys import make_key
from repro.results import RESULTS, Record, Results

PICTURES = Path(__file__).parents[1] / "docs" / "images"
# Colours that every kind of colour vision tells apart (Okabe and Ito); markers differ, too.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#009E73", "marker": "s"},
    {"color": "#D55E00", "marker": "^"},
    {"color": "#767676", "marker": "v"},
    {"color": "#000000", "marker": "", "lw": 1.2},
)
"""One per column."""
WIDTH, HEIGHT, HEAD = 7.6, 2.7, 0.35
"""Inches: of a picture, of a row of panels and of the legend."""
_DESCRIPTION = re.compile(r"<dc:description>results (\w+)</dc:description>")

Records = dict[tuple[str, str], Record]


def draw(experiment: Experiment, records: Records) -> str:
    """The SVG of a figure: one panel per row, one line per column.

    Solid lines are ours, the mean over seeds with a band of one standard deviation;
    dashed ones are the paper's.

    Parameters
    ----------
    experiment : Experiment
        Of kind "figure".
    records : dict
        By row and column; rows without any are left out.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        raise ParameterError(
            "figures need the package 'matplotlib': pip install 'corral[plots]'"
        ) from error
    mpl.use("agg")
    import matplotlib.pyplot as plt

    rows = [row for row in experiment.rows if any(at == row for at, _ in records)]
    across = min(2, len(rows))
    down = -(-len(rows) // across)
    options: Any = {
        "font.size": 9,
        "lines.linewidth": 1.6,
        "lines.markersize": 3.2,
        "svg.hashsalt": "corral",
        "svg.fonttype": "none",
    }
    with mpl.rc_context(options):
        figure, grid = plt.subplots(
            down, across, figsize=(WIDTH, HEIGHT * down + HEAD), squeeze=False
        )
        for axes, row in zip(grid.flat, rows, strict=False):
            _panel(axes, experiment, row, records)
        for axes in grid.flat[len(rows) :]:
            axes.set_visible(False)
        top = 1 - HEAD / figure.get_figheight()
        _legend(figure, grid)
        figure.tight_layout(rect=(0, 0, 1, top))
        picture = StringIO()
        # Without a date, the same picture is the same file.
        metadata = {
            "Date": None,
            "Description": f"results {hash_figure(experiment, records)}",
        }
        figure.savefig(picture, format="svg", facecolor="white", metadata=metadata)
        plt.close(figure)
    return re.sub(r"[ \t]+$", "", picture.getvalue(), flags=re.MULTILINE)


def hash_figure(experiment: Experiment, records: Records) -> str:
    """A hash of all that is drawn."""
    used = ("rows", "columns", "axes", "measure", "paper")
    lines = [
        [row, column, record.x, record.values]
        for (row, column), record in sorted(records.items())
    ]
    return make_key([{name: asdict(experiment)[name] for name in used}, lines])


def read_digest(picture: str) -> str | None:
    """The hash of what an SVG was drawn from; None if it does not say."""
    found = _DESCRIPTION.search(picture)
    return found[1] if found else None


def find_stale_figures(
    results: Path = RESULTS, pictures: Path = PICTURES
) -> dict[Path, tuple[Experiment, Records]]:
    """Pictures that show other results than the stored ones, and what to draw."""
    stale = {}
    for name, experiment in experiments().items():
        records = Results(name, results).records
        path = pictures / f"{name}.svg"
        before = read_digest(path.read_text("utf-8")) if path.exists() else None
        drawable = experiment.kind == "figure" and records
        if drawable and before != hash_figure(experiment, records):
            stale[path] = experiment, records
    return stale


def _panel(axes: Any, experiment: Experiment, row: str, records: Records) -> None:
    axes.set_title(experiment.rows[row], loc="left", fontsize=9.5)
    axes.set_xlabel(experiment.axes["x"])
    axes.set_ylabel(experiment.axes.get(row, experiment.measure))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    for (column, name), style in zip(experiment.columns.items(), STYLES, strict=False):
        if (record := records.get((row, column))) is not None:
            heights = np.array(record.values)
            mean, spread = heights.mean(axis=0), heights.std(axis=0)
            axes.plot(record.x, mean, label=name, **style)
            if len(heights) > 1:
                band = {"color": style["color"], "alpha": 0.15, "lw": 0}
                axes.fill_between(record.x, mean - spread, mean + spread, **band)
        if (line := experiment.paper.get(row, {}).get(column)) is not None:
            hollow = {"ls": "--", "mfc": "white", "lw": 1.2}
            axes.plot(line["x"], line["y"], label=f"{name}, paper", **style | hollow)


def _legend(figure: Any, grid: Any) -> None:
    """One legend on top for all panels."""
    entries: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(
        entries.values(), entries, loc="upper center", ncols=5, frameon=False,
        handlelength=2.6, columnspacing=1.4,
    )  # fmt: skip
