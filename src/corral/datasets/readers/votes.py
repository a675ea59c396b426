"""Vote matrices with true labels in a NumPy archive."""

from __future__ import annotations

from corral.datasets.dataset import Examples
from corral.datasets.readers.reader_tools import (
    StrPath,
    name_codes,
    read_arrays,
    reading,
)
from corral.signals import WeakSignals


def read_votes(path: StrPath) -> Examples:
    """Read ``train_votes`` `(n, m)`, -1 for abstain, and ``train_labels`` `(n,)`.

    Parameters
    ----------
    path : path of an npz
    """
    with reading(path, "train_votes and train_labels in an npz"):
        stored = read_arrays(path)
        votes, labels = stored["train_votes"], stored["train_labels"]
        classes = range(int(max(2, labels.max() + 1, votes.max() + 1)))
        signals = WeakSignals.from_votes(votes, classes=classes, abstain=-1)
        return Examples(name_codes(labels, classes), signals=signals)
