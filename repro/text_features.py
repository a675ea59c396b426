"""Features of texts as one would make them today, without any label."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array, hstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import randomized_svd

from corral._types import FloatArray
from repro.keys import hash_data, make_key
from repro.store import Store
from repro.texts import RULES, read_texts
from repro.word_vectors import clean_text, load_vectors, mean_vectors, vectors_name

TERMS = 50_000
"""Most words and pairs of words that TF-IDF counts."""
TOPICS = 100
"""Numbers that a text has after latent semantic analysis."""
RARITY = 1e-3
"""The constant of smooth inverse frequency that its authors recommend."""
WORD = r"\S+"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|<br\s*/?>")


class CleanedTexts(NamedTuple):
    """Cleaned texts that are to be turned into numbers.

    Attributes
    ----------
    train, test : list of str
    unlabelled : list of str
        More texts that words may be counted in; no test texts.
    every : int
        Only every n-th text was taken, with this n.
    """

    train: list[str]
    test: list[str]
    unlabelled: list[str]
    every: int


class Split(NamedTuple):
    """Features (n, d), dense or sparse, of the texts to train on and to test on."""

    train: Any
    test: Any


def tfidf(raw: CleanedTexts, _: Store) -> Split:
    """Words and pairs of words, weighted by how rare they are."""
    counter = TfidfVectorizer(
        token_pattern=WORD,
        ngram_range=(1, 2),
        sublinear_tf=True,
        max_features=TERMS,
    ).fit([*raw.train, *raw.unlabelled])
    return Split(counter.transform(raw.train), counter.transform(raw.test))


def glove(raw: CleanedTexts, store: Store) -> Split:
    """The mean of the words' GloVe vectors."""
    return _standard(
        *(mean_vectors(texts, store, clean=False) for texts in (raw.train, raw.test))
    )


def sif(raw: CleanedTexts, store: Store) -> Split:
    """The same where frequent words weigh less, without what all texts share.

    Smooth inverse frequency (Arora, Liang, Ma, 2017).
    """
    source = [hash_data(vectors_name()), RARITY, make_key(raw)]
    found = store.get("sif", source, lambda: _sif(raw), for_all=True)
    return _standard(found[: len(raw.train)], found[len(raw.train) :])


def lsa(raw: CleanedTexts, store: Store) -> Split:
    """Latent semantic analysis, learned on the training texts of all data sets.

    It brings words together that are used in the same reviews.
    """
    topics = _topics(store.folder, raw.every)
    return _standard(*(topics.counter.transform(t) @ topics.words for t in raw[:2]))


def join(
    *makers: Callable[[CleanedTexts, Store], Split],
) -> Callable[[CleanedTexts, Store], Split]:
    """Several features beside each other."""

    def both(raw: CleanedTexts, store: Store) -> Split:
        parts = [make(raw, store) for make in makers]
        return Split(*(_beside(blocks) for blocks in zip(*parts, strict=True)))

    return both


FEATURES: dict[str, Callable[[CleanedTexts, Store], Split]] = {
    "tfidf": tfidf,
    "glove": glove,
    "sif": sif,
    "lsa": lsa,
    "glove+tfidf": join(glove, tfidf),
    "glove+lsa": join(glove, lsa),
    "all": join(glove, lsa, tfidf),
}
"""By the names that configs use."""


@cache  # by folder, as every cell has a `Store` of its own
def clean_texts(name: str, folder: Path, every: int = 1) -> CleanedTexts:
    """The cleaned texts of a data set; `folder` is the store's."""
    texts = read_texts(name, Store(folder), every)
    parts = (texts.train, texts.test, texts.uncovered)
    train, test, more = ([clean_text(text) for text in part] for part in parts)
    return CleanedTexts(train, test, more, every)


def split_sentences(
    texts: list[str], shortest: int = 5, longest: int = 50
) -> list[str]:
    """Sentences of reviews with `shortest` to `longest` words."""
    return [
        sentence
        for text in texts
        for sentence in _SENTENCE_END.split(text)
        if shortest <= len(sentence.split()) <= longest
    ]


class _Topics(NamedTuple):
    counter: TfidfVectorizer
    words: FloatArray


@cache
def _topics(folder: Path, every: int) -> _Topics:
    """A counter of words, and (words, topics) what each contributes to a text."""
    corpora = [clean_texts(name, folder, every) for name in RULES]
    texts = [text for raw in corpora for text in (*raw.train, *raw.unlabelled)]
    counter = TfidfVectorizer(
        token_pattern=WORD, sublinear_tf=True, min_df=5, max_df=0.5
    )
    counts = counter.fit_transform(texts)
    words = Store(folder).get(
        "lsa",
        [make_key(texts), TOPICS],
        lambda: randomized_svd(counts, TOPICS, random_state=0)[2].T,
    )
    return _Topics(counter, words)


def _sif(raw: CleanedTexts) -> NDArray[np.float32]:
    """(train and test, d) weighted means, the common component removed."""
    file = load_vectors(vectors_name())
    counter = CountVectorizer(token_pattern=WORD, lowercase=False)
    seen = counter.fit_transform([*raw.train, *raw.unlabelled])
    known = [word for word in counter.get_feature_names_out() if word in file.words]
    at = [counter.vocabulary_[word] for word in known]
    share = np.asarray(seen.sum(axis=0)).ravel() / seen.sum()
    weights = RARITY / (RARITY + share[at])
    vectors = diags_array(weights) @ file.vectors[[file.words[word] for word in known]]

    counts = counter.transform([*raw.train, *raw.test])[:, at]
    known_words = np.asarray(counts.sum(axis=1)).reshape(-1, 1)
    means = (counts @ vectors) / np.maximum(known_words, 1)
    _, _, common = randomized_svd(means[: len(raw.train)], 1, random_state=0)
    return np.asarray(means - means @ common.T @ common, np.float32)


def _standard(train: NDArray[Any], test: NDArray[Any]) -> Split:
    """Features scaled to mean zero and deviation one over the training texts."""
    scale = StandardScaler().fit(train)
    return Split(scale.transform(train), scale.transform(test))


def _beside(blocks: tuple[Any, ...]) -> Any:
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.hstack(blocks)
    return hstack(blocks, format="csr")
