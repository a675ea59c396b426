"""Time and peak memory against the number of rows, drawn from the stored results.

``python -m benchmarks.scale.plot`` draws them again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.scale.cells import PICTURE, RESULTS, Cell
from benchmarks.scale.methods import METHODS

# Colours that are told apart with every kind of colour vision (Okabe and Ito, Tol); the
# markers differ as well. A colour is a tool: corral's two lines share one.
STYLES: dict[str, dict[str, Any]] = {
    "corral-default": {"color": "#56B4E9", "marker": "P"},
    "corral": {"color": "#0072B2", "marker": "o"},
    "corral-files": {"color": "#0072B2", "marker": "s", "mfc": "white"},
    "duckdb": {"color": "#767676", "marker": ".", "ls": "--", "lw": 1.2},
    "snorkel": {"color": "#D55E00", "marker": "^"},
    "crowd-kit": {"color": "#009E73", "marker": "D"},
    "textbook": {"color": "#AA4499", "marker": "v"},
}
GAP = 13
"""Points between two labels, at least."""


def draw(results: Path, picture: Path) -> None:
    """Draw stored results; the ending of the picture says how (SVG, PNG)."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    stored = json.loads(results.read_text())
    cells = [cell for cell in stored["cells"] if cell["signals"] == 10]
    svg = {"svg.hashsalt": "corral", "svg.fonttype": "none"}
    with mpl.rc_context({"font.size": 9.5, "lines.linewidth": 1.8, **svg}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.8))
        figure.subplots_adjust(0.05, 0.1, 0.862, 0.82, wspace=0.49)
        _panel(left, cells, "seconds", 1, "seconds a call")
        _panel(right, cells, "peak", 1e9, "peak memory of the process, GB")
        cores = stored["machine"]["cores"]
        figure.text(
            0.05, 0.95, f"Votes of 10 signals to labels, {cores} cores", size=12
        )
        figure.text(
            0.05, 0.91, "cross: not done within the limit of time", color="#555"
        )
        # Without a date, the same picture is the same file.
        metadata = {"Date": None} if picture.suffix == ".svg" else None
        figure.savefig(picture, dpi=120, metadata=metadata)
        plt.close(figure)


def _panel(axes: Any, cells: list[Cell], what: str, unit: float, title: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="rows")
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    ends = {}
    for name, style in STYLES.items():
        mine = [cell for cell in cells if cell["method"] == name]
        line = sorted((c["rows"], c[what] / unit) for c in mine if what in c)
        if not line:
            continue
        axes.plot(*zip(*line, strict=True), **style)
        ends[name] = line[-1]
        over = [(c["rows"], c["limit"]) for c in mine if _too_slow(c)]
        if over and what == "seconds":
            stop = line[-1], min(over)
            faint = {"color": style["color"], "lw": 1, "ls": ":", "marker": "x"}
            axes.plot(*zip(*stop, strict=True), **faint, markevery=[1], ms=8)
    _label_ends(axes, ends)


def _too_slow(cell: Cell) -> bool:
    return cell.get("reason", "").startswith(f"over {cell.get('limit')} s")


def _label_ends(axes: Any, ends: dict[str, tuple[float, float]]) -> None:
    """Names on the right at the height of the ends, moved apart where they would touch."""
    axes.figure.canvas.draw()  # the limits of the axes are known from here on
    places = {
        name: axes.transData.transform(end) * 72 / axes.figure.dpi
        for name, end in ends.items()
    }
    right = max(x for x, _ in places.values()) + 12
    lowest = 0.0
    for name, (x, y) in sorted(places.items(), key=lambda place: place[1][1]):
        lowest = max(y, lowest + GAP)
        colour = STYLES[name]["color"]
        axes.annotate(
            METHODS[name].title, ends[name], (right - x, lowest - y),
            textcoords="offset points", color=colour, va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "alpha": 0.6},
        )  # fmt: skip


if __name__ == "__main__":
    draw(RESULTS, PICTURE)
