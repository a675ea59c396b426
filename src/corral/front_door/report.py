"""``corral.report``: votes or a labeler in, what there is to know of the labels out."""

from __future__ import annotations

import warnings
from inspect import isfunction
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corral.checks import check_share
from corral.errors import CorralWarning, ParameterError
from corral.reports.vote_sources import (
    VoteSource,
    is_path,
    read_source,
    rows_in_memory,
)
from corral.vote_reader import VoteReader, make_reader
from corral.votes import PatternCounts, WeakSignals
from corral.votes.coding import code_labels

if TYPE_CHECKING:
    from corral.labelers import Labeler
    from corral.reports.label_report import LabelReport


def report(
    votes: Any,
    *,
    gold: Any = None,
    text: Any = None,
    labeler: Labeler | str | None = None,
    title: str | None = None,
    change: float = 0.05,
    random_state: int = 0,
    **reading: Any,
) -> LabelReport:
    """Say how good labels are, what signals do, what to do next, and what to read.

    Parameters
    ----------
    votes : fitted labeler, or votes as for `corral.label`
        Of a labeler: what it was fitted on. Votes are an array, nested list, sparse array,
        `WeakSignals`, `PatternCounts`, table or path. Rows of a path or a relation stay in
        their engine but for those that are shown.
    gold : (n,) array of class values, or str, optional
        True labels as far as they are known, or the name of their column of a table. Only
        scores look at them, no labeler does.
    text : sequence of n texts, or str, optional
        What the examples are, or the name of that column.
    labeler : Labeler or str, optional
        What labels the votes: a labeler, fitted or not, or its name; default
        `ConstrainedLabeler`. One that is fitted stays as it is.
    title : str, optional
        Default: the name of the file.
    change : float
        How far error rates may be off, for `corral.sensitivity`.
    random_state : int
        For methods that start at random, and to choose among rows with the same votes.
    **reading
        Which columns of a table are signals, and what is in them: ``signals``, ``id``,
        ``task``, ``worker``, ``label``, ``probabilities``, ``columns``, ``bins``,
        ``classes``, ``abstain`` and ``normalise`` of `corral.label`. Columns of `id`
        name the rows that are shown.

    Returns
    -------
    LabelReport
        Print it, look at it in a notebook, write a page with ``write``, or take the
        numbers with ``to_dict``.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7, 0.6], coverage=0.6)
    >>> report = corral.report(votes, gold=truth)
    >>> report.summary.n_signals, report.summary.n_examples
    (4, 1000.0)
    """
    return report_votes(
        votes,
        make_reader(report, reading),
        gold=gold,
        text=text,
        labeler=labeler,
        title=title,
        change=change,
        random_state=random_state,
    )


def report_votes(
    votes: Any,
    reading: VoteReader,
    *,
    gold: Any = None,
    text: Any = None,
    labeler: Any = None,
    title: str | None = None,
    change: float = 0.05,
    random_state: int = 0,
    command: str | None = None,
) -> LabelReport:
    """What `report` does, and the command line: read, label, compute.

    Parameters
    ----------
    votes, gold, text, title, change, random_state
        As for `report`.
    labeler : Labeler, str, callable or None
        The same, or what makes it once the votes were read.
    reading : VoteReader
    command : str, optional
        What asked for the report; default: a call in Python.
    """
    seed = _check_seed(random_state)
    check_share("change", change, "between 0 and 1")
    if _is_labeler(votes):
        read = _read_fitted(votes, reading, labeler)
        labeler, data = votes, f"what a {type(votes).__name__} was fitted on"
        source = VoteSource(read, gold, rows_in_memory(read, text))
    else:
        data = _describe(votes)
        source = read_source(votes, reading, gold, text)

    # Only now, so that a refusal does not wait for scikit-learn.
    from corral.reports.label_report import compute_report
    from corral.reports.labelled_votes import LabelledVotes

    read = source.signals
    truth = None
    if source.gold is not None:
        truth = code_labels(source.gold, read.classes, len(read))
        if not ((truth >= 0) & read.covered).any():
            raise ParameterError(
                "holds no true label of an example that a signal votes on.",
                parameter="gold",
            )
    fitted, said = _fit(labeler, read)
    own = getattr(fitted, "_signals_", None) is read and hasattr(fitted, "_labels_")
    labelled = LabelledVotes(
        fitted,
        read,
        fitted.labels_ if own else fitted.predict_proba(read),
        fitted.covered_ if own else fitted.covers(read),
        truth,
        source.examples,
        said,
    )
    named = title or (Path(fspath(votes)).name if is_path(votes) else None)
    return compute_report(
        labelled,
        title=named or f"Votes of {read.n_signals:,} signals",
        data=data,
        command=command
        or f"corral.report({'labeler' if votes is fitted else 'votes'})",
        change=change,
        seed=seed,
    )


def _read_fitted(fitted: Any, reading: VoteReader, labeler: Any) -> WeakSignals:
    """What a labeler was fitted on."""
    if labeler is not None or not reading.is_plain:
        raise ParameterError(
            "a fitted labeler has its votes: leave out what says how votes are read, and "
            "`labeler=`."
        )
    read: WeakSignals | None = getattr(fitted, "_signals_", None)
    if read is None:
        raise ParameterError(
            "the votes fitted on are not there: fit the labeler first or, as they are not "
            "saved with it, give them: corral.report(votes, labeler=...)."
        )
    return read


def _fit(labeler: Any, read: WeakSignals) -> tuple[Labeler, tuple[str, ...]]:
    """A fitted labeler, and what it warned of."""
    from corral.labelers import labeler_of

    given = labeler() if isfunction(labeler) else labeler
    chosen = labeler_of("constrained" if given is None else given)
    if getattr(chosen, "multilabel", False):
        raise ParameterError(
            "a report is on tasks in which an example has one class; of a multi-label "
            "task, make one per class: corral.report(signals.about(c))."
        )
    if hasattr(chosen, "model_"):
        return chosen, ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen.fit(read)
    for one in caught:  # as if nobody had listened
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    said = [w.message for w in caught if issubclass(w.category, CorralWarning)]
    return chosen, tuple(map(str, said))


def _check_seed(random_state: Any) -> int:
    whole = isinstance(random_state, int | np.integer) and random_state >= 0
    if not whole or isinstance(random_state, bool):
        raise ParameterError(
            f"must be a whole number from 0, so that the report can be made again; "
            f"{random_state!r} was given.",
            parameter="random_state",
        )
    return int(random_state)


def _is_labeler(votes: Any) -> bool:
    if isinstance(votes, np.ndarray | list | tuple | str | PathLike | WeakSignals):
        return False
    from corral.labelers import Labeler

    return isinstance(votes, Labeler)


def _describe(votes: Any) -> str:
    """What votes came in, in words."""
    if is_path(votes):
        return Path(fspath(votes)).name
    if isinstance(votes, WeakSignals | PatternCounts):
        return repr(votes)
    kind = type(votes)
    shape = getattr(votes, "shape", None)
    size = (
        f" of {' x '.join(f'{n:,}' for n in shape)}" if isinstance(shape, tuple) else ""
    )
    return f"{kind.__module__.split('.')[0]}.{kind.__qualname__}{size}"
