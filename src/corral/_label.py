"""The front door: votes in, labels out, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import ParameterError
from corral.labelers import Labeler, labeler_of
from corral.metrics import answered
from corral.signals import PatternCounts, WeakSignals
from corral.signals.frames import (
    as_frame,
    as_given,
    column_names,
    is_frame,
    new_columns,
)
from corral.signals.readers import Coding
from corral.tables import open_files, open_table


def label(
    votes: Any,
    *,
    signals: str | Sequence[str] | None = None,
    id: str | Sequence[str] | None = None,
    task: str | None = None,
    worker: str | None = None,
    label: str | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    engine: str | None = None,
    probabilities: bool = False,
    columns: str | None = None,
    bins: int | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    normalise: bool = False,
    labeler: Labeler | str | None = None,
    prefix: str = "",
    keep_order: bool | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
    **options: Any,
) -> Any:
    """Label examples from their votes.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, table or path
        One row per example, one column per signal. A table is a pandas, Polars (eager
        or lazy), PyArrow, Hugging Face or Spark one or a DuckDB relation. A path may be
        a file, a folder or a pattern such as ``votes/*.parquet`` (CSV, TSV, Parquet or
        JSON lines).
    signals : str or sequence of str, optional
        The signal columns of a table, or patterns such as ``rule_*``; default: all. The
        others are kept.
    id : str or sequence of str, optional
        Columns of a table that are no signals.
    task : str, optional
        Given for a long table, one vote per row: the column that names the example. The
        result then has one row per task.
    worker, label : str, optional
        The columns of a long table that name the signal and its vote; default
        ``worker`` and ``label``.
    output : path, optional
        Where to write, if `votes` is a path; never over an input.
    overwrite : bool
        Replace an output that is there already.
    engine : "duckdb" or "spark", optional
        What reads and writes a path; default DuckDB, on this machine.
    probabilities : bool
        The signals are probabilities, not votes: those of the second of two classes, or
        one column per signal and class if the names say so (``llm_neg``, ``llm_pos``)
        and the classes add up to one.
    columns : str, optional
        How the names of such columns are made, for example ``"{signal}_{class}"``;
        ``"{signal}"`` if every column is a signal.
    bins : int, optional
        Round them to multiples of ``1 / bins``, so that rows share patterns.
    classes, abstain, normalise
        As for `WeakSignals.from_votes`.
    labeler : Labeler or str, optional
        What labels: a labeler, or its name, such as ``"dawid-skene"`` (all of them are
        in ``corral.labelers.LABELERS``); default ``"constrained"``.
    prefix : str
        Put in front of the names of the columns added to a table.
    keep_order : bool, optional
        Keep the order of rows. In memory and for Polars it is kept anyway and for Spark
        it never is; files and relations take a sort for it, so the default is up to five
        million rows.
    memory_limit : str, optional
        What DuckDB may use for a path, such as ``"2GB"``; with less memory, fewer
        patterns are held at once.
    threads : int, optional
        Threads of DuckDB for a path; default: all cores.
    **options
        Options of the labeler, if it is given by name: by default those of
        `ConstrainedLabeler`, such as ``error_rates``.

    Returns
    -------
    (n, k) array of float, a table of the kind given, or the path of the output
        A table gets the columns ``p_<class>`` (one per class; one in all for two
        classes), ``label``, ``confidence`` and ``covered``.

    Examples
    --------
    >>> import corral
    >>> corral.label([[1, 1, -1], [0, 1, 0], [-1, 0, 0]]).round(1)
    array([[0.1, 0.9],
           [0.7, 0.3],
           [0.9, 0.1]])
    """
    if not isinstance(prefix, str):
        raise ParameterError(f"prefix must be text; {prefix!r} was given.")
    chosen = labeler_of("constrained" if labeler is None else labeler, **options)
    coding = Coding(classes, abstain, normalise)
    soft = {"probabilities": probabilities, "bins": bins, "layout": columns}
    is_soft = probabilities or bins is not None or columns is not None
    if task is not None and is_soft:
        raise ParameterError(
            "probabilities=, bins= and columns= go with a column per signal."
        )
    if task is None and (worker is not None or label is not None):
        raise ParameterError("worker= and label= go with task=, for a long table.")
    answers = None if task is None else (task, worker or "worker", label or "label")
    if answers is not None and (signals is not None or id is not None):
        raise ParameterError(
            "signals= and id= are for tables with a column per signal."
        )
    table = _open(votes, output, overwrite, engine, memory_limit, threads)
    if table is not None:
        if answers is None:
            read = table.read(table.choose(signals, id), coding=coding, **soft)
        else:
            read = table.read_answers(*answers, coding)
        chosen.fit(read)
        added = (
            label_columns(
                chosen, batch, prefix, table.columns, empty=output is not None
            )
            for batch in table.batches()
        )
        if output is None:
            return table.labelled(added, keep_order)
        table.write(output, added, keep_order, overwrite=overwrite)
        return output if engine == "spark" else Path(output)
    if keep_order is not None:
        raise ParameterError("keep_order= is for files, relations and lazy frames.")
    if is_frame(votes):
        frame, read = _read_frame(as_frame(votes), signals, id, answers, coding, soft)
        named = label_columns(chosen.fit(read), prefix=prefix, taken=frame.columns)
        return as_given(votes, new_columns(frame, named))
    if signals is not None or id is not None or answers is not None:
        raise ParameterError("signals=, id= and task= choose columns of a table.")
    if prefix or columns is not None:
        raise ParameterError("prefix= and columns= are for the columns of a table.")
    if isinstance(votes, WeakSignals | PatternCounts):
        if probabilities or bins is not None or coding != Coding():
            raise ParameterError(
                "classes=, abstain=, normalise=, probabilities= and bins= belong where "
                "the WeakSignals are made."
            )
    elif probabilities:
        votes = WeakSignals.from_probabilities(
            votes, bins=bins, classes=classes, abstain=abstain
        )
    elif bins is not None:
        raise ParameterError("bins= goes with probabilities=True.")
    else:
        votes = WeakSignals.from_votes(
            votes, classes=classes, abstain=abstain, normalise=normalise
        )
    return chosen.fit(votes).labels_


def _read_frame(
    frame: nw.DataFrame[Any],
    signals: str | Sequence[str] | None,
    id: str | Sequence[str] | None,
    answers: tuple[str, str, str] | None,
    coding: Coding,
    soft: dict[str, Any],
) -> tuple[nw.DataFrame[Any], WeakSignals]:
    """The rows to label of a frame in memory, and their signals."""
    written = {
        "classes": coding.classes,
        "abstain": coding.abstain,
        "normalise": coding.normalise,
    }
    if answers is None:
        source = frame
        if id is not None:
            ids = column_names(frame, id)
            chosen = column_names(frame, signals or None)
            both = [c for c in ids if signals and c in chosen]
            if both:
                raise ParameterError(f"the id {both[0]!r} is also chosen as a signal.")
            kept = [c for c in chosen if c not in ids]
            source = frame.select(kept)
        options = {name: soft[name] for name in ("probabilities", "bins")}
        read = WeakSignals.from_frame(
            source, signals, columns=soft["layout"], **options, **written
        )
        return frame, read
    task, worker, label = answers
    read = WeakSignals.from_long(
        frame, task=task, worker=worker, label=label, **written
    )
    first: dict[Any, int] = {}
    for at, name in enumerate(frame.get_column(task).to_list()):
        first.setdefault(name, at)  # tasks were read in the order of appearance
    return frame.select(task)[list(first.values()), :], read


def _open(
    votes: Any,
    output: str | PathLike[str] | None,
    overwrite: bool,
    engine: str | None,
    memory_limit: str | None,
    threads: int | None,
) -> Any:
    """The table whose rows are not in memory, if `votes` is one."""
    if isinstance(votes, str | PathLike):
        if output is None:
            raise ParameterError("say where to write the labelled table with output=.")
        table = open_files(
            votes, engine or "duckdb", memory_limit=memory_limit, threads=threads
        )
        table.check_target(output, overwrite)
        return table
    given = {
        "output": output,
        "overwrite": overwrite or None,
        "engine": engine,
        "memory_limit": memory_limit,
        "threads": threads,
    }
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name}= goes with the path of a file of votes.")
    return open_table(votes)


def label_columns(
    labeler: Labeler,
    votes: Any = None,
    prefix: str = "",
    taken: Sequence[str] = (),
    *,
    empty: bool = False,
) -> dict[str, NDArray[Any]]:
    """The columns to add to a table: probabilities, label, confidence, covered.

    Parameters
    ----------
    labeler : Labeler
        Fitted.
    votes : array, optional
        What to label; default: what it was fitted on.
    prefix : str
        Put in front of every name.
    taken : sequence of str
        Names that are not free.
    empty : bool
        Leave the label empty where there is no answer, as files have it, also where
        `Labeler.decide` gives -1.
    """
    if votes is None:
        labels, covered = labeler.labels_, labeler.covered_
    else:
        read = labeler.read(votes)
        labels, covered = labeler.predict_proba(read), labeler.covers(read)
    classes = labeler.classes_
    shown = range(1, 2) if len(classes) == 2 else range(len(classes))
    columns: dict[str, NDArray[Any]] = {
        f"{prefix}p_{classes[k]}": labels[:, k] for k in shown
    }
    hard = labeler.decide(labels, covered)
    if empty and hard.dtype.kind in "iuf":
        hard = np.ma.masked_array(hard, ~answered(hard))
    columns[f"{prefix}label"] = hard
    columns[f"{prefix}confidence"] = labels.max(axis=1)
    columns[f"{prefix}covered"] = covered
    clash = [name for name in columns if name in taken]
    if clash:
        raise ParameterError(
            f"the table already has columns named {', '.join(map(repr, clash))}; choose "
            "another prefix=."
        )
    return columns
