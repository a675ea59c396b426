"""Scores of many methods, to be printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corral._plain import as_plain, as_rows
from corral._types import FloatArray
from corral.text_table import text_table


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Scores of methods, one per line; print it.

    Attributes
    ----------
    methods : tuple of str
    accuracy, f1, log_loss, brier, seconds : (r,) arrays of float
        One per method; NaN where a method refused the data.
    refused : dict of str
        Why, by method.
    warned : dict of str
        What a method that did work had to say, by method.
    f1_of : str
        The class that `f1` is of, or "macro".
    n_scored : float
        Examples scored.
    n_uncovered : float
        Labelled examples that no signal speaks of, which are not scored.
    n_labelled : int
        Labelled examples that some methods were given; these are not scored, either.
    scored : str
        What was scored: examples, or entries of a multi-label task.
    """

    methods: tuple[str, ...]
    accuracy: FloatArray
    f1: FloatArray
    log_loss: FloatArray
    brier: FloatArray
    seconds: FloatArray
    refused: dict[str, str]
    warned: dict[str, str]
    f1_of: str
    n_scored: float
    n_uncovered: float
    n_labelled: int
    scored: str = "examples"

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line of ``methods`` per method."""
        reasons = {
            "refused": [self.refused.get(name) for name in self.methods],
            "warned": [self.warned.get(name) for name in self.methods],
        }
        scores = {
            name: getattr(self, name)
            for name in ("accuracy", "f1", "log_loss", "brier", "seconds")
        }
        return {
            "methods": as_rows(method=self.methods, **scores, **reasons),
            "f1_of": self.f1_of,
            "n_scored": as_plain(self.n_scored),
            "n_uncovered": as_plain(self.n_uncovered),
            "n_labelled": self.n_labelled,
        }

    def __str__(self) -> str:
        rows = [
            (
                name,
                f"{self.accuracy[i]:.3f}",
                f"{self.f1[i]:.3f}",
                f"{self.log_loss[i]:.3f}",
                f"{self.brier[i]:.3f}",
                f"{self.seconds[i]:.2f} s",
            )
            for i, name in enumerate(self.methods)
            if name not in self.refused
        ]
        headings = ("method", "accuracy", f"F1 ({self.f1_of})", "log-loss", "Brier")
        scored = (
            f"Scored: {self.n_scored:,.0f} labelled {self.scored} that some signal speaks "
            "of"
        )
        if self.n_uncovered:
            scored += f"; left out: {self.n_uncovered:,.0f} that none does"
        if self.n_labelled:
            scored += f"; {self.n_labelled} were given to the methods that say so"
        return "\n".join(
            [
                text_table((*headings, "time"), rows),
                f"{scored}. Ties count in equal parts.",
                *(f"{name} refused: {why}" for name, why in self.refused.items()),
                *(f"{name} warned: {why}" for name, why in self.warned.items()),
            ]
        )

    __repr__ = __str__
