"""How far judges err together, and how many independent ones they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.panels.assisted import Evidence

RESAMPLES = 400
"""Draws of the labelled rows, for intervals."""
REPEATS = 0.5
"""Correlation of errors from which on two judges are said to repeat each other."""


@dataclass(frozen=True, eq=False)
class Family:
    """Judges that are said to belong together.

    Attributes
    ----------
    name : str
    judges : tuple of str
    effective : float
        How many independent judges they are worth.
    within, outside : float
        Mean correlation of their errors with each other, and with those of other judges;
        NaN where there are none.
    """

    name: str
    judges: tuple[str, ...]
    effective: float
    within: float
    outside: float


@dataclass(frozen=True, eq=False)
class Dependence:
    """How far judges err together.

    Attributes
    ----------
    correlation : (m, m) array of float
        Of the errors of two judges, over the rows that both vote on; NaN where there are
        none, or one of them never errs.
    effective : float
        As many judges who err independently would have a vote whose errors vary as much:
        ``m / (1 + (m - 1) * mean correlation)``.
    effective_interval : (low, high)
    families : tuple of Family
    """

    correlation: FloatArray
    effective: float
    effective_interval: tuple[float, float]
    families: tuple[Family, ...]

    def find_nearest(self, i: int) -> int | None:
        """The judge whose errors go most with those of another; None without any."""
        others = np.where(
            np.arange(len(self.correlation)) == i, np.nan, self.correlation[i]
        )
        return int(np.nanargmax(others)) if np.isfinite(others).any() else None


def find_dependence(
    evidence: Evidence,
    names: tuple[str, ...],
    families: Mapping[str, Any] | None,
    rng: np.random.Generator,
) -> Dependence:
    """Correlations of errors, and what they leave of the number of judges.

    Parameters
    ----------
    evidence : Evidence
    names : tuple of str
    families : mapping from name to names of judges, optional
    rng : Generator
        For the draws behind the interval.
    """
    panel, sample = evidence.panel, evidence.sample
    m = len(names)
    wrong = (1 - panel.hard) * (panel.votes >= 0)[:, :, None]
    voted = (panel.votes >= 0).astype(float)
    common = (voted * panel.counts[:, None]).T @ voted / panel.counts.sum()
    each = panel.counts[:, None] * evidence.labels / panel.counts.sum()
    joint = np.einsum("umk,uk,unk->mn", wrong, each, wrong, optimize=True)
    # Errors of i on rows that j votes on, too.
    alone = np.einsum("umk,uk,un->mn", wrong, each, voted, optimize=True)
    gap = evidence.truth - evidence.left_out
    heard, erred = voted[evidence.at], wrong[evidence.at]
    own_left = np.einsum("lmk,lk->lm", erred, gap)
    # (l * k, m), since an array (l, m, m) would be large.
    erred = erred.transpose(0, 2, 1).reshape(-1, m)

    def correlate(weights: FloatArray, unseen: float = 0.0) -> FloatArray:
        # An unseen row is one on which all err.
        share = weights[:, None] / (weights.sum() + unseen)
        more = 1 - share.sum()
        size = np.where(common > 0, common, np.nan)
        both = (joint + erred.T @ ((share * gap).reshape(-1, 1) * erred) + more) / size
        first = np.clip((alone + (share * own_left).T @ heard + more) / size, 0, 1)
        spread = np.sqrt(first * (1 - first) * (first * (1 - first)).T)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (both - first * first.T) / np.where(spread > 1e-9, spread, np.nan)
        np.fill_diagonal(found, 1.0)
        return np.clip(found, -1, 1)

    correlation = correlate(sample.weights)
    drawn = rng.standard_exponential((RESAMPLES, len(sample))) * sample.weights
    # That labels show no common error does not mean that there is none: every other draw
    # has one more row.
    more = rng.standard_exponential(RESAMPLES) * (np.arange(RESAMPLES) % 2)
    counts = [
        count_effective(correlate(w, unseen))
        for w, unseen in zip(drawn, more.tolist(), strict=True)
    ]
    tails = (1 - evidence.level) / 2, (1 + evidence.level) / 2
    effective = count_effective(correlation)
    low, high = np.quantile(counts, tails)
    groups = read_families(names, families)
    return (
        Dependence(
            correlation,
            effective,
            (min(float(low), effective), max(float(high), effective)),
            tuple(
                _measure(name, at, names, correlation) for name, at in groups.items()
            ),
        )
        if m > 1
        else Dependence(correlation, 1.0, (1.0, 1.0), ())
    )


def count_effective(correlation: FloatArray) -> float:
    """Of correlations (m, m) of errors: how many independent judges they leave.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.panels.dependence import count_effective
    >>> round(count_effective(np.full((9, 9), 0.4) + 0.6 * np.eye(9)), 2)
    2.14
    """
    m = len(correlation)
    others = correlation[~np.eye(m, dtype=bool)]
    if not np.isfinite(others).any():
        return float(m)
    mean = float(np.clip(np.nanmean(others), 0, 1))
    return m / (1 + (m - 1) * mean)


def read_families(
    names: tuple[str, ...], families: Mapping[str, Any] | None
) -> dict[str, IntArray]:
    """Positions of the judges of every family; names may be patterns, ``gpt*``."""
    found: dict[str, IntArray] = {}
    taken: set[int] = set()
    if not isinstance(families, Mapping | None):
        raise ParameterError(
            'must say by name which judges belong together, such as {"gpt": "gpt*"}; '
            f"{type(families).__name__} was given.",
            parameter="families",
        )
    for family, given in (families or {}).items():
        listed = [given] if isinstance(given, str) else list(map(str, np.ravel(given)))
        at = [
            i
            for i, name in enumerate(names)
            if any(name == each or fnmatchcase(name, each) for each in listed)
        ]
        if not at or taken.intersection(at):
            what = "holds no judge" if not at else "shares a judge with another family"
            raise ParameterError(
                f"{what}: {family!r} is {listed}; the judges are {', '.join(names)}.",
                parameter="families",
            )
        taken.update(at)
        found[family] = np.array(at)
    return found


def _measure(
    family: str, at: IntArray, names: tuple[str, ...], correlation: FloatArray
) -> Family:
    inner = correlation[np.ix_(at, at)]
    others = np.setdiff1d(np.arange(len(names)), at)
    within = inner[~np.eye(len(at), dtype=bool)]
    outside = correlation[np.ix_(at, others)]
    return Family(
        family,
        tuple(names[i] for i in at),
        count_effective(inner),
        _mean(within),
        _mean(outside),
    )


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else np.nan
