"""Where the next rule may come from: rows without a vote, and a quick classifier.

Both look at a sample, load scikit-learn when they are first asked, and take seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import IntArray
from corral.errors import ParameterError
from corral.workbench.labels import Snapshot
from corral.workbench.rows import RowStore

ROWS_GROUPED, ROWS_TRAINED = 4000, 2000
"""Rows of the samples that are clustered, and trained on."""
MAX_WORDS, WORDS_PER_GROUP = 24, 4
"""Words that are shown: of all rows without a vote, and of one cluster."""
MAX_GROUPS, MIN_ROWS_PER_GROUP = 8, 25
MAX_TERMS = 3000
"""Different words that are counted, the commonest first."""
MAX_LISTED = 50
"""Rows of a group to look at."""
MAX_CHARACTERS = 1000
"""Of a text that is trained on: a click waits."""


def draw(rows: IntArray, size: int) -> IntArray:
    """At most so many of some rows, always the same, in their order."""
    if len(rows) <= size:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, size, replace=False))


def find_topics(snapshot: Snapshot, store: RowStore) -> dict[str, Any]:
    """The commonest words of rows without a vote, and groups of rows with like words."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    uncovered = np.flatnonzero(~snapshot.covers("covered"))
    rows = snapshot.search.rows[draw(uncovered, ROWS_GROUPED)]
    n = len(rows)
    found: dict[str, Any] = {"rows": len(uncovered), "looked_at": n}
    found |= {"words": [], "groups": []}
    vectorizer = TfidfVectorizer(
        stop_words="english", min_df=2, max_df=0.5, max_features=MAX_TERMS
    )
    try:
        features = vectorizer.fit_transform([t or "" for t in store.texts_of(rows)])
    except ValueError:  # no word is in two rows
        return found
    words = vectorizer.get_feature_names_out().tolist()
    counts = np.bincount(features.indices, minlength=len(words))
    common = np.argsort(-counts, kind="stable")[:MAX_WORDS].tolist()
    found["words"] = [{"word": words[at], "share": counts[at] / n} for at in common]
    size = min(MAX_GROUPS, n // MIN_ROWS_PER_GROUP)
    if size > 1:
        model = MiniBatchKMeans(size, random_state=0, n_init=3, batch_size=1024)
        group = model.fit_predict(features)
        lift = model.cluster_centers_ - np.asarray(features.mean(axis=0))
        for at in np.unique(group).tolist():
            own = np.flatnonzero(group == at)
            telling = np.argsort(-lift[at], kind="stable")[:WORDS_PER_GROUP].tolist()
            typical = own[np.argsort(-(features[own] @ lift[at]), kind="stable")]
            found["groups"].append(
                {
                    "words": [words[word] for word in telling],
                    "share": len(own) / n,
                    "rows": rows[typical[:MAX_LISTED]].tolist(),
                }
            )
        found["groups"].sort(key=lambda group: -group["share"])
    return found


def train_quickly(snapshot: Snapshot, store: RowStore) -> dict[str, Any]:
    """A classifier on the present labels: how right it is, and what it contradicts."""
    from corral.training.trained_classifier import train

    if snapshot.signals is None:
        raise ParameterError("a classifier needs labels: add a rule first.")
    classes = np.array(snapshot.classes, object)
    labelled, truth, drawn = snapshot.hand_labelled
    covered = np.flatnonzero(snapshot.covers("covered"))
    places = np.union1d(labelled, draw(covered, ROWS_TRAINED))
    rows = snapshot.search.rows[places]
    labels = snapshot.row_labels[snapshot.row_of[places]]
    # Labels by hand win; only rows that were drawn by lot say how right a classifier is.
    at = np.searchsorted(places, labelled)
    labels[at] = np.eye(len(classes))[truth]
    gold = np.full(len(places), None, object)
    gold[at[drawn]] = classes[truth[drawn]]
    found = train(
        labels,
        [(text or "")[:MAX_CHARACTERS] for text in store.texts_of(rows)],
        gold=gold,
        votes=snapshot.signals.take(places),
        classes=snapshot.classes,
    )
    ids = {name: rule for rule, name in snapshot.names.items()}
    told = (found.contradicted[key] for key in ("signal", "votes", "contradicted"))
    read = (found.to_read[key] for key in ("row", "predicted", "probability"))
    return {
        "rows": found.rows,
        "true_labels": found.true_labels,
        "accuracy": found.accuracy,
        "interval": found.interval,
        "shares": found.shares,
        "rules": [
            {"rule": ids[name], "votes": votes, "contradicted": share}
            for name, votes, share in zip(*told, strict=True)
            if votes
        ],
        "contradictions": [
            {"row": int(rows[at - 1]), "predicted": said, "probability": sure}
            for at, said, sure in zip(*read, strict=True)
        ],
    }
