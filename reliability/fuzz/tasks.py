"""Arbitrary tasks: votes, probabilities or one-vs-rest signals, as strategies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from corral import WeakSignals

KINDS = ("votes", "probabilities", "one-vs-rest")
STYLES = ("any", "agreeing", "rules", "copies", "constant", "sparse")


@dataclass(frozen=True)
class Task:
    """What signals say of examples.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    said : (n, m) array of int, or (n, m, k) array of float
        Codes of classes with -1 for no vote, or probabilities with NaN for none.
    k : int
    """

    kind: str
    said: NDArray[Any]
    k: int

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.said)

    @property
    def m(self) -> int:
        """Number of signals."""
        return self.said.shape[1]

    @property
    def spoken(self) -> NDArray[np.bool_]:
        """(n, m) where a signal says anything."""
        if self.kind == "votes":
            return self.said >= 0
        return ~np.isnan(self.said).all(axis=2)

    def take(self, rows: Any = slice(None), columns: Any = slice(None)) -> Task:
        """The same task with some rows and signals, in some order."""
        return replace(self, said=self.said[rows][:, columns])

    def swap(self, order: NDArray[np.intp]) -> Task:
        """The same task with its classes renamed: class ``c`` becomes ``order[c]``."""
        if self.kind == "votes":
            return replace(
                self, said=np.where(self.said < 0, -1, order[self.said.clip(0)])
            )
        said = np.empty_like(self.said)
        said[:, :, order] = self.said
        return replace(self, said=said)

    def silent(self, n: int = 0, m: int = 0) -> Task:
        """The same task with `n` more rows and `m` more signals that say nothing."""
        nothing = -1 if self.kind == "votes" else np.nan
        pad = [(0, n), (0, m), (0, 0)][: self.said.ndim]
        return replace(self, said=np.pad(self.said, pad, constant_values=nothing))

    def signals(self, counts: Any = None) -> WeakSignals:
        """As corral reads it, with all classes listed."""
        options = {"classes": list(range(self.k)), "counts": counts}
        if self.kind == "votes":
            return WeakSignals.from_votes(self.said, abstain=-1, **options)
        if self.kind == "probabilities":
            return WeakSignals.from_probabilities(self.said, **options)
        return WeakSignals.from_one_vs_rest(self.said.transpose(1, 0, 2), **options)


def _codes(style: str, n: int, m: int, k: int, seed: int) -> NDArray[np.int64]:
    """(n, m) votes of a style that votes of users have."""
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (n, m))
    if style == "agreeing":
        truth = rng.integers(0, k, n)[:, None]
        votes = np.where(rng.random((n, m)) < rng.uniform(0.3, 1, m), truth, votes)
    elif style == "rules":
        votes = np.where(rng.random((n, m)) < 0.4, rng.integers(0, k, m), -1)
    elif style == "copies":
        votes[:] = votes[:, rng.integers(0, max(1, m // 2), m)]
    elif style == "constant":
        votes[:] = votes[:1]
    elif style == "sparse":
        votes[rng.random((n, m)) < 0.8] = -1
    return votes


@st.composite
def codes(draw: st.DrawFn, n: int, m: int, k: int) -> NDArray[np.int64]:
    """(n, m) votes: small ones entry by entry, so that they shrink; others by a seed."""
    if n * m <= 24 and draw(st.booleans()):
        entry = st.integers(-1, k - 1)
        rows = draw(
            st.lists(st.lists(entry, min_size=m, max_size=m), min_size=n, max_size=n)
        )
        return np.array(rows).reshape(n, m)
    style = draw(st.sampled_from(STYLES))
    return _codes(style, n, m, k, draw(st.integers(0, 2**32 - 1)))


def _soften(
    codes: NDArray[np.int64], kind: str, k: int, sure: float, seed: int
) -> NDArray[np.float64]:
    """(n, m, k) probabilities around votes; some at 0, 1, one half and 1e-12."""
    rng = np.random.default_rng(seed)
    said = (np.arange(k) == codes[:, :, None]) * 1.0
    noise = rng.dirichlet(np.ones(k), codes.shape)
    said = sure * said + (1 - sure) * noise
    if kind == "one-vs-rest":
        said = np.where(rng.random(said.shape) < 0.5, said, rng.random(said.shape))
        edge = rng.choice([0, 1, 0.5, 1e-12, 1 - 1e-12], said.shape)
        said = np.where(rng.random(said.shape) < 0.15, edge, said)
        said[rng.random(said.shape) < 0.2] = np.nan
    else:
        said[rng.random(codes.shape) < 0.1] = 1 / k
        said /= np.maximum(said.sum(axis=2, keepdims=True), 1e-300)
    said[codes < 0] = np.nan
    return said


@st.composite
def tasks(
    draw: st.DrawFn,
    kinds: tuple[str, ...] = KINDS,
    max_n: int = 40,
    max_m: int = 7,
    max_k: int = 5,
) -> Task:
    """Any task in which some signal says something."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.one_of(st.integers(1, min(6, max_n)), st.integers(1, max_n)))
    m, k = draw(st.integers(1, max_m)), draw(st.integers(2, max_k))
    votes = draw(codes(n, m, k))
    if not (votes >= 0).any():
        votes[0, 0] = 0
    if kind == "votes":
        return Task(kind, votes, k)
    sure = draw(st.sampled_from([0.0, 0.3, 0.9, 1.0]))
    said = _soften(votes, kind, k, sure, draw(st.integers(0, 2**32 - 1)))
    if np.isnan(said).all():
        said[0, 0] = 1 / k
    return Task(kind, said, k)
