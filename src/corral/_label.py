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
from corral.labelers import ConstrainedLabeler, Labeler
from corral.signals import WeakSignals
from corral.signals.frames import as_frame, column_names, fill_missing, is_frame
from corral.tables import VoteFiles


def label(
    votes: Any,
    *,
    signals: str | Sequence[str] | None = None,
    id: str | None = None,
    output: str | PathLike[str] | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    labeler: Labeler | None = None,
    prefix: str = "",
    **options: Any,
) -> Any:
    """Label examples from their votes.

    Parameters
    ----------
    votes : array, nested list, sparse array, data frame, WeakSignals or path
        One row an example, one column a signal. A path may be a file, a folder or a
        pattern such as ``votes/*.parquet`` (CSV, TSV, Parquet or JSON lines).
    signals : str or sequence of str, optional
        The signal columns of a table; default: all. The others are kept. For files also
        patterns such as ``rule_*``.
    id : str, optional
        A column of a table that is no signal.
    output : path, optional
        Where to write, if `votes` is a path. The order of up to five million rows is
        kept.
    classes, abstain
        As for `WeakSignals.from_votes`.
    labeler : Labeler, optional
        What labels; default ``ConstrainedLabeler(**options)``.
    prefix : str
        Put in front of the names of the columns added to a data frame.
    **options
        Options of `ConstrainedLabeler`, such as ``error_rates``.

    Returns
    -------
    (n, k) array of float, a data frame of the kind given, or the path of the output
        A table gets the columns ``p_<class>`` (one a class; one in all for two
        classes), ``label``, ``confidence`` and ``covered``.

    Examples
    --------
    >>> import corral
    >>> corral.label([[1, 1, -1], [0, 1, 0], [-1, 0, 0]], error_rates=0.1).round(2)
    array([[0.  , 1.  ],
           [0.71, 0.29],
           [1.  , 0.  ]])
    """
    if not isinstance(prefix, str):
        raise ParameterError(f"prefix must be text; {prefix!r} was given.")
    if labeler is not None and not isinstance(labeler, Labeler):
        raise ParameterError(
            "labeler must be a labeler such as corral.MajorityVote(); "
            f"{labeler!r} was given."
        )
    if labeler is None:
        labeler = ConstrainedLabeler(**options)
    elif options:
        raise ParameterError(
            f"options {', '.join(options)} belong to the labeler that was given; set "
            "them there."
        )
    if isinstance(votes, str | PathLike):
        if output is None:
            raise ParameterError("say where to write the labelled table with output=.")
        return _label_files(
            votes, output, signals, id, classes, abstain, labeler, prefix
        )
    if output is not None:
        raise ParameterError("output= goes with the path of a file of votes.")
    if not is_frame(votes):
        if signals is not None or id is not None:
            raise ParameterError("signals= and id= choose columns of a data frame.")
        if isinstance(votes, WeakSignals):
            if classes is not None or abstain is not None:
                raise ParameterError(
                    "classes= and abstain= belong where the WeakSignals are made."
                )
            read = votes
        else:
            read = WeakSignals.from_votes(votes, classes=classes, abstain=abstain)
        return labeler.fit(read).labels_
    frame = as_frame(votes)
    if signals is None and id is not None:
        signals = [c for c in frame.columns if c not in column_names(frame, id)]
    read = WeakSignals.from_frame(frame, signals, classes=classes, abstain=abstain)
    labeler.fit(read)
    added = label_columns(labeler, prefix, taken=frame.columns)
    series = [
        nw.new_series(name, _plain(values), backend=frame.implementation)
        for name, values in added.items()
    ]
    return frame.with_columns(*series).to_native()


def _label_files(
    path: str | PathLike[str],
    output: str | PathLike[str],
    signals: str | Sequence[str] | None,
    id: str | None,
    classes: Sequence[Any] | None,
    abstain: Any,
    labeler: Labeler,
    prefix: str,
) -> Path:
    files = VoteFiles(path)
    columns = files.choose([signals] if isinstance(signals, str) else signals, id)
    votes, counts = files.count(columns)
    votes = fill_missing(votes, abstain)
    read = WeakSignals.from_votes(
        votes, classes=classes, abstain=abstain, names=columns, counts=counts
    )
    files.write(output, label_columns(labeler.fit(read), prefix, taken=files.columns))
    return Path(output)


def label_columns(
    labeler: Labeler, prefix: str = "", taken: Sequence[str] = ()
) -> dict[str, NDArray[Any]]:
    """The columns to add to a table: probabilities, label, confidence, covered.

    Parameters
    ----------
    labeler : Labeler
        Fitted.
    prefix : str
        Put in front of every name.
    taken : sequence of str
        Names that are not free.
    """
    labels, classes = labeler.labels_, labeler.classes_
    shown = range(1, 2) if len(classes) == 2 else range(len(classes))
    columns: dict[str, NDArray[Any]] = {
        f"{prefix}p_{classes[k]}": labels[:, k] for k in shown
    }
    columns[f"{prefix}label"] = labeler.decide(labels, labeler.covered_)
    columns[f"{prefix}confidence"] = labels.max(axis=1)
    columns[f"{prefix}covered"] = labeler.covered_
    clash = [name for name in columns if name in taken]
    if clash:
        raise ParameterError(
            f"the table already has columns named {', '.join(map(repr, clash))}; choose "
            "another prefix=."
        )
    return columns


def _plain(values: NDArray[Any]) -> Any:
    """Arrays for numbers; lists for text, which every frame library reads alike."""
    return (
        values.tolist() if values.dtype.kind in "OU" else np.ascontiguousarray(values)
    )
