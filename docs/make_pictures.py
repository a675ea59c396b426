"""Draw the pictures of the documentation: ``.venv/bin/python docs/make_pictures.py``.

They go to ``docs/images``. A test draws them again and compares.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import corral
from corral.datasets import random_comparisons
from corral.results import Result

IMAGES = Path(__file__).parent / "images"


def draw_panel() -> Result:
    """Four lenient judges that fail together, on two kinds of questions."""
    rng = np.random.default_rng(0)
    truth = (rng.random(3000) < 0.55).astype(int)
    hard = np.arange(3000) % 3 == 0
    lenient = rng.random(3000) < np.where(hard, 0.35, 0.1)
    wrong = rng.random((3000, 4)) < 0.1
    votes = np.where(lenient[:, None] | (truth[:, None] != wrong), 1, 0)
    human = np.full(3000, -1)
    rows = rng.choice(3000, 150, replace=False)
    human[rows] = truth[rows]
    words = np.array(["fail", "pass", None], object)
    return corral.panel(
        words[votes],
        gold=words[human],
        slices={"questions:": np.where(hard, "hard", "easy")},
    )


def draw_strengths() -> Result:
    """Six models of the page on preferences, and five judges."""
    strengths = (1.2, 0.6, 0.2, -0.3, -0.6, -1.1)
    models = dict(zip(("ada", "bo", "cy", "di", "ed", "flo"), strengths, strict=True))
    judges = {
        "large": (1.3, 0.0),
        "other": (1.0, 0.2),
        "small": (0.8, 1.0),
        "asleep": (0.0, 0.0),
        "contrary": (-0.7, 0.0),
    }
    table = random_comparisons(1500, models, judges)
    return corral.preferences(table, judge="judge")


def make_pictures(folder: Path) -> None:
    """Write the first chart of every result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corral.errors.CorralWarning)
        draw_panel().write(folder / "panel.svg", overwrite=True)
        draw_strengths().write(folder / "strengths.svg", overwrite=True)


if __name__ == "__main__":
    make_pictures(IMAGES)
