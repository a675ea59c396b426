"""Marks on Fashion-MNIST made by a script that drives the page of `repro.mark`.

No person was at hand. The script takes the first images of every class that the page shows.
It drags where the class differs most from the others, by the mean of the first 60 images of
each class: a person sees that, too. ``python -m repro.mark_by_script`` writes
``repro/marks.npz``; it needs playwright and a Chromium.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.data import GARMENTS, load
from repro.mark import Marking
from repro.studies.marks import MARKS

SETS, SHOWN, KNOWN = 4, 150, 60
STROKES, LENGTH = 6, 6
Stroke = tuple[tuple[int, int], tuple[int, int]]
"""From a pixel to a pixel, across and down."""


@contextmanager
def served(images: NDArray[Any], *options: str) -> Iterator[str]:
    """The address of the page, while ``python -m repro mark`` runs."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "images.npy"
        np.save(path, images)
        words = [sys.executable, "-m", "repro", "mark", str(path), *options]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            try:
                yield running.stdout.readline().strip()
            finally:
                running.terminate()


def mark(page: Any, row: int, label: str, strokes: list[Stroke]) -> None:
    """Choose a class and an image, drag along the strokes, and save."""
    page.select_option("#class", label)
    page.get_by_role("button", name=f"Image {row}", exact=True).click()
    canvas = page.locator("#large")
    canvas.scroll_into_view_if_needed()
    box, width = canvas.bounding_box(), canvas.evaluate("one => one.width")
    for stroke in strokes:
        for (x, y), then in zip(stroke, (page.mouse.down, page.mouse.up), strict=True):
            scale = box["width"] / width
            page.mouse.move(box["x"] + (x + 0.5) * scale, box["y"] + (y + 0.5) * scale)
            then()
    page.locator("#save").click()
    page.get_by_text("Saved:").wait_for()


def choose(images: NDArray[Any], labels: NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    """What the script marks: row, label and strokes."""
    rng, size = np.random.default_rng(0), images.shape[2]
    shown = np.array(list(Marking(images, list(GARMENTS), MARKS, SHOWN).shown))
    means = np.array([images[labels == name][:KNOWN].mean(axis=0) for name in GARMENTS])
    for k, name in enumerate(GARMENTS):
        gap = np.abs(means[k] - np.delete(means, k, axis=0).mean(axis=0)).ravel()
        for row in shown[labels[shown] == name][:SETS]:
            starts = rng.choice(gap.size, STROKES, p=gap / gap.sum())
            down, across = np.divmod(starts, size)
            ends = np.minimum(across + LENGTH, size - 1)
            strokes = [
                ((int(x), int(y)), (int(end), int(y)))
                for x, y, end in zip(across, down, ends, strict=True)
            ]
            yield int(row), name, strokes


def main() -> None:
    """Write `MARKS` anew."""
    from playwright.sync_api import sync_playwright

    train = load("fashion_mnist").train
    images = np.asarray(train.data)
    MARKS.unlink(missing_ok=True)
    options = (
        "--classes",
        ",".join(GARMENTS),
        "--out",
        str(MARKS),
        "--shown",
        str(SHOWN),
    )
    with served(images, *options) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        page.goto(address)
        for row, label, strokes in choose(images, train.labels):
            mark(page, row, label, strokes)
        browser.close()


if __name__ == "__main__":
    main()
