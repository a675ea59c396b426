"""Questions by the kind of answer: ``train_5500.label`` and ``TREC_10.label``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import StrPath, reading

CLASSES = ("DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM")
"""In the order of the paper's files: that of first appearance."""


def read_trec(path: StrPath) -> Examples:
    """Read lines ``COARSE:fine question`` in Latin-1; the coarse class is the label.

    Spaces are kept as they are: some of the paper's rules look at them.

    Parameters
    ----------
    path : path
    """
    labels, questions = [], []
    with reading(path, "lines 'COARSE:fine question'"):
        lines = Path(path).read_bytes().decode("latin-1").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            kind, _, question = line.rstrip("\r").partition(" ")
            coarse, colon, _ = kind.partition(":")
            if coarse not in CLASSES or not colon or not question.strip():
                raise ValueError(f"line {number} is {line[:60]!r}")
            labels.append(coarse)
            questions.append(question)
        if not labels:
            raise ValueError("no lines")
    return Examples(np.array(labels), questions)
