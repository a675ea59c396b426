"""How a property is tested, and what tasks, labelers and values it is tested with.

A property says what must hold for every case. `CorralError` is a fine answer until corral
has accepted a case; what comes afterwards is within `must_work`, where it is a failure.
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import corral
from corral import Adagrad, ConstrainedLabeler, Entropy, Projection, WeakSignals
from corral.errors import CorralError, CorralWarning

CASES = int(os.environ.get("CASES", "0"))
"""Of every property, new ones each time (`make fuzz CASES=1000`); 0: a few fixed ones."""


def holds(cases: st.SearchStrategy[Any], share: float = 1.0) -> Callable[[Any], Any]:
    """Make a check of one case a test; dear checks get a `share` of the cases."""
    number = max(3, round((CASES or 12) * share))

    def decorate(check: Callable[[Any], None]) -> Callable[[], None]:
        def test(case: Any) -> None:
            # Threads of linear algebra wait for each other longer than a case takes.
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", CorralWarning)
                try:
                    check(case)
                except CorralError:
                    return

        test.__name__ = test.__qualname__ = check.__name__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        few = settings(
            max_examples=number,
            deadline=None,
            derandomize=not CASES,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        return few(given(cases)(test))

    return decorate


@contextmanager
def must_work() -> Iterator[None]:
    """What is done with input that was accepted: a refusal is a failure from here on."""
    try:
        yield
    except CorralError as error:
        raise AssertionError(f"refused after it was accepted: {error}") from error


# -- values -------------------------------------------------------------------------


def mostly(usual: st.SearchStrategy[Any], other: st.SearchStrategy[Any]) -> Any:
    """Three of four cases as `usual`; `one_of` would weigh every kind of `other` alike."""
    chances = st.sampled_from([True, True, True, False])
    return chances.flatmap(lambda is_usual: usual if is_usual else other)


# fmt: off
WORDS = st.sampled_from([
    "spam", "ham", "Spam", " ham", "0", "1", "-1", "1.0", "nan", "None", "null", "", " ",
    "N/A", "?", "none", "true", "False", "inf", "1e3", "=1+1", "@x", "a,b", 'a"b', "a;b",
    "a\nb", "a\tb", "a\r", "\x1b[31mred", "[red]x[/red]", "<b>x</b>", "x\x00y", "é",
    "'; DROP TABLE t; --", "\u202eabc", "e\u0301", "日本", "😀", "p_1", "label", "%s",
    "{signal}", "a" * 300, "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
])
# fmt: on
"""Texts that something in the way may take for something else."""

# A surrogate that stands alone cannot be written to a file.
texts = st.one_of(WORDS, st.text(max_size=8)).filter(
    lambda s: not any(0xD800 <= ord(c) <= 0xDFFF for c in s)
)
seeds = st.integers(0, 2**32 - 1)
integers = st.one_of(
    st.integers(-3, 9), st.sampled_from([2**31, 2**63 - 1, -(2**63), 2**64, 10**30])
)
floats = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e-12, 1 - 1e-16, 5e-324, 1e308, -1.0, 2.0]),
)
odd: st.SearchStrategy[Any] = st.one_of(
    *(st.none(), st.booleans(), integers, floats, texts, st.binary(max_size=3)),
    st.sampled_from(
        [
            *(1j, math.nan, decimal.Decimal(1), decimal.Decimal("NaN"), object, len),
            *(datetime.date(2020, 1, 1), np.datetime64("2020-01-01"), np.float32(0.5)),
            *(np.int8(1), np.bool_(True), np.str_("a"), (), [], {}, {"a": 1}, [1]),
        ]
    ),
)
"""Anything that a user may have put into a cell or an option."""


# -- tasks --------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """What signals say: (n, m) codes with -1 for no vote, or (n, m, k) probabilities."""

    kind: str
    said: NDArray[Any]
    k: int

    @property
    def n(self) -> int:
        return len(self.said)

    @property
    def m(self) -> int:
        return self.said.shape[1]

    @property
    def spoken(self) -> NDArray[np.bool_]:
        """(n, m) where a signal says anything."""
        if self.kind == "votes":
            return self.said >= 0
        return ~np.isnan(self.said).all(axis=2)

    def take(self, rows: Any = slice(None), columns: Any = slice(None)) -> Task:
        return replace(self, said=self.said[rows][:, columns])

    def swap(self, order: NDArray[np.intp]) -> Task:
        """The same task with its classes renamed: class ``c`` becomes ``order[c]``."""
        if self.kind == "votes":
            coded = np.where(self.said < 0, -1, order[self.said.clip(0)])
            return replace(self, said=coded)
        said = np.empty_like(self.said)
        said[:, :, order] = self.said
        return replace(self, said=said)

    def silent(self, n: int = 0, m: int = 0) -> Task:
        """The same task with `n` more rows and `m` more signals that say nothing."""
        nothing = -1 if self.kind == "votes" else np.nan
        pad = [(0, n), (0, m), (0, 0)][: self.said.ndim]
        return replace(self, said=np.pad(self.said, pad, constant_values=nothing))

    def signals(self, counts: Any = None) -> WeakSignals:
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


def _soften(codes: Any, kind: str, k: int, sure: float, seed: int) -> Any:
    """(n, m, k) probabilities around votes; some at 0, 1, one half and 1e-12."""
    rng = np.random.default_rng(seed)
    said = sure * (np.arange(k) == codes[:, :, None])
    said = said + (1 - sure) * rng.dirichlet(np.ones(k), codes.shape)
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


KINDS = ("votes", "probabilities", "one-vs-rest")
STYLES = ("any", "agreeing", "rules", "copies", "constant", "sparse")


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
    if n * m <= 24 and draw(st.booleans()):  # entry by entry, so that it shrinks
        entries = st.lists(st.integers(-1, k - 1), min_size=n * m, max_size=n * m)
        votes = np.array(draw(entries)).reshape(n, m)
    else:
        votes = _codes(draw(st.sampled_from(STYLES)), n, m, k, draw(seeds))
    if not (votes >= 0).any():
        votes[0, 0] = 0
    if kind == "votes":
        return Task(kind, votes, k)
    sure = draw(st.sampled_from([0.0, 0.3, 0.9, 1.0]))
    said = _soften(votes, kind, k, sure, draw(seeds))
    if np.isnan(said).all():
        said[0, 0] = 1 / k
    return Task(kind, said, k)


# -- labelers -----------------------------------------------------------------------

LABELERS: dict[str, Callable[[], Any]] = {
    "default": ConstrainedLabeler,
    "given rate": lambda: ConstrainedLabeler(0.2, Adagrad(iterations=60)),
    "raw rows": lambda: ConstrainedLabeler(0.3, Adagrad(rows="raw", iterations=50)),
    "entropy": lambda: ConstrainedLabeler(0.2, Entropy()),
    "projection": lambda: ConstrainedLabeler(0.2, Projection()),
    "default, entropy": lambda: ConstrainedLabeler(corral.Auto(), "entropy"),
    "agreement": lambda: ConstrainedLabeler(corral.Agreement()),
    "majority vote": corral.MajorityVote,
    "averaging": corral.Averaging,
    "weighted vote": lambda: corral.WeightedVote(accuracies=0.7),
    "data programming": corral.DataProgramming,
    "MeTaL": corral.MeTaL,
    "Dawid-Skene": corral.DawidSkene,
    "one-coin Dawid-Skene": corral.OneCoinDawidSkene,
}
"""Labelers that draw nothing at random; Adagrad takes its first steps only."""
MULTILABEL = ("default", "given rate", "entropy", "projection", "majority vote")
names: st.SearchStrategy[str] = st.sampled_from(sorted(LABELERS))


def fit(name: str, signals: Any, **options: Any) -> Any:
    """A labeler of that name, fitted."""
    return LABELERS[name]().set_params(**options).fit(signals)


@dataclass(frozen=True)
class Case:
    """A labeler, a task, and a seed for what is done to it."""

    labeler: str
    task: Task
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def cases(labelers: Any = names, **options: Any) -> st.SearchStrategy[Case]:
    return st.builds(Case, labelers, tasks(**options), seeds)


# -- checks -------------------------------------------------------------------------

SAME = 1e-6
"""How far two labels may be apart that must be the same but for rounding."""


def assert_probabilities(p: NDArray[np.float64], n: int, k: int) -> None:
    assert p.shape == (n, k), p.shape
    assert np.isfinite(p).all(), p
    assert p.min() >= 0, p.min()
    assert p.max() <= 1 + 1e-12, p.max()
    assert np.abs(p.sum(axis=1) - 1).max() <= 1e-9, p.sum(axis=1)


def assert_shares(values: Any) -> None:
    """Numbers are NaN (unknown) or between 0 and 1."""
    x = np.asarray(values, float)
    assert ((x >= -1e-12) & (x <= 1 + 1e-12) | np.isnan(x)).all(), x


def assert_same(p: Any, q: Any, near: float = SAME) -> None:
    apart = np.abs(p - q).max(initial=0.0)
    assert apart <= near, f"labels are {apart:.2g} apart"
