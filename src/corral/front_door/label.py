"""The front door: votes in, labels out, in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray
from corral.decisions import is_answered
from corral.errors import ParameterError
from corral.front_door.label_facts import LabelFacts, describe_labels
from corral.tables import VoteFiles, open_table
from corral.tables.column_names import refuse_clash
from corral.tables.paths import find_files
from corral.vote_reader import VoteReader
from corral.votes.frames import as_frame, as_given, is_frame, new_columns

if TYPE_CHECKING:
    from corral.labelers import Labeler


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
    probabilities: bool = False,
    columns: str | None = None,
    bins: int | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    normalise: bool = False,
    separator: str | None = None,
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
    separator : str, optional
        A multi-label task: cells hold sets of classes, such as ``"film; song"`` with
        ``";"`` between, and so does the column ``label``; see
        `WeakSignals.from_label_sets`.
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
        classes), ``label``, ``confidence`` and ``covered``. In multi-label tasks the
        confidence is the probability that all classes are right.

    Examples
    --------
    >>> import corral
    >>> corral.label([[1, 1, -1], [0, 1, 0], [-1, 0, 0]]).round(1)
    array([[0.2, 0.8],
           [0.7, 0.3],
           [0.8, 0.2]])
    """
    from corral.labelers import labeler_of

    if not isinstance(prefix, str):
        raise ParameterError(f"must be text; {prefix!r} was given.", parameter="prefix")
    by_name = labeler is None or isinstance(labeler, str)
    if separator is not None and by_name:
        options["multilabel"] = True
    chosen = labeler_of("constrained" if labeler is None else labeler, **options)
    if separator is not None and not getattr(chosen, "multilabel", False):
        raise ParameterError(
            "`separator=` makes a multi-label task, and the labeler is for one "
            "class per example; give it multilabel=True."
        )
    reading = VoteReader(
        signals=signals,
        id=id,
        task=task,
        worker=worker,
        label=label,
        probabilities=probabilities,
        columns=columns,
        bins=bins,
        classes=classes,
        abstain=abstain,
        normalise=normalise,
        separator=separator,
    )
    if isinstance(votes, str | PathLike):
        if output is None:
            find_files(votes)  # a wrong name is the first thing to say
            raise ParameterError(
                "say where to write the labelled table with `output=`."
            )
        label_file(
            votes,
            output,
            reading,
            lambda: chosen,
            overwrite=overwrite,
            prefix=prefix,
            keep_order=keep_order,
            memory_limit=memory_limit,
            threads=threads,
        )
        return Path(output)
    files = {
        "output": output,
        "overwrite": overwrite or None,
        "memory_limit": memory_limit,
        "threads": threads,
    }
    for name, value in files.items():
        if value is not None:
            raise ParameterError(f"`{name}=` goes with the path of a file of votes.")
    table = open_table(votes)
    if table is not None:
        chosen.fit(reading.read_table(table))
        batches = (label_columns(chosen, batch, prefix) for batch in table.batches())
        return table.labelled(batches, keep_order)
    if keep_order is not None:
        raise ParameterError("`keep_order=` is for files, relations and lazy frames.")
    if is_frame(votes):
        frame = as_frame(votes)
        chosen.fit(reading.read_frame(frame))
        added = label_columns(chosen, prefix=prefix, separator=separator)
        if task is not None:  # one row per task, in the order in which they were read
            first: dict[Any, int] = {}
            for at, name in enumerate(frame.get_column(task).to_list()):
                first.setdefault(name, at)
            frame = frame.select(task)[list(first.values()), :]
        refuse_clash(added, frame.columns)
        return as_given(votes, new_columns(frame, added))
    if prefix:
        raise ParameterError("`prefix=` is for the columns of a table.")
    return chosen.fit(reading.read_array(votes)).labels_


def label_file(
    votes: str | PathLike[str],
    output: str | PathLike[str],
    reading: VoteReader,
    make_labeler: Callable[[], Labeler],
    *,
    overwrite: bool = False,
    save_model: str | PathLike[str] | None = None,
    prefix: str = "",
    keep_order: bool | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> LabelFacts:
    """Label files and write them: what `label` does with a path, and the command line.

    Parameters
    ----------
    votes, output, overwrite, prefix, keep_order, memory_limit, threads
        As for `label`.
    reading : VoteReader
    make_labeler : callable
        Gives the labeler once the votes were read: a table that is refused should not
        wait for scikit-learn to be loaded.
    save_model : path, optional
        Where to save the labeler, too; after the labels are written.
    """
    table = VoteFiles(votes, memory_limit=memory_limit, threads=threads)
    table.check_target(output, overwrite)
    read = reading.read_table(table)
    labeler = make_labeler().fit(read)
    if reading.separator is not None:
        columns = label_columns(labeler, prefix=prefix, separator=reading.separator)
        table.write_beside(output, columns, keep=table.columns, overwrite=overwrite)
        table.n_patterns = len(read.patterns)
    else:
        added = (
            label_columns(labeler, batch, prefix, empty=True)
            for batch in table.batches()
        )
        table.write(output, added, keep_order, overwrite=overwrite)
    if save_model is not None:
        labeler.save(save_model)
    drawn = read.n_drawn if table.sampled else None
    return describe_labels(labeler, read, table.n_rows, table.n_patterns, drawn)


def label_columns(
    labeler: Labeler,
    votes: Any = None,
    prefix: str = "",
    *,
    empty: bool = False,
    separator: str | None = None,
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
    empty : bool
        Leave the label empty where there is no answer, as files have it, also where
        `Labeler.decide` gives -1.
    separator : str, optional
        Of a multi-label task: what stands between the classes of an example.
    """
    if votes is None:
        labels, covered = labeler.labels_, labeler.covered_
    else:
        read = labeler.read(votes)
        labels, covered = labeler.predict_proba(read), labeler.covers(read)
    classes = labeler.classes_
    if separator is not None:
        columns = _set_columns(labeler, labels, covered, separator)
        return {f"{prefix}{name}": column for name, column in columns.items()}
    shown = range(1, 2) if len(classes) == 2 else range(len(classes))
    columns = {f"{prefix}p_{classes[k]}": labels[:, k] for k in shown}
    hard = labeler.decide(labels, covered)
    if empty and hard.dtype.kind in "iuf":
        hard = np.ma.masked_array(hard, ~is_answered(hard))
    columns[f"{prefix}label"] = hard
    columns[f"{prefix}confidence"] = labels.max(axis=1)
    columns[f"{prefix}covered"] = covered
    if hasattr(labeler, "grade_columns"):
        graded = labeler.grade_columns(labels)
        columns |= {f"{prefix}{name}": column for name, column in graded.items()}
    return columns


def _set_columns(
    labeler: Labeler, labels: FloatArray, covered: BoolArray, separator: str
) -> dict[str, NDArray[Any]]:
    """The columns of a multi-label task, without prefix."""
    names = labeler.classes_.astype(str)
    hard = labeler.decide(labels, covered)
    sets = np.full(len(hard), None, object)
    for row in np.flatnonzero((hard >= 0).all(axis=1)).tolist():
        # The empty set is a separator: an empty cell is no answer.
        sets[row] = separator.join(names[hard[row] == 1]) or separator
    return {
        **{f"p_{name}": labels[:, k] for k, name in enumerate(names)},
        "label": sets,
        "confidence": np.maximum(labels, 1 - labels).prod(axis=1),
        "covered": covered,
    }
