"""Comparisons: tables of verdicts, read as counts, and the items that they connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.io.files import VoteFiles, open_table
from corral.results.text import join_names, say_count
from corral.votes.coding import is_missing, is_no_vote
from corral.votes.columns import as_frame

POSITIONS = ("a", "b", "winner", "judge", "first")
"""Names of the columns of an array."""
A, B, TIE, SILENT, UNKNOWN = 1, -1, 0, 8, 9
"""What a verdict says."""
ROLES = {"a": A, "b": B, "tie": TIE}
WORDS = {
    **dict.fromkeys(("a", "left", "model_a", "response_a", "answer_a"), A),
    **dict.fromkeys(("b", "right", "model_b", "response_b", "answer_b"), B),
    **dict.fromkeys(("tie", "tied", "draw", "equal", "both", "neither", "same"), TIE),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "both_bad"), TIE),
}
"""Verdicts that need no explanation, in any case; names of items come first."""
_ROLES = ("a", "b", "winner", "judge", "task")
_ARENA = ("model_a", "model_b", "winner", "judge", "question_id")
_ALPACA = ("generator_1", "generator_2", "preference", "annotator", "instruction")
FORMS = {
    "the Arena": dict(zip(_ROLES, _ARENA, strict=True)),
    "AlpacaEval": dict(zip(_ROLES, _ALPACA, strict=True)),
}
"""Columns of files that are known by them; those of the Arena are MT-bench's, too."""
ALPACA_VERDICTS = {"1": "a", "1.5": "tie", "0": "tie", "2": "b"}
MIN_TASKS = 20
"""Tasks from which on their differences tell how sure strengths are."""
MIN_ONE_SIDED = 20
"""Verdicts that are all for the first item, from which that cannot be chance."""
MAX_SHOWN_GROUPS = 5
"""Groups of items that a message names."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """What judges said of pairs of items; equal comparisons are counted, not repeated."""

    items: tuple[str, ...]
    judges: tuple[str, ...]
    first: IntArray  # (r,) codes of the items, in the order in which they were shown
    second: IntArray
    judge: IntArray  # (r,) codes of the judges
    wins: FloatArray  # (r,) how often the first was preferred
    ties: FloatArray
    losses: FloatArray
    ordered: bool  # whether it is known which item was shown first
    task: IntArray | None  # (r,) codes of what the items were compared on, if known

    @property
    def n(self) -> FloatArray:
        """(r,) verdicts."""
        return self.wins + self.ties + self.losses

    @property
    def has_ties(self) -> bool:
        return bool(self.ties.any())

    def sum_by(self, *, tasks: bool) -> Comparisons:
        """One row per first, second, judge and, if asked for, task."""
        first, second, wins, losses = self.first, self.second, self.wins, self.losses
        if not self.ordered:  # the item of lower code is the first
            turned = first > second
            first, second = np.where(turned, [second, first], [first, second])
            wins, losses = np.where(turned, [losses, wins], [wins, losses])
        task = self.task if tasks else None
        kept = [] if task is None else [task]
        at, row_of = find_distinct([first, second, self.judge, *kept])
        return replace(
            self,
            first=first[at],
            second=second[at],
            judge=self.judge[at],
            wins=sum_by_code(row_of, wins, len(at)),
            ties=sum_by_code(row_of, self.ties, len(at)),
            losses=sum_by_code(row_of, losses, len(at)),
            task=None if task is None else task[at],
        )

    def reorder(self, order: IntArray) -> Comparisons:
        """The same with items in another order."""
        place = np.argsort(order)
        return replace(
            self,
            items=tuple(self.items[i] for i in order),
            first=place[self.first],
            second=place[self.second],
        )

    def take(self, rows: BoolArray) -> Comparisons:
        """Some rows, and the items and judges that these have."""
        names = ("first", "second", "judge", "wins", "ties", "losses")
        taken: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        both, place = np.unique([taken["first"], taken["second"]], return_inverse=True)
        taken["first"], taken["second"] = place.reshape(2, -1)
        judges, taken["judge"] = np.unique(taken["judge"], return_inverse=True)
        return replace(
            self,
            items=tuple(self.items[i] for i in both),
            judges=tuple(self.judges[i] for i in judges),
            task=None if self.task is None else self.task[rows],
            **taken,
        )

    def split(self, judges: Sequence[str]) -> tuple[Comparisons, Comparisons]:
        """What some judges said, and what the others said."""
        if unknown := set(judges) - set(self.judges):
            raise ParameterError(
                f"{unknown.pop()!r} is not a judge; these are {join_names(self.judges)}.",
                parameter="people",
            )
        chosen = np.isin(self.judges, judges)
        if chosen.all():
            raise ParameterError(
                "leaves no judge whose ranking could be compared with theirs.",
                parameter="people",
            )
        theirs = chosen[self.judge]
        return self.take(theirs), self.take(~theirs)


def sum_by_code(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    """(size,) the values of every code, added up."""
    return np.bincount(codes, values, size).astype(float, copy=False)


def find_distinct(codes: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Where every distinct row of some columns is first, and which of those a row is."""
    order = np.lexsort(codes[::-1])
    differ = np.any([np.diff(column[order]) != 0 for column in codes], axis=0)
    is_new = np.append(True, differ)
    row_of = np.empty(len(order), np.int64)
    row_of[order] = np.cumsum(is_new) - 1
    return order[is_new], row_of


def read_comparisons(
    data: Any, told: Mapping[str, str | None], verdicts: Mapping[Any, str] | None = None
) -> tuple[Comparisons, str]:
    """The comparisons in a table, and a sentence on how they were read.

    `told` has the columns by their roles, and `verdicts` what values mean, as they were
    given to `corral.preferences`.
    """
    source, is_array = _open_table(data)
    columns = list(source if isinstance(source, dict) else source.columns)
    form, at = _name_columns(told, columns, is_array)
    meanings = {**(ALPACA_VERDICTS if form == "AlpacaEval" else {}), **(verdicts or {})}
    given = {str(value): role for value, role in meanings.items()}
    for value, role in given.items():
        if role not in ROLES:
            raise ParameterError(
                f"must say a, b or tie for every value; {role!r} was given for {value!r}.",
                parameter="verdicts",
            )
    for option, column in at.items():
        if column is not None and column not in columns:
            raise ParameterError(
                f"is {column!r}, but no column has that name; the table has "
                f"{', '.join(map(repr, columns))}.",
                parameter=option,
            )
    wanted = list(dict.fromkeys(filter(None, at.values())))
    found, sizes = _read_distinct(source, wanted)
    if told["task"] is None and None in found.get(str(at["task"]), []):
        at["task"] = None
    for option, column in at.items():
        if option != "winner" and column is not None and None in found[column]:
            raise SignalsError(
                f"column {column!r} has missing values; drop those rows."
            )
    items, both = _code_names([*found[str(at["a"])], *found[str(at["b"])]])
    pair = both.reshape(2, -1)
    a_codes, b_codes = pair
    if (same := a_codes == b_codes).any():
        raise SignalsError(
            f"{int(sizes[same].sum()):,} rows compare an item with itself, such as "
            f"{items[a_codes[same][0]]!r}; drop them."
        )
    words = {**WORDS, str(at["a"]).casefold(): A, str(at["b"]).casefold(): B}

    def decode(column: Any) -> IntArray:
        """(n,) what a column says of every pair: A, B, TIE, or SILENT if missing."""
        place = {name: i for i, name in enumerate(items)}
        kinds: dict[str | None, tuple[int, int]] = {None: (-1, SILENT)}
        for value in map(str, set(found[column]) - {None}):
            if value in given:
                kinds[value] = -1, ROLES[given[value]]
            else:
                other = SILENT if is_no_vote(value) else UNKNOWN
                word = words.get(value.strip().casefold(), other)
                kinds[value] = place.get(value, -1), word
        item, word = np.array([kinds[value] for value in found[column]]).T
        said = np.where(item == a_codes, A, np.where(item == b_codes, B, word))
        if (said == UNKNOWN).any():
            row = int(np.argmax(said == UNKNOWN))
            value = found[column][row]
            raise SignalsError(
                f"column {column!r} must name one of the two items, or say a, b or tie; "
                f"{value!r} came for {items[a_codes[row]]!r} and {items[b_codes[row]]!r}. "
                f"Say which of these it means, e.g. `verdicts={{{str(value)!r}: 'tie'}}`."
            )
        return said

    said = decode(at["winner"])
    if (said == SILENT).all():
        raise SignalsError(
            f"column {at['winner']!r} has no verdict in any row; it names the winner, a or "
            "b, or says tie."
        )
    ordered = at["first"] is not None
    if ordered:
        shown = decode(at["first"])
        if not np.isin(shown, (A, B)).all():
            raise SignalsError(
                f"column {at['first']!r} must name the item that was shown first, or say a "
                "or b. If that is not known, say so: `first=None`."
            )
        pair = np.where(shown == B, pair[::-1], pair)
        said = np.where((shown == B) & (said != SILENT), -said, said)
    silent = float(sizes[said == SILENT].sum())
    weights = np.where(said == SILENT, 0, sizes)
    said_by = found.get(str(at["judge"]), ["all"] * len(sizes))
    judges, judge_codes = _code_names(said_by)
    tasks = None if at["task"] is None else _code_names(found[at["task"]])[1]
    every = Comparisons(
        *(items, judges, pair[0], pair[1], judge_codes),
        wins=weights * (said == A),
        ties=weights * (said == TIE),
        losses=weights * (said == B),
        ordered=ordered,
        task=tasks,
    )
    comparisons = every.take(weights > 0)
    total, wins = float(weights.sum()), float(comparisons.wins.sum())
    if ordered and not (said == B).any() and wins >= MIN_ONE_SIDED:
        raise SignalsError(
            f"all {int(wins):,} winners were shown first: it seems that {at['a']!r} holds "
            "the winners. Then the order is not known: `first=None`."
        )
    parts = [
        f"{say_count(total, 'comparison')} of {len(comparisons.items):,} items by "
        f"{say_count(len(comparisons.judges), 'judge')}",
        f"{comparisons.ties.sum() / total:.0%} ties",
        "order known" if ordered else "order not known",
        *([f"columns of {form}"] if form else []),
        *([f"{silent:,.0f} rows without a verdict left out"] if silent else []),
    ]
    return comparisons, "; ".join(parts)


def _name_columns(
    told: Mapping[str, str | None], columns: Sequence[str], is_array: bool
) -> tuple[str | None, dict[str, str | None]]:
    """The file that the columns are of, if known; and the column of every role."""
    at = dict(told)
    form = None
    if at["a"] is None and at["b"] is None:
        for name, usual in FORMS.items():
            if usual["a"] in columns and usual["b"] in columns:
                form = name
                for role in ("a", "b", "judge", "task"):
                    if at[role] is None and usual[role] in columns:
                        at[role] = usual[role]
    if form == "AlpacaEval":
        at["winner"] = "preference" if at["winner"] == "winner" else at["winner"]
        at["first"] = None if at["first"] == "a" else at["first"]  # it is shuffled
    a, b = at["a"], at["b"] = at["a"] or "a", at["b"] or "b"
    if is_array:
        at["judge"] = at["judge"] or ("judge" if "judge" in columns else None)
        at["winner"] = "winner" if "winner" in columns else a
        if at["first"] is not None and "first" in columns:
            at["first"] = "first"
    for role in ("winner", "first"):
        if at[role] not in columns:  # such as "a", where that column has another name
            at[role] = {"a": a, "b": b}.get(str(at[role]), at[role])
    if at["winner"] in (a, b) and at["first"] == a:
        at["first"] = None  # a is where winners stand, not what was shown first
    return form, at


def _open_table(data: Any) -> tuple[Any, bool]:
    """A table, a frame or columns by name; and whether the columns had no names."""
    if isinstance(data, str | PathLike):
        return VoteFiles(data), False
    if isinstance(data, Mapping):
        lists = {str(name): values for name, values in data.items()}
        sizes = sorted({len(values) for values in lists.values()})
        if len(sizes) > 1:
            raise SignalsError(
                f"all columns must have equally many values; they have {sizes}."
            )
        return lists, False
    if (table := open_table(data)) is not None:
        return table, False
    if not isinstance(data, np.ndarray | list | tuple):
        return as_frame(data), False  # refused if it is none
    rows = data.tolist() if isinstance(data, np.ndarray) else list(data)
    if not rows:
        raise SignalsError("the table has no rows.")
    widths = {len(row) if isinstance(row, list | tuple) else 0 for row in rows}
    if len(widths) != 1 or not widths <= set(range(2, len(POSITIONS) + 1)):
        raise SignalsError(
            "an array of comparisons has two to five columns: a, b, winner, judge, first; "
            "with two of them, a is the winner. Give a data frame for other columns."
        )
    return dict(zip(POSITIONS, map(list, zip(*rows, strict=True)), strict=False)), True


def _read_distinct(
    source: Any, columns: list[str]
) -> tuple[dict[str, list[Any]], FloatArray]:
    """Distinct rows of some columns, as text or None, and how often each occurs."""
    if isinstance(source, dict):
        found = {name: source[name] for name in columns}
        sizes = np.ones(len(found[columns[0]]))
    elif isinstance(source, nw.DataFrame):
        frame = source.group_by(columns).agg(nw.len().alias("corral_size"))
        found = {name: frame.get_column(name).to_list() for name in columns}
        sizes = frame.get_column("corral_size").to_numpy()
    else:
        found, sizes = source.distinct_rows(columns, columns)
    if not len(sizes):
        raise SignalsError("the table has no rows.")
    texts: dict[str, list[Any]] = {}
    for name in columns:
        values: Any = found[name]
        listed = values.tolist() if hasattr(values, "tolist") else list(values)
        try:
            as_text = {value: _as_text(value) for value in set(listed)}
        except TypeError as error:
            raise SignalsError(
                f"column {name!r} must hold texts or numbers, not lists."
            ) from error
        texts[name] = [as_text[value] for value in listed]
    return texts, sizes.astype(float)


def _as_text(value: Any) -> str | None:
    if is_missing(value):
        return None
    # Whole numbers are written without a point.
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _code_names(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct names, sorted, and the place of every name among them."""
    values = sorted(set(names))
    place = {name: i for i, name in enumerate(values)}
    codes = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    return tuple(values), codes


def find_groups(data: Comparisons) -> IntArray:
    """(K,) groups that comparisons connect, directly or not; the largest is 0."""
    links = _link(data, data.n)
    return _sort_by_size(connected_components(links, directed=False)[1])


def find_bounded_groups(data: Comparisons) -> IntArray:
    """(K,) groups within which verdicts alone bound all gaps; the largest is 0.

    Each item has won or tied against each other one, directly or through others.
    """
    beaten = _link(data, data.losses + data.ties) + _link(data, data.wins + data.ties).T
    return _sort_by_size(connected_components(beaten, connection="strong")[1])


def describe_groups(items: tuple[str, ...], group: IntArray) -> str:
    """The names in the largest groups, cut where they are many."""
    names, some = np.array(items, object), range(min(group.max() + 1, MAX_SHOWN_GROUPS))
    return " and ".join(f"{{{join_names(names[group == i], 60)}}}" for i in some)


def _link(data: Comparisons, weights: FloatArray) -> csr_array:
    """(K, K) links from the first to the second, where weights (r,) are not zero."""
    some, n = weights > 0, len(data.items)
    return csr_array((weights[some], (data.first[some], data.second[some])), (n, n))


def _sort_by_size(group: IntArray) -> IntArray:
    order = np.argsort(-np.bincount(group), kind="stable")
    return np.argsort(order)[group]
