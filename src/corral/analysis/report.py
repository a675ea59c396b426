"""What `analyse` gives: numbers per signal, and the examples that it gets wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray, IntArray
from corral.results import Part, Result, Table, dots


@dataclass(frozen=True, repr=False)
class Bucket:
    """Examples on which a signal says one thing and the label another.

    Attributes
    ----------
    signal : str
    vote : class value, or "not ..."
        What the signal says.
    label : class value
        What the truth is, or what the labeler says if it is not known.
    rows : (j,) array of int
        Positions of the examples.
    n_examples : float
        How many examples the rows stand for.
    """

    signal: str
    vote: Any
    label: Any
    rows: IntArray = field(repr=False)
    n_examples: float

    def __repr__(self) -> str:
        return (
            f"{self.signal} said {self.vote}, the label is {self.label}: "
            f"{self.n_examples:g} examples"
        )


@dataclass(frozen=True)
class GoldScores:
    """Signals next to true labels.

    Attributes
    ----------
    n_examples : float
        Examples with a true label.
    correct, incorrect : (m,) arrays of float
        Votes that are right and wrong; probabilities are rounded.
    error_rates : (m,) array of float
        Share that is wrong, where a probability is as wrong as it is far off. NaN for a
        signal that says nothing of these examples.
    precision, recall : (m, k) arrays of float
        Of the votes for a class, the share that is right; of the examples of a class,
        covered or not, the share that is voted so. NaN where there are none.
    """

    n_examples: float
    correct: FloatArray
    incorrect: FloatArray
    error_rates: FloatArray
    precision: FloatArray
    recall: FloatArray


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    """What `analyse` found; print it.

    Attributes
    ----------
    names : tuple of str
    classes : (k,) array
    n_examples, n_covered : float
        All, and those that any signal votes on.
    polarity : tuple of tuples
        The classes that every signal votes for; "not ..." where it votes against one of
        many.
    coverage, overlaps, conflicts : (m,) arrays of float
        Share of the examples on which the signal votes, on which another does, too, and
        on which another contradicts it.
    share : (m,) array of float
        The part that it has in a vote: one if it repeats no other signal, one tenth for
        each of ten copies.
    learned : (m,) array of float, or None
        How often the labeler believes it to be right.
    rate_sources : tuple of str, or None
        Whether that is "learned" from votes, "assumed", or so much of it learned; only if
        error rates were estimated.
    implied_error_rates : (m,) array of float, or None
        How often it is wrong if the labels of the labeler are right.
    gold : GoldScores, or None
    buckets : tuple of Bucket
        Where signals and labels disagree, the largest first: the true labels, or those of
        the labeler if there are none.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float
    n_covered: float
    polarity: tuple[tuple[Any, ...], ...]
    coverage: FloatArray
    overlaps: FloatArray
    conflicts: FloatArray
    share: FloatArray
    learned: FloatArray | None
    rate_sources: tuple[str, ...] | None
    implied_error_rates: FloatArray | None
    gold: GoldScores | None
    buckets: tuple[Bucket, ...]

    @property
    def title(self) -> str:
        return "What every signal does"

    def parts(self) -> Iterator[Part]:
        known = "" if self.gold is None else f", {self.gold.n_examples:,.0f} with truth"
        yield (
            f"{self.n_examples:,.0f} examples, {self.n_covered / self.n_examples:.1%} "
            f"covered{known}; {len(self.names)} signals, worth {self.share.sum():.1f} "
            "independent ones"
        )
        columns: dict[str, Any] = {
            "signal": self.names,
            "votes": ["/".join(map(str, votes)) for votes in self.polarity],
            "coverage": self.coverage,
            "overlaps": self.overlaps,
            "conflicts": self.conflicts,
            "weight": self.share,
            "believed": self.learned,
            "source": self.rate_sources,
            "implied": self.implied_error_rates,
            "error": None if self.gold is None else self.gold.error_rates,
        }
        columns = {name: each for name, each in columns.items() if each is not None}
        shares = dict.fromkeys(("coverage", "overlaps", "conflicts"), ".1%")
        yield Table(
            columns, formats=dict.fromkeys(columns, ".2f") | shares, meanings=MEANINGS
        )
        errors = {
            "expected": None if self.learned is None else 1 - self.learned,
            "implied": self.implied_error_rates,
            "true": columns.get("error"),
        }
        series = {name: each for name, each in errors.items() if each is not None}
        if series:
            said = f"Errors of {len(self.names)} signals: {', '.join(series)}."
            yield dots(
                "How often signals err", said, self.names, series, label="errors"
            )
        if self.gold is not None:
            m, k = self.gold.precision.shape
            yield Table(
                {
                    "signal": np.repeat(np.array(self.names, object), k),
                    "class": list(map(str, self.classes.tolist())) * m,
                    "precision": self.gold.precision.ravel(),
                    "recall": self.gold.recall.ravel(),
                },
                "Precision and recall by class",
                {"precision": ".2f", "recall": ".2f"},
                most=5,
            )
        if self.buckets:
            yield Table(
                {
                    "signal": [bucket.signal for bucket in self.buckets],
                    "said": [str(bucket.vote) for bucket in self.buckets],
                    "label": [str(bucket.label) for bucket in self.buckets],
                    "examples": [round(bucket.n_examples) for bucket in self.buckets],
                },
                "Where signals and labels disagree",
                most=5,
            )


MEANINGS = {
    "coverage": "Share of the examples on which the signal votes.",
    "overlaps": "Share of the examples on which another signal votes, too.",
    "conflicts": "Share of the examples on which another signal contradicts it.",
    "weight": "1 for a unique signal, 1/10 for each of ten copies.",
    "believed": "How often the labeler believes the signal to be right.",
    "source": "Whether that is learned from votes, assumed or given.",
    "implied": "How often the signal is wrong if the labels are right.",
    "error": "How often the signal is wrong, by true labels.",
}


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """One by the other; NaN of nothing."""
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
