"""``corral.panel``: judges and some human labels in, honest numbers out."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from corral.errors import ParameterError
from corral.front_door.panel_rows import read_frame, read_table, take_values
from corral.tables import VoteFiles, open_table
from corral.tables.duckdb_table import DuckTable
from corral.vote_reader import VoteReader, make_reader
from corral.votes.coding import code_labels
from corral.votes.frames import as_frame, is_frame

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
        table: Any = VoteFiles(votes)
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
        signals, extra = read_table(table, reading, gold, slices, sampling)
    elif is_frame(votes):
        signals, extra = read_frame(as_frame(votes), reading, gold, slices, sampling)
    else:
        signals = reading.read_array(votes)
        extra = take_values(gold, slices, sampling)
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
