"""``corral.compare``: votes and true labels in, scores of many methods out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from corral.errors import ParameterError
from corral.reports.vote_sources import read_source
from corral.tables import VoteFiles, open_table
from corral.vote_reader import VoteReader, make_reader
from corral.votes.frames import as_frame, is_frame

if TYPE_CHECKING:
    from corral.labelers import Labeler
    from corral.study import Comparison


def compare(
    votes: Any,
    y: ArrayLike,
    methods: str | Labeler | Iterable[Any] | Mapping[str, Any] = "own",
    *,
    dev_size: int = 0,
    positive: Any = None,
    random_state: int | None = 0,
    **reading: Any,
) -> Comparison:
    """Label the same votes by many methods, and score them on the same examples.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, table or path
        As for `corral.label`. Rows with counts stand for so many examples.
    y : (n,) array of class values, (n, k) of 0 and 1, or str
        Of files, relations and frames, the name of their column of true labels; of
        frames in memory, the labels themselves, too.
        None, NaN, "" or -1 (where it is no class) where unknown. No method sees them
        but those that `dev_size` adds. (n, k): a multi-label task, in which entries, one
        per example and class, are scored.
    methods : "own", a labeler, names, labelers, or a mapping from name to labeler
        "own": every labeler of corral that needs no numbers from you, nor an order of the
        classes. Labelers that are given are cloned, not fitted.
    dev_size : int
        Give so many labelled examples, drawn at random, to methods that learn from them:
        constrained labeling with `FromLabels`, and a weighted vote. They are then not
        scored, for any method.
    positive : class value, optional
        The class that F1 is of; default the second of two classes, and the mean over
        all classes where there are more.
    random_state : int, optional
        For the examples drawn, and for methods that start at random.
    **reading
        Which columns of a table are signals, and what is in them: ``signals``, ``id``,
        ``task``, ``worker``, ``label``, ``probabilities``, ``columns``, ``bins``,
        ``classes``, ``abstain``, ``normalise`` and ``separator`` of `corral.label`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(2000, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.6)
    >>> found = corral.compare(votes, truth, ["constrained", "majority-vote"])
    >>> bool(found.accuracy[0] > found.accuracy[1])
    True
    """
    return compare_votes(
        votes,
        y,
        make_reader(compare, reading),
        methods,
        dev_size=dev_size,
        positive=positive,
        random_state=random_state,
    )


def compare_votes(
    votes: Any,
    y: Any,
    reading: VoteReader,
    methods: Any = "own",
    *,
    positive: Any = None,
    **options: Any,
) -> Comparison:
    """What `compare` does, and the command line: read, then compare.

    A table that is refused does not wait for what labels to be loaded.
    """
    if isinstance(votes, str | PathLike):
        table: Any = VoteFiles(votes)
    else:
        table = open_table(votes)
    if table is not None:
        if not isinstance(y, str):
            raise ParameterError(
                "of a table that is not in memory, `y=` is the name of a column."
            )
        read, y = reading.read_gold(table, y)
        positive = reading.match_class(positive, read.classes)
    elif is_frame(votes) and isinstance(y, str):
        if y not in (columns := as_frame(votes).columns):
            raise ParameterError(
                f"no column is named {y!r}, which `y=` says; the table has "
                f"{', '.join(map(repr, columns))}."
            )
        source = read_source(votes, reading, y, None)
        read, y = source.signals, source.gold
    elif reading.is_plain:
        read = votes
    elif is_frame(votes):
        read = reading.read_frame(as_frame(votes))
    else:
        read = reading.read_array(votes)
    from corral.study import compare_signals

    return compare_signals(read, y, methods, positive=positive, **options)
