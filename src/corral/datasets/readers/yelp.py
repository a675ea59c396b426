"""Yelp reviews by polarity: ``yelp_review_polarity_csv``."""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import POLARITY, StrPath, reading
from corral.progress import progress

_CLASSES = dict(zip("12", POLARITY, strict=True))


def read_yelp(path: StrPath) -> tuple[Examples, Examples]:
    """Read training and test reviews, rows ``"1","text"`` (1 is negative).

    Parameters
    ----------
    path : path
        ``yelp_review_polarity_csv.tgz``, or the folder that was packed in it.
    """
    expected = 'rows \'"1","text"\' in train.csv and test.csv'
    with reading(path, expected):
        if Path(path).is_dir():
            train, test = (
                _reviews(io.StringIO((Path(path) / name).read_text("utf-8")))
                for name in ("train.csv", "test.csv")
            )
        else:
            with tarfile.open(path, "r:gz") as archive:
                train, test = (
                    _reviews(_member(archive, f"yelp_review_polarity_csv/{name}"))
                    for name in ("train.csv", "test.csv")
                )
    return train, test


def _member(archive: tarfile.TarFile, name: str) -> Iterable[str]:
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is not a file")
    return io.TextIOWrapper(file, "utf-8", newline="")


def _reviews(lines: Iterable[str]) -> Examples:
    labels, reviews = [], []
    with progress("reading reviews", None, "reviews") as bar:
        for number, row in enumerate(csv.reader(lines, strict=True), start=1):
            if len(row) != 2 or row[0] not in _CLASSES:
                raise ValueError(f"row {number} is {str(row)[:60]}")
            labels.append(_CLASSES[row[0]])
            reviews.append(row[1])
            bar.advance()
    return Examples(np.array(labels), reviews)
