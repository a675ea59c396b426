"""The front door: votes in, labels out, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral.errors import ParameterError
from corral.labelers import ConstrainedLabeler, Labeler
from corral.signals import WeakSignals
from corral.signals.frames import as_frame, is_frame


def label(
    votes: Any,
    *,
    signals: str | Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    labeler: Labeler | None = None,
    prefix: str = "",
    **options: Any,
) -> Any:
    """Label examples from their votes.

    Parameters
    ----------
    votes : array, nested list, sparse array, data frame or WeakSignals
        One row an example, one column a signal.
    signals : str or sequence of str, optional
        The signal columns of a data frame; default: all. The others are kept.
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
    (n, k) array of float, or a data frame of the kind given
        A data frame gets the columns ``p_<class>`` (one a class; one in all for two
        classes), ``label``, ``confidence`` and ``covered``.

    Examples
    --------
    >>> import corral
    >>> corral.label([[1, 1, -1], [0, 1, 0], [-1, 0, 0]], error_rates=0.1).round(2)
    array([[0.  , 1.  ],
           [0.71, 0.29],
           [1.  , 0.  ]])
    """
    if isinstance(votes, str | PathLike):
        raise ParameterError(
            "votes must be an array or a data frame. To label a file use the command "
            f"`corral label {votes} -o labels.parquet`."
        )
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
    if not is_frame(votes):
        if signals is not None:
            raise ParameterError("signals= chooses columns of a data frame.")
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
    read = WeakSignals.from_frame(frame, signals, classes=classes, abstain=abstain)
    labeler.fit(read)
    added = label_columns(labeler, prefix, taken=frame.columns)
    series = [
        nw.new_series(name, _plain(values), backend=frame.implementation)
        for name, values in added.items()
    ]
    return frame.with_columns(*series).to_native()


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
