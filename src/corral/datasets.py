"""Data to try things on: folders of WRENCH, random votes and comparisons, messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import ParameterError, StorageError
from corral.storage import reading
from corral.votes import WeakSignals

PARTS = ("train", "valid", "test")
PAPER_ACCURACIES = (
    0.6995, 0.6684, 0.6163, 0.6410, 0.6634, 0.6791, 0.6364, 0.6220, 0.6565, 0.6459
)  # fmt: skip
"""Nominal accuracies of the ten independent signals of the paper's task."""


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
        lengths = {len(each) for each in (self.data, self.signals) if each is not None}
        if not len(self.labels) or lengths - {len(self.labels)}:
            raise StorageError(
                f"{len(self.labels)} labels, {sorted(lengths)} examples."
            )

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        parts = [f"{len(self)} labels"]
        if self.data is not None:
            shape = getattr(self.data, "shape", None)
            parts.append(f"array of {shape}" if shape else "texts")
        if self.signals is not None:
            parts.append(f"{self.signals.n_signals} signals")
        return f"Examples({', '.join(parts)})"


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
    """

    name: str
    classes: tuple[Any, ...]
    train: Examples
    test: Examples | None = None
    valid: Examples | None = None

    def __repr__(self) -> str:
        parts = [(part, getattr(self, part)) for part in PARTS]
        sizes = [f"{part} {len(found)}" for part, found in parts if found is not None]
        return (
            f"Dataset({self.name!r}: {', '.join(sizes)}; {len(self.classes)} classes)"
        )


# -- from files ----------------------------------------------------------------


def read_wrench(folder: str | PathLike[str]) -> Dataset:
    """Read a folder of the WRENCH benchmark.

    An entry is ``{id: {"label": 0, "weak_labels": [0, -1], "data": {"text": ...}}}``, or
    has ``{"feature": [...]}`` instead of a text. A vote of -1 is an abstain, and a label of
    -1 is not known: None among the labels. The names of classes are in ``label.json``.

    Parameters
    ----------
    folder : path
        With ``label.json`` and ``train.json``, and maybe ``valid.json`` and ``test.json``.

    Examples
    --------
    >>> from corral import datasets
    >>> datasets.read_wrench("wrench/youtube")  # doctest: +SKIP
    Dataset('youtube': train 1586, valid 120, test 250; 2 classes)
    """
    folder = Path(folder)
    with reading(folder / "label.json", "class names, {'0': name, ...}"):
        named = json.loads((folder / "label.json").read_text("utf-8"))
        classes = tuple(str(named[str(code)]) for code in range(len(named)))
    paths = {part: folder / f"{part}.json" for part in PARTS}
    parts = {
        part: _read_part(path, classes)
        for part, path in paths.items()
        if part == "train" or path.exists()
    }
    return Dataset(folder.name, classes, **parts)


def _read_part(path: Path, classes: tuple[str, ...]) -> Examples:
    with reading(path, "{id: {label, weak_labels, data: {text} or {feature}}}"):
        rows = list(json.loads(path.read_text("utf-8")).values())
        codes = np.array([row["label"] for row in rows], object)
        labels = np.full(len(codes), None, object)
        known = codes != -1
        labels[known] = name_codes(codes[known], classes)
        if known.all():
            labels = labels.astype(str)
        votes = name_votes([row["weak_labels"] for row in rows], classes)
        signals = WeakSignals.from_votes(votes, classes=classes)
        data = [row["data"] for row in rows]
        if all("text" in entry for entry in data):
            return Examples(labels, [entry["text"] for entry in data], signals)
        features = np.array([entry["feature"] for entry in data], float)
        if features.ndim != 2 or not np.isfinite(features).all():
            raise ValueError("features that are not as many finite numbers each")
        return Examples(labels, features, signals)


def name_codes(codes: Any, classes: Sequence[Any]) -> NDArray[Any]:
    """Class values for the publishers' codes ``0, ..., k - 1``."""
    given, values = np.asarray(codes), np.asarray(classes)
    outside = given[~np.isin(given, range(len(values)))]
    if outside.size:
        raise StorageError(
            f"expected classes 0 to {len(values) - 1}, found {outside[0]}."
        )
    return values[given.astype(int)]


def name_votes(votes: Any, classes: Sequence[str]) -> NDArray[np.str_]:
    """Class names for votes, "" for -1, abstain."""
    said = np.asarray(votes, np.int64)
    return name_codes(np.where(said == -1, len(classes), said), [*classes, ""])


# -- made at random -------------------------------------------------------------


def random_votes(
    n: int,
    accuracies: Sequence[float] = PAPER_ACCURACIES,
    coverage: float = 0.3,
    seed: int = 0,
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Binary votes (n, m) of independent signals, of any size, fast; and labels (n,).

    Parameters
    ----------
    accuracies : sequence of float
        One per signal.
    coverage : float
        Share of the examples on which a signal votes.
    """
    if not all(0 <= share <= 1 for share in (coverage, *accuracies)):
        raise ParameterError("accuracies and coverage must be between 0 and 1.")
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    votes = np.empty((n, len(accuracies)), np.int8)
    for i, accuracy in enumerate(accuracies):
        right = rng.random(n, np.float32) < accuracy
        voted = rng.random(n, np.float32) < coverage
        votes[:, i] = np.where(voted, np.where(right, labels, 1 - labels), -1)
    return votes, labels


def random_comparisons(
    n: int,
    strengths: Mapping[str, float],
    judges: Mapping[str, tuple[float, float]],
    *,
    ties: float = 0.5,
    shared: float = 0.0,
    seed: int = 0,
) -> dict[str, NDArray[Any]]:
    """Verdicts of judges of known quality on pairs of items of known strength.

    Parameters
    ----------
    n : int
        Tasks, each a random pair in random order.
    strengths : mapping of item to float
        In log-odds.
    judges : mapping of judge to (sensitivity, position bias)
        A sensitivity of 0 is a judge who does not look, one below 0 prefers the weaker. A
        bias above 0, in log-odds, favours what is shown first.
    ties : float
        How much likelier a tie is than a win of either, where items are equal.
    shared : float
        0: a random judge per task, errors are independent. Above: every judge has every
        task, and all see the same gap, which is off by a normal number of this scale.

    Returns
    -------
    dict of arrays
        The columns ``a`` (shown first), ``b``, ``winner`` ("a", "b" or "tie"), ``judge``
        and ``task``.

    Examples
    --------
    >>> from corral.datasets import random_comparisons
    >>> made = random_comparisons(2, {"x": 1, "y": 0}, {"judge": (1, 0)})
    >>> list(made), len(made["a"])
    (['a', 'b', 'winner', 'judge', 'task'], 2)
    """
    draw = np.random.default_rng(seed)
    items, names = np.array(list(strengths)), np.array(list(judges))
    a = draw.integers(len(items), size=n)
    b = (a + draw.integers(1, len(items), size=n)) % len(items)
    values = np.array(list(strengths.values()), float)
    gaps = values[a] - values[b] + shared * draw.standard_normal(n)
    task, each = np.arange(n), draw.integers(len(names), size=n)
    if shared:
        task, each = np.divmod(np.arange(n * len(names)), len(names))
    sensitivity, bias = np.array(list(judges.values()), float)[each].T
    half = (sensitivity * gaps[task] + bias) / 2
    chances = np.column_stack([np.exp(half), np.exp(-half), np.full(len(half), ties)])
    below = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    said = (draw.random((len(half), 1)) > below[:, :2]).sum(axis=1)
    return {
        "a": items[a[task]],
        "b": items[b[task]],
        "winner": np.array(["a", "b", "tie"])[said],
        "judge": names[each],
        "task": task,
    }


# -- made-up messages, to try rules on ----------------------------------------------

PHRASES = {
    "billing": """
        I was {charged|billed} {twice|two times} for {one order|the same month}
        please {refund|return} my {money|payment}, it has been {two weeks|ten days}
        the invoice {says|shows} {40|75|90} euros, but my plan costs {20|30}
        my {card|bank account} was {charged|debited} after I cancelled
        how do I get a {refund|receipt} for {March|my last order}
        the discount {code|voucher} was not {taken off|applied}
        I want to {change|update} my {card|payment details}
        why did the price {go up|rise} this month
        your {accounting|finance team} never {replied|answered} about my VAT number""",
    "delivery": """
        my {parcel|package|order} {has not arrived|is still not here}
        the tracking {page|number} {has not moved|shows nothing} since {Monday|last week}
        the courier left it {with a neighbour|in the rain|at a wrong door}
        the {box|parcel} was {crushed|open|damaged} when it came
        you sent the wrong {size|colour|item}
        can I {change|correct} the {address|date} before it is shipped
        where is my {parcel|order}, it was promised for {Friday|yesterday}
        one {item|piece} is missing from the {box|order}
        nobody rang {the bell|at my door}, and the note says I was out""",
    "technical": """
        the app {crashes|freezes|closes} when I open {settings|my profile}
        I cannot {log in|sign in}, it says {error 403|wrong password}
        the {page|screen} stays {white|empty} after the update
        the password {mail|link} never {comes|works}
        {sync|backup} {fails|stops} {halfway|every night} since version {4.2|5}
        the {speaker|camera} does not {connect|pair} any more
        it is {very slow|stuck} on my {phone|tablet|laptop}
        the {search|filter} shows {nothing|an error}
        {notifications|messages} come {twice|hours late} on my phone""",
}
OPENINGS = ("Hello,", "Hi there,", "Dear team,", "Good morning,", "", "")
ENDINGS = ("Thanks!", "Please help.", "This is the third time I write.", "", "")
OTHER_TOPIC = 0.15  # share of the messages that mention another topic, too


def messages(n: int = 3000, *, random_state: int = 0) -> Examples:
    """Made-up messages to a shop: about billing, delivery, or technical problems.

    Some mention a second topic; their label is the first. They are for trying things out,
    not for measuring methods.

    Examples
    --------
    >>> from corral.datasets import messages
    >>> found = messages(2)
    >>> found.labels.tolist()
    ['delivery', 'billing']
    """
    rng = np.random.default_rng(random_state)
    phrases = {
        topic: [line.strip() for line in lines.strip().splitlines()]
        for topic, lines in PHRASES.items()
    }
    topics = list(phrases)

    def draw(topic: str, number: int) -> list[str]:
        chosen = rng.choice(phrases[topic], number, replace=False).tolist()
        return [
            re.sub(r"{(.*?)}", lambda slot: rng.choice(slot[1].split("|")), phrase)
            for phrase in chosen
        ]

    labels = rng.choice(topics, n, p=[0.3, 0.45, 0.25])
    texts = []
    for topic in labels.tolist():
        said = draw(topic, int(rng.integers(1, 3)))
        if rng.random() < OTHER_TOPIC:
            others = [other for other in topics if other != topic]
            said += draw(str(rng.choice(others)), 1)
        body = ". ".join(one[0].upper() + one[1:] for one in said) + "."
        parts = (rng.choice(OPENINGS), body, rng.choice(ENDINGS))
        texts.append(" ".join(part for part in parts if part))
    return Examples(labels, texts)
