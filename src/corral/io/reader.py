"""One reader: from whatever holds votes, and one set of options, to signals and gold.

Columns are sorted in one pass into signals, ids, texts and others, and one line says what
was decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.exchange import (
    EVALUATIONS,
    TOOLS,
    Annotations,
    JudgeAnswers,
    read_annotations,
    read_judges,
    recognise,
)
from corral.io.files import READABLE, DuckTable, VoteFiles, open_table
from corral.io.gold import Gold, as_vote
from corral.io.lazy import Columns, LazyTable
from corral.votes import WeakSignals
from corral.votes.coding import as_number, is_missing, list_abstains, normalise_text
from corral.votes.columns import (
    IDS,
    ROWS_LOOKED_AT,
    TEXTS,
    as_frame,
    check_long,
    choose_columns,
    find_long,
    is_frame,
    matrix,
    sort_columns,
    warn_of_others,
)
from corral.votes.label_sets import indicate, parse_set
from corral.votes.reading import read_columns

Names = str | Sequence[str] | None
APART = {
    "task": ("signals", "id", "probabilities"),
    "normalise": ("probabilities",),
    "separator": ("task", "probabilities", "abstain", "normalise"),
}
"""What an option does not go with."""
OF_TOOLS = {"format", "question", "predictions"}
OF_ARRAYS = {
    *("probabilities", "classes", "abstain", "normalise", "separator", "encoding")
}
LONG = {"task", "worker", "label", "repeats"}
OF_TABLES = OF_ARRAYS | LONG | {"signals", "id"}
WIDE = OF_TABLES - {"classes", "abstain", "normalise", "repeats", "encoding"}
OF_JUDGES = LONG - {"repeats"} | {"judges", "pattern", "threshold", "signals", "id"}
"""Options that sources of one kind take; both files also take classes and abstains. With
one that is `WIDE`, nobody asks whether a table has one answer per row."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """Which columns are signals and what they hold: the options of every reader.

    Attributes
    ----------
    signals, probabilities
        As for `WeakSignals.from_frame`. By default all columns of a table are signals that
        are not ids, long texts or dates.
    id : str or sequence of str, optional
        Columns of a table that are not signals, and name its rows.
    classes, abstain, normalise
        As for `WeakSignals.from_votes`.
    task, worker, label, repeats
        As for `WeakSignals.from_long`. With `task` a table has one vote per row; the result
        has one row per task.
    separator : str, optional
        A multi-label task: cells hold sets of classes, such as ``"film; song"`` with
        ``";"`` between; see `WeakSignals.from_label_sets`.
    encoding : str, optional
        How files of text are written, such as ``"cp1252"``; default UTF-8.
    format, question, predictions
        Of a file of an annotation tool, as for `corral.read_annotations`.
    judges : bool
        The path has JSON lines that judges wrote, as `corral.read_judges` reads them.
    pattern, threshold
        Of judges, as for `corral.read_judges`.
    announce : callable, optional
        Called with a line that says how votes were read, before the work begins. Without
        it, columns that were left out unasked are warned of.
    """

    signals: Names = None
    id: Names = None
    task: str | None = None
    worker: str | None = None
    label: str | None = None
    probabilities: bool = False
    classes: Sequence[Any] | None = None
    abstain: Any = None
    normalise: bool = False
    repeats: str = "refuse"
    separator: str | None = None
    encoding: str | None = None
    format: str | None = None
    question: str | None = None
    predictions: bool = False
    judges: bool = False
    pattern: str | None = None
    threshold: float | None = None
    announce: Callable[[Any], None] | None = None

    def __post_init__(self) -> None:
        if self.judges:
            return
        for name, others in APART.items():
            for other in others if name in self.told else ():
                if other in self.told:
                    raise ParameterError(f"`{other}=` does not go with `{name}=`.")
        if self.separator == "":
            raise ParameterError("must be text.", parameter="separator")

    @property
    def told(self) -> set[str]:
        """The options that were given, apart from `announce`."""
        given = {f.name for f in fields(self) if getattr(self, f.name) is not f.default}
        return given - {"announce"}

    def refuse_all_but(self, taken: set[str], why: str) -> None:
        """Refuse options that the source at hand does not take."""
        if others := sorted(self.told - taken):
            raise ParameterError(why, parameter=others[0])

    def coding(self, votes: NDArray[Any]) -> dict[str, Any]:
        """How votes are written, with classes and abstains in the type of the votes."""
        classes, abstain = self.classes, self.abstain
        if votes.dtype.kind != "O":
            if classes is not None and not self.probabilities:
                classes = [as_number("classes", value) for value in classes]
            told = list_abstains(abstain)
            abstain = [as_number("abstain", value) for value in told] or None
        return {"classes": classes, "abstain": abstain, "normalise": self.normalise}


@dataclass(frozen=True, eq=False)
class Votes:
    """What was read."""

    signals: WeakSignals
    values: dict[str, Any] = field(default_factory=dict)
    """What belongs to the rows of the signals, by its role, such as "gold": one value per
    row; "slices" has a dict of those. If the rows stay in an engine, gold only."""
    table: LazyTable | None = None  # where the rows are, if they are not in memory
    ids: Sequence[str] = ()  # columns of a table that name rows: those told, or found
    text: str | None = None  # a column of long texts, told or the only one found
    frame: Any = None  # the votes as they were given, if that was a frame
    task: str | None = None  # of a table with one vote per row: what names examples
    source: Annotations | JudgeAnswers | None = None  # what was read instead of a table
    columns: Columns | None = None  # what to write beside its labels

    @property
    def gold(self) -> Any:
        """True labels, one per row of the signals, or None."""
        return self.values.get("gold")


def read_votes(
    votes: Any, how: Reading, *, by_row: bool = False, **beside: Any
) -> Votes:
    """Read whatever holds votes, with what belongs to its rows.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, frame, relation or path
    how : Reading
    by_row : bool
        Have one row of signals per example, in order, and all of `beside` in memory.
    **beside
        What belongs to the rows, by its role: ``gold``, ``text``, ``sampling``, or
        ``slices``. Names of columns of a table, or one value per row in memory; gold may
        also be the path of a file that names rows (`corral.io.gold`).
    """
    given = {role: value for role, value in beside.items() if value is not None}
    is_path = isinstance(votes, str | PathLike)
    tool = _find_tool(votes, how) if is_path else None
    if tool in ("judges", *EVALUATIONS):
        return _read_judges(votes, how, given)
    if tool is not None:
        return _read_annotations(votes, how, given)
    how.refuse_all_but(
        OF_TABLES,
        "is for files of annotation tools and of judges. If this is a tool's file, name "
        f"the tool with `format=`: {', '.join(TOOLS)}.",
    )
    if how.encoding is not None and not (is_path or is_gold_file(given.get("gold"))):
        raise ParameterError("is for files of text.", parameter="encoding")
    table: Any = (
        VoteFiles(votes, encoding=how.encoding) if is_path else open_table(votes)
    )
    if table is None:
        if not is_frame(votes):
            return _read_array(votes, how, given)
        table = FrameTable(as_frame(votes))
    elif "text" in given and not isinstance(table, DuckTable):
        raise ParameterError(
            "`text=` is for files, DuckDB and frames; these rows stay where they are."
        )
    if {"model_a", "model_b", "winner"} <= {*table.columns} and not how.told & WIDE:
        raise SignalsError(
            "the table compares pairs of models (model_a, model_b, winner), and has no "
            "votes on rows. `corral rank`, or corral.preferences, reads it."
        )
    long = _find_long(how, given, table)
    if long.task is not None:
        return _read_long(table, long, given, found=long is not how)
    if isinstance(table, FrameTable):
        return _read_frame(table, how, given)
    return _read_table(table, how, given, by_row)


def _find_long(
    how: Reading, given: Mapping[str, Any], table: LazyTable | FrameTable
) -> Reading:
    """The options for a table with one answer per row, if names and cells say it is one."""
    named = [
        each for v in given.values() for each in (v if isinstance(v, list) else [v])
    ]
    texts = [each for each in named if isinstance(each, str)]
    left = [name for name in table.columns if name not in texts]
    chosen: dict[str, Any]
    if how.task is not None:
        told = {"task": how.task, "worker": how.worker, "label": how.label}
        others = [name for name in left if name not in told.values()]
        found = find_long([*others, *(role for role in told if told[role])])
        untold = {role for role in told if not told[role]} - {*table.columns}
        chosen = {r: n[0] for r, n in found.items() if r in untold and len(n) == 1}
        if not chosen:
            return how
    else:
        found = {} if how.told & WIDE else find_long(left)
        if not found:
            if alone := sorted(how.told & (LONG - {"task"})):
                raise ParameterError(f"`{alone[0]}=` goes with `task=`.")
            return how
        chosen = check_long(found, table.head(left), table.has_repeats)
    if how.announce is None:
        said = ", ".join(f"`{role}={name!r}`" for role, name in chosen.items())
        warn_user(f"read as one answer per row; better say {said}.", SignalsWarning)
    return replace(how, **chosen)


# -- tables --------------------------------------------------------------------------


@dataclass(frozen=True)
class FrameTable:
    """A data frame in memory, with what readers ask of a `LazyTable`."""

    frame: Any

    @property
    def columns(self) -> list[Any]:
        return list(self.frame.columns)

    def head(self, columns: Sequence[Any]) -> dict[Any, list[Any]]:
        first = self.frame.select(columns).head(ROWS_LOOKED_AT)
        cells: dict[Any, list[Any]] = first.to_dict(as_series=False)
        return cells

    def has_repeats(self, column: Any) -> bool:
        return bool(self.frame.get_column(column).n_unique() < len(self.frame))

    def rows(self, columns: Sequence[Any]) -> Columns:
        choose_columns(self.columns, columns)
        cells = {name: self.frame.get_column(name).to_list() for name in columns}
        return {name: np.array(column, object) for name, column in cells.items()}


def _read_table(
    table: LazyTable, how: Reading, given: dict[str, Any], by_row: bool
) -> Votes:
    """Votes of a table whose rows are not in memory; few of them will be."""
    taken = _named_columns(given, table.columns, in_memory=False)
    names, ids, aside = _choose(table, how, taken)
    naming = ids or _ids_among(aside)
    known = _open_gold(given, table.columns, naming, how)
    gold, sets = given.get("gold"), how.separator
    both = [*names, *([gold] if gold else [])]
    values: dict[str, Any] = {}
    rows: Columns | None = None
    if sets is not None and not isinstance(table, VoteFiles):
        raise ParameterError(
            "`separator=` is for files and frames in memory; collect the table first."
        )
    if isinstance(table, VoteFiles) and not how.probabilities and sets is None:
        table.keep_codes(both)
    if by_row or sets is not None:
        keys = known.columns if known else []
        wanted = list(dict.fromkeys([*names, *ids, *taken, *keys]))
        texts = [*ids, *_listed(given.get("slices")), *(both if sets else [])]
        texts += [key for key in keys if key not in names]
        rows = table.rows(wanted, names=texts)
        values = _by_role(given, rows)
        if ids:
            values["names"] = tuple(rows[name].tolist() for name in ids)
        cells = np.column_stack([rows[name] for name in names])
        if sets is None:
            signals = _make_signals(cells, names, how, None, table)
        else:
            signals = _of_sets(cells.tolist(), names, how)
            table.n_patterns = signals.n_rows
    else:
        if known is not None:
            gold = known.join(
                table, how.probabilities or all(map(table.is_text, names))
            )
            both.append(gold)
        if gold and how.probabilities and table.is_text(gold):
            found, sizes = table.distinct_rows(both)
            values["gold"], counts = found[gold], sizes.astype(float)
            cells = np.column_stack([found[name] for name in names])
        else:
            cells, counts = table.count(both)
            if gold:
                values["gold"] = cells[:, -1]
            cells = cells[:, : len(names)]
        signals = _make_signals(cells, names, how, counts, table)
    ids = ids or naming[:1]
    text = given.get("text") or _only_text(aside)
    if text is None and isinstance(table, DuckTable):
        text = _find_text(table, {*names, *ids, *taken})
    read = Votes(signals, values, table=table, ids=ids, text=text)
    return _finish(read, how, known, rows, aside)


def _read_frame(table: FrameTable, how: Reading, given: dict[str, Any]) -> Votes:
    """Votes of a data frame in memory: what belongs to rows by name, or as values."""
    taken = _named_columns(given, table.columns, in_memory=True)
    names, ids, aside = _choose(table, how, taken)
    naming = ids or _ids_among(aside)
    known = _open_gold(given, table.columns, naming, how)
    values = _by_role(given, table.rows(taken))
    if naming := ids or naming[:1]:
        values["names"] = tuple(c.tolist() for c in table.rows(naming).values())
    text = _only_text(aside) or _find_text(table, {*names, *naming, *taken})
    if "text" not in values and text is not None:
        values["text"] = table.rows([text])[text].tolist()
    if how.separator is not None:
        signals = _of_sets(table.frame.select(names).rows(), names, how)
    else:
        signals = _make_signals(matrix(table.frame, names), names, how)
    read = Votes(signals, values, ids=ids, frame=table.frame)
    return _finish(read, how, known, table.rows(known.columns if known else []), aside)


def _make_signals(
    cells: NDArray[Any],
    names: Sequence[str],
    how: Reading,
    counts: FloatArray | None = None,
    table: LazyTable | None = None,
) -> WeakSignals:
    """Signals of columns in memory, or of the patterns of a table."""
    options = how.coding(cells) | {"probabilities": how.probabilities}
    found = read_columns(cells, names, counts=counts, **options)
    if isinstance(table, VoteFiles) and not how.probabilities:
        gaps = set(table.gap_texts()) - set(found["schema"].classes.tolist())
        found["silent"] = (*sorted(gaps), *(found["silent"] or ()))
    return WeakSignals(**found)


# -- one vote per row ----------------------------------------------------------------


def _read_long(
    table: LazyTable | FrameTable, how: Reading, given: dict[str, Any], *, found: bool
) -> Votes:
    """A long table: one row of signals per task, in the order in which they appear.

    `found` says that nobody told its columns.
    """
    long = str(how.task), how.worker or "worker", how.label or "label"
    task, worker, answer = long
    in_memory = isinstance(table, FrameTable)
    taken = _named_columns(given, table.columns, in_memory=in_memory)
    known = _open_gold(given, table.columns, [task], how)
    keys = known.keys if known else []
    wanted = list(dict.fromkeys([*long, *taken, *keys]))
    if isinstance(table, FrameTable):
        rows = table.rows(wanted)
        kept: dict[str, Any] = {"frame": table.frame}
    else:
        gold = given.get("gold")
        if isinstance(table, VoteFiles):
            table.keep_codes([answer, *([gold] if gold else [])])
        elif how.repeats != "refuse" and not table.has_order:
            raise ParameterError(
                "needs an order of rows, which Spark does not keep.",
                parameter="repeats",
            )
        text = [task, worker, *_listed(given.get("slices")), given.get("text"), *keys]
        rows = table.rows(wanted, names=list(filter(None, text)))
        kept = {"table": table}
    told = {"repeats": how.repeats, **how.coding(rows[answer])}
    signals = WeakSignals.from_long(
        rows, task=task, worker=worker, label=answer, **told
    )
    for name in (worker, answer):
        if name in (*taken, *keys):
            raise ParameterError(f"the column {name!r} has several values for a task.")
    index = np.asarray(signals.index).tolist()
    per_task = {
        name: _one_per_task(name, rows[task].tolist(), column, index)
        for name, column in rows.items()
        if name not in (worker, answer)
    }
    read = Votes(signals, _by_role(given, per_task), ids=[task], task=task, **kept)
    note = f"one answer per row, task={task}, worker={worker}, label={answer}; "
    return _finish(read, how, known, per_task, note=note if found else "")


def _one_per_task(
    name: str, tasks: list[Any], cells: NDArray[Any], index: list[Any]
) -> NDArray[Any]:
    """The value of every task in a column of a long table; refused if it has several."""
    first: dict[Any, Any] = {}
    for task, value in zip(tasks, list(cells), strict=True):
        if not is_missing(value) and first.setdefault(task, value) != value:
            raise ParameterError(
                f"the column {name!r} has several values for the task {task!r}: "
                f"{first[task]!r} and {value!r}."
            )
    return np.array([first.get(task) for task in index], object)


# -- sets of classes, arrays, exports of tools ---------------------------------------


def _of_sets(cells: Any, names: Sequence[str] | None, how: Reading) -> WeakSignals:
    texts = [
        [c if c is None or isinstance(c, str) else str(c) for c in row] for row in cells
    ]
    return WeakSignals.from_label_sets(
        texts, classes=how.classes, separator=str(how.separator), names=names
    )


def _read_array(votes: Any, how: Reading, given: dict[str, Any]) -> Votes:
    """Signals that are given without columns that have names."""
    for role, value in given.items():
        if isinstance(value, str) and not is_gold_file(value):
            raise ParameterError(
                f"is the name of a column, {value!r}, but these votes are not a table.",
                parameter=role,
            )
    taken = {"encoding"} if isinstance(votes, WeakSignals) else OF_ARRAYS
    how.refuse_all_but(taken, f"is not for votes as {type(votes).__name__}.")
    index = votes.index if isinstance(votes, WeakSignals) else None
    rows = {} if index is None else {"task": index}
    known = _open_gold(given, list(rows), list(rows), how)
    options: dict[str, Any] = {"classes": how.classes, "abstain": how.abstain}
    if isinstance(votes, WeakSignals):
        signals = votes
    elif how.separator is not None:
        signals = _of_sets(votes, None, how)
    elif how.probabilities:
        signals = WeakSignals.from_probabilities(votes, **options)
    else:
        signals = WeakSignals.from_votes(votes, normalise=how.normalise, **options)
    return _finish(Votes(signals, _by_role(given, {})), how, known, rows)


def _find_tool(path: Any, how: Reading) -> str | None:
    """The tool whose file a path is: said so, or it looks like one; "judges" for theirs."""
    if how.judges or how.format is not None:
        return how.format or "judges"
    place = Path(path)
    kind = place.suffix.lower()
    may_be_table = place.is_dir() or kind in (".jsonl", ".ndjson")
    if may_be_table and how.told & OF_TABLES - {"classes", "abstain"}:
        return None
    of_tool = may_be_table or kind in (".json", ".zip", ".eval")
    return recognise(path) if of_tool else None


def _read_annotations(path: Any, how: Reading, given: dict[str, Any]) -> Votes:
    """Answers of annotators: one row per example, one signal per annotator."""
    why = "is for tables of votes, not for files of annotation tools."
    how.refuse_all_but(OF_TOOLS | {"classes", "abstain"}, why)
    found = read_annotations(
        path,
        how.format,
        question=how.question,
        predictions=how.predictions,
        classes=how.classes,
        abstain=how.abstain,
    )
    there: Columns = {"task": found.ids, "known": found.known}
    if found.texts is not None:
        there["text"] = np.array(found.texts, object)
    _named_columns(given, list(there), in_memory=True)
    known = _open_gold(given, [c for c in there if c != "known"], ["task"], how)
    values = _by_role(given, there)
    values.setdefault("names", (found.ids.tolist(),))
    columns = {name: column for name, column in there.items() if name != "known"}
    read = Votes(found.signals, values, source=found, columns=columns)
    return _finish(read, how, known, there)


def _read_judges(path: Any, how: Reading, given: dict[str, Any]) -> Votes:
    """What judges wrote: one row per example, one signal per judge."""
    why = "is not for `judges=True`: what judges wrote says itself what it is."
    how.refuse_all_but(OF_JUDGES | {"classes", "abstain"}, why)
    classes = how.classes
    if classes is not None and all(re.fullmatch(r"-?\d+", str(c)) for c in classes):
        classes = [int(c) for c in classes]  # as JSON has them
    said = {"task", "worker", "label", "pattern", "abstain", "threshold"} & how.told
    options = {name: getattr(how, name) for name in said}
    found = read_judges(path, classes=classes, **options)
    signals = found.signals
    if how.signals is not None:
        kept = choose_columns(signals.names, split_names(how.signals, signals.names))
        for i, name in enumerate(signals.names):
            if name not in kept:
                signals = signals.without(i)
    there = dict(found.columns)
    _named_columns(given, list(there), in_memory=True)
    rows = {"task": there[found.task], **there}  # as the rows to label are called
    known = _open_gold(given, list(rows), [found.task], how)
    values = _by_role(given, there)
    # Answers of several systems to one item are compared with each other.
    usual = [name for name in ("item", found.task) if name in there]
    ids = choose_columns(list(there), split_names(how.id, list(there)) or usual)
    values["names"] = tuple(there[name].tolist() for name in ids)
    read = Votes(signals, values, source=found, columns=there)
    return _finish(read, how, known, rows)


# -- columns and options -------------------------------------------------------------


def _named_columns(
    given: Mapping[str, Any], columns: Sequence[Any], *, in_memory: bool
) -> list[str]:
    """The columns that are named for what belongs to rows; in memory, values may be."""
    taken: list[str] = []
    for role, value in given.items():
        if role == "gold" and is_gold_file(value):
            continue
        several = role == "slices" and isinstance(value, list)
        for name in value if several else [value]:
            if isinstance(name, str):
                if name not in columns:
                    raise ParameterError(
                        f"no column is named {name!r}, which `{role}=` says; the table "
                        f"has {', '.join(map(repr, columns))}."
                    )
                taken.append(name)
            elif not in_memory:
                raise ParameterError(
                    "of a table that is not in memory is the name of a column; "
                    f"{type(name).__name__} was given.",
                    parameter=role,
                )
    return taken


def _choose(
    table: LazyTable | FrameTable, how: Reading, taken: Sequence[str]
) -> tuple[list[Any], list[Any], dict[Any, str]]:
    """Signal columns, told ids, and what the columns are that were left out unasked."""
    columns = table.columns
    ids = choose_columns(columns, split_names(how.id, columns))
    if how.signals:
        chosen = choose_columns(columns, split_names(how.signals, columns))
        for name in chosen:
            if name in ids or name in taken:
                raise ParameterError(f"the column {name!r} is also chosen as a signal.")
        return chosen, ids, {}
    chosen = [name for name in columns if name not in ids and name not in taken]
    if not chosen:
        listed = ", ".join(map(repr, columns))
        raise SignalsError(f"all columns are named for something else: {listed}.")
    aside = sort_columns(table.head(chosen), how.classes, how.probabilities)
    return [name for name in chosen if name not in aside], ids, aside


def split_names(names: Names, columns: Sequence[Any] = ()) -> list[str]:
    """Names of columns, each by itself; a text may have commas between them."""
    given = [names] if isinstance(names, str) else names or ()
    found: list[str] = []
    for item in given:
        if item in columns or not isinstance(item, str):
            found.append(item)
        else:
            found += [name.strip() for name in item.split(",") if name.strip()]
    return found


def _finish(
    found: Votes,
    how: Reading,
    known: Gold | None,
    rows: Mapping[Any, Any] | None,
    aside: Mapping[Any, str] = MappingProxyType({}),
    note: str = "",
) -> Votes:
    """Read true labels as votes are read, say how all was read, and give it back.

    Labels of a file are looked up in the columns `rows`, if these are in memory.
    """
    told, classes = found.values, found.signals.classes.tolist()
    if known is not None and rows is not None:
        told["gold"] = known.look_up(rows, len(found.signals))
    gold = found.gold
    if known is not None and how.separator is None:
        is_text = found.signals.classes.dtype.kind not in "biuf"
        gold = [None if value is None else as_vote(value, is_text) for value in gold]
        told["gold"] = np.array(gold, object)
    if gold is not None and how.separator is not None and np.ndim(gold) == 1:
        sets = [parse_set(cell, how.separator) for cell in gold]
        told["gold"] = indicate(sets, classes)
    elif gold is not None and how.normalise:
        names = {normalise_text(str(name)): name for name in classes}
        gold = [names.get(normalise_text(str(value)), value) for value in gold]
        told["gold"] = np.array(gold, object)
    if how.announce is None:
        warn_of_others(aside)
        return found
    if found.source is not None:
        how.announce(found.source)
    left = ", ".join(f"{name} ({why})" for name, why in aside.items())
    others = f"; not votes: {left}" if left else ""
    truth = f"; true labels: {known}" if known is not None else ""
    how.announce(f"read as: {note}{found.signals.reading}{others}{truth}")
    return found


def is_gold_file(gold: Any) -> bool:
    """Whether true labels are given as a file, not as a column or as values."""
    if isinstance(gold, str):
        gold = Path(gold.removesuffix(".gz"))
        return gold.suffix.lower() in READABLE
    return isinstance(gold, PathLike)


def _open_gold(
    given: dict[str, Any], columns: Sequence[Any], ids: Sequence[Any], how: Reading
) -> Gold | None:
    """The file of true labels, if one was given; taken out of `given`."""
    if not is_gold_file(given.get("gold")):
        return None
    path, numbered = given.pop("gold"), how.task is None
    file = path, columns, ids, how.encoding
    return Gold(*file, classes=how.classes, numbered=numbered)


def _listed(slices: Any) -> list[str]:
    return [slices] if isinstance(slices, str) else list(slices or ())


def _by_role(given: Mapping[str, Any], rows: Mapping[str, Any]) -> dict[str, Any]:
    """What belongs to rows by its role: columns that were read, or values as given."""
    values: dict[str, Any] = {}
    for role, value in given.items():
        if role == "slices":
            if isinstance(value, str | list) and all(c in rows for c in _listed(value)):
                values[role] = {c: rows[c] for c in _listed(value)}
            else:
                values[role] = value if isinstance(value, Mapping) else {"slice": value}
        elif not isinstance(value, str):
            values[role] = value
        elif value in rows:
            values[role] = rows[value]
    return values


def _ids_among(aside: Mapping[Any, str]) -> list[Any]:
    return [name for name, why in aside.items() if why == IDS]


def _only_text(aside: Mapping[Any, str]) -> Any:
    texts = [name for name, why in aside.items() if why == TEXTS]
    return texts[0] if len(texts) == 1 else None


def _find_text(table: LazyTable | FrameTable, others: set[Any]) -> Any:
    """The only other column whose cells are mostly texts of several words."""
    left = [name for name in table.columns if name not in others]
    if isinstance(table, LazyTable):  # other kinds of cells may not come to Python
        # by the schema: what a file's texts mean would be learned from all its rows
        left = [name for name in left if LazyTable.is_text(table, name)]
    found = [
        name
        for name, cells in (table.head(left) if left else {}).items()
        if 2 * sum(" " in str(cell).strip() for cell in cells) > len(cells)
        and 2 * len(set(map(str, cells))) > len(cells)
    ]
    return found[0] if len(found) == 1 else None


def make_reading(given: Mapping[str, Any]) -> Reading:
    """The options of reading that a function was given; refused if one is unknown."""
    known = [each.name for each in fields(Reading)]
    for name in given:
        if name not in known:
            raise ParameterError(
                f"is unknown. Options of reading votes are {', '.join(known)}; those of a "
                "labeler go to it: corral.ConstrainedLabeler(error_rates=0.1).",
                parameter=name,
            )
    return Reading(**given)
