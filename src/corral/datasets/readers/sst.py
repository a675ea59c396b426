"""SST-2: the csv files that the paper used, and the trees that Stanford publishes."""

from __future__ import annotations

import csv
import re
import zipfile

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import POLARITY, StrPath, name_codes, reading

_LEAF = re.compile(r"\(\d ([^()]+)\)")
_BINARY = {"0": 0, "1": 0, "3": 1, "4": 1}  # 2 is neutral and left out
_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}


def read_sst2(path: StrPath) -> Examples:
    """Read a csv with the columns ``label`` (0 or 1) and ``sentence``.

    Parameters
    ----------
    path : path
    """
    with (
        reading(path, "a csv with the columns label and sentence"),
        open(path, encoding="utf-8", newline="") as file,
    ):
        rows = csv.DictReader(file, strict=True)
        if rows.fieldnames is None or set(rows.fieldnames) != {"label", "sentence"}:
            raise ValueError(f"columns {rows.fieldnames}")
        codes, sentences = [], []
        for row in rows:
            if None in row or None in row.values():
                raise ValueError(f"line {rows.line_num} has not two fields")
            codes.append(int(row["label"]))
            sentences.append(row["sentence"])
        return Examples(name_codes(codes, POLARITY), sentences)


def read_sst_trees(path: StrPath) -> tuple[Examples, Examples]:
    """Read training and test sentences from the zip of parse trees.

    Neutral sentences are left out, as in SST-2. Words are apart by spaces and sentences
    in another order than in the csv files.

    Parameters
    ----------
    path : path of ``trainDevTestTrees_PTB.zip``
    """
    with (
        reading(path, "trees/train.txt and trees/test.txt in a zip"),
        zipfile.ZipFile(path) as archive,
    ):
        train, test = (
            _sentences(archive.read(f"trees/{part}.txt").decode("utf-8"))
            for part in ("train", "test")
        )
    return train, test


def _sentences(text: str) -> Examples:
    codes, sentences = [], []
    for line in text.splitlines():
        words = _LEAF.findall(line)
        if not words or line[1] not in "01234":
            raise ValueError(f"{line[:60]!r} is not a tree")
        if line[1] in _BINARY:
            codes.append(_BINARY[line[1]])
            sentences.append(" ".join(_BRACKETS.get(word, word) for word in words))
    return Examples(np.array(POLARITY)[codes], sentences)
