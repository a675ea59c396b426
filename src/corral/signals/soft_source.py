"""Probabilities as they come, read a block of examples at a time.

Any array is looked at as (k, m, n): classes, signals, examples. That is a view, so
nothing is copied until it is known what to keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray
from corral.errors import SignalsError
from corral.progress import progress
from corral.signals.coding import ABSTAIN

BLOCK = 1 << 20
"""Bytes of probabilities looked at once: they stay in the cache."""


TIED = 1e-6
"""Probabilities of two classes that are nearer are the same: single precision rounds."""


def is_vote(values: NDArray[np.floating]) -> BoolArray:
    """Which entries are an opinion: NaN and all that is no probability abstain.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.soft_source import is_vote
    >>> is_vote(np.array([0.3, np.nan, -1.0])).tolist()
    [True, False, False]
    """
    inside: BoolArray = (values >= 0) & (values <= 1)
    return inside


def leans(values: NDArray[np.floating]) -> BoolArray:
    """Which probabilities of "yes" are more for one side than for the other.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.soft_source import leans
    >>> leans(np.array([0.3, 0.5, np.nan])).tolist()
    [True, False, False]
    """
    return is_vote(values) & (np.abs(values - 0.5) > TIED / 2)


@dataclass(frozen=True)
class SoftSource:
    """Probabilities where they are, and what means no opinion in them.

    Attributes
    ----------
    view : (k, m, n) array of numbers
        Classes, signals, examples.
    silent : float or None
        The value that means no opinion; None: NaN alone.
    """

    view: NDArray[Any]
    silent: float | None

    @property
    def dtype(self) -> type[np.floating]:
        """Single precision stays; all else is double."""
        given = self.view.dtype
        return np.float32 if given.kind == "f" and given.itemsize <= 4 else np.float64

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.floating]]]:
        """Ranges of examples, and their probabilities with NaN for abstain."""
        k, m, n = self.view.shape
        step = max(1, BLOCK // (k * m * np.dtype(self.dtype).itemsize))
        with progress("reading", n) as bar:
            for a in range(0, n, step):
                at = slice(a, min(a + step, n))
                given = self.view[:, :, at]
                part = np.array(given, self.dtype, order="K")
                if self.silent is not None:
                    part[given == self.silent] = np.nan
                yield at, part
                bar.advance(step)

    def values(self, pairs: BoolArray) -> tuple[NDArray[np.floating], ...]:
        """One array (c_k, n) per class, of the (k, m) pairs chosen; NaN for abstain."""
        n = self.view.shape[2]
        made = tuple(np.empty((chosen.sum(), n), self.dtype) for chosen in pairs)
        for at, part in self.blocks():
            for values, rows, chosen in zip(made, part, pairs, strict=True):
                for value, row in zip(values, np.flatnonzero(chosen), strict=True):
                    value[at] = rows[row]
        return made

    def votes(self, pairs: BoolArray) -> NDArray[np.int8]:
        """(n, c) certain opinions of the (k, m) pairs chosen, by class; -1 for abstain."""
        codes = np.empty((self.view.shape[2], int(pairs.sum())), np.int8)
        for at, part in self.blocks():
            rows = part[pairs]
            codes[at] = np.where(np.isnan(rows), ABSTAIN, rows).T
        return codes

    def rescale(self) -> SoftSource:
        """A copy in which the classes add up to one."""
        scaled = np.empty(self.view.shape, self.dtype)
        for at, part in self.blocks():
            total = part.sum(axis=0)
            scaled[:, :, at] = part / np.where(total > 0, total, 1)
        return SoftSource(scaled, None)


SURELY_ONE = 1e-6
"""Sums of classes this far from one are so by the precision of the numbers."""
MOST_ROUNDING = 0.2


def rounding_slack(values: NDArray[np.floating], n_classes: int) -> float:
    """How far sums of rounded probabilities can be off: half a digit per class.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.soft_source import rounding_slack
    >>> round(rounding_slack(np.array([0.33, 0.33, 0.33]), 3), 4)
    0.015
    """
    known = values[~np.isnan(values)].astype(float)
    for decimals in range(2, 5):  # single digits are no probabilities to the point
        scaled = known * 10**decimals
        if (np.abs(scaled - np.rint(scaled)) < 1e-3).all():
            most = n_classes / 2 * 10**-decimals
            return min(most, MOST_ROUNDING) + SURELY_ONE
    return 1e-3


@dataclass(frozen=True)
class ValueSurvey:
    """What one look at all probabilities finds.

    Attributes
    ----------
    pairs : (k, m) array of bool
        Whether a signal ever votes on a class.
    certain : bool
        Whether every opinion is 0 or 1.
    off : float
        How far the classes of a signal and example are from adding up to one.
    """

    pairs: BoolArray
    certain: bool
    off: float


def soft_source(
    array: NDArray[Any], axes: tuple[int, ...], abstain: Any, default: float | None
) -> SoftSource:
    """Look at an array as probabilities.

    Parameters
    ----------
    array : array of any dtype
    axes : axes of `array` that are classes, signals and examples
        Two axes: signals and examples of a single class.
    abstain : float or None
        The value that was said to mean no opinion.
    default : float or None
        The one if nothing was said, beside NaN.
    """
    if array.dtype.kind not in "biuf":
        raise SignalsError(
            f"probabilities must be numbers; the dtype given is {array.dtype}."
        )
    if abstain is not None and not isinstance(abstain, Real):
        raise SignalsError(
            f"probabilities are numbers, but `abstain={abstain!r}` is not."
        )
    silent = default if abstain is None else float(abstain)
    view = array.transpose(axes)
    return SoftSource(
        view if view.ndim == 3 else view[None],
        None if silent is None or np.isnan(silent) else silent,
    )


def survey(
    source: SoftSource,
    *,
    nan_abstains: bool,
    distributions: bool,
    may_be_silent: bool,
) -> ValueSurvey:
    """Check all probabilities, in one pass.

    Parameters
    ----------
    source : SoftSource
    nan_abstains : bool
        Whether NaN is expected.
    distributions : bool
        Whether the classes of a signal and example must add up to one.
    may_be_silent : bool
        Allow abstains alone.
    """
    pairs = np.zeros(source.view.shape[:2], bool)
    low, high, off = 0.0, 1.0, 0.0
    certain, partial, furthest = True, "", ""
    for at, part in source.blocks():
        if not nan_abstains and np.isnan(source.view[:, :, at]).any():
            raise SignalsError(
                f"NaN where probabilities are, while `abstain={source.silent:g}`."
            )
        missing = np.isnan(part)
        pairs |= ~missing.all(axis=2)
        low = min(low, np.fmin.reduce(part, axis=None, initial=0))
        high = max(high, np.fmax.reduce(part, axis=None, initial=1))
        certain = certain and bool(((part == 0) | (part == 1) | missing).all())
        if distributions:
            some = missing.any(axis=0) & ~missing.all(axis=0)
            if some.any():
                partial = partial or _name_place(np.argwhere(some)[0], at)
            gap = np.nan_to_num(np.abs(part.sum(axis=0) - 1))
            if gap.max(initial=0) > off:
                off = float(gap.max())
                furthest = _name_place(np.argwhere(gap == gap.max())[0], at)
    if not pairs.any() and not may_be_silent:
        raise SignalsError(
            "every entry is an abstain, so there is nothing to label from. Check "
            "`abstain=`."
        )
    if low < 0 or high > 1:
        worst = low if low < 0 else high
        raise SignalsError(
            f"probabilities must be between 0 and 1; {worst:g} came. If that value "
            f"means no opinion, pass `abstain={worst:g}`."
        )
    if partial:
        raise SignalsError(
            f"{partial} gives some classes a probability and not others. For "
            "signals that vote on one class use `from_one_vs_rest`."
        )
    if off > 1e-3 and off > _rounding_slack_of(source):
        raise SignalsError(
            f"class probabilities must add up to one; they are off by up to {off:.3g} "
            f"({furthest}), more than rounding explains. For independent scores use "
            "`from_one_vs_rest`."
        )
    return ValueSurvey(pairs, certain, off)


def _name_place(found: NDArray[Any], block: slice) -> str:
    """A signal and an example of a block, each counted from 0."""
    return f"signal {found[0]} of example {block.start + found[1]}"


def _rounding_slack_of(source: SoftSource) -> float:
    """What the coarsest digits of any block allow."""
    k = source.view.shape[0]
    return min(rounding_slack(part, k) for _, part in source.blocks())
