"""``corral.panel``: judges and some human labels in, honest numbers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from corral.errors import ParameterError
from corral.signals import WeakSignals
from corral.signals.abstains import is_missing
from corral.signals.frames import as_frame, fill_missing, is_frame
from corral.signals.gold import code_labels
from corral.signals.probability_columns import group_columns
from corral.tables import open_files, open_table
from corral.tables.duckdb_table import DuckTable
from corral.tables.vote_files import VoteFiles
from corral.vote_reader import VoteReader, make_reader
from corral.wording import spell

if TYPE_CHECKING:
    from corral.panels import PanelReport


def panel(
    votes: Any,
    *,
    gold: Any,
    slices: Any = None,
    sampling: Any = None,
    families: Mapping[str, Any] | None = None,
    class_balance: ArrayLike | None = None,
    error_rates: Mapping[str, float] | ArrayLike | None = None,
    level: float = 0.9,
    random_state: Any = 0,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    **reading: Any,
) -> PanelReport:
    """Say what a panel of judges is worth, by some human labels, and label all rows.

    Judges are language models or annotators who name a class, or give probabilities. A
    hundred rows, drawn at random, have a human label, too. That gives the share of every
    class with an interval that covers it, whatever errors the judges have in common; the
    accuracy and the confusion of every judge; how many independent judges they are worth;
    whether they beat the best of them; and a label for every row.

    Parameters
    ----------
    votes : array, nested list, WeakSignals, table or path
        As for `corral.label`; verdicts or probabilities.
    gold : (n,) array of class values, or str
        Human labels, with None, NaN, "" or -1 (where it is no class) where there is none,
        or the name of their column of a table. Ten at least; some hundred are of use.
    slices : str, list of str, (n,) array, or mapping from a name to (n,) values, optional
        What to give shares by, each for itself: names of columns of a table, or values.
        Slices with few labels are held near what all rows have.
    sampling : (n,) array of float, or str, optional
        The probability that each row had to be chosen for labeling. Default: all had the
        same; then labelled rows whose votes no random sample would have are refused, as
        are those of `suggest_labels`.
    families : mapping from a name to judges, optional
        Who belongs together: names, or patterns as in ``{"gpt": "gpt*"}``.
    class_balance : (k,) array of float, optional
        Shares of the classes, if they are known: labels keep them, and they are not
        estimated.
    error_rates : mapping from judge to float, or (m,) array of float, optional
        Error rates that are known, NaN for others: labels keep them, too.
    level : float
        Probability of the intervals.
    random_state : int, Generator or None
        For the draws behind the interval of the effective number of judges, and behind
        the choice of the best judge.
    output : path, optional
        Where to write the table with its labels, if `votes` is a path to a table with a
        column per judge: a probability per class, the class and its probability.
    overwrite : bool
        Replace a file that is there.
    **reading
        Which columns of a table are judges, and what is in them: ``signals``, ``id``,
        ``task``, ``worker``, ``label``, ``probabilities``, ``columns``, ``bins``,
        ``classes``, ``abstain`` and ``normalise`` of `corral.label`.

    Returns
    -------
    PanelReport
        Print it; ``shares``, ``judges``, ``slices``, ``labels_`` and more have the numbers.

    Notes
    -----
    Intervals are about these rows: were all of them labelled, nothing would be open.

    Examples
    --------
    >>> import numpy as np
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(2000, [0.8, 0.75, 0.7], coverage=1)
    >>> human = np.full(2000, -1)
    >>> rows = np.random.default_rng(0).choice(2000, 100, replace=False)
    >>> human[rows] = truth[rows]
    >>> found = corral.panel(votes, gold=human)
    >>> low, high = found.shares.low[1], found.shares.high[1]
    >>> bool(low < np.mean(truth == 1) < high)
    True
    >>> found.labels_.shape
    (2000, 2)
    """
    return study_votes(
        votes,
        make_reader(panel, reading),
        gold=gold,
        slices=slices,
        sampling=sampling,
        families=families,
        class_balance=class_balance,
        error_rates=error_rates,
        level=level,
        random_state=random_state,
        output=output,
        overwrite=overwrite,
    )


def study_votes(
    votes: Any,
    reading: VoteReader,
    *,
    gold: Any,
    slices: Any = None,
    sampling: Any = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    **settings: Any,
) -> PanelReport:
    """What `panel` does, and the command line: read, then study.

    A table that is refused does not wait for what labels to be loaded.
    """
    if isinstance(votes, str | PathLike):
        table: Any = open_files(votes)
    else:
        table = open_table(votes)
    if output is not None:
        if not isinstance(table, VoteFiles) or reading.task is not None:
            raise ParameterError(
                "is for files with a column per judge; `labels_` of the result has the "
                "labels of others.",
                parameter="output",
            )
        table.check_target(output, overwrite)
    if table is not None:
        if not isinstance(table, DuckTable):
            raise ParameterError(
                "a panel needs its rows in memory: collect this table, or give a file, a "
                "DuckDB relation or a data frame."
            )
        signals, extra = _read_table(table, reading, gold, slices, sampling)
    elif is_frame(votes):
        signals, extra = _read_frame(as_frame(votes), reading, gold, slices, sampling)
    else:
        signals = reading.read_array(votes)
        extra = _take_values(gold, slices, sampling)
    if reading.announce is not None:
        reading.announce(signals)
    truth = code_labels(extra.pop("gold"), signals.classes, len(signals))

    # Only now, so that a refusal does not wait for scikit-learn.
    from corral.panels import study_panel

    found = study_panel(signals, truth, **extra, **settings)
    if output is not None:
        columns = found.label_columns()
        table.write_beside(output, columns, keep=table.columns, overwrite=overwrite)
    return found


def _name_slices(slices: Any) -> list[str]:
    """Columns of slices by name; refused if they are values."""
    if slices is None:
        return []
    names = [slices] if isinstance(slices, str) else slices
    if not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise ParameterError(
            "of a table must be names of its columns.", parameter="slices"
        )
    return list(names)


def _take_values(gold: Any, slices: Any, sampling: Any) -> dict[str, Any]:
    """What belongs to the rows of an array: one value per row."""
    for name, given in (("gold", gold), ("sampling", sampling), ("slices", slices)):
        if isinstance(given, str):
            raise ParameterError(
                f"is the name of a column, {given!r}, but these votes are no table; give "
                "one value per row.",
                parameter=name,
            )
    if slices is not None and not isinstance(slices, Mapping):
        slices = {"slice": slices}
    return {"gold": gold, "slices": slices, "sampling": sampling}


def _read_frame(
    frame: Any, reading: VoteReader, gold: Any, slices: Any, sampling: Any
) -> tuple[WeakSignals, dict[str, Any]]:
    """Of a data frame: columns by name, or values."""
    by_name = slices is not None and (
        isinstance(slices, str)
        or (isinstance(slices, list) and all(isinstance(s, str) for s in slices))
    )
    columns = {"gold": gold, "sampling": sampling}
    names = [c for c in columns.values() if isinstance(c, str)]
    names += _name_slices(slices) if by_name else []
    for name in names:
        if name not in frame.columns:
            raise _no_column(name, frame.columns)
    if reading.task is not None:
        rows = {c: np.array(frame.get_column(c).to_list(), object) for c in names}
        tasks = frame.get_column(reading.task).to_list()
        signals = reading.read_frame(frame)
        rows = _first_by_task(tasks, rows, signals)
    else:
        rows = {c: np.array(frame.get_column(c).to_list(), object) for c in names}
        kept = [c for c in frame.columns if c not in names]
        signals = reading.read_frame(frame.select(kept))
    values = {key: rows[c] if isinstance(c, str) else c for key, c in columns.items()}
    if by_name:
        values["slices"] = {c: rows[c] for c in _name_slices(slices)}
    elif slices is not None:
        is_map = isinstance(slices, Mapping)
        values["slices"] = slices if is_map else {"slice": slices}
    return signals, values


def _read_table(
    table: DuckTable, reading: VoteReader, gold: Any, slices: Any, sampling: Any
) -> tuple[WeakSignals, dict[str, Any]]:
    """Of a file or a relation, row by row in its order: columns by name."""
    for name, given in (("gold", gold), ("sampling", sampling)):
        if given is not None and not isinstance(given, str):
            raise ParameterError(
                "of a table that is not in memory is the name of a column; "
                f"{type(given).__name__} was given.",
                parameter=name,
            )
    by = _name_slices(slices)
    others = [c for c in (gold, sampling, *by) if c is not None]
    for name in others:
        if name not in table.columns:
            raise _no_column(name, table.columns)
    if reading.answers is not None:
        task, worker, answer = reading.answers
        wanted = list(dict.fromkeys([task, worker, answer, *others]))
        rows = table.rows_in_order(wanted, names=(task, worker, *by))
        coding = reading.coding.match_type(rows[answer])
        rows[answer] = fill_missing(rows[answer], coding.abstain)
        signals = WeakSignals.from_long(
            {name: rows[name] for name in (task, worker, answer)},
            task=task,
            worker=worker,
            label=answer,
            **vars(coding),
        )
        rows = _first_by_task(rows[task].tolist(), rows, signals)
    else:
        judges = [
            c for c in reading.choose(table) if reading.signals or c not in others
        ]
        if both := set(judges).intersection(others):
            raise ParameterError(f"the column {min(both)!r} is also chosen as a judge.")
        rows = table.rows_in_order([*judges, *others], names=by)
        signals = _make_signals(rows, judges, reading)
    return signals, {
        "gold": rows[gold],
        "sampling": None if sampling is None else rows[sampling],
        "slices": {c: rows[c] for c in by} or None,
    }


def _make_signals(
    rows: Mapping[str, Any], judges: list[str], reading: VoteReader
) -> WeakSignals:
    """Signals of columns in memory."""
    votes = np.column_stack([rows[name] for name in judges])
    coding = reading.coding.match_type(votes)
    if not reading.probabilities:
        return WeakSignals.from_votes(
            fill_missing(votes, coding.abstain), names=judges, **vars(coding)
        )
    groups = group_columns(
        judges, votes, reading.columns, coding.classes, coding.abstain
    )
    return WeakSignals.from_probabilities(
        groups.arrange(votes),
        classes=groups.classes or coding.classes,
        abstain=coding.abstain,
        names=groups.signals,
        bins=reading.bins,
    )


def _first_by_task(
    tasks: list[Any], rows: Mapping[str, Any], signals: WeakSignals
) -> dict[str, Any]:
    """Columns of a long table with one value per task: the first that is there."""
    order: Any = signals.index
    found = {}
    for name, values in rows.items():
        known: dict[Any, Any] = {}
        for task, value in zip(tasks, values.tolist(), strict=True):
            if not is_missing(value):
                known.setdefault(task, value)
        found[name] = np.array([known.get(task) for task in order.tolist()], object)
    return found


def _no_column(name: str, columns: Sequence[str]) -> ParameterError:
    return ParameterError(
        f"no column is named {name!r}, which {spell('gold')}, {spell('slices')} or "
        f"{spell('sampling')} says; the table has {', '.join(map(repr, columns))}."
    )
