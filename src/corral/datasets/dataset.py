"""What loading a data set gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import StorageError
from corral.signals import WeakSignals


@dataclass(frozen=True, eq=False, repr=False)
class Examples:
    """The examples of one part of a data set, in one order.

    Attributes
    ----------
    labels : (n,) array
        True classes, as in `Dataset.classes`; None where one is not known.
    data : (n,) list of str, (n, ...) array or None
        Texts, images or features; None where only signals were published.
    signals : WeakSignals or None
        Signals that come with the data.
    """

    labels: NDArray[Any]
    data: Sequence[str] | NDArray[Any] | None = None
    signals: WeakSignals | None = None

    def __post_init__(self) -> None:
        if not len(self.labels):
            raise StorageError("expected examples, found none.")
        for what, rows in (("examples", self.data), ("rows of signals", self.signals)):
            if rows is not None and len(rows) != len(self.labels):
                raise StorageError(
                    f"expected one label per example, found {len(rows)} {what} and "
                    f"{len(self.labels)} labels; the files do not belong together."
                )

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        data = "" if self.data is None else f", {_kind(self.data)}"
        signals = "" if self.signals is None else f", {self.signals.n_signals} signals"
        return f"Examples({len(self)} labels{data}{signals})"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set, split as its publishers split it.

    Attributes
    ----------
    name : str
    classes : tuple
        Class values, in the order of the publishers' codes.
    train : Examples
    test, valid : Examples or None
    notes : tuple of str
        How the files that were read differ from the published ones.
    """

    name: str
    classes: tuple[Any, ...]
    train: Examples
    test: Examples | None = None
    valid: Examples | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = ("train", "valid", "test")
        sizes = [
            f"{part} {len(examples)}"
            for part in parts
            if (examples := getattr(self, part)) is not None
        ]
        return (
            f"Dataset({self.name!r}: {', '.join(sizes)}; {len(self.classes)} classes)"
        )


def _kind(data: Sequence[str] | NDArray[Any]) -> str:
    return f"array of {data.shape}" if isinstance(data, np.ndarray) else "texts"
