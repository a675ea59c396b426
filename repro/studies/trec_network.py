"""What the test accuracy on TREC-6 hangs on: one thing changed at a time."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from repro.config import Cell
from repro.data import data_folder
from repro.keys import hash_data
from repro.methods import accuracy
from repro.networks import SoftLabelMLP
from repro.results import Outcome
from repro.rules import TREC_RULES, TextRule
from repro.store import Store
from repro.studies.text_test import make_targets
from repro.texts import read_texts
from repro.word_vectors import Vectors, clean_text, load_vectors, open_vectors

GROUP = 6
"""Rules per group, one per class."""
RULES: dict[str, tuple[TextRule, ...]] = {
    "all": TREC_RULES,
    "three groups": TREC_RULES[: 3 * GROUP],
    "three groups, what": tuple(
        TextRule("enty_what", "ENTY", ("what",)) if rule.name == "enty_3" else rule
        for rule in TREC_RULES[: 3 * GROUP]
    ),
}
"""The last has 18 rules that cover nearly as many questions as the paper says."""
FEW_WORDS = "glove/glove.6B.300d.first503.txt.gz"
"""A file of 300 numbers per word, of which only the most frequent words are at hand."""
_TOKEN = re.compile(r"\w+|[^\w\s]+")


class TrecNetwork:
    """Train the network of the text tables on TREC-6, and score the test questions.

    A row is a variant, a column a kind of labels. Settings: ``rate``; ``base``, and what
    ``variants`` change in it: ``network``, options of `SoftLabelMLP`; ``labels``,
    "entries" as the published code has them, these "rounded", divided by their sum
    ("shares"), or one for the "likeliest"; ``rules``, in `RULES`; ``words``, "clean",
    "lower" (with punctuation) or "raw"; ``divide_by``, "all" words or the "known" ones;
    ``vectors``, "100", "50" (half of their numbers), or "few 100" and "few 300" (503 words
    only); ``scale``, whether features have one deviation; ``every`` and ``seeds``.
    """

    def data(self, cell: Cell) -> dict[str, str]:  # noqa: ARG002
        """Hashes of the texts and of the word vectors."""
        return {name: hash_data(name) for name in ("trec", "glove")}

    def run(self, cell: Cell, store: Store) -> Outcome:
        """Accuracy for every seed."""
        variant = make_variant(cell.settings, cell.row)
        texts = read_texts(
            "trec", store, cell.settings.get("every", 1), RULES[variant["rules"]]
        )
        train, test = (
            make_features(part, variant) for part in (texts.train, texts.test)
        )
        if variant["scale"]:
            mean, spread = train.mean(axis=0), train.std(axis=0) + 1e-6
            train, test = ((part - mean) / spread for part in (train, test))
        values = []
        for seed in cell.seeds:
            made = make_targets(cell.column, texts, cell.settings["rate"], seed)
            targets = convert(made, variant["labels"])
            model = SoftLabelMLP(**variant["network"], random_state=seed)
            model.fit(train, targets)
            values.append(accuracy(model.predict_proba(test), texts.test_truth))
        return Outcome(values, rows=len(train), test_rows=len(test))


def make_variant(settings: dict[str, Any], name: str) -> dict[str, Any]:
    """The base with what a variant changes; of the network, option by option."""
    base, changed = settings["base"], settings["variants"].get(name, {})
    network = base["network"] | changed.get("network", {})
    return base | changed | {"network": network | settings.get("network", {})}


def convert(
    entries: FloatArray, to: Literal["entries", "rounded", "shares", "likeliest"]
) -> FloatArray:
    """Entries (n, k) in another form."""
    if to == "rounded":
        return np.rint(entries)
    if to == "shares":
        sums = entries.sum(axis=1, keepdims=True)
        even = np.full_like(entries, 1 / entries.shape[1])
        return np.divide(entries, sums, out=even, where=sums > 0)
    if to == "likeliest":
        return np.asarray(np.eye(entries.shape[1])[entries.argmax(axis=1)])
    return entries


def make_features(texts: list[str], variant: dict[str, Any]) -> NDArray[np.float32]:
    """(n, d) sums of the vectors of known words, divided by the number of words."""
    file, known = _open(variant["vectors"])
    size = 50 if variant["vectors"] == "50" else file.vectors.shape[1]
    means = np.zeros((len(texts), size), np.float32)
    for row, text in enumerate(texts):
        words = split_words(text, variant["words"])
        at = [file.words[word] for word in words if word in known]
        number = len(at) if variant["divide_by"] == "known" else len(words)
        means[row] = file.vectors[at][:, :size].sum(axis=0) / max(number, 1)
    return means


def split_words(text: str, how: Literal["clean", "lower", "raw"]) -> list[str]:
    """The words of a question."""
    if how == "clean":
        return clean_text(text).split()
    return _TOKEN.findall(text.lower()) if how == "lower" else text.split()


@cache
def _open(vectors: str) -> tuple[Vectors, Any]:
    """A file of vectors, and the words of it that count."""
    every = load_vectors("glove")
    if not vectors.startswith("few"):
        return every, every.words
    few = open_vectors(data_folder() / FEW_WORDS)
    both = set(few.words) & set(every.words)
    return (few if vectors == "few 300" else every), both
