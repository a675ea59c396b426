"""The default: weights of votes from how often signals agree, in one pass.

A vote of signal i is *informed*, and then right, with probability h_i; else it is drawn
from r, the shares of the classes among the votes:

    h_i  = kappa_i / sqrt(kappa)            how often i agrees with other votes beyond
                                            chance, over the root of its mean, shrunk
    w_ic = log(1 + h_i / ((1 - h_i) r_c))   weight of a vote of i for class c
    q_j  = softmax((log(r) / 2 + sum of weights) / (1 + (d_j - 1) / 3))

for an example j with d_j votes, which depend on each other. A third of a label is the
share of the weights instead, after an average vote was spread over the classes; and 5% of
it are spread, too: both in proportion to sqrt(r), so that doubt invents few examples of a
rare class.

The weights are the multipliers of the paper's constraints: of all joint distributions of
label and votes with these error rates by class, the nearest to "labels ~ sqrt(r), votes ~
r" is the one that gives q for a single vote.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.model import LogLinear, hear, lean
from corral.rates.rates import NEARLY_ALL, Rates
from corral.votes import WeakSignals

ASSUMED = 0.75
"""Informedness where the votes cannot tell it (rules), and the most of any signal."""
MIN_INFORMED = 0.05
"""The least informedness of any signal."""
FLOOR = 0.05
"""Part of a label that is spread."""
CORRELATION = 1 / 3
"""Correlation of the votes on one example; also the part of a label that is a share."""
PRIOR = 5.0
"""Weight of the common informedness, in pairs of votes and in signals."""
MIN_COPIED_VOTES = 50
"""Votes from which on signals that say the same everywhere are copies, not both right."""
TINY = 1e-300


@dataclass(frozen=True)
class Informedness:
    """What votes tell of their signals."""

    h: FloatArray  # (m,) how often a vote is informed
    r: FloatArray  # (k,) shares of the classes among the votes on an example, on average
    varies: (
        FloatArray  # (m,) from 0 (one answer, or it meets nobody) to 1 (as classes do)
    )
    first: IntArray  # (m,) the first signal with the same votes, perhaps itself


def find_informedness(signals: WeakSignals) -> Informedness:
    """How informed every signal is, from agreement beyond chance."""
    signals = lean(signals)
    require_votes(signals.cast.any())
    schema, k = signals.schema, signals.n_classes
    first = _find_copies(signals)
    original = first == np.arange(signals.n_signals)
    heard = hear(signals, original[schema.signal].astype(float))
    signals, itself = _with_one_voice(heard)
    votes = signals.scores(schema.shares)  # (u, k) for every class
    d = votes.sum(axis=1)
    r = signals.counts @ (votes / np.maximum(d, TINY)[:, None]) + 1
    r /= r.sum()
    # By chance votes agree as often as shares say to which one vote was added.
    g = (signals.counts * (d > 0)) @ ((votes + 1 / k) / (d + 1)[:, None]) + 1
    g /= g.sum()
    cast = signals.cast
    table = np.zeros((signals.n_signals, k))
    np.add.at(table, schema.signal, cast[:, None] * schema.shares)
    said = table.sum(axis=1)
    shares = table / np.maximum(said, TINY)[:, None]
    varies = (1 - (shares**2).sum(axis=1)) / max(1 - g @ g, TINY)
    varies = np.clip(varies, 0, 1) * (said > 0)

    # A signal that varies is compared with all other votes on its examples; one that does
    # not, with votes of signals that do: two rules tell nothing about each other. Chance is
    # the share of the class among the votes that it is compared with.
    own = varies[schema.signal]
    varying_votes = signals.scores(own[:, None] * schema.shares)
    varying = signals.counts @ varying_votes + TINY
    varying /= varying.sum()
    same = own * (signals.hits(votes) - itself)
    same += (1 - own) * (signals.hits(varying_votes) - own * itself)
    met = signals.moments(np.stack([d, varying_votes.sum(axis=1)], axis=1))
    every, some = met[:, 0] - cast, met[:, 1] - own * cast
    chance = own * every * (schema.supports @ g)
    chance += (1 - own) * some * (schema.supports @ varying)

    def by_signal(each: FloatArray) -> FloatArray:
        return np.bincount(schema.signal, each, signals.n_signals).astype(float)

    met_others = by_signal(own * every + (1 - own) * some)
    beyond = by_signal(same - chance)
    pairs = met_others - by_signal(chance)

    # The common level: the root of the mean agreement; ASSUMED where nothing is compared.
    total = pairs.sum()
    kappa = np.clip(beyond.sum() / max(total, TINY), MIN_INFORMED**2, 1)
    level = (total * np.sqrt(kappa) + PRIOR * ASSUMED) / (total + PRIOR)
    # Few pairs, and few other signals, are little evidence: shrink to the common level.
    others = said.sum() ** 2 / max((said**2).sum(), TINY) - 1
    doubt = PRIOR / np.maximum(pairs, TINY) + PRIOR / max(others, TINY)
    found = beyond / np.maximum(pairs, TINY) / kappa
    h = np.clip(level * (found + doubt) / (1 + doubt), MIN_INFORMED, ASSUMED)
    # Votes that meet no other vote tell nothing, however much they vary.
    varies = varies * (met_others > 1e-9 * said)
    return Informedness(h[first], r, varies[first], first)


def _find_copies(signals: WeakSignals) -> IntArray:
    """(m,) the first signal that says the same as each, everywhere."""
    m = signals.n_signals
    # Sums of random numbers over what a signal says are equal for copies only.
    drawn = np.random.default_rng(0).random(signals.n_rows)
    sums = np.asarray(signals.F.T @ drawn).reshape(m, -1)
    _, first, copy = np.unique(sums, axis=0, return_index=True, return_inverse=True)
    votes = signals.cast.reshape(m, -1).sum(axis=1)
    return np.where(votes >= MIN_COPIED_VOTES, first[copy.ravel()], np.arange(m))


def _with_one_voice(signals: WeakSignals) -> tuple[WeakSignals, FloatArray]:
    """Signals with one voice on an example, however many classes they speak of.

    Also how far votes (f,) agree with what their own signal says of the same examples.
    """
    schema, (row, at) = signals.schema, signals.cells()
    part, weight = signals.F.data, signals.counts[row]
    if schema.names_classes:
        itself = np.bincount(at, weight * part * part, schema.n_features)
        return signals, itself.astype(float)
    voice = row.astype(np.int64) * signals.n_signals + schema.signal[at]
    voice = np.unique(voice, return_inverse=True)[1]
    part = part / np.bincount(voice)[voice]
    said = np.zeros((voice.max(initial=-1) + 1, signals.n_classes))
    np.add.at(said, voice, part[:, None] * schema.shares[at])
    own = (schema.supports[at] * said[voice]).sum(axis=1)
    F = csr_array((part, at, signals.F.indptr), signals.F.shape)
    itself = np.bincount(at, weight * part * own, schema.n_features)
    return signals._with(F=F, is_hard=False), itself.astype(float)


def default_model(signals: WeakSignals, found: Informedness) -> LogLinear:
    """The labels that go with how informed signals are."""
    schema, cast = signals.schema, lean(signals).cast
    h = found.h[schema.signal]
    # "Not c" is said by chance as often as any other class is voted for.
    by_chance = np.where(schema.negated, 1 - found.r[schema.says], found.r[schema.says])
    weights = np.log1p(h / ((1 - h) * np.maximum(by_chance, TINY)))
    copies = np.bincount(found.first)[found.first]
    voice = (cast > 0) / copies[schema.signal]
    heard, doubt = cast * voice, np.sqrt(found.r)
    return LogLinear(
        weights,
        np.log(found.r) / 2,
        found.r,
        tempering=CORRELATION,
        share=CORRELATION,
        spread=float(heard @ weights / max(heard.sum(), TINY)),
        floor=FLOOR,
        doubt=doubt / doubt.sum(),
        leans=True,
        voice=voice,
    )


def find_standard_errors(
    signals: WeakSignals, labels: FloatArray, rates: FloatArray, found: Informedness
) -> FloatArray:
    """Of error rates (m,), or (m, k) for one-vs-rest signals, under labels (u, k).

    There is doubt because of few votes, of labels that are not sure, and, where a signal
    does not vary, because no votes tell its rate: it is between zero and that of a guess.
    """
    schema = signals.schema
    row, at = signals.cells()
    n = schema.n_features
    weight = signals.counts[row] * signals.F.data
    unsure = np.bincount(at, weight * (1 - labels.max(axis=1))[row], n).astype(float)
    guess = signals.cast * (1 - schema.supports @ found.r)

    def mean(each: FloatArray) -> FloatArray:
        cast = np.maximum(schema.by_column(signals.cast), TINY)
        return schema.by_signal(schema.by_column(each) / cast)

    cast = schema.by_signal(schema.by_column(signals.cast))
    fixed = 1 - found.varies if rates.ndim == 1 else (1 - found.varies)[:, None]
    few = rates * (1 - rates) / np.maximum(cast, 1)
    spread = few + (mean(unsure) / 2) ** 2 + (fixed * mean(guess) / np.sqrt(12)) ** 2
    return np.sqrt(spread)


def _name_evidence(share: float) -> str:
    """How the rates were found, if this share of the votes tells them."""
    if share > NEARLY_ALL:
        return "learned from how often signals agree"
    if share < 1 - NEARLY_ALL:
        return "assumed, as these votes cannot tell them"
    return f"learned for signals with {share:.0%} of the votes, assumed for the others"


@dataclass(frozen=True)
class Auto:
    """Error rates from the votes alone: the default.

    How informed a signal is follows from how often it agrees with other votes beyond
    chance. A rule, which always says the same, is compared only with signals that vary;
    what no votes tell is assumed, and said to be (`Rates.learned`).

    Examples
    --------
    >>> from corral import Auto, WeakSignals
    >>> from corral.datasets import random_votes
    >>> votes, _ = random_votes(5_000, [0.95, 0.85, 0.75, 0.65, 0.55], coverage=0.9)
    >>> rates = Auto().estimate(WeakSignals.from_votes(votes))
    >>> (rates.error_rates[1:] > rates.error_rates[:-1]).all(), rates.sources[0]
    (np.True_, 'learned')
    """

    def estimate(self, signals: WeakSignals) -> Rates:
        """Estimate the rates, and the labels that go with them."""
        found = find_informedness(signals)
        model = default_model(signals, found)
        labels = model.row_labels(signals)
        rates = signals.error_rates(labels)
        learned = found.varies if rates.ndim == 1 else found.varies[:, None]
        learned = np.broadcast_to(learned, rates.shape)
        cast = signals.schema.by_column(signals.cast)
        share = float(cast @ learned.ravel() / max(cast.sum(), TINY))
        balance = signals.counts @ labels
        return Rates(
            rates,
            find_standard_errors(signals, labels, rates, found),
            _name_evidence(share),
            balance / balance.sum(),
            model,
            np.where(np.isnan(rates), np.nan, learned),
            labels=labels,
        )
