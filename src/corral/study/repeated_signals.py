"""Which signals repeat others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.checks import require_votes
from corral.constraints import label_space
from corral.constraints.theory import own_parts
from corral.labelers.base import as_signals
from corral.rates.copies import agreement as agree
from corral.rates.copies import find_copies, share_votes
from corral.rates.raters import find_raters
from corral.rates.vote_features import vote_features
from corral.results import Part, Result, Table


@dataclass(frozen=True, repr=False)
class Redundancy(Result):
    """What `redundancy` found; print it.

    Attributes
    ----------
    names : tuple of str
    coverage : (m,) array of float
        Share of the rows that every signal votes on.
    share : (m,) array of float
        The part it has in a vote of `Auto`: one if no other signal repeats it, one tenth
        for each of ten copies.
    nearest : tuple of str
        The other signal that agrees with it most; "" if none comes near.
    agreement : (m,) array of float
        How far the two agree beyond chance, over the rows that either votes on: 0 as
        chance would have it, 1 copies. NaN without a nearest.
    own_part : (m,) array of float
        The part of its constraint that no combination of the others gives, from 0
        (leaving it out leaves the same space of labels) to 1 (it shares nothing).
    """

    names: tuple[str, ...]
    coverage: FloatArray
    share: FloatArray
    nearest: tuple[str, ...]
    agreement: FloatArray
    own_part: FloatArray

    @property
    def effective(self) -> float:
        """Number of signals if those that repeat others count in part."""
        return float(self.share.sum())

    title = "Which signals repeat others"

    def parts(self) -> Iterator[Part]:
        order = np.lexsort((self.own_part, self.share))
        yield (
            f"{len(self.names)} signals are worth {self.effective:.1f} independent ones."
        )
        yield Table(
            {
                "signal": [self.names[i] for i in order],
                "coverage": self.coverage[order],
                "weight": self.share[order],
                "own part": self.own_part[order],
                "agrees": self.agreement[order],
                "with": [self.nearest[i] for i in order],
            },
            formats={"coverage": ".1%"}
            | dict.fromkeys(("weight", "own part", "agrees"), ".2f"),
            meanings={
                "weight": "1 for a signal of its own, 1/10 for each of ten copies.",
                "own part": "Part of its constraint that the others do not give.",
                "agrees": "Agreement beyond chance with the nearest other signal.",
            },
        )


def redundancy(signals: Any) -> Redundancy:
    """Which signals repeat others, and what each has of its own.

    Two measures, for two ways to label. `share` is how `Auto` and `FromLabels` count a
    signal: by how far it agrees with others, exact or not. `own_part` is about the
    constraints that the solvers use: a signal without any may be left out, and
    `redundant_signals` lists a set of signals that may be left out together.

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
    4 signals are worth 3.0 independent ones.
    <BLANKLINE>
    signal   coverage  weight  own part  agrees  with
    a           58.1%    0.50      0.00    1.00  a again
    a again     58.1%    0.50      0.00    1.00  a
    b           61.3%    1.00      0.90    0.13  a
    c           63.0%    1.00      0.94    0.10  a
    """
    read = as_signals(signals)
    hard = read.harden()
    require_votes(hard.covered.any(), "compare")
    owner = hard.columns[:, 0]
    features = vote_features(read)
    rater = find_raters(features)
    leader = find_copies(features, rater)
    share = share_votes(leader, features.votes_cast, owner, read.n_signals)

    pairs = agree(features, rater, width=0).tocoo()
    a, b = owner[pairs.row], owner[pairs.col]
    order = np.lexsort((-b, pairs.data))
    order = order[(a != b)[order]]
    nearest = np.full(read.n_signals, -1)
    agreement = np.full(read.n_signals, np.nan)
    nearest[a[order]] = b[order]  # of several, the last stays
    agreement[a[order]] = pairs.data[order]

    space = label_space(read, joint=True)
    parts = np.bincount(space.rows.signal, own_parts(space), read.n_signals)
    number = np.bincount(space.rows.signal, minlength=read.n_signals)
    return Redundancy(
        read.names,
        read.coverage,
        share,
        tuple("" if j < 0 else read.names[j] for j in nearest),
        agreement,
        parts / np.maximum(number, 1),
    )
