"""Many methods on the same signals, scored on the same examples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from corral._plain import as_plain, as_rows
from corral._types import FloatArray, IntArray
from corral.checks import make_generator
from corral.constraints import signal_errors
from corral.error_rates import FromLabels
from corral.errors import CorralWarning, ParameterError
from corral.labelers import (
    FEATURED,
    LABELERS,
    ConstrainedLabeler,
    FeatureLabeler,
    Labeler,
    WeightedVote,
)
from corral.labelers.inputs import as_signals
from corral.metrics import winner_shares
from corral.peers import PEERS, PeerLabeler
from corral.progress import progress
from corral.signals import WeakSignals
from corral.signals.gold import code_labels
from corral.signals.patterns import draw_rows
from corral.text_table import text_table
from corral.wording import say, spell

OWN: dict[str, Any] = {**LABELERS, **FEATURED}
MOST_EXACT = 1e9
"""Examples from which on they are drawn one by one, with replacement."""
LEAST = 1e-3
"""Probabilities are cut off here before the logarithm."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
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

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line of ``methods`` per method."""
        reasons = {
            "refused": [self.refused.get(name) for name in self.methods],
            "warned": [self.warned.get(name) for name in self.methods],
        }
        scores = {
            name: getattr(self, name)
            for name in ("accuracy", "f1", "log_loss", "brier", "seconds")
        }
        return {
            "methods": as_rows(method=self.methods, **scores, **reasons),
            "f1_of": self.f1_of,
            "n_scored": as_plain(self.n_scored),
            "n_uncovered": as_plain(self.n_uncovered),
            "n_labelled": self.n_labelled,
        }

    def __str__(self) -> str:
        rows = [
            (
                name,
                f"{self.accuracy[i]:.3f}",
                f"{self.f1[i]:.3f}",
                f"{self.log_loss[i]:.3f}",
                f"{self.brier[i]:.3f}",
                f"{self.seconds[i]:.2f} s",
            )
            for i, name in enumerate(self.methods)
            if name not in self.refused
        ]
        headings = ("method", "accuracy", f"F1 ({self.f1_of})", "log-loss", "Brier")
        scored = (
            f"Scored: {self.n_scored:,.0f} labelled examples that some signal speaks of"
        )
        if self.n_uncovered:
            scored += f"; left out: {self.n_uncovered:,.0f} that none does"
        if self.n_labelled:
            scored += f"; {self.n_labelled} were given to the methods that say so"
        return "\n".join(
            [
                text_table((*headings, "time"), rows),
                f"{scored}. Ties count in equal parts.",
                *(f"{name} refused: {why}" for name, why in self.refused.items()),
                *(f"{name} warned: {why}" for name, why in self.warned.items()),
            ]
        )

    __repr__ = __str__


def compare_signals(
    votes: Any,
    y: ArrayLike,
    methods: Any,
    *,
    X: Any = None,
    dev_size: int = 0,
    positive: Any = None,
    random_state: int | None = 0,
) -> Comparison:
    """Label votes by many methods, and score them; see `corral.compare`."""
    signals = as_signals(votes)
    truth = code_labels(y, signals.classes, len(signals))
    counts = np.ones(len(signals)) if signals.counts is None else signals.counts
    known = (truth >= 0) & signals.covered
    if not known.any():
        raise ParameterError(
            f"nothing can be scored: no example has a known class in {spell('y')} and a "
            "signal that speaks of it."
        )
    rng = make_generator(random_state)
    if isinstance(methods, str) and methods in ("own", "all"):
        methods = _all_methods(methods == "all", X is not None)
    tried = _methods(methods, random_state)
    weights = np.where(known, counts, 0.0)
    if dev_size != 0:
        drawn = _draw(signals, truth, weights, dev_size, rng)
        tried |= _helped(signals, truth, drawn)
        weights = weights - drawn
    used = np.flatnonzero(weights)
    which = _positive(positive, signals)
    scores = np.full((len(tried), 5), np.nan)
    refused, warned = {}, {}
    for i, one in enumerate(try_methods(tried, signals, X)):
        if one.labels is None:
            refused[one.name] = one.remark
            continue
        found = score_labels(one.labels[used], truth[used], weights[used], which)
        scores[i] = *found, one.seconds
        if one.remark:
            warned[one.name] = one.remark
    if len(refused) == len(tried):
        raise ParameterError(
            "no method could label these votes: "
            + "; ".join(f"{name}: {why}" for name, why in refused.items())
        )
    accuracy, f1, log_loss, brier, times = scores.T
    return Comparison(
        methods=tuple(tried),
        accuracy=accuracy,
        f1=f1,
        log_loss=log_loss,
        brier=brier,
        seconds=times,
        refused=refused,
        warned=warned,
        f1_of="macro" if which is None else str(signals.classes[which]),
        n_scored=float(weights.sum()),
        n_uncovered=float(counts[(truth >= 0) & ~signals.covered].sum()),
        n_labelled=int(dev_size),
    )


def _all_methods(peers: bool, features: bool) -> list[str]:
    """Names of all that can be tried."""
    votes = [name for name in LABELERS if name != "weighted-vote"]  # needs weights
    installed = [name for name, peer in PEERS.items() if peer().is_installed()]
    return votes + list(FEATURED) * features + installed * peers


def _methods(methods: Any, random_state: int | None) -> dict[str, Labeler]:
    """Labelers by name, in the order given."""
    if isinstance(methods, str | Labeler):
        methods = [methods]
    if not isinstance(methods, Iterable):
        raise _unknown(methods)
    given = (
        methods.items()
        if isinstance(methods, Mapping)
        else ((None, m) for m in methods)
    )
    made: dict[str, Labeler] = {}
    for name, method in given:
        if isinstance(method, Labeler):
            labeler = clone(method)
        elif isinstance(method, str) and method in OWN | PEERS:
            labeler = (OWN | PEERS)[method]().set_params(random_state=random_state)
        else:
            raise _unknown(method)
        title = str(method) if name is None else str(name)
        again = sum(known.split(" #")[0] == title for known in made)
        made[f"{title} #{again + 1}" if again else title] = labeler
    return made


def _unknown(method: Any) -> ParameterError:
    return ParameterError(
        f'must be among {", ".join(OWN | PEERS)}{say(", labelers")}, "own" or "all"; '
        f"{method!r} was given.",
        parameter="methods",
    )


def needs_rows(methods: Any) -> bool:
    """Whether a library is asked that knows no counts."""
    if isinstance(methods, str):
        return methods == "all" or methods in PEERS
    return any(isinstance(m, PeerLabeler) or m in PEERS for m in methods)


def _draw(
    signals: WeakSignals,
    truth: IntArray,
    counts: FloatArray,
    size: int,
    rng: np.random.Generator,
) -> FloatArray:
    """(n,) how many examples of every row are drawn.

    Drawn from distinct pairs of votes and class, in their order, so that neither the
    order of the rows matters nor whether they are counted.
    """
    whole = np.floor(counts)
    if not isinstance(size, int | np.integer) or not 0 < size < whole.sum():
        raise ParameterError(
            f"must be a number of examples that leaves some to score, of "
            f"{whole.sum():.0f}; {size!r} was given.",
            parameter="dev_size",
        )
    pair = signals.harden().patterns.inverse * (signals.n_classes + 1) + truth
    order = np.argsort(pair, kind="stable")
    order = order[whole[order] > 0]
    starts = np.flatnonzero(np.r_[True, np.diff(pair[order]) > 0])
    sizes = np.add.reduceat(whole[order], starts)
    if sizes.sum() < MOST_EXACT:
        taken = rng.multivariate_hypergeometric(
            sizes.astype(np.int64), size, method="marginals"
        )
    else:
        taken = np.minimum(draw_rows(sizes, size, rng), sizes)
    # The first rows of every pair give what was drawn of it.
    before = np.cumsum(whole[order]) - whole[order]
    before -= np.repeat(before[starts], np.diff(np.r_[starts, len(order)]))
    left = np.repeat(taken, np.diff(np.r_[starts, len(order)])) - before
    drawn = np.zeros(len(counts))
    drawn[order] = np.clip(left, 0, whole[order])
    return drawn


def _helped(
    signals: WeakSignals, truth: IntArray, drawn: FloatArray
) -> dict[str, Labeler]:
    """Methods that learn from the examples drawn."""
    rows = np.repeat(np.arange(len(drawn)), drawn.astype(int))
    sample = signals.take(rows).drop_counts()
    labels = signals.classes[truth[rows]]
    n = len(rows)
    helped: dict[str, Labeler] = {
        f"constrained, {n} labels": ConstrainedLabeler(FromLabels(labels, sample))
    }
    if signals.names_classes:
        wrong = np.nan_to_num(signal_errors(sample, labels), nan=0.5)
        seen = sample.coverage * n
        # One vote of either kind added, so that nobody is always right.
        accuracies = 1 - (wrong * seen + 1) / (seen + 2)
        helped[f"weighted vote, {n} labels"] = WeightedVote(accuracies=accuracies)
    return helped


def _positive(positive: Any, signals: WeakSignals) -> int | None:
    if positive is None:
        return 1 if signals.n_classes == 2 else None
    classes = signals.classes.tolist()
    if positive not in classes:
        raise ParameterError(
            f"must be one of the classes {classes}; {positive!r} was given.",
            parameter="positive",
        )
    return classes.index(positive)


@dataclass(frozen=True, eq=False)
class TriedMethod:
    """What a method made of the votes.

    Attributes
    ----------
    name : str
    labels : (n, k) array of float or None
        None: it refused.
    seconds : float
    remark : str
        Why it refused, or what it warned of.
    """

    name: str
    labels: FloatArray | None
    seconds: float
    remark: str


def try_methods(
    tried: Mapping[str, Labeler], signals: WeakSignals, X: Any = None
) -> Iterator[TriedMethod]:
    """Fit labelers one by one; what one of them raises or warns of is a remark."""
    with progress("comparing", len(tried)) as bar:
        for name, labeler in tried.items():
            try:
                if isinstance(labeler, PeerLabeler):
                    labeler.library()  # importing is not labeling
                began = time.perf_counter()
                labels, said = _labels(labeler, signals, X)
            except Exception as error:  # other libraries raise what they like
                yield TriedMethod(name, None, np.nan, first_sentence(error))
            else:
                yield TriedMethod(name, labels, time.perf_counter() - began, said)
            bar.advance()


def _labels(labeler: Labeler, signals: WeakSignals, X: Any) -> tuple[FloatArray, str]:
    """(n, k) labels, and the first warning on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        features = {"X": X} if isinstance(labeler, FeatureLabeler) else {}
        labels = labeler.fit(signals, **features).labels_
    if not np.allclose(labels.sum(axis=1), 1):
        raise ParameterError("an example has one class here, not any number of them.")
    said = [w.message for w in caught if issubclass(w.category, CorralWarning)]
    return labels, first_sentence(said[0]) if said else ""


def score_labels(
    labels: FloatArray, truth: IntArray, weights: FloatArray, positive: int | None
) -> tuple[float, float, float, float]:
    """Accuracy, F1, log-loss and Brier of labels (n, k)."""
    total = weights.sum()
    answer = winner_shares(labels)
    at = np.arange(len(truth)), truth
    hot = np.zeros_like(labels)
    hot[at] = 1
    hits = weights @ (answer * hot)
    claims = weights @ (answer + hot)
    f1 = np.divide(2 * hits, claims, out=np.zeros(len(hits)), where=claims > 0)
    logs = np.log(np.clip(labels[at], LEAST, 1))
    return (
        float(hits.sum() / total),
        float(f1[claims > 0].mean() if positive is None else f1[positive]),
        float(abs(weights @ logs) / total),
        float(weights @ ((labels - hot) ** 2).sum(axis=1) / total),
    )


def first_sentence(error: Any) -> str:
    """What an error or a warning has to say in short.

    Examples
    --------
    >>> from corral.comparison import first_sentence
    >>> first_sentence("one class for all. Use another method.")
    'one class for all.'
    """
    text = " ".join(str(error).split()) or type(error).__name__
    return text.split(". ")[0].rstrip(".") + "."
