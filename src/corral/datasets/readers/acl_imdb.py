"""The archive of movie reviews ``aclImdb_v1.tar.gz``."""

from __future__ import annotations

import re
import tarfile

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import POLARITY, StrPath, reading
from corral.progress import progress

_CLASSES = dict(zip(("neg", "pos"), POLARITY, strict=True))
_REVIEW = re.compile(r"aclImdb/(train|test)/(neg|pos)/(\d+)_\d+\.txt")


def read_acl_imdb(path: StrPath) -> tuple[Examples, Examples]:
    """Read the training and the test reviews, 25,000 each in the published archive.

    Reviews without a label are left out. The order is that of class and number, whatever
    the order in the archive.

    Parameters
    ----------
    path : path of a tar.gz
    """
    found: dict[str, list[tuple[str, int, str]]] = {"train": [], "test": []}
    expected = "aclImdb/{train,test}/{neg,pos}/*.txt in a tar.gz"
    with (
        reading(path, expected),
        tarfile.open(path, "r:gz") as archive,
        progress("reading reviews", None, "reviews") as bar,
    ):
        for member in archive:
            match = _REVIEW.fullmatch(member.name)
            file = archive.extractfile(member) if match else None
            if match and file:
                text = file.read().decode("utf-8")
                found[match[1]].append((_CLASSES[match[2]], int(match[3]), text))
                bar.advance()
        for part, reviews in found.items():
            if {review[0] for review in reviews} != set(_CLASSES.values()):
                raise ValueError(f"no reviews of both classes in aclImdb/{part}")
    train, test = (_examples(reviews) for reviews in found.values())
    return train, test


def _examples(reviews: list[tuple[str, int, str]]) -> Examples:
    reviews.sort()
    return Examples(
        np.array([label for label, _, _ in reviews]), [r[2] for r in reviews]
    )
