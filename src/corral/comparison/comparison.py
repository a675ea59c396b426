"""Scores of many methods, to be printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corral._types import FloatArray
from corral.results import Part, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
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

    @property
    def title(self) -> str:
        return "Methods compared"

    def parts(self) -> Iterator[Part]:
        shown = [i for i, name in enumerate(self.methods) if name not in self.refused]
        yield Table(
            {
                "method": [self.methods[i] for i in shown],
                "accuracy": self.accuracy[shown],
                f"F1 ({self.f1_of})": self.f1[shown],
                "log-loss": self.log_loss[shown],
                "Brier": self.brier[shown],
                "time": [f"{self.seconds[i]:.2f} s" for i in shown],
            },
        )
        scored = f"Scored on {self.n_scored:,.0f} labelled {self.scored} with a vote"
        if self.n_uncovered:
            scored += f"; {self.n_uncovered:,.0f} without a vote are left out"
        if self.n_labelled:
            scored += f"; {self.n_labelled} were given to the methods that say so"
        yield f"{scored}. Ties count in equal parts."
        for name, why in self.refused.items():
            yield f"{name} refused: {why}"
        for name, why in self.warned.items():
            yield f"{name} warned: {why}"
