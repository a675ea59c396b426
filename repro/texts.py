"""The text data sets as the paper split them, from raw text to weak signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from corral import WeakSignals, apply
from corral._types import BoolArray, IntArray
from corral.progress import progress
from repro.data import load
from repro.keys import hash_data
from repro.methods import find_positions
from repro.rules import IMDB_RULES, SST2_RULES, TREC_RULES, YELP_RULES, TextRule
from repro.store import Store
from repro.word_vectors import clean_text

RULES = {
    "imdb": IMDB_RULES,
    "sst2": SST2_RULES,
    "yelp": YELP_RULES,
    "trec": TREC_RULES,
}
"""The paper's rules by data set."""
RAW = frozenset({"imdb"})
"""Data sets whose texts the paper did not clean before it looked up word vectors."""
IMDB_SEED, IMDB_TEST = 50, 0.2
YELP_SEED, YELP_SIZES = 5000, (45_370, 10_000)
"""What the paper had, of reviews that rules cover; of a smaller sample all are taken."""


@dataclass(frozen=True, eq=False)
class Texts:
    """A data set, ready for labelers and end models.

    Attributes
    ----------
    name : str
    classes : tuple of str
        In the paper's order.
    train : list of str
        Training texts that some rule covers.
    signals : WeakSignals
        What the rules say of these.
    truth : (n,) array of int
        Positions of their true classes.
    uncovered : list of str
        Other texts that may be looked at without labels; none of them is in `test`.
    test : list of str
    test_truth : (t,) array of int
    """

    name: str
    classes: tuple[str, ...]
    train: list[str]
    signals: WeakSignals
    truth: IntArray
    uncovered: list[str]
    test: list[str]
    test_truth: IntArray


def read_texts(
    name: str, store: Store, every: int = 1, rules: tuple[TextRule, ...] = ()
) -> Texts:
    """Read a data set, apply the paper's rules and split it as the paper did.

    Parameters
    ----------
    name : str
        In `RULES`.
    store : Store
        Keeps which texts differ once cleaned, as cleaning 50,000 reviews takes half a
        minute.
    every : int
        Take only every n-th text, with this n.
    rules : tuple of TextRule
        Other rules than those in `RULES`.
    """
    used = rules or RULES[name]
    texts, truth, in_test, signals, classes = pool = _pool(name, every, used)
    rows = np.arange(len(texts))
    if name != "sst2":  # the paper left repeated sentences in
        rows = store.get(
            f"unique-{name}",
            [hash_data(name), every],
            lambda: _unique(pool),
            for_all=True,
        )
    if name == "imdb":
        drawn = _draw(rows, round(IMDB_TEST * len(rows)), IMDB_SEED)
        in_test = np.isin(np.arange(len(texts)), drawn)
    covered = signals.covered
    test, train, rest = (
        rows[where[rows]]
        for where in (in_test, ~in_test & covered, ~in_test & ~covered)
    )
    if name == "imdb":
        test, rest = np.concatenate([test, rest]), rest[:0]
    if name == "yelp":
        train = _draw(train, YELP_SIZES[0], YELP_SEED)
        test = _draw(test[covered[test]], YELP_SIZES[1], YELP_SEED)
    return Texts(
        name,
        classes,
        train=[texts[row] for row in train],
        signals=signals.take(train),
        truth=truth[train],
        uncovered=[texts[row] for row in rest],
        test=[texts[row] for row in test],
        test_truth=truth[test],
    )


def apply_rules(
    rules: Sequence[TextRule], texts: Sequence[str], classes: tuple[str, ...]
) -> WeakSignals:
    """Apply rules to texts.

    As in the paper, rules for two classes vote, and those of TREC are one-vs-rest.
    """
    signals = apply([rule.function() for rule in rules], texts, classes=classes)
    if len(classes) == 2:
        return signals
    votes = signals.votes.T[:, :, None]
    said = np.where(votes == np.arange(len(classes)), 1.0, np.nan)
    return WeakSignals.from_one_vs_rest(said, classes=classes, names=signals.names)


class _Pool(NamedTuple):
    """All texts, and which of them are test texts."""

    texts: list[str]
    truth: IntArray
    in_test: BoolArray
    signals: WeakSignals
    classes: tuple[str, ...]


@cache
def _pool(name: str, every: int, rules: tuple[TextRule, ...]) -> _Pool:
    dataset = load(name)
    parts = [part for part in (dataset.train, dataset.test) if part is not None]
    texts = [str(text) for part in parts for text in part.data or ()]
    truth = np.concatenate(
        [find_positions(part.labels, np.array(dataset.classes)) for part in parts]
    )
    # The split of IMDB is drawn later.
    in_test = (np.arange(len(texts)) >= len(dataset.train)) & (name != "imdb")
    texts = texts[::every]
    signals = apply_rules(rules, texts, dataset.classes)
    return _Pool(texts, truth[::every], in_test[::every], signals, dataset.classes)


def _unique(pool: _Pool) -> IntArray:
    """Rows of test texts, and of the first of others that are the same once cleaned."""
    first: dict[str | int, int] = {}
    with progress("cleaning texts", len(pool.texts), "texts") as bar:
        for row, text in enumerate(pool.texts):
            first.setdefault(row if pool.in_test[row] else clean_text(text), row)
            bar.advance()
    return np.array(list(first.values()))


def _draw(rows: IntArray, size: int, seed: int) -> IntArray:
    """Draw `size` of the rows, or take all if there are fewer."""
    if size >= len(rows):
        return rows
    return np.random.RandomState(seed).choice(rows, size, replace=False)
