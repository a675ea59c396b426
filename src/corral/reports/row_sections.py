"""What a report holds of single rows: those worth reading, and those to work on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SignalPart:
    """What a signal said of an example, and its part in the label.

    Attributes
    ----------
    name : str
        The signal, or what else moved the label.
    vote : str
        "" for what is no signal.
    share : float
        Its part in all the pushing, above zero toward the label, below away from it.
    """

    name: str
    vote: str
    share: float


@dataclass(frozen=True)
class ReportRow:
    """An example to read.

    Attributes
    ----------
    name : str
        Its id, or its place.
    text : str or None
        Cut to what is shown.
    alike : float
        Examples with the same votes, itself included.
    label : str or None
        The likeliest class; None where no signal votes, or classes are tied.
    confidence : float
        Probability of the likeliest class.
    gold : str or None
    parts : tuple of SignalPart
        The strongest first.
    n_more : int
        Parts that are not shown.
    tied : bool
        Whether signals vote, but several classes are equally likely.
    """

    name: str
    text: str | None
    alike: float
    label: str | None
    confidence: float
    gold: str | None
    parts: tuple[SignalPart, ...]
    n_more: int
    tied: bool = False


@dataclass(frozen=True)
class RowGroup:
    """Examples that are worth reading for one reason.

    Attributes
    ----------
    kind : "uncertain", "conflicting", "uncovered" or "wrong"
    title, why : str
    n_examples : float
        How many there are in all.
    rows : tuple of ReportRow
        The first of them, each with other votes.
    """

    kind: str
    title: str
    why: str
    n_examples: float
    rows: tuple[ReportRow, ...]


@dataclass(frozen=True)
class RowsSection:
    """Rows worth reading."""

    verdict: str
    groups: tuple[RowGroup, ...]


@dataclass(frozen=True)
class Advice:
    """One thing to do.

    Attributes
    ----------
    action : "fix", "check", "drop", "write" or "label"
    sentence : str
        What, and why.
    rows : tuple of ReportRow
        To do it with.
    """

    action: str
    sentence: str
    rows: tuple[ReportRow, ...] = ()


@dataclass(frozen=True)
class AdviceSection:
    """What to do next, the most useful first."""

    verdict: str
    items: tuple[Advice, ...]
    skipped: tuple[str, ...]
