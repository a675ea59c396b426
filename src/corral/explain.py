"""Why an example has the label it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.results import Part, Result, Table, as_plain, dots
from corral.votes import WeakSignals


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """What every signal said of an example, and how far that moved its label.

    The moves add up to

    - the log-odds of the label, less their mean over the classes, where votes have weights:
      estimated rates, `WeightedVote`, `DawidSkene`, `MeTaL` and `DataProgramming`;
    - the log-odds of the label for `Entropy`;
    - votes for less votes against a class for `MajorityVote`;
    - the mean probability less an even one for `Averaging`;
    - all steps before labels are clipped to 0 and 1 for `Adagrad` and `Projection`. With
      Adagrad, signals that contradict each other push to and fro: read signs and
      proportions (`shares`), not sizes.

    Attributes
    ----------
    example : int, or an id
    classes, probabilities : (k,) arrays
        The soft label.
    signals, votes : tuples of str
        What each signal said, in words; "" for an abstain.
    moves : (m + c, k) array of float
        How far each signal, and then all else, moved the label of each class.
    constraints : tuple of str
        What else moved it: the class balance, constraints that belong to no signal.
    """

    example: Any
    classes: NDArray[Any]
    probabilities: FloatArray
    signals: tuple[str, ...]
    votes: tuple[str, ...]
    moves: FloatArray
    constraints: tuple[str, ...] = ()

    @property
    def label(self) -> Any:
        """The likeliest class."""
        return self.classes[self.probabilities.argmax()]

    @property
    def shares(self) -> FloatArray:
        """(m + c,) the part of each in all the pushing, signed toward `label`."""
        moves: FloatArray = self.moves[:, self.probabilities.argmax()]
        total = np.abs(moves).sum()
        return moves / total if total else moves

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain values, with `label` and `shares`."""
        found = {"label": self.label, "shares": self.shares}
        return super().to_dict() | as_plain(found)

    @property
    def title(self) -> str:
        return f"Why example {self.example} is {self.label}"

    def parts(self) -> Iterator[Part]:
        p = self.probabilities
        order = np.argsort(-p, kind="stable")[:3]
        likely = ", ".join(f"{self.classes[k]} {p[k]:.2f}" for k in order)
        yield f"example {self.example}: {likely}"
        shares = self.shares
        said = dict(enumerate(self.votes))
        if not any(self.votes):
            yield "no signal votes on it"
        names = (*self.signals, *self.constraints)
        shown = [
            i
            for i in np.argsort(-np.abs(shares), kind="stable").tolist()
            if said.get(i) or (i >= len(self.votes) and shares[i])
        ]
        if not shown:
            return
        toward = f"toward {self.label}"
        yield Table(
            {
                "signal": [names[i] for i in shown],
                "said": [said.get(i) for i in shown],
                toward: shares[shown],
            },
            formats={toward: "+.0%"},
        )
        yield dots(
            self.title,
            f"{names[shown[0]]} moves the label most.",
            [names[i] for i in shown],
            {toward: shares[shown]},
            label=f"part in the label, {toward}",
            middle=0.0,
        )


def votes_of(one: WeakSignals) -> tuple[str, ...]:
    """What each signal says of a single example, in words."""
    said: list[list[str]] = [[] for _ in one.names]
    schema, second = one.schema, one.schema.names_classes and one.n_classes == 2
    for at, share in zip(one.F.indices, one.F.data, strict=True):
        name = str(one.classes[schema.says[at]])
        if one.is_hard:
            said[schema.signal[at]].append(
                f"not {name}" if schema.negated[at] else name
            )
        elif not schema.negated[at] and not (second and schema.says[at] == 0):
            said[schema.signal[at]].append(f"{name} {share:.2f}")
    return tuple(", ".join(words) for words in said)
