"""The constrained space: labels under which every signal errs as often as expected.

Every constraint is a row on the moments of the labels ``y``: how often a vote (a feature of
``F``) goes with a label column, so that all rows together are a small sparse matrix ``R``,

    e(y)  =  R moments(y) / size  +  constant         moments(y) = F.T @ (weights * y)

and a row asks that ``lower <= e <= upper``, in units of an error rate. Its adjoint turns
multipliers of the rows into weights of votes, ``W = -R.T @ multipliers``.

There is a label column per class; two classes that signals choose between have one, the
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack, identity, vstack

from corral._types import FloatArray, IntArray
from corral.constraints.kinds import Constraint, ErrorRate, Features, GroupShare, Known
from corral.errors import ParameterError
from corral.votes import WeakSignals
from corral.votes.coding import code_labels
from corral.votes.matrix import VoteMatrix

BLOCK_ROWS = 1 << 16
"""Distinct rows that are looked at once."""
DENSE_SHARE = 0.05
"""Coefficients on a larger share of (row, example) pairs are multiplied as dense blocks."""
BLOCK_COEFFICIENTS = 1 << 18
"""Coefficients of a dense block."""


@dataclass(frozen=True, eq=False)
class System:
    """The constraints on the labels of some signals.

    Labels are (u, n_labels), for the distinct rows of votes; g counts the features of the
    signals and `extra`.
    """

    votes: VoteMatrix  # (u, f) what signals say of the distinct rows
    extra: FloatArray  # (u, g - f) one, whether any signal votes, groups; or none
    R: csr_array  # (r, g * n_labels) coefficients of the moments
    weights: FloatArray  # (u,) examples per distinct row; zero where the label is known
    size: FloatArray  # (r,) examples that a row is a share of
    constant: FloatArray  # (r,) its value if all labels that are not known were zero
    lower: FloatArray  # (r,) what is asked
    upper: FloatArray
    weight: FloatArray  # (r,) how much it counts where not all rows can be met
    signal: IntArray  # (r,) that the row is about; -1: about no single signal
    label: IntArray  # (r,) label column that it is about; -1: about all
    names: tuple[str, ...]  # one per row
    n: float  # examples, known ones included
    n_labels: int  # label columns
    multilabel: bool = False  # whether an example may have any number of classes
    reference: FloatArray | None = None  # (u, n_labels) log-odds to stay near

    def __len__(self) -> int:
        return len(self.size)

    @property
    def n_rows(self) -> int:
        """Number of distinct rows of votes."""
        return len(self.weights)

    @property
    def rates(self) -> FloatArray:
        """(r,) rates asked for; of an interval the value nearest to zero."""
        return np.clip(0.0, self.lower, self.upper)

    @property
    def c(self) -> FloatArray:
        """Right-hand side of ``A y = c``."""
        return self.rates - self.constant

    # -- products ----------------------------------------------------------------------

    @property
    def blocks(self) -> list[slice]:
        """Ranges of distinct rows that are looked at at once."""
        n = self.n_rows
        return [slice(a, min(a + BLOCK_ROWS, n)) for a in range(0, n, BLOCK_ROWS)]

    def pull(self, W: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(p, n_labels) features times weights (g, n_labels)."""
        if not self.extra.shape[1]:
            return self.votes.times(W, at)
        f = self.votes.F.shape[1]
        return self.votes.times(W[:f], at) + self.extra[at] @ W[f:]

    def push(self, y: FloatArray, at: slice = slice(None)) -> FloatArray:
        """(g, n_labels) features times values (p, n_labels) of distinct rows."""
        moments = self.votes.transposed_times(y, at)
        if not self.extra.shape[1]:
            return moments
        return np.concatenate([moments, self.extra[at].T @ y])

    def spread(self, multipliers: FloatArray) -> FloatArray:
        """(g, n_labels) rows times multipliers, as weights of features."""
        W: FloatArray = (self.R.T @ multipliers).reshape(-1, self.n_labels)
        return W

    def errors(self, y: FloatArray) -> FloatArray:
        """(r,) values of the rows under labels (u, n_labels)."""
        moments = self.push(self.weights[:, None] * y)
        return self.totals(moments) / self.size + self.constant

    def totals(self, moments: FloatArray) -> FloatArray:
        """(r,) coefficients times moments (g, n_labels)."""
        found: FloatArray = self.R @ moments.ravel()
        return found

    @cached_property
    def coefficients(self) -> csr_array:
        """(n_labels * u, r) coefficient of every row, one label column after the other."""
        F = csr_array(hstack([self.votes.F, csr_array(self.extra)]))
        columns = np.arange(F.shape[1]) * self.n_labels
        parts = [F @ self.R[:, columns + k].T for k in range(self.n_labels)]
        return csr_array(vstack(parts))

    def gram(
        self, d: FloatArray, g: FloatArray | None = None, start: int = 0
    ) -> FloatArray:
        """(r, r) sum of ``A (diag(d) - g g^T) A^T`` over p distinct rows from `start` on.

        `d` and `g` are (p, n_labels); without `g`, only the first part.
        """
        r, u, size = len(self), self.n_rows, len(d)
        A = self.coefficients
        if A.nnz <= DENSE_SHARE * A.shape[0] * r:
            if size < u:
                at = start + np.arange(size)
                A = A[np.concatenate([k * u + at for k in range(self.n_labels)])]
            total = (A.T @ _scaled(A, d.T.ravel())).toarray()
            if g is not None:
                fold = hstack([identity(size)] * self.n_labels)
                mixed = fold @ _scaled(A, g.T.ravel())
                total -= (mixed.T @ mixed).toarray()
            return total
        total, step = np.zeros((r, r)), max(256, BLOCK_COEFFICIENTS // max(1, r))
        for a in range(0, size, step):
            b = min(a + step, size)
            mixed = np.zeros((b - a, r))
            for k in range(self.n_labels):
                first = k * u + start
                part = A[first + a : first + b].toarray()
                total += (part * d[a:b, k, None]).T @ part
                if g is not None:
                    mixed += part * g[a:b, k, None]
            if g is not None:
                total -= mixed.T @ mixed
        return total

    def matrix(self) -> FloatArray:
        """``A`` as a dense array (r, n_labels * u), for small problems and tests.

        Columns are distinct rows, not examples: multiply by their weight to sum.
        """
        return self.coefficients.toarray().T / self.size[:, None]

    def class_labels(self, y: FloatArray) -> FloatArray:
        """(u, k) labels of every class from label columns; one is the second of two."""
        return np.column_stack([1 - y, y]) if self.n_labels == 1 else y


def _scaled(A: csr_array, weights: FloatArray) -> csr_array:
    """Rows of `A` times weights."""
    data = A.data * np.repeat(weights, np.diff(A.indptr))
    return csr_array((data, A.indices, A.indptr), A.shape)


@dataclass(frozen=True, eq=False)
class ExampleFacts:
    """What is known of single examples: true labels, and their groups."""

    known: FloatArray  # (n, k) true labels, NaN where they are not known
    key: IntArray  # (n,) the same number for examples of which the same is known

    def of_rows(self, signals: WeakSignals) -> tuple[FloatArray, IntArray]:
        """Known labels (u, k) and an example (u,) of signals that were split by `key`."""
        example = np.zeros(signals.n_rows, int)
        example[signals.row_of] = np.arange(len(signals))
        return self.known[example], example


def read_example_facts(
    constraints: Sequence[Constraint],
    signals: WeakSignals,
    gold: ArrayLike | None = None,
    *,
    multilabel: bool = False,
) -> ExampleFacts | None:
    """Groups and known labels of examples, `gold` among them, if there are any."""
    given = [c for c in constraints if isinstance(c, Known)]
    groups = {id(c.groups): c.groups for c in constraints if isinstance(c, GroupShare)}
    if not groups and not given and gold is None:
        return None
    if groups and signals.row_counts is not None:
        raise ParameterError(
            "GroupShare is about single examples, but these signals are counted: a row "
            "stands for many."
        )
    n, classes = len(signals), signals.classes
    known = np.full((n, len(classes)), np.nan)
    if gold is not None:
        known[:] = read_truth(gold, n, classes)
    for one in given:
        rows = one.positions(n)
        truth = read_truth(one.labels, len(rows), classes)
        if (~np.isnan(known[rows]) & (known[rows] != truth)).any():
            raise ParameterError("an example is known to have two different labels.")
        known[rows] = truth
    total = known.sum(axis=1)
    if not multilabel and (~np.isnan(total) & (total != 1)).any():
        raise ParameterError("a known label is one class, unless multilabel=True.")
    told, key = ~np.isnan(known).all(axis=1), np.zeros(n, int)
    labels = np.nan_to_num(known[told], nan=-1)
    key[told] = 1 + np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    for each in map(np.asarray, groups.values()):
        if each.shape != (n,):
            raise ParameterError(
                f"groups must have one for each of the {n} examples; the shape given is "
                f"{each.shape}."
            )
        place = {group: at for at, group in enumerate(dict.fromkeys(each.tolist()))}
        group = np.array([place[group] for group in each.tolist()])
        key = np.unique(key * len(place) + group, return_inverse=True)[1]
    return ExampleFacts(known, key)


def make_system(
    signals: WeakSignals,
    rates: FloatArray | None = None,
    constraints: Sequence[Constraint] = (),
    *,
    joint: bool = False,
    multilabel: bool = False,
    facts: ExampleFacts | None = None,
) -> System:
    """The constraints on the labels of signals.

    Parameters
    ----------
    signals : WeakSignals
        With `facts`, ``signals.split_by(facts.key)``.
    rates : (m,) array of float, or (m, k) for one-vs-rest signals, optional
        How often every signal is wrong; NaN asks for nothing. Default zero.
    constraints : sequence of Constraint
    joint : bool
        Whether the labels of an example add up to one. A signal that names classes then
        has one row, its share of wrong votes, instead of one per class.
    multilabel : bool
    facts : ExampleFacts, optional
        From `read_example_facts`.

    Examples
    --------
    >>> from corral import WeakSignals, make_system
    >>> signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    >>> make_system(signals).matrix().round(3).tolist()
    [[0.0, 0.333, -0.333, -0.333], [0.333, 0.333, 0.0, -0.333]]
    """
    schema, k = signals.schema, signals.n_classes
    rates = np.zeros(signals.n_signals) if rates is None else rates
    if np.ndim(rates) == 2 and schema.names_classes:
        raise ParameterError(
            "must be (m,): these signals name classes.", parameter="rates"
        )
    made = _RateRows(signals, by_class=not joint or not schema.names_classes)
    expected = made.expected(rates)
    lower = np.where(np.isnan(expected), -np.inf, expected)
    upper = np.where(np.isnan(expected), np.inf, expected)
    weight = np.ones(len(made.signal))
    known, example = np.empty((0, k)), np.empty(0, int)
    if facts is not None:
        known, example = facts.of_rows(signals)
    features = Features(signals, example)
    for one in constraints:
        if isinstance(one, ErrorRate):
            chosen = one.bound(features, made.signal, made.label)
            # A rate of a signal is spread over the rows of the classes.
            factor = made.expected(np.ones(signals.n_signals))[chosen]
            least, most, weight[chosen] = one.limits
            lower[chosen], upper[chosen] = least * factor, most * factor
    rows = [row for one in constraints for row in one.make_rows(features)]
    extra = np.column_stack(features.extra) if rows else np.empty((signals.n_rows, 0))
    first = len(made.signal)
    terms = [(first + r, *term) for r, row in enumerate(rows) for term in row.terms]
    asked = np.array(terms, float).reshape(-1, 4).T
    row, feature, label = (
        np.append(own, other).astype(int)
        for own, other in zip(made.terms, asked, strict=False)
    )
    value = np.append(made.coefficient, asked[3])
    size = np.append(made.size, [r.size for r in rows])
    constant = np.append(made.constant, np.zeros(len(rows)))
    total = np.append(signals.cast, extra.T @ signals.counts)
    n_labels = k
    if schema.names_classes and k == 2:
        # The only column is the second class; the first is one minus it.
        n_labels, second = 1, label == 1
        moved = np.bincount(row[~second], (value * total[feature])[~second], len(size))
        constant = constant + moved / size
        value, label = np.where(second, value, -value), np.zeros_like(label)
    shape = (len(size), len(total) * n_labels)
    limits = np.array([r.limits for r in rows]).reshape(-1, 3)
    system = System(
        votes=signals.matrix,
        extra=extra,
        R=csr_array((value, (row, feature * n_labels + label)), shape),
        weights=signals.counts,
        size=size,
        constant=constant,
        lower=np.append(lower, limits[:, 0]),
        upper=np.append(upper, limits[:, 1]),
        weight=np.append(weight, limits[:, 2]),
        signal=np.append(made.signal, [r.signal for r in rows]).astype(int),
        label=np.append(made.label, np.full(len(rows), -1)).astype(int),
        names=(*made.names, *(r.name for r in rows)),
        n=float(signals.counts.sum()),
        n_labels=n_labels,
        multilabel=multilabel,
    )
    if facts is None:
        return system
    fixed = np.isfinite(known.sum(axis=1))
    labels = np.where(fixed[:, None], known, 0)[:, -n_labels:]
    weights = np.where(fixed, 0.0, system.weights)
    return replace(system, weights=weights, constant=system.errors(labels))


class _RateRows:
    """Rows that are error rates, of signals that vote: per class, or one per signal.

    ``error = mean of w (1 - y) + (1 - w) y`` over the votes on a class, where the vote is
    ``w``; or, with one row per signal, one less the mean label of what was said.
    """

    def __init__(self, signals: WeakSignals, by_class: bool) -> None:
        schema, k = signals.schema, signals.n_classes
        spread = by_class and schema.names_classes  # one row per signal and class
        labels = np.arange(k)[1 if k == 2 else 0 :] if spread else np.array([-1])
        column = np.tile(np.arange(schema.n_columns), len(labels))
        label = np.repeat(labels, schema.n_columns)
        if not schema.names_classes:
            column = column.reshape(-1, k).T.ravel()
            label = column % k
        cast = schema.by_column(signals.cast)
        voted = cast[column] > 0
        column, label = column[voted], label[voted]
        self.signal = column // (schema.n_columns // signals.n_signals)
        self.size = cast[column]
        per = schema.n_features // schema.n_columns
        row = np.repeat(np.arange(len(column)), per)
        feature = (column[:, None] * per + np.arange(per)).ravel()
        self.terms = row, feature, label[row] if by_class else schema.says[feature]
        says_so = schema.supports[self.terms[1:]] > 0
        self.coefficient = np.where(says_so, -1.0, 1.0)
        said = np.bincount(row, signals.cast[feature] * says_so, len(column))
        self.constant = said / self.size  # the mean of w
        several = by_class and not (spread and k == 2)
        self.names = [
            signals.names[i] + (f"[{signals.classes[c]}]" if several else "")
            for i, c in zip(self.signal, label, strict=True)
        ]
        self.label = np.zeros_like(label) if spread and k == 2 else label
        self.n_classes = k if spread else 2

    def expected(self, rates: FloatArray) -> FloatArray:
        """(r,) expected error of every row from rates (m,), or (m, k) if one-vs-rest.

        A signal that names classes and errs at rate ``e`` is wrong about class ``k`` when
        it says ``k`` wrongly or should have said ``k``: with ``s`` its share of votes for
        ``k`` and errors spread evenly, that is ``e (s + (1 - s) / (k - 1))``.
        """
        if rates.ndim == 2:
            return rates[self.signal, self.label]
        rate: FloatArray = rates[self.signal]
        if self.n_classes == 2:
            return rate
        return rate * (self.constant + (1 - self.constant) / (self.n_classes - 1))


def read_truth(
    y: ArrayLike, n: int, classes: NDArray[Any], *, soft: bool = False
) -> FloatArray:
    """True labels (n, k) of examples; NaN where they are unknown.

    From class values (n,), or from numbers (n, k): 0 and 1, and what lies between if
    `soft`. None, NaN and -1 are unknown, unless -1 is a class.
    """
    k = len(classes)
    if np.ndim(y) == 1:
        codes = code_labels(y, classes, n)
        return np.where(codes[:, None] < 0, np.nan, np.eye(k)[codes])
    numbers = "probabilities" if soft else "0 and 1"
    expected = (
        f"labels must be class values ({n},), or {numbers} of the shape ({n}, {k}), one "
        "column for each class, NaN or -1 where unknown"
    )
    try:
        truth = np.array(y, float)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{expected}.") from error
    if truth.shape != (n, k):
        raise ParameterError(f"{expected}; the shape given is {truth.shape}.")
    truth[truth == -1] = np.nan
    allowed = (truth >= 0) & (truth <= 1) if soft else np.isin(truth, (0, 1))
    strange = np.argwhere(~np.isnan(truth) & ~allowed).tolist()
    if strange:
        row, column = strange[0]
        raise ParameterError(
            f"{expected}; {truth[row, column]:g} was given, in row {row}, column {column}."
        )
    return truth


def row_means(signals: WeakSignals, labels: FloatArray) -> FloatArray:
    """(u, k) weighted mean of labels (n, k) over the examples of a distinct row."""
    each, row_of, u = signals.row_weights, signals.row_of, signals.n_rows
    sums = [np.bincount(row_of, each * y, u) for y in labels.T]
    counts = np.maximum(signals.counts, 1e-300)
    means: FloatArray = np.column_stack(sums) / counts[:, None]
    return means


def signal_errors(signals: WeakSignals, y: ArrayLike) -> FloatArray:
    """Expected error of every signal if `y` were the labels.

    With true labels (m,), or (m, k) for one-vs-rest signals, these are the true error
    rates; with the labels of a labeler, the implied ones. NaN where a signal never votes.

    Parameters
    ----------
    signals : WeakSignals
    y : (n,) class values or (n, k) probabilities
        None, NaN or -1 (unless it is a class) where unknown; these examples do not count.

    Examples
    --------
    >>> from corral import WeakSignals, signal_errors
    >>> signals = WeakSignals.from_votes([[1, 0], [1, 1], [0, -1]])
    >>> signal_errors(signals, [1, 1, 1]).round(3).tolist()
    [0.333, 0.5]
    """
    labels = read_truth(y, len(signals), signals.classes, soft=True)
    weighed = signals.weighted(np.isfinite(labels.sum(axis=1)).astype(float))
    return weighed.error_rates(row_means(weighed, np.nan_to_num(labels)))
