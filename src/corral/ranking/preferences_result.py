"""What `corral.preferences` found: strengths, judges, pairs and slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.ranking.judges import Judges
from corral.ranking.pairs import PairPreferences
from corral.ranking.slices import SliceStrengths
from corral.ranking.uncertainty import normal_reach
from corral.results import Part, Result, Table, dots


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Result):
    """Strengths of items and what judges are like; print it.

    Attributes
    ----------
    items : tuple of str
        The strongest first.
    strengths : (K,) array of float
        In log-odds: by a judge of sensitivity 1, an item is preferred to another with the
        odds ``exp`` of their difference. Their mean is zero.
    interval : (K, 2) array of float
    covariance : (K, K) array of float
    ranks : (K, 2) array of int
        Best and worst rank: others are above or below by an interval of their difference
        that leaves out zero.
    n_verdicts : (K,) array of float
        In which an item took part.
    group : (K,) array of int
        Strengths are comparable where it is the same; one group unless asked otherwise.
    judges : Judges
    pairs : PairPreferences
        Every pair that was compared, with a soft preference.
    slices : mapping of column to SliceStrengths
    level : float
        Probability of the intervals.
    reading : str
        How the table was read.
    notes : tuple of str
        What deserves a look.
    """

    items: tuple[str, ...]
    strengths: FloatArray
    interval: FloatArray
    covariance: FloatArray = field(repr=False)
    ranks: IntArray
    n_verdicts: FloatArray
    group: IntArray
    judges: Judges
    pairs: PairPreferences
    slices: Mapping[str, SliceStrengths]
    level: float
    reading: str
    notes: tuple[str, ...]

    def preference(self, a: str, b: str) -> tuple[float, float, float]:
        """The probability that `a` is preferred to `b`, and its interval, by strengths.

        By a judge of sensitivity 1 without position bias, if it prefers one. Also of items
        that were never compared; `pairs` has those that were, with their own verdicts.

        Parameters
        ----------
        a, b : str
            Names of items.
        """
        for name in (a, b):
            if name not in self.items:
                raise ParameterError(f"there is no item {name!r}; see `items`.")
        i, j = self.items.index(a), self.items.index(b)
        if self.group[i] != self.group[j]:
            raise ParameterError(
                f"{a!r} and {b!r} are in groups that were never compared with each other."
            )
        gap = self.strengths[i] - self.strengths[j]
        spread = self.covariance
        variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
        reach = normal_reach(self.level) * np.sqrt(max(variance, 0))
        low, middle, high = expit([gap - reach, gap, gap + reach]).tolist()
        return middle, low, high

    @property
    def title(self) -> str:
        return "Who is preferred, and what judges are worth"

    def parts(self) -> Iterator[Part]:
        yield self.reading
        interval = f"{self.level:.0%} interval"
        yield Table(
            {
                "item": self.items,
                "strength": self.strengths,
                interval: list(self.interval),
                "rank": [f"{a}" if a == b else f"{a} to {b}" for a, b in self.ranks],
                "verdicts": self.n_verdicts,
            },
            formats={"strength": ".2f", interval: ".2f", "verdicts": ",.0f"},
            meanings={
                "strength": "In log-odds: an item is preferred to another with the odds "
                "exp of their difference.",
                "rank": "Best and worst rank: other items are above or below by an "
                "interval of their difference that leaves out zero.",
            },
        )
        yield dots(
            "Strengths",
            f"{self.items[0]} is the strongest of {len(self.items)}, with "
            f"{self.strengths[0]:.2f}.",
            self.items,
            {"strength": self.strengths},
            intervals={"strength": self.interval},
            label="strength, log-odds",
            percent=False,
            middle=0.0,
        )
        yield self._judge_table(interval)
        yield from map(self._slice_table, self.slices.values())
        pairs = self.pairs
        yield Table(
            {
                "item": [self.items[i] for i in pairs.a],
                "and": [self.items[i] for i in pairs.b],
                "wins": pairs.wins,
                "ties": pairs.ties,
                "losses": pairs.losses,
                "preferred": pairs.preference,
                interval: list(pairs.interval),
            },
            "Every pair: how often the first item is preferred, if one is",
            dict.fromkeys(("wins", "ties", "losses"), ",.0f")
            | {"preferred": ".0%", interval: ".0%"},
            most=5,
        )
        yield from self.notes

    def _judge_table(self, interval: str) -> Table:
        judges = self.judges
        # The worst first, as a terminal may not show all.
        order = np.argsort(judges.reliability, kind="stable")
        notes = judges.describe()
        return Table(
            {
                "judge": [judges.names[i] for i in order],
                "sensitivity": judges.sensitivity[order],
                interval: list(judges.sensitivity_interval[order]),
                "reliability": judges.reliability[order],
                "first": judges.first_share[order],
                "ties": judges.tie_share[order],
                "verdicts": judges.n_verdicts[order],
                "remark": [notes[i] for i in order],
            },
            formats={"sensitivity": ".2f", interval: ".2f", "verdicts": ",.0f"}
            | dict.fromkeys(("reliability", "first", "ties"), ".0%"),
            meanings={
                "sensitivity": "How strongly a judge reacts to a gap of strengths: 1 is "
                "usual, 0 is a judge who does not look.",
                "reliability": "How often the judge prefers the stronger item: 50% is "
                "chance.",
                "first": "How often the judge prefers the first of two equal items.",
            },
        )

    def _slice_table(self, found: SliceStrengths) -> Table:
        n, k = found.strengths.shape
        return Table(
            {
                "item": np.repeat(np.array(self.items, object), n),
                "slice": list(found.names) * k,
                "strength": found.strengths.T.ravel(),
                "interval": list(found.interval.transpose(1, 0, 2).reshape(-1, 2)),
                "verdicts": found.n_verdicts.T.ravel(),
            },
            f"Strengths by {found.column}",
            {"strength": ".2f", "interval": ".2f", "verdicts": ",.0f"},
        )
