"""What signals do: how often each is wrong, and which contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import make_generator
from corral.errors import SignalsError
from corral.reports.labelled_votes import LEVEL, Interval, LabelledVotes
from corral.reports.phrases import say_count, say_names, say_share, say_verb
from corral.results import Part, Result, Table, bars, dots, join_names, matrix, shorten
from corral.results.chart import order_by_likeness
from corral.study import Analysis, SignalValues
from corral.study.analysis import MEANINGS, mean_rates
from corral.study.rater_agreement import count_shared
from corral.training.calibration import wilson_intervals
from corral.votes import WeakSignals

BAD_ERROR = 0.8
"""Part of the error of a guess from which a signal tells little."""
MIN_VOTES = 10
"""Votes from which on a signal is judged by them."""
MAX_WORTH_BARS = 20
"""Signals whose worth is drawn; beyond the first few, hardly any has some."""
MIN_WORTH_DRAWN = 0.0005
"""Below this, bars have no length to see."""
MAX_CLASSES_LENGTH = 80
"""Characters of a list of classes."""
MAX_MATRIX_SIGNALS = 60
MAX_PAIRS = 10
"""Pairs that are listed."""
RESAMPLES = 200
"""For the interval of alpha."""
MOSTLY_AGREE, OFTEN_DISAGREE = 0.9, 0.6
"""Shares of agreeing pairs: at least the first, and below the second."""
REPORT_MEANINGS = MEANINGS | {
    "expected error": "How often the labeler believes the signal to be wrong: learned from "
    "votes or labels, assumed where these do not tell, or given by you.",
    "implied error": "How often the signal is wrong if the labels are right.",
    "worth": "Accuracy that is lost without it, judged by the labels found with it.",
}


@dataclass(frozen=True, eq=False, repr=False)
class SignalsSection(Result):
    """What every signal does, and how often it is wrong; NaN where that is not known."""

    verdict: str
    analysis: Analysis  # of `corral.analyse`, without buckets
    expected_errors: FloatArray  # (m,) what the labeler believes
    expected_intervals: FloatArray  # (m, 2) of these, if they are estimated
    learned: FloatArray  # (m,) part that votes or labels tell; the rest is assumed
    gold_intervals: FloatArray  # (m, 2) where the true error may be
    worth: FloatArray  # (m,) accuracy lost without it, judged by the labels

    title = "Signals"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        found = self.analysis
        gold = _gold_errors(found)[0]
        errors: dict[str, Any] = {
            "expected": self.expected_errors,
            "implied": found.implied_error_rates,
            "true": gold,
        }
        errors = {name: each for name, each in errors.items() if _is_known(each)}
        if errors:
            yield dots(
                "How often signals err",
                f"Errors of {len(found.names)} signals: {', '.join(errors)}.",
                found.names,
                errors,
                intervals={
                    "expected": self.expected_intervals,
                    "true": self.gold_intervals,
                },
                label="votes that are wrong",
            )
        worth = np.nan_to_num(self.worth)
        order = np.argsort(-worth, kind="stable")[:MAX_WORTH_BARS]
        if worth.max(initial=0) >= MIN_WORTH_DRAWN:
            first = order[0]
            yield bars(
                "What every signal adds",
                f"{found.names[first]} adds most: {worth[first]:.1%} of the accuracy.",
                [found.names[i] for i in order],
                {"accuracy lost": worth[order]},
                label="accuracy lost without the signal",
            )
        says = [", ".join(map(str, classes)) for classes in found.polarity]
        columns: dict[str, Any] = {
            "signal": found.names,
            "votes for": [shorten(each, MAX_CLASSES_LENGTH) for each in says],
            "coverage": found.coverage,
            "overlaps": found.overlaps,
            "conflicts": found.conflicts,
            "expected error": self.expected_errors,
            "90% interval": self.expected_intervals,
            "source": found.rate_sources,
            "implied error": found.implied_error_rates,
            "true error": gold,
            "true, 90% interval": self.gold_intervals,
            "share": found.share,
            "worth": self.worth,
        }
        columns = {name: each for name, each in columns.items() if _is_known(each)}
        formats = dict.fromkeys(columns, ".1%") | {"share": ".2f"}
        formats |= {"90% interval": ".0%", "true, 90% interval": ".0%"}
        yield Table(columns, "What every signal does", formats, REPORT_MEANINGS)


def _is_known(column: Any) -> bool:
    """Whether any cell of a column of a table holds something."""
    if isinstance(column, np.ndarray):
        return not bool(np.isnan(column).all())
    return column is not None


def _gold_errors(analysis: Analysis) -> tuple[FloatArray, FloatArray]:
    """(m,) errors by true labels, NaN where unknown, and (m,) votes judged by them."""
    if (gold := analysis.gold) is None:
        return np.full(len(analysis.names), np.nan), np.zeros(len(analysis.names))
    return gold.error_rates, gold.correct + gold.incorrect


def describe_signals(
    votes: LabelledVotes, analysis: Analysis, values: SignalValues | None
) -> SignalsSection:
    """Compute the section of signals."""
    m = votes.signals.n_signals
    expected, learned, worth = np.full((3, m), np.nan)
    intervals, gold_intervals = np.full((2, m, 2), np.nan)
    sources = analysis.rate_sources or ("given",) * m
    if analysis.learned is not None:
        expected = 1 - analysis.learned
    if (found := getattr(votes.labeler, "rates_", None)) is not None:
        ends = np.moveaxis(found.intervals(LEVEL), -1, 0)
        both = [mean_rates(votes.signals, end) for end in ends]
        intervals = np.stack(both, axis=-1)
        if found.learned is not None:
            learned = mean_rates(votes.signals, found.learned)
    errors, seen = _gold_errors(analysis)
    some = seen > 0
    gold_intervals[some] = wilson_intervals(errors[some], seen[some], LEVEL)
    if values is not None:
        worth = values.worth
    if analysis.learned is not None:
        known = ~np.isnan(expected)
        sources = tuple(sources[i] if known[i] else "" for i in range(m))
        analysis = replace(analysis, rate_sources=sources)
    section = SignalsSection(
        *("", replace(analysis, buckets=()), expected, intervals),
        *(learned, gold_intervals, worth),
    )
    return replace(section, verdict=_judge_signals(section, votes))


def _judge_signals(section: SignalsSection, votes: LabelledVotes) -> str:
    """Which signals to look at first.

    The best that is known of an error is what true labels say, then what the labeler
    expects, then what the labels imply; an assumed error is not known.
    """
    found = section.analysis
    gold, seen = _gold_errors(found)
    has_gold: BoolArray = ~np.isnan(gold) & (seen >= MIN_VOTES)
    assumed: BoolArray = section.learned < 0.5
    expected, implied = section.expected_errors, found.implied_error_rates
    assert implied is not None  # as there is a labeler
    errors = np.where(np.isnan(expected), implied, expected)
    errors = np.where(has_gold, gold, np.where(assumed, np.nan, errors))
    cast = found.coverage * found.n_examples
    votes_at_all: BoolArray = found.coverage > 0
    is_known = votes_at_all & ~np.isnan(errors)
    judged = np.flatnonzero(is_known & (cast >= MIN_VOTES))
    if not votes_at_all.any():
        said = "No signal votes."
    elif len(judged):
        limit = BAD_ERROR * (1 - 1 / votes.signals.n_classes)
        bad = judged[errors[judged] > limit]
        among = bad if len(bad) else judged
        worst = among[(errors * found.coverage)[among].argmax()]
        name, share = say_names([found.names[worst]]), say_share(float(errors[worst]))
        its = say_count(float(seen[worst] if has_gold[worst] else cast[worst]), "vote")
        believed = not has_gold[worst] and not np.isnan(expected[worst])
        source = " with a true label" if has_gold[worst] else " if the labels are right"
        mistakes = (
            f"expected to be wrong on {share} of its {its}"
            if believed
            else f"wrong on {share} of its {its}{source}"
        )
        if len(bad):
            said = (
                f"{len(bad):,} of {say_count(len(errors), 'signal')} "
                f"{say_verb(len(bad), 'is', 'are')} hardly better than a guess: read the "
                f"mistakes of {name} first, {mistakes}."
            )
        elif not errors[worst]:
            said = "No signal was seen wrong."
        else:
            said = f"No signal stands out; most mistakes come from {name}, {mistakes}."
    elif is_known.any():
        said = (
            f"No signal whose error is known has {MIN_VOTES} votes: too few to tell how "
            "often signals err."
        )
    else:
        most = int(np.where(votes_at_all, found.conflicts, -1).argmax())
        said = (
            "The votes do not tell how often signals err. Read first where others "
            f"contradict {say_names([found.names[most]])}: on "
            f"{say_share(float(found.conflicts[most]))} of the examples."
            if found.conflicts[most]
            else "No two signals contradict each other, so the votes do not tell how often "
            "signals err."
        )
    if silent := [found.names[i] for i in np.flatnonzero(~votes_at_all)]:
        never = say_verb(len(silent), "votes", "vote")
        said += (
            f" {say_count(len(silent), 'signal')} never {never}: {say_names(silent)}."
        )
    if len(judged) and (many := int((assumed & votes_at_all).sum())):
        said += (
            f" The expected error of {say_count(many, 'signal')} is mostly assumed: the "
            "votes do not tell it."
        )
    return said


@dataclass(frozen=True)
class SignalPair:
    """Two signals that contradict each other."""

    first: str
    second: str
    n_common: float  # pairs of votes on the same example
    n_contradicting: float  # of these, those that cannot both be right


@dataclass(frozen=True, eq=False, repr=False)
class AgreementSection(Result):
    """Which signals agree, where both vote.

    A pair of votes is one common example for signals that name classes; one-vs-rest signals
    may have several on one example.
    """

    verdict: str
    names: tuple[str, ...]  # the signals of the matrix, similar ones side by side
    agreement: FloatArray  # (s, s) share of their pairs of votes that do not contradict
    common: FloatArray  # (s, s) pairs of votes
    agreeing: float | None  # share of all pairs of votes that do not contradict
    alpha: float | None  # Krippendorff's: 0 agreement by chance, 1 full agreement
    alpha_interval: Interval | None  # with probability 0.9; None: too few data to say
    pairs: tuple[SignalPair, ...]  # of the matrix, those that contradict most often
    others: tuple[str, ...]  # signals that are not in the matrix

    title = "Agreement and conflict"

    def parts(self) -> Iterator[Part]:
        yield self.verdict
        if self.agreeing is not None and len(self.names) > 1:
            yield matrix(
                "Agreement of every pair",
                self.names,
                self.agreement,
                self.common,
                measure="Agreement",
                limits=(0.0, 1.0),
                unit="pairs of votes",
            )
        if self.alpha is not None:
            span = ""
            if self.alpha_interval is not None:
                span = " (90% interval {:.2f} to {:.2f})".format(*self.alpha_interval)
            yield (
                f"Over all signals, Krippendorff's alpha is {self.alpha:.2f}{span}: 0 is "
                "agreement by chance, 1 full agreement."
            )
        if pairs := self.pairs:
            yield Table(
                {
                    "signal": [pair.first for pair in pairs],
                    "and": [pair.second for pair in pairs],
                    "contradicting": [pair.n_contradicting for pair in pairs],
                    "pairs of votes": [pair.n_common for pair in pairs],
                    "share": [pair.n_contradicting / pair.n_common for pair in pairs],
                },
                "Pairs that contradict each other most often",
                {"contradicting": ",.0f", "pairs of votes": ",.0f", "share": ".1%"},
            )
        if self.others:
            yield (
                f"{len(self.others):,} more signals, contradicted less often: "
                f"{join_names(self.others, 1000)}"
            )


def compare_signals(
    votes: LabelledVotes, analysis: Analysis, seed: int
) -> AgreementSection:
    """Compute the section of agreement."""
    alpha = interval = None
    try:
        shared = count_shared(votes.signals, "nominal")
    except SignalsError:  # one class at a time, or no example with two votes
        pass
    else:
        draws = shared.draw(RESAMPLES, make_generator(seed))
        alpha, interval = shared.measure(shared.alpha, draws, LEVEL)
        alpha = None if np.isnan(alpha) else alpha
        interval = None if alpha is None or np.isnan(interval).any() else interval
    shown = _most_contradicted(analysis.conflicts, analysis.coverage)
    common, opposed, agreeing = _count_pairs(votes.hard, shown)
    with np.errstate(invalid="ignore"):
        agreed = np.where(common > 0, 1 - opposed / common, np.nan)
    order = order_by_likeness(agreed)
    at = np.ix_(order, order)
    names = tuple(analysis.names[i] for i in shown[order])
    pairs = _worst_pairs(names, common[at], opposed[at])
    others = np.setdiff1d(np.arange(len(analysis.names)), shown)
    return AgreementSection(
        _judge_agreement(agreeing, alpha, pairs, votes.signals.schema.names_classes),
        names,
        agreed[at],
        common[at],
        agreeing,
        alpha,
        interval,
        pairs,
        tuple(analysis.names[i] for i in others),
    )


def find_clashes(signals: WeakSignals) -> tuple[SignalPair, ...]:
    """The pairs of signals that contradict each other most often, the worst first."""
    hard = signals.harden()
    shown = _most_contradicted(hard.conflicts, hard.coverage)
    common, opposed, _ = _count_pairs(hard, shown)
    return _worst_pairs(tuple(hard.names[i] for i in shown), common, opposed)


def _most_contradicted(conflicts: FloatArray, coverage: FloatArray) -> IntArray:
    order = np.lexsort((-coverage, -conflicts))
    return np.sort(order[:MAX_MATRIX_SIGNALS])


def _count_pairs(
    hard: WeakSignals, shown: IntArray
) -> tuple[FloatArray, FloatArray, float | None]:
    """(s, s) pairs of votes on an example, and contradicting ones; share of the others.

    Two votes contradict if no class meets both.
    """
    schema = hard.schema
    together = (hard.F.T @ diags_array(hard.counts) @ hard.F).tocoo()
    a, b = schema.signal[together.row], schema.signal[together.col]
    both = schema.supports[together.row] * schema.supports[together.col]
    apart = a != b
    contradicts = ~both.any(axis=1) & apart
    total = together.data[apart].sum()
    share = float(1 - together.data[contradicts].sum() / total) if total else None
    place = np.full(hard.n_signals, -1)
    place[shown] = np.arange(len(shown))
    inside = apart & (place[a] >= 0) & (place[b] >= 0)
    size = len(shown), len(shown)
    common, opposed = (
        csr_array((together.data[at], (place[a[at]], place[b[at]])), size).toarray()
        for at in (inside, inside & contradicts)
    )
    return common, opposed, share


def _worst_pairs(
    names: tuple[str, ...], common: FloatArray, opposed: FloatArray
) -> tuple[SignalPair, ...]:
    a, b = np.triu_indices(len(names), 1)
    order = np.argsort(-opposed[a, b], kind="stable")[:MAX_PAIRS]
    return tuple(
        SignalPair(names[i], names[j], float(common[i, j]), float(opposed[i, j]))
        for i, j in zip(a[order], b[order], strict=True)
        if opposed[i, j] > 0
    )


def _judge_agreement(
    agreeing: float | None,
    alpha: float | None,
    pairs: tuple[SignalPair, ...],
    names_classes: bool,
) -> str:
    if agreeing is None:
        return (
            "No two signals vote on the same example, so nothing says which of them are "
            "right: write signals that overlap."
        )
    if not pairs:
        return (
            "Signals never contradict each other where several vote, so errors show only "
            "beside true labels."
        )
    worst = pairs[0]
    # One-vs-rest signals may have several votes each on one example.
    shared = "common examples" if names_classes else "pairs of their votes"
    level = "often disagree" if agreeing < OFTEN_DISAGREE else "agree in part"
    level = "mostly agree" if agreeing >= MOSTLY_AGREE else level
    beyond = "" if alpha is None else f" (Krippendorff's alpha {alpha:.2f})"
    return (
        f"Where several signals vote they {level}: {say_share(agreeing)} of the pairs of "
        f"votes do not contradict{beyond}. {say_names([worst.first])} and "
        f"{say_names([worst.second])} clash most, on {worst.n_contradicting:,.0f} of "
        f"{worst.n_common:,.0f} {shared}; read those to see who is wrong."
    )
