"""What `corral.preferences` found: strengths, judges, pairs and slices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy.special import expit

from corral._plain import as_rows
from corral._types import FloatArray, IntArray
from corral.checks import check_choice
from corral.drawings import Drawing, draw_on_axes, draw_strengths
from corral.errors import ParameterError
from corral.ranking.judges import Judges
from corral.ranking.pairs import PairPreferences
from corral.ranking.slices import SliceStrengths
from corral.ranking.uncertainty import normal_reach
from corral.text_table import text_table
from corral.wording import option

KINDS = ("items", "judges", "pairs", "slices")


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
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
    covariance: FloatArray
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

    def to_frame(self, kind: str = "items", backend: Any = "pandas") -> Any:
        """One line per item, judge, pair, or item of a slice.

        Parameters
        ----------
        kind : "items", "judges", "pairs" or "slices"
        backend : "pandas", "polars", "pyarrow" or another that narwhals knows
        """
        check_choice("kind", kind, KINDS)
        flat = [dict(_flatten(line)) for line in self.to_dict()[kind]]
        if not flat:
            raise ParameterError(
                f'is "slices", but no {option("slices")} were asked for.',
                parameter="kind",
            )
        columns = {name: [line[name] for line in flat] for name in flat[0]}
        return nw.from_dict(columns, backend=backend).to_native()

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line per item, judge, pair, item of a slice."""
        names = np.array(self.items, object)
        pairs, judges = self.pairs, self.judges
        return {
            "reading": self.reading,
            "level": self.level,
            "items": as_rows(
                item=self.items,
                strength=self.strengths,
                interval=self.interval,
                ranks=self.ranks,
                n_verdicts=self.n_verdicts,
                group=self.group,
            ),
            "judges": as_rows(
                judge=judges.names,
                n_verdicts=judges.n_verdicts,
                sensitivity=judges.sensitivity,
                sensitivity_interval=judges.sensitivity_interval,
                reliability=judges.reliability,
                first_share=judges.first_share,
                first_share_interval=judges.first_share_interval,
                tie_share=judges.tie_share,
                note=judges.describe(),
            ),
            "pairs": as_rows(
                a=names[pairs.a],
                b=names[pairs.b],
                wins=pairs.wins,
                ties=pairs.ties,
                losses=pairs.losses,
                preference=pairs.preference,
                interval=pairs.interval,
            ),
            "pair_scale": pairs.scale,
            "slices": [
                line for found in self.slices.values() for line in self._lines(found)
            ],
            "slice_scales": {name: found.scale for name, found in self.slices.items()},
            "notes": list(self.notes),
        }

    def _lines(self, found: SliceStrengths) -> list[dict[str, Any]]:
        n, k = found.strengths.shape
        return as_rows(
            column=[found.column] * (n * k),
            slice=np.repeat(np.array(found.names, object), k),
            item=list(self.items) * n,
            strength=found.strengths.ravel(),
            interval=found.interval.reshape(-1, 2),
            n_verdicts=found.n_verdicts.ravel(),
        )

    def draw(self) -> Drawing:
        """Strengths with their intervals, for `corral.drawings.to_svg`."""
        return draw_strengths(
            self.items, self.strengths, self.interval, level=self.level
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw strengths with matplotlib, on `ax` or axes of a new figure."""
        return draw_on_axes(self.draw(), ax)

    def __str__(self) -> str:
        interval = f"{self.level:.0%} interval"
        parts = [
            self.reading,
            text_table(
                ("item", "strength", interval, "rank", "verdicts"),
                [
                    (name, f"{s:.2f}", _span(ends), _ranks(ranks), f"{n:,.0f}")
                    for name, s, ends, ranks, n in zip(
                        self.items,
                        self.strengths,
                        self.interval,
                        self.ranks,
                        self.n_verdicts,
                        strict=True,
                    )
                ],
            ),
            self._judge_table(interval),
            *(self._slice_table(found) for found in self.slices.values()),
            "\n".join(self.notes),
        ]
        return "\n\n".join(filter(None, parts))

    __repr__ = __str__

    def _judge_table(self, interval: str) -> str:
        judges = self.judges
        headings = ["judge", "sensitivity", interval, "reliability", "first", "ties"]
        columns = [
            judges.names,
            [f"{value:.2f}" for value in judges.sensitivity],
            [_span(ends) for ends in judges.sensitivity_interval],
            [f"{value:.0%}" for value in judges.reliability],
            ["" if np.isnan(v) else f"{v:.0%}" for v in judges.first_share],
            [f"{value:.0%}" for value in judges.tie_share],
            [f"{value:,.0f}" for value in judges.n_verdicts],
            judges.describe(),
        ]
        # The worst first, as there may be more than are shown.
        order = np.argsort(judges.reliability, kind="stable")
        rows = [tuple(column[i] for column in columns) for i in order]
        return text_table((*headings, "verdicts", ""), rows, left=(0, 7))

    def _slice_table(self, found: SliceStrengths) -> str:
        rows = [
            (
                name,
                *(
                    f"{s:.2f} ± {(high - low) / 2:.2f}"
                    for s, (low, high) in zip(
                        found.strengths[:, i], found.interval[:, i], strict=True
                    )
                ),
            )
            for i, name in enumerate(self.items)
        ]
        return text_table((found.column, *found.names), rows)


def _flatten(line: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Two ends of an interval, or of ranks, as two columns."""
    for name, value in line.items():
        if isinstance(value, list):
            start = name.removesuffix("interval")
            yield f"{start}low", value[0]
            yield f"{start}high", value[1]
        else:
            yield name, value


def _span(ends: FloatArray) -> str:
    return "" if np.isnan(ends[0]) else f"{ends[0]:.2f} to {ends[1]:.2f}"


def _ranks(ends: IntArray) -> str:
    low, high = ends
    return f"{low}" if low == high else f"{low} to {high}"
