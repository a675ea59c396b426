"""Many methods on the same signals, scored on the same examples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import bdtr

from corral._types import FloatArray, IntArray
from corral.checks import make_generator
from corral.constraints import read_truth
from corral.decisions import winner_shares
from corral.errors import CorralWarning, ParameterError
from corral.io.reader import make_reading, read_votes
from corral.labelers import LABELERS, Labeler
from corral.labelers.em import LearnedLabeler
from corral.progress import progress
from corral.rates import wilson_intervals
from corral.results import Part, Result, Table, join_names
from corral.votes import WeakSignals
from corral.votes.coding import code_labels

LEFT_OUT = ("weighted-vote", "ordinal")
"""Methods that need weights, or the order of the classes, from a user."""
MIN_PROBABILITY = 1e-3
"""Probabilities are cut off here before the logarithm."""
LEVEL = 0.9
"""Probability of the intervals."""
MIN_GOLD = 30
"""Examples with a true label from which on labels are judged by them."""
MIN_DIFFERING = 6
"""Of these, how many must score differently for one of two methods to be better."""


@dataclass(frozen=True)
class PairedGain:
    """How much more often labels are right than others."""

    mean: float  # difference of the two accuracies
    n: float  # examples with a true label
    n_differing: float  # of these, those on which the two are not equally right
    p_value: float  # of an exact sign test

    @property
    def is_enough(self) -> bool:
        return self.n >= MIN_GOLD and self.n_differing >= MIN_DIFFERING

    @property
    def is_shown(self) -> bool:
        """Whether one of the two is better by more than chance explains."""
        return self.is_enough and self.p_value < 1 - LEVEL


def paired_gain(
    right: FloatArray, other_right: FloatArray, counts: FloatArray
) -> PairedGain:
    """Compare how far two kinds of labels are right (n,): 1, 0, or a part for a tie.

    `counts` (n,) are the examples per row whose true label is known; at least one in all.
    """
    gain, n = right - other_right, float(counts.sum())
    won, lost = (float(counts @ (sign * gain).clip(0)) for sign in (1, -1))
    # Half a point for a tie is half of an example that tells the two apart.
    fewer, trials = round(min(won, lost)), round(won) + round(lost)
    p_value = min(1.0, 2 * bdtr(fewer, trials, 0.5))  # of a sign test
    return PairedGain((won - lost) / n, n, float(counts @ (gain != 0)), float(p_value))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Scores of methods (r,) that took the data; print it."""

    methods: tuple[str, ...]
    accuracy: FloatArray
    accuracy_interval: FloatArray  # (r, 2) Wilson's, with probability 0.9
    p_value: FloatArray  # (r,) of a paired sign test against the most accurate method
    f1: FloatArray
    log_loss: FloatArray
    brier: FloatArray
    seconds: FloatArray
    refused: dict[str, str]  # why, by method
    warned: dict[str, str]  # what a method that did work had to say
    f1_of: str  # the class that `f1` is of, or "macro"
    n_scored: float  # examples
    n_uncovered: float  # labelled examples without a vote, not scored
    scored: str  # examples, or entries of a multi-label task

    title = "Methods compared"

    @property
    def limit(self) -> float:
        """The p-value below which a method is worse than the best: one test for each."""
        return (1 - LEVEL) / max(1, len(self.methods) - 1)

    @property
    def winner(self) -> str | None:
        """The most accurate method, if it is better than all others beyond chance."""
        best = int(self.accuracy.argmax())
        beaten = np.delete(self.p_value, best) < self.limit
        return self.methods[best] if beaten.all() else None

    def parts(self) -> Iterator[Part]:
        shown = np.argsort(-self.accuracy, kind="stable").tolist()
        best, *others = shown
        worse = [self.methods[i] for i in others if self.p_value[i] < self.limit]
        alike = [self.methods[i] for i in others if self.p_value[i] >= self.limit]
        low, high = self.accuracy_interval[best]
        said = f"{self.methods[best]} is right on {self.accuracy[best]:.1%} of the "
        said += f"labelled {self.scored} ({low:.1%} to {high:.1%})"
        if worse:
            said += f", more often than {join_names(worse)}"
        if alike:
            said += f". It is not shown to be better than {join_names(alike)}"
        yield f"{said}."
        yield Table(
            {
                "method": [self.methods[i] for i in shown],
                "accuracy": self.accuracy[shown],
                "90% interval": self.accuracy_interval[shown],
                "beside the best": [
                    "",
                    *(
                        "worse" if self.methods[i] in worse else "chance"
                        for i in others
                    ),
                ],
                f"F1 ({self.f1_of})": self.f1[shown],
                "log-loss": self.log_loss[shown],
                "Brier": self.brier[shown],
                "time": [f"{seconds:.2f} s" for seconds in self.seconds[shown]],
            }
        )
        scored = f"Scored on {self.n_scored:,.0f} labelled {self.scored} with a vote"
        if self.n_uncovered:
            scored += f"; {self.n_uncovered:,.0f} without a vote are left out"
        yield f"{scored}. Ties count in equal parts."
        for name, why in self.refused.items():
            yield f"{name} refused: {why}"
        for name, why in self.warned.items():
            yield f"{name} warned: {why}"


def compare(
    votes: Any,
    gold: Any = None,
    methods: str | Labeler | Iterable[Any] | Mapping[str, Any] = "own",
    *,
    random_state: int | None = 0,
    **reading: Any,
) -> Comparison:
    """Label the same votes by many methods, and score them on the same examples.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, table or path
        As for `corral.label`. A row with a count stands for that many examples.
    gold : (n,) array of class values, (n, k) of 0 and 1, str or path
        True labels, as for `corral.label`; no method sees them. (n, k): a multi-label task,
        in which entries, one per example and class, are scored.
    methods : "own", a labeler, names, labelers, or a mapping from name to labeler
        "own": every labeler of corral that needs no numbers from you, nor an order of the
        classes. Labelers that are given are copied, not fitted.
    random_state : int, optional
        For methods that start at random.
    **reading
        How votes are read, as for `corral.label`: ``signals``, ``task`` and so on.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(2000, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.6)
    >>> found = corral.compare(votes, truth, ["constrained", "majority-vote"])
    >>> bool(found.accuracy[0] > found.accuracy[1])
    True
    """
    if (gold := reading.pop("y", gold)) is None:
        raise ParameterError(
            "methods are scored on true labels: corral.compare(votes, gold=y). To draw "
            "rows to label, see `corral.suggest`."
        )
    found = read_votes(votes, make_reading(reading), gold=gold)
    signals, y = found.signals, found.gold
    try:
        several = np.ndim(y) == 2
    except ValueError as error:
        raise ParameterError(
            "must be one class per example, or 0 and 1 per example and class; rows of "
            "different lengths came.",
            parameter="gold",
        ) from error
    make_generator(random_state)
    tried = make_methods(methods, random_state)
    is_asked = not (isinstance(methods, str) and methods == "own")
    counts = signals.row_weights
    truth: Any
    which: int | None = 1  # the class that F1 is of; None: the mean over all
    if several:
        if signals.schema.names_classes:
            raise ParameterError(
                "true labels with one column per class need signals that vote on one class "
                "at a time, WeakSignals.from_one_vs_rest."
            )
        truth = read_truth(y, len(signals), signals.classes)
        if not is_asked:
            learned = [
                n for n, each in tried.items() if isinstance(each, LearnedLabeler)
            ]
            tried = {name: each for name, each in tried.items() if name not in learned}
        for labeler in tried.values():
            labeler.set_params(multilabel=True)
        has_truth = ~np.isnan(truth).all(axis=1)
        known = ~np.isnan(truth) & signals.covered[:, None]
        weights = np.where(known, counts[:, None], 0.0)
        f1_of = "yes"
    else:
        truth = code_labels(y, signals.classes, len(signals))
        has_truth = truth >= 0
        weights = np.where(has_truth & signals.covered, counts, 0.0)
        two = signals.n_classes == 2
        which, f1_of = (1, str(signals.classes[1])) if two else (None, "macro")
    if not weights.any():
        raise ParameterError(
            "nothing can be scored: no example has a known class in `y=` and a vote."
        )
    n_uncovered = float(counts[has_truth & ~signals.covered].sum())
    used = np.nonzero(weights)
    scores: dict[str, tuple[float, ...]] = {}
    right: dict[str, FloatArray] = {}
    refused, warned = {}, {}
    with progress("comparing", len(tried)) as bar:
        for name, labeler in tried.items():
            began = time.perf_counter()
            try:
                labels, remark = _label(labeler, signals)
            except Exception as error:  # a user's labeler may raise anything
                refused[name] = _first_sentence(error)
            else:
                took = time.perf_counter() - began
                if remark and is_asked:
                    warned[name] = remark
                p = labels[used]
                p = np.column_stack([1 - p, p]) if several else p
                known = truth[used].astype(int)
                scores[name] = *score_labels(p, known, weights[used], which), took
                right[name] = winner_shares(p)[np.arange(len(known)), known]
            bar.advance()
    if not scores:
        raise ParameterError(
            "no method could label these votes: "
            + "; ".join(f"{name}: {why}" for name, why in refused.items())
        )
    accuracy, f1, log_loss, brier, seconds = np.array([*scores.values()]).T
    best = [*right.values()][int(accuracy.argmax())]
    p_values = [
        paired_gain(each, best, weights[used]).p_value for each in right.values()
    ]
    return Comparison(
        methods=tuple(scores),
        accuracy=accuracy,
        accuracy_interval=wilson_intervals(accuracy, weights.sum(), LEVEL),
        p_value=np.array(p_values),
        f1=f1,
        log_loss=log_loss,
        brier=brier,
        seconds=seconds,
        refused=refused,
        warned=warned,
        f1_of=f1_of,
        n_scored=float(weights.sum()),
        n_uncovered=n_uncovered,
        scored="entries, one per example and class," if several else "examples",
    )


def make_methods(methods: Any, random_state: int | None) -> dict[str, Labeler]:
    """Labelers by name, in the order given."""
    if isinstance(methods, str) and methods == "own":
        methods = [name for name in LABELERS if name not in LEFT_OUT]
    elif isinstance(methods, str | Labeler) or not isinstance(methods, Iterable):
        methods = [methods]
    is_named = isinstance(methods, Mapping)
    given = methods.items() if is_named else ((None, m) for m in methods)
    made: dict[str, Labeler] = {}
    for name, method in given:
        if isinstance(method, Labeler):
            labeler = deepcopy(replace(method))
        elif isinstance(method, str) and method in LABELERS:
            labeler = LABELERS[method]().set_params(random_state=random_state)
        else:
            raise ParameterError(
                f'must be among {", ".join(LABELERS)}, "own" or a labeler object; '
                f"{method!r} was given.",
                parameter="methods",
            )
        title = str(method) if name is None else str(name)
        again = sum(known.split(" #")[0] == title for known in made)
        made[f"{title} #{again + 1}" if again else title] = labeler
    if not made:
        raise ParameterError("must name a method.", parameter="methods")
    return made


def _label(labeler: Labeler, signals: WeakSignals) -> tuple[FloatArray, str]:
    """(n, k) labels, and the first warning on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = labeler.fit(signals).labels_
    several = getattr(labeler, "multilabel", False)
    if not several and not np.allclose(labels.sum(axis=1), 1):
        raise ParameterError("an example has one class in this task.")
    said = [w.message for w in caught if issubclass(w.category, CorralWarning)]
    return labels, _first_sentence(said[0]) if said else ""


def _first_sentence(error: Any) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text.split(". ")[0].rstrip(".") + "."


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
    logs = np.log(np.clip(labels[at], MIN_PROBABILITY, 1))
    return (
        float(hits.sum() / total),
        float(f1[claims > 0].mean() if positive is None else f1[positive]),
        float(abs(weights @ logs) / total),
        float(weights @ ((labels - hot) ** 2).sum(axis=1) / total),
    )
