"""Options that say how votes are read, and the numbers in others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from corral.errors import ParameterError
from corral.vote_reader import Names, VoteReader
from corral.votes import WeakSignals
from corral.votes.coding import is_no_vote
from corral.votes.readers import Coding


class ShellReading(VoteReader):
    """How votes are read, as options say it: all is text, with commas between names."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], console: Console) -> ShellReading:
        """Of the options of a command; how votes were read is shown on a console."""

        def announce(signals: WeakSignals) -> None:
            console.print(Text(f"read as: {signals.reading}"), soft_wrap=True)

        given = options["classes"]
        named = given if isinstance(given, list) else split_names(given or "")
        return cls(**{**options, "classes": named or None, "announce": announce})

    @property
    def coding(self) -> Coding:
        """Classes and abstains as text, until the votes are there; classes are names."""
        if not self.probabilities:
            return TextCoding(self.classes, self.abstain, self.normalise)
        silent = [as_number("abstain", value) for value in self.abstain or ()]
        return Coding(self.classes, silent or None)

    def split_names(self, names: Names, columns: Sequence[str]) -> Names:
        """Names with commas between; one that is a name with a comma stays whole."""
        if names is None:
            return None
        return [
            name
            for item in names
            for name in ([item] if item in columns else split_names(item))
        ]

    def match_class(self, value: Any, classes: NDArray[Any]) -> Any:
        """A class as a number, where classes are numbers."""
        text = value is None or classes.dtype.kind not in "biuf"
        return value if text else as_number("positive", value)


@dataclass(frozen=True)
class TextCoding(Coding):
    """Classes and abstains as text, whatever the votes are."""

    def match_type(self, votes: NDArray[Any]) -> Coding:
        """The same in the type of the votes."""
        classes, silent = self.classes, self.abstain
        if votes.dtype.kind != "O":
            classes = [as_number("classes", value) for value in classes or ()] or None
            silent = [as_number("abstain", value) for value in silent or ()] or None
        return Coding(classes, silent, self.normalise)


def as_number(name: str, value: str) -> int | float | None:
    """A class or an abstain among numbers."""
    if name == "abstain" and is_no_vote(value):
        return None  # among numbers such a cell is missing
    try:
        number = float(value)
    except ValueError as error:
        raise ParameterError(
            f"the votes are numbers, but `{name}=` is {value!r}."
        ) from error
    return int(value) if re.fullmatch(r"[+-]?\d+", value) else number


def split_names(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def read_shares(given: str | None) -> list[float] | None:
    """What `--class-balance` says, in the order of the classes."""
    if given is None:
        return None
    try:
        return [float(share) for share in given.split(",")]
    except ValueError as error:
        raise ParameterError(
            f"takes numbers with commas between, such as 0.7,0.3; {given} was given.",
            parameter="class_balance",
        ) from error


def read_rates(given: list[str] | None) -> float | str | dict[str, float]:
    """What `--error-rate` says; "auto" if it was not given."""
    if not given or given == ["auto"]:
        return "auto"
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        pairs = [item.rsplit("=", 1) for item in given]
        rates = {name: float(rate) for name, rate in pairs}
    except ValueError as error:
        raise ParameterError(
            "takes one number, name=number per signal, or auto; "
            f"{', '.join(given)} was given.",
            parameter="error_rates",
        ) from error
    if len(rates) < len(pairs):
        raise ParameterError("names a signal twice.", parameter="error_rates")
    return rates
