"""Labels of a range of patterns, as the steps of Adagrad move them.

All examples of a pattern see the same gradient, and a shift followed by a clip composes
with another into one of the same form: after any number of steps the label that started
at ``u`` is ``clip(u + s, lo, hi)``, with three numbers per pattern and label column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints import Operator
from corral.constraints.designs.signal_design import sign_block

EPSILON = 1e-8
"""The paper's constant under Adagrad's root."""


def expected_label(s: FloatArray, lo: FloatArray, hi: FloatArray) -> FloatArray:
    """Mean of ``clip(u + s, lo, hi)`` over ``u`` uniform on [0, 1].

    ``hi - (F(hi - s) - F(lo - s))``, where ``F`` is the integral of the uniform
    distribution function: 0, a^2/2, a - 1/2 below, inside and above [0, 1]. Where ``s``
    is positive the last piece is never reached. Where it is negative the same is said
    from the other end, ``lo + F(1 + s - lo) - F(1 + s - hi)``. So no large numbers
    cancel, and labels at a bound are there exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.solvers.moving_labels import expected_label
    >>> expected_label(np.array([0.0, 0.5, -2.0]), np.zeros(3), np.ones(3)).tolist()
    [0.5, 0.875, 0.0]
    """

    def integral(a: FloatArray) -> FloatArray:
        return 0.5 * np.maximum(a, 0) ** 2

    up = hi - (integral(hi - s) - integral(lo - s))
    down = lo + (integral(1 + s - lo) - integral(1 + s - hi))
    return np.clip(np.where(s > 0, up, down), lo, hi)


class MovingLabels:
    """Labels of the patterns from a to b, in the mean over all uniform starts at once.

    That is the limit of many random starts, in closed form; it needs no seed. Steps are
    taken in one compiled call where the design has arrays for it, else in parts.

    Parameters
    ----------
    design : Operator
    a, b : int
    n_starts : int
        Paths that are walked next to each other, each with steps of its own.

    Attributes
    ----------
    arrays : tuple of (n_starts, n_labels, patterns) arrays
        s, lo, hi and Adagrad's sum of squares. The last two axes are the other way round
        where `Operator.order` is "F".
    """

    def __init__(self, design: Operator, a: int, b: int, n_starts: int = 1) -> None:
        self.design = design
        self.a, self.b = a, b
        shape = [n_starts, design.n_labels, b - a]
        self._turned = design.order == "F"
        if self._turned:
            shape[1:] = shape[:0:-1]
        self.compiled = design.compiled and (
            design.label_columns is not None or design.sparse_votes is not None
        )
        self.arrays: tuple[Any, ...] = self._first_arrays(shape)
        # Nothing to multiply by in the common case.
        kept = slice(0, 0) if (self.weights == 1).all() else slice(None)
        self._weights = self.weights[kept].astype(design.precision, copy=False)

    def _first_arrays(self, shape: Sequence[int]) -> tuple[Any, ...]:
        return tuple(np.full(shape, x, self.design.precision) for x in (0, 0, 1, 0))

    @property
    def weights(self) -> FloatArray:
        """(patterns,) examples per pattern."""
        return self.design.weights[self.a : self.b]

    def turn(self, x: Any) -> Any:
        """From (..., n_labels, patterns) to the order of `arrays`, or back."""
        return x.swapaxes(-1, -2) if self._turned else x

    # -- steps ------------------------------------------------------------------------

    def step(self, multipliers: FloatArray) -> FloatArray:
        """Take a step along ``sign.T @ multipliers`` (n_starts, r); then `totals`."""
        if not self.compiled:
            self.advance(multipliers[:, None])
            return self.totals()
        out = np.zeros(multipliers.shape)
        self._take(multipliers[:, None], out)
        return out

    def advance(self, steps: FloatArray) -> None:
        """Take all steps (n_starts, t, r), one after the other."""
        if self.compiled:
            self._take(steps, np.empty((0, 0)))
            return
        for i, own in enumerate(steps):
            for v in own:
                g = self.turn(self.design.pull(v, self.a, self.b))
                self._move(g, *(x[i] for x in self.arrays))

    def _move(self, g: FloatArray, *arrays: Any) -> None:
        """One step of one start, in place."""
        s, lo, hi, square = arrays
        square += g * g
        d = g / np.sqrt(square + EPSILON)
        s -= d
        np.clip(lo - d, 0, 1, out=lo)
        np.clip(hi - d, 0, 1, out=hi)

    def _take(self, steps: FloatArray, out: FloatArray) -> None:
        """Take steps in compiled calls; add ``sign @ y`` to `out` unless it is empty."""
        from corral.solvers import adagrad_kernels

        design, dtype = self.design, self.design.precision
        columns = design.label_columns
        if columns is None:
            votes, shape = design.sparse_votes, (len(steps), design.n_labels, -1)
            assert votes is not None
            sums = np.zeros(steps[:, 0].reshape(shape).swapaxes(1, 2).shape)
            for t in range(steps.shape[1]):
                table = steps[:, t].reshape(shape).swapaxes(1, 2)
                adagrad_kernels.step_sparse(
                    *(*votes, np.ascontiguousarray(table), self._weights),
                    *(*self.arrays, self.a, sums[: len(out)]),
                )
            if len(out):
                out += sums.swapaxes(1, 2).reshape(out.shape)
            return
        for k, (rows, lines) in enumerate(columns):
            own = np.ascontiguousarray(steps[:, :, rows], dtype)
            part = np.zeros(out[:, rows].shape)
            adagrad_kernels.step_dense(
                *(*lines, sign_block(*lines[:2], dtype), k, own, self._weights),
                *(*self.arrays, self.a, part),
            )
            out[:, rows] = part

    # -- where they are now -----------------------------------------------------------

    def means(self) -> Any:
        """(n_starts, n_labels, patterns) mean label of every pattern."""
        s, lo, hi = self.arrays[:3]
        if not self.compiled:
            return self.turn(expected_label(s, lo, hi))
        from corral.solvers import adagrad_kernels

        y = np.empty_like(s)
        flat = (x.reshape(-1) for x in (s, lo, hi, y))
        adagrad_kernels.expected_label(*flat)
        return self.turn(y)

    def sums(self) -> Any:
        """(n_starts, n_labels, patterns) weighted sum of the labels of every pattern."""
        return self.means() * self.weights

    def totals(self) -> FloatArray:
        """(n_starts, r) ``sign @ y``."""
        return np.stack([self.design.push(y, self.a, self.b) for y in self.sums()])

    def descent(self, multipliers: FloatArray) -> FloatArray:
        """(n_starts,) most that a linear function with these slopes can fall in the box.

        With the gradient of a convex F it bounds ``F(y) - F*``.
        """
        most = np.empty(len(multipliers))
        for i, (v, y) in enumerate(zip(multipliers, self.sums(), strict=True)):
            g = self.design.pull(v, self.a, self.b)
            least = np.minimum(g, 0)
            least *= self.weights
            g *= y
            g -= least
            most[i] = g.sum()
        return most

    def labels(self) -> FloatArray:
        """(n_labels, p) labels of the patterns, averaged over starts and examples."""
        return np.mean(self.means(), axis=0, dtype=float)

    def example_labels(self) -> tuple[Any, FloatArray] | None:
        """Examples, and their labels, where these are not those of patterns."""
        return None


class MovingExamples(MovingLabels):
    """Explicit starts where every pattern is an example: the labels themselves are kept.

    Parameters
    ----------
    design : Operator
    a, b : int
    starts : (n_starts, n, n_labels) array of float
    """

    def __init__(self, design: Operator, a: int, b: int, starts: FloatArray) -> None:
        self._starts = starts[:, a:b].swapaxes(1, 2)
        super().__init__(design, a, b, len(starts))

    def _first_arrays(self, shape: Sequence[int]) -> tuple[Any, ...]:
        dtype = self.design.precision
        y = self.turn(np.array(self._starts, dtype))
        none = np.empty((*shape[:2], 0), dtype)
        return np.ascontiguousarray(y), none, none, np.zeros(shape, dtype)

    def _move(self, g: FloatArray, *arrays: Any) -> None:
        y, _, _, square = arrays
        square += g * g
        np.clip(y - g / np.sqrt(square + EPSILON), 0, 1, out=y)

    def means(self) -> Any:
        return self.turn(self.arrays[0])

    def example_labels(self) -> tuple[Any, FloatArray]:
        return slice(self.a, self.b), self.labels().T


class MovingPatterns(MovingLabels):
    """Explicit starts of examples that share patterns.

    Parameters
    ----------
    design : Operator
    a, b : int
    starts : (n_starts, n, n_labels) array of float
    examples : array of int
        The examples of these patterns, in the order of patterns.
    """

    def __init__(
        self,
        design: Operator,
        a: int,
        b: int,
        starts: FloatArray,
        examples: IntArray,
    ) -> None:
        super().__init__(design, a, b, len(starts))
        assert design.inverse is not None
        self._examples, self._starts = examples, starts[:, examples].swapaxes(1, 2)
        self._pattern = pattern = design.inverse[examples] - a
        counts = np.bincount(pattern, minlength=b - a)
        self._edges = np.concatenate(([0], np.cumsum(counts)))
        # Sorted by pattern and then by start, with running sums: what lies between two
        # bounds is then two look-ups instead of a pass over the examples.
        weights = design.sample_weight[examples]
        self._sorted = np.empty_like(self._starts)
        self._weight = np.empty_like(self._starts)
        for at in np.ndindex(*self._starts.shape[:2]):
            order = np.lexsort((self._starts[at], pattern))
            self._sorted[at] = self._starts[at][order]
            self._weight[at] = weights[order]
        self._weight_before = _sums_before(self._weight)
        self._moment_before = _sums_before(self._weight * self._sorted)

    def step(self, multipliers: FloatArray) -> FloatArray:
        self.advance(multipliers[:, None])
        return self.totals()

    def sums(self) -> Any:
        bounds = [self.turn(x) for x in self.arrays[:3]]
        out = np.empty(bounds[0].shape)
        for at in np.ndindex(*out.shape[:2]):
            s, lo, hi = (np.ascontiguousarray(x[at], float) for x in bounds)
            if self.compiled:
                from corral.solvers import adagrad_kernels

                before = self._weight_before[at], self._moment_before[at]
                adagrad_kernels.sum_starts(
                    *(s, lo, hi, self._sorted[at], self._edges, *before, out[at])
                )
                continue
            pattern = self._pattern
            y = np.clip(self._sorted[at] + s[pattern], lo[pattern], hi[pattern])
            out[at] = np.bincount(pattern, self._weight[at] * y, minlength=len(s))
        return out

    def means(self) -> Any:
        means = self.sums() / np.where(self.weights > 0, self.weights, 1)
        return np.clip(means, 0, 1)  # sums are rounded, and so are those of weights

    def example_labels(self) -> tuple[Any, FloatArray]:
        s, lo, hi = (self.turn(x)[:, :, self._pattern] for x in self.arrays[:3])
        return self._examples, np.clip(self._starts + s, lo, hi).mean(axis=0).T


def _sums_before(x: FloatArray) -> FloatArray:
    """Sums over all entries before each position of the last axis, and of all."""
    out = np.zeros((*x.shape[:-1], x.shape[-1] + 1))
    np.cumsum(x, axis=-1, out=out[..., 1:])
    return out


def start_labels(design: Operator, starts: FloatArray | None) -> list[MovingLabels]:
    """Labels before the first step, one part per range of patterns.

    Parameters
    ----------
    design : Operator
    starts : (n_starts, n, n_labels) array of float, optional
        Default: all uniform starts at once.
    """
    ranges = design.ranges()
    if starts is None:
        return [MovingLabels(design, a, b) for a, b in ranges]
    if design.inverse is None:
        return [MovingExamples(design, a, b, starts) for a, b in ranges]
    order = np.argsort(design.inverse, kind="stable")
    ends = np.cumsum(np.bincount(design.inverse, minlength=design.n_patterns))
    edges = np.concatenate(([0], ends))
    return [
        MovingPatterns(design, a, b, starts, order[edges[a] : edges[b]])
        for a, b in ranges
    ]


def collect_labels(
    design: Operator, parts: list[MovingLabels]
) -> tuple[FloatArray, FloatArray | None]:
    """Labels (n_labels, p) of the patterns, and (n, n_labels) of examples if they differ.

    Empties `parts`: labels take the place of what was kept to move them.
    """
    for part in parts:
        part.arrays = part.arrays[:3]  # no more steps: the squares are not needed
    labels = np.empty((design.n_labels, design.n_patterns))
    examples = None
    while parts:
        part = parts.pop()
        labels[:, part.a : part.b] = part.labels()
        if (found := part.example_labels()) is not None:
            if examples is None:
                examples = np.empty((design.n_examples, design.n_labels))
            examples[found[0]] = found[1]
    return labels, examples
