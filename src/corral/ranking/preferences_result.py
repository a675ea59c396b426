"""``corral.preferences``: comparisons in, strengths, judges and soft preferences out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv, expit
from threadpoolctl import threadpool_limits

from corral._types import FloatArray, IntArray
from corral.checks import check_number, check_share
from corral.errors import ParameterError, SignalsError
from corral.ranking.comparisons import (
    MIN_TASKS,
    Comparisons,
    describe_groups,
    find_bounded_groups,
    find_groups,
    read_comparisons,
    sum_by_code,
)
from corral.ranking.fit import find_covariance, fit_comparisons, z_value
from corral.ranking.model import Parameters
from corral.ranking.summaries import (
    Judges,
    PairPreferences,
    describe_judges,
    find_preferences,
)
from corral.results import Part, Result, Table, dots

MAX_ITEMS = 5000
"""Items up to which all pairs of strengths have a covariance, which takes 200 MB."""


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Result):
    """Strengths of items and what judges are like; print it.

    Strengths are log-odds: by a judge of sensitivity 1, an item is preferred to another
    with the odds ``exp`` of their difference. Their mean is zero.
    """

    items: tuple[str, ...]  # the strongest first
    strengths: FloatArray  # (K,)
    interval: FloatArray  # (K, 2)
    covariance: FloatArray = field(repr=False)  # (K, K)
    ranks: IntArray  # (K, 2) best and worst, by intervals of differences
    n_verdicts: FloatArray  # (K,) in which an item took part
    judges: Judges
    pairs: PairPreferences  # that were compared, with a soft preference
    level: float  # probability of the intervals
    reading: str  # how the table was read
    notes: tuple[str, ...]  # what deserves a look
    agreement: tuple[float, float, float] | None = None  # with people, and its interval

    title = "Who is preferred, and what judges are worth"

    def preference(self, a: str, b: str) -> tuple[float, float, float]:
        """The probability that `a` is preferred to `b`, if one is, and its interval.

        By strengths and a judge of sensitivity 1 without position bias. `pairs` are by the
        verdicts on the two items, too.
        """
        place = {name: i for i, name in enumerate(self.items)}
        if missing := {a, b} - place.keys():
            raise ParameterError(f"there is no item {missing.pop()!r}; see `items`.")
        i, j = place[a], place[b]
        gap = self.strengths[i] - self.strengths[j]
        spread = self.covariance
        variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
        reach = z_value(self.level) * np.sqrt(max(variance, 0))
        low, middle, high = expit([gap - reach, gap, gap + reach]).tolist()
        return middle, low, high

    def parts(self) -> Iterator[Part]:
        best, second = self.items[:2]
        middle, low, high = self.preference(best, second)
        doubt = "" if low > 0.5 else " These verdicts do not tell the two apart."
        yield (
            f"{best} is the strongest: it is preferred to {second}, the next one, with "
            f"{middle:.0%} ({low:.0%} to {high:.0%}).{doubt}"
        )
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


def preferences(
    table: Any,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str = "winner",
    judge: str | None = None,
    first: str | None = "a",
    task: str | None = None,
    verdicts: Mapping[Any, str] | None = None,
    prior: float = 5.0,
    level: float = 0.9,
    people: str | Sequence[str] = (),
) -> Preferences:
    """Who is preferred, and by whom: strengths of items from comparisons of pairs.

    Judges may be of any quality: how well each tells items apart, whether it favours what
    it sees first, and how often it calls a tie are learned with the strengths.

    Parameters
    ----------
    table : path, data frame, lazy frame, relation, mapping of columns, or array
        One comparison per row. An array has the columns a, b, winner, judge and first, as
        many as there are; with two of them, a is the winner.
    a, b : str, optional
        The columns of the two items; default: ``a`` and ``b``. Files of the Arena and
        MT-bench (``model_a``, ``model_b``, ``judge``, ``question_id``) and of AlpacaEval
        (``generator_1``, ``preference``, ``annotator``) are known by their columns.
    winner : str
        The column of verdicts: the name of an item; or a, b, left, right, the name of
        their column; or tie, draw, both, neither. Missing ones are left out. "a": the
        winner always stands in the first column.
    judge : str, optional
        The column of judges; default: all verdicts are of one.
    first : str, optional
        The column that says which item was shown first, as `winner` does. "a": always the
        item in the first column. None: not known, so no position bias is learned.
    task : str, optional
        The column of what items were compared on, such as a prompt. Verdicts on the same
        task may be correlated; intervals account for that. It takes 20 tasks or more.
    verdicts : mapping, optional
        What other values mean, such as ``{"1": "a", "2": "b", "0": "tie"}``.
    prior : float
        Standard deviation of a normal prior of strengths, in log-odds. The default is
        weak, and keeps items that always win from being infinitely strong.
    level : float
        Probability of the intervals.
    people : str or sequence of str
        Judges who are people. They do not take part in the ranking: it is said how often
        the ranking by the others agrees with them (ties apart).

    Notes
    -----
    Davidson's form of the model of Bradley and Terry, with a sensitivity, a position bias
    and a readiness for ties per judge. Judges are drawn to each other by how alike they
    are. The mean square of the sensitivities, by verdicts, is one.

    Examples
    --------
    >>> import corral
    >>> rows = 9 * [("x", "y", "x")] + 4 * [("y", "x", "y")] + 6 * [("y", "z", "tie")]
    >>> rows += 6 * [("y", "x", "x")] + 5 * [("z", "y", "y")] + 3 * [("z", "x", "z")]
    >>> found = corral.preferences(rows + 4 * [("y", "z", "z")] + 8 * [("z", "x", "x")])
    >>> found.items
    ('x', 'y', 'z')
    >>> round(found.preference("x", "y")[0], 2)
    0.8
    """
    check_share("level", level, "between 0 and 1")
    check_number("prior", prior)
    told = {"a": a, "b": b, "winner": winner, "judge": judge, "first": first}
    data, reading = read_comparisons(table, {**told, "task": task}, verdicts)
    if len(data.items) > MAX_ITEMS:
        raise SignalsError(
            f"{len(data.items):,} items were compared, and the intervals of more than "
            f"{MAX_ITEMS:,} do not fit in memory. Leave out items with few comparisons."
        )
    asked = [people] if isinstance(people, str) else list(people)
    theirs, data = data.split(asked) if asked else (None, data)
    n_tasks = 0 if data.task is None else len(np.unique(data.task))
    if n_tasks < MIN_TASKS:
        if task is not None:
            raise SignalsError(
                f"column {task!r} has {n_tasks} tasks, too few to learn intervals from; "
                f"`task=` takes {MIN_TASKS} or more."
            )
        data = replace(data, task=None)
    # Matrices are small: threads would wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        found = _rank(data, reading, prior, level)
    return found if theirs is None else _compare_with_people(found, theirs)


def _compare_with_people(found: Preferences, theirs: Comparisons) -> Preferences:
    """The share of people's verdicts with the ranking, and Jeffreys' interval of it."""
    strength = dict(zip(found.items, found.strengths, strict=True))
    strengths = np.array([strength.get(name, np.nan) for name in theirs.items])
    gaps = strengths[theirs.first] - strengths[theirs.second]
    for_first, for_second = theirs.wins[gaps > 0], theirs.losses[gaps < 0]
    with_it = float(for_first.sum() + for_second.sum())
    n = float((theirs.wins + theirs.losses)[~np.isnan(gaps)].sum())
    if not n:
        raise SignalsError("people preferred no item to another one that was ranked.")
    ends = [(1 - found.level) / 2, (1 + found.level) / 2]
    low, high = betaincinv(with_it + 0.5, n - with_it + 0.5, ends)
    told = (
        f"The ranking agrees with {with_it / n:.0%} of {n:,.0f} verdicts of people "
        f"({low:.0%} to {high:.0%})."
    )
    return replace(
        found,
        agreement=(with_it / n, float(low), float(high)),
        notes=(told, *found.notes),
    )


def _rank(data: Comparisons, reading: str, prior: float, level: float) -> Preferences:
    plain = data.sum_by(tasks=False)
    group, bounded = find_groups(plain), find_bounded_groups(plain)
    if group.any():
        raise SignalsError(
            f"the items fall into {group.max() + 1:,} groups that are never compared with "
            f"each other: {describe_groups(plain.items, group)}. Strengths of different "
            "groups cannot be compared: add comparisons, or rank every group by itself."
        )
    notes: tuple[str, ...] = ()
    if bounded.any():  # only the prior bounds some gaps
        where = describe_groups(plain.items, bounded)
        notes = (
            f"One side wins every comparison between {where}: how far they are apart "
            "rests on the prior.",
        )
    fit = fit_comparisons(plain, prior)
    covariance, variances = find_covariance(fit, None)
    weight = 1.0
    if data.task is not None:
        independent = float(np.trace(covariance))
        covariance, variances = find_covariance(fit, data.sum_by(tasks=True))
        weight = min(1.0, independent / float(np.trace(covariance)))
    order = np.argsort(-fit.parameters.strengths, kind="stable")
    both = np.concatenate([plain.first, plain.second])
    n_verdicts = sum_by_code(both, np.tile(plain.n, 2), len(plain.items))
    covariance = covariance[order][:, order]
    strengths = fit.parameters.strengths[order]
    found = Parameters(strengths, fit.parameters.judges)
    z, own = z_value(level), np.diag(covariance)
    reach = z * np.sqrt((own[:, None] + own - 2 * covariance).clip(0))
    gaps = strengths[:, None] - strengths
    best, worst = 1 + (gaps < -reach).sum(axis=1), (gaps <= reach).sum(axis=1)
    return Preferences(
        items=tuple(data.items[i] for i in order),
        strengths=strengths,
        interval=strengths[:, None] + np.outer(z * np.sqrt(own), [-1, 1]),
        covariance=covariance,
        ranks=np.column_stack([best, worst]),
        n_verdicts=n_verdicts[order],
        judges=describe_judges(fit, variances, level),
        pairs=find_preferences(
            plain.reorder(order), found, covariance, weight=weight, level=level
        ),
        level=level,
        reading=reading,
        notes=notes,
    )
