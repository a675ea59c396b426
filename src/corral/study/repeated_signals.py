"""Which signals repeat others.

A copy of a signal adds nothing. Two signals are copies if they agree far beyond chance over
all examples on which either votes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import require_votes
from corral.constraints import make_system
from corral.constraints.theory import own_parts
from corral.labelers.base import as_signals
from corral.rates import wilson_bound
from corral.rates.default import find_informedness
from corral.results import Part, Result, Table
from corral.results.text import say_count
from corral.votes import WeakSignals

COPY_AGREEMENT = 2 / 3
"""Agreement beyond chance from which two signals are copies."""
SQUARED_DEVIATIONS = 4.0
"""Squared number of standard errors that agreement is lowered by before it counts."""
MIN_REPEATED_VOTES = 5
"""Votes from which signals that always vote alike are copies."""
MIN_EXCESS = 1.5
"""Copies agree with each other this many times as much as their accuracy explains."""
DENSE_COVERAGE = 0.5
"""Signals that vote on this share of the examples are copies only beyond `MIN_EXCESS`."""


@dataclass(frozen=True, repr=False)
class Redundancy(Result):
    """What `redundancy` found; print it."""

    names: tuple[str, ...]
    coverage: FloatArray  # (m,) share of the rows that every signal votes on
    share: FloatArray  # (m,) one if no other signal repeats it, 1/10 for each of ten copies
    nearest: tuple[str, ...]  # the signal that agrees with it most; "": it repeats none
    agreement: FloatArray  # (m,) with the nearest: 0 as by chance, 1 copies; or NaN
    own_part: FloatArray  # (m,) of its constraint, that the others do not give: 0 to 1

    @property
    def effective(self) -> float:
        """Number of signals if those that repeat others count in part."""
        return float(self.share.sum())

    title = "Which signals repeat others"

    def parts(self) -> Iterator[Part]:
        order = np.lexsort((self.own_part, self.share))
        yield (
            f"{say_count(len(self.names), 'signal')}, worth {self.effective:.1f} "
            "independent ones."
        )
        yield Table(
            {
                "signal": [self.names[i] for i in order],
                "coverage": self.coverage[order],
                "share": self.share[order],
                "own part": self.own_part[order],
                "agrees": self.agreement[order],
                "with": [self.nearest[i] for i in order],
            },
            formats={"coverage": ".1%"}
            | dict.fromkeys(("share", "own part", "agrees"), ".2f"),
            meanings={
                "share": "1 for a signal of its own, 1/10 for each of ten copies.",
                "own part": "Part of its constraint that the others do not give.",
                "agrees": "Agreement beyond chance with the nearest other signal.",
            },
        )


def redundancy(signals: Any) -> Redundancy:
    """Which signals repeat others, and what each has of its own.

    `share` goes by how far signals agree, `own_part` by the constraints that solvers use.

    Parameters
    ----------
    signals : as for `fit`
        Soft signals are rounded for `share`, `nearest` and `agreement`.

    Returns
    -------
    Redundancy

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, _ = random_votes(1000, [0.9, 0.8, 0.7], coverage=0.6)
    >>> copied = [[*row, row[0]] for row in votes.tolist()]
    >>> names = ["a", "b", "c", "a again"]
    >>> found = corral.redundancy(corral.WeakSignals.from_votes(copied, names=names))
    >>> print(found)
    4 signals, worth 3.0 independent ones.
    <BLANKLINE>
    signal   coverage  share  own part  agrees  with
    a           58.1%   0.50      0.00    1.00  a again
    a again     58.1%   0.50      0.00    1.00  a
    b           61.3%   1.00      0.90    0.13  a
    c           63.0%   1.00      0.94    0.10  a
    """
    read = as_signals(signals)
    hard = read.harden()
    require_votes(hard.covered.any(), "compare")
    pairs, m = compare_pairs(hard), read.n_signals
    a, b = np.append(pairs.i, pairs.j), np.append(pairs.j, pairs.i)
    agreed = np.tile(np.maximum(pairs.agreement(), 0), 2)
    order = np.lexsort((-b, agreed))
    nearest, agreement = np.full(m, -1), np.full(m, np.nan)
    nearest[a[order]] = b[order]  # of several, the last stays
    agreement[a[order]] = agreed[order]
    system = make_system(read, joint=True)
    number = np.bincount(system.signal, minlength=m)
    return Redundancy(
        read.names,
        read.coverage,
        share_votes(hard, pairs),
        tuple("" if j < 0 else read.names[j] for j in nearest),
        agreement,
        np.bincount(system.signal, own_parts(system), m) / np.maximum(number, 1),
    )


class Pairs(NamedTuple):
    """Pairs of signals that vote on many of the same examples.

    A question is an example and, for one-vs-rest signals, a class.
    """

    i: IntArray  # (p,) the first signal
    j: IntArray  # (p,) the second, after the first
    union: FloatArray  # (p,) questions that either answers
    met: FloatArray  # (p,) that both answer
    same: FloatArray  # (p,) that both answer alike
    chance: FloatArray  # (p,) part of the union that they would by chance

    def agreement(self, squared_deviations: float = 0.0) -> FloatArray:
        """(p,) beyond chance, lowered by so many standard errors (Wilson's bound)."""
        low = wilson_bound(self.same / self.union, self.union, squared_deviations)
        return (low - self.chance) / (1 - self.chance)


def compare_pairs(hard: WeakSignals) -> Pairs:
    """How far signals vote alike; pairs that cannot be copies are left out."""
    m, schema = hard.n_signals, hard.schema
    table = hard.cast.reshape(m, -1)
    cast = table.sum(axis=1)
    ends = hard.F.indices, hard.F.indptr
    answers = (np.ones(len(ends[0])), schema.column[ends[0]], ends[1])
    asked = csr_array(answers, (hard.n_rows, schema.n_columns))
    met, same = (_count_alike(hard, each) for each in (asked, hard.F))
    both = met.tocoo()
    i, j, common = both.row, both.col, both.data
    enough = (i < j) & (common > COPY_AGREEMENT / 2 * np.maximum(cast[i], cast[j]))
    i, j, common = i[enough], j[enough], common[enough]
    union = cast[i] + cast[j] - common
    product = (table[i] * table[j]).sum(axis=1)
    # Raters are asked about their examples, so that chance is taken on those that both
    # vote on. Rules choose theirs, so voting on the same ones is agreement, too.
    varies = find_informedness(hard).varies
    rater = np.maximum(varies[i], varies[j])
    chance = rater * common * product / (cast[i] * cast[j])
    chance += (1 - rater) * product / hard.counts.sum()
    alike = same[i, j] if len(i) else np.empty(0)
    chance = np.minimum(chance / union, 1 - 1e-9)
    return Pairs(i, j, union, common, alike, chance)


def _count_alike(hard: WeakSignals, table: csr_array) -> csr_array:
    """(m, m) examples with the same entry in the columns of two signals."""
    per_signal = table.shape[1] // hard.n_signals
    weighted = csr_array(diags_array(hard.counts) @ table)
    parts = (
        table[:, at::per_signal].T @ weighted[:, at::per_signal]
        for at in range(per_signal)
    )
    return csr_array(sum(parts))


def share_votes(hard: WeakSignals, pairs: Pairs) -> FloatArray:
    """(m,) the share that every signal has in a vote: one if it repeats no other.

    Originals are chosen in turn, those first that agree most with others. Accurate raters
    agree as much as copies do, so raters who vote on most examples are copies only if they
    agree with each other more than their agreement with outsiders explains.
    """
    m = hard.n_signals
    exact = (pairs.same == pairs.union) & (pairs.union >= MIN_REPEATED_VOTES)
    close = pairs.agreement(SQUARED_DEVIATIONS)
    near = exact | (close >= COPY_AGREEMENT)
    i, j, value = pairs.i[near], pairs.j[near], np.where(exact, 1.0, close)[near]
    links = csr_array((value, (i, j)), (m, m))
    links = csr_array(links + links.T)
    equal = csr_array((exact[near], (i, j)), (m, m))
    equal = csr_array(equal + equal.T)
    density = hard.cast.reshape(m, -1).sum(axis=1) / hard.counts.sum()
    leader = np.full(m, -1)
    for at in np.argsort(-links.sum(axis=1), kind="stable"):
        if leader[at] >= 0:
            continue
        leader[at] = at
        others = links.indices[links.indptr[at] : links.indptr[at + 1]]
        others = others[leader[others] < 0]
        group = np.append(at, others)
        dense = len(others) and density[group].mean() >= DENSE_COVERAGE
        if dense and not _exceeds(pairs, np.isin(np.arange(m), group)):
            others = others[equal[[at], :].toarray()[0, others]]
        leader[others] = at
    return (density > 0) / np.bincount(leader, minlength=m)[leader]


def _exceeds(pairs: Pairs, inside: BoolArray) -> bool:
    """Whether a group agrees more than its agreement with outsiders explains.

    If signals err independently, agreement beyond chance is a product: inside the group
    ``a * a``, with outsiders ``a * b``, among outsiders ``b * b``.
    """
    number = inside[pairs.i].astype(int) + inside[pairs.j]
    chance = pairs.chance * pairs.union
    beyond, most = (
        np.bincount(number, each - chance, 3) for each in (pairs.same, pairs.met)
    )
    outside, across, within = beyond / np.where(most > 0, most, np.nan)
    return bool(within * outside > MIN_EXCESS * max(across, 0) ** 2)
