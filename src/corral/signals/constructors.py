"""How `WeakSignals` are made from what users have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

from numpy.typing import ArrayLike

from corral.errors import SignalsError
from corral.signals import frames, readers
from corral.signals.label_sets import read_sets
from corral.signals.other_columns import (
    ROWS_LOOKED_AT,
    sort_columns,
    warn_of_others,
)
from corral.signals.probability_columns import group_columns
from corral.signals.readers import Coding
from corral.signals.signal_data import SignalData


class SignalConstructors:
    """The constructors of `WeakSignals`, apart from what it can do once made."""

    def __init__(self, data: SignalData, names: Sequence[str] | None = None) -> None:
        if not isinstance(data, SignalData):
            raise SignalsError(
                "WeakSignals are made by WeakSignals.from_votes and its siblings, not "
                f"from {type(data).__name__} directly."
            )
        self._data = data
        self._names = check_names(names, data.n_signals)
        self.named = names is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals; s0, s1, ... unless given."""
        return self._names

    @classmethod
    def from_votes(
        cls,
        votes: Any,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        normalise: bool = False,
        names: Sequence[str] | None = None,
        counts: ArrayLike | None = None,
    ) -> Self:
        """Class votes: every signal names one class of an example, or abstains.

        Parameters
        ----------
        votes : (n, m) array, nested list, sparse array or data frame
            Class values. In a sparse array the stored entries are the votes, an
            explicitly stored zero among them; what is not stored is an abstain.
        classes : sequence, optional
            All classes in order; default: those voted for, sorted.
        abstain : scalar or list, optional
            The value, or values, that mean "no vote"; default: -1 for integers, NaN,
            None or "" otherwise. Texts such as "N/A", "?" and "none" are no votes
            either way, unless `classes` lists them. Votes of exactly {-1, 1} are
            ambiguous and refused unless this or `classes` is given.
        normalise : bool
            Read texts that differ in case or blanks only, such as ``"pos"`` and
            ``" Pos"``, as one class, in lower case. They are refused otherwise.
        names : sequence of str, optional
            Signal names; default ``s0``, ``s1``, ...
        counts : (n,) array, optional
            How many examples every row stands for, if the votes were counted before:
            ``SELECT s0, s1, count(*) ... GROUP BY s0, s1`` in a database.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> WeakSignals.from_votes([["spam", None], ["ham", "spam"]]).classes
        array(['ham', 'spam'], dtype='<U4')
        """
        if frames.is_frame(votes):
            made = cls.from_frame(
                votes, classes=classes, abstain=abstain, normalise=normalise
            )
            data, names = made._data, made.names if names is None else names
            if counts is not None:
                number = readers.read_counts(counts, len(frames.as_frame(votes)))
                data = replace(data, counts=number)
        else:
            coding = Coding(classes, abstain, normalise)
            data = readers.read_votes(votes, coding, counts=counts)
        return cls(data, names)

    @classmethod
    def from_long(
        cls,
        data: Any,
        *,
        task: str = "task",
        worker: str = "worker",
        label: str = "label",
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        normalise: bool = False,
    ) -> Self:
        """Class votes from a long table, one vote per row, as crowds deliver them.

        Parameters
        ----------
        data : data frame or mapping of columns
            One row per vote.
        task, worker, label : str
            Names of the three columns.
        classes, abstain, normalise
            As for `from_votes`.

        Returns
        -------
        WeakSignals
            One example per task, in the order of first appearance (see `index`), and
            one signal per worker.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> answers = {"task": ["a", "a", "b"], "worker": ["w1", "w2", "w1"],
        ...            "label": ["cat", "dog", "cat"]}
        >>> signals = WeakSignals.from_long(answers)
        >>> signals.index.tolist(), signals.names
        (['a', 'b'], ('w1', 'w2'))
        """
        columns = (task, worker, label)
        coding = Coding(classes, abstain, normalise)
        return cls(*readers.read_long(data, columns, coding))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        signals: str | Sequence[str] | None = None,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        normalise: bool = False,
        probabilities: bool = False,
        columns: str | None = None,
        bins: int | None = None,
    ) -> Self:
        """Signals from a pandas, Polars or PyArrow table, one column per signal.

        Parameters
        ----------
        frame : data frame
        signals : str or sequence of str, optional
            The columns to read, or patterns such as ``rule_*``; default: all.
        classes, abstain, normalise
            As for `from_votes`. Null always abstains.
        probabilities : bool
            Read the columns as probabilities: one column per signal, of the second of
            two classes, or one per signal and class if their names say so (``llm_neg``,
            ``llm_pos``) and they add up to one.
        columns : str, optional
            How such names are made, for example ``"{signal}_{class}"``.
        bins : int, optional
            Round them, as for `from_probabilities`.

        Examples
        --------
        >>> from corral import WeakSignals
        >>> import pandas
        >>> votes = pandas.DataFrame({"rule": ["spam", None], "crowd": ["ham", "spam"]})
        >>> WeakSignals.from_frame(votes)
        WeakSignals(2 examples, 2 signals, 2 classes, class votes)
        """
        table = frames.as_frame(frame)
        names = frames.column_names(table, signals)
        if not len(table) or not names:
            raise SignalsError(
                f"the table is empty: {len(table)} rows, {len(names)} signal columns."
            )
        if signals is None:
            head = table.head(ROWS_LOOKED_AT)
            firsts = {n: head.get_column(n).to_list() for n in names}
            warn_of_others(aside := sort_columns(firsts, classes))
            names = [name for name in names if name not in aside]
        array = frames.fill_missing(frames.matrix(table, names), abstain)
        if probabilities:
            groups = group_columns(names, array, columns, classes, abstain)
            data = readers.read_probabilities(
                groups.arrange(array), groups.classes or classes, abstain, bins=bins
            )
            return cls(data, groups.signals)
        if bins is not None or columns is not None:
            raise SignalsError("`bins=` and `columns=` go with `probabilities=True`.")
        coding = Coding(classes, abstain, normalise)
        return cls(readers.read_votes(array, coding), names)

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
        counts: ArrayLike | None = None,
        bins: int | None = None,
    ) -> Self:
        """Soft signals that give every class a probability.

        An array is copied, in its own precision.

        Parameters
        ----------
        probabilities : (n, m, k) array, or (n, m) for the second of two classes
            An abstain is NaN (or `abstain`) in all classes.
        classes : sequence, optional
            Class values; default ``0 .. k-1``.
        abstain : float, optional
            The value that means "no opinion"; default NaN.
        names : sequence of str, optional
        counts : (n,) array, optional
            How many examples every row stands for.
        bins : int, optional
            Round to multiples of ``1 / bins``. Examples with the same rounded
            probabilities are then solved once, as a pattern. `rounding_error` says
            what that costs.

        Examples
        --------
        >>> import numpy as np
        >>> from corral import WeakSignals
        >>> WeakSignals.from_probabilities([[0.9, np.nan], [0.2, 0.4]])
        WeakSignals(2 examples, 2 signals, 2 classes, class probabilities)
        >>> said = np.random.default_rng(0).random((100_000, 2))
        >>> signals = WeakSignals.from_probabilities(said, bins=20)
        >>> signals
        WeakSignals(100000 examples, 2 signals, 2 classes,
                    class probabilities in 20 bins (rounding error 0.012))
        >>> len(signals.patterns)
        441
        """
        data = readers.read_probabilities(
            probabilities, classes, abstain, bins=bins, counts=counts
        )
        return cls(data, names)

    @classmethod
    def from_one_vs_rest(
        cls,
        signals: ArrayLike,
        *,
        classes: Sequence[Any] | None = None,
        abstain: Any = None,
        names: Sequence[str] | None = None,
        counts: ArrayLike | None = None,
        bins: int | None = None,
    ) -> Self:
        """Signals that vote on one class at a time (the paper's form).

        Parameters
        ----------
        signals : (m, n, k) array
            Probability, or 0/1 vote, that example j is in class k; an abstain is
            -1, NaN or `abstain`. With ``k = 1`` the task is binary and the values
            vote on the second class.
        classes : sequence, optional
            Class values; default ``0 .. k-1``.
        abstain : float, optional
        names : sequence of str, optional
        counts, bins
            As for `from_probabilities`.

        Examples
        --------
        >>> import numpy as np
        >>> from corral import WeakSignals
        >>> signals = np.full((1, 3, 2), -1.0)
        >>> signals[0, :2, 0] = 1  # the one signal says class 0 of two examples
        >>> WeakSignals.from_one_vs_rest(signals)
        WeakSignals(3 examples, 1 signals, 2 classes, one-vs-rest)
        """
        data = readers.read_one_vs_rest(
            signals, classes, abstain, bins=bins, counts=counts
        )
        return cls(data, names)

    @classmethod
    def from_label_sets(
        cls,
        votes: Iterable[Iterable[Any]],
        *,
        classes: Sequence[Any] | None = None,
        separator: str = ";",
        names: Sequence[str] | None = None,
    ) -> Self:
        """Signals that name any number of classes of an example, as sets.

        One-vs-rest signals: a class that is in the set is a "yes", all others are a "no".

        Parameters
        ----------
        votes : (n, m) nested list or array of sets
            A set is a list of classes, or text such as ``"film; song"``; an empty list, or
            the separator alone, says that no class fits. None, NaN and "" abstain.
        classes : sequence, optional
            All classes in order; default: those that are named, sorted.
        separator : str
            What stands between classes in a text.
        names : sequence of str, optional

        Examples
        --------
        >>> from corral import WeakSignals
        >>> votes = [["film; song", ["film"]], [None, "song"], [";", "film"]]
        >>> signals = WeakSignals.from_label_sets(votes)
        >>> signals
        WeakSignals(3 examples, 2 signals, 2 classes, one-vs-rest)
        >>> signals.about("song").votes.tolist()
        [[1, 0], [-1, 1], [0, 0]]
        """
        signals, values = read_sets(votes, classes, separator)
        data = readers.read_one_vs_rest(signals, values, None)
        return cls(data, names)


def check_names(names: Sequence[str] | None, n_signals: int) -> tuple[str, ...]:
    """Names of the signals, different from each other; default s0, s1, ..."""
    if names is None:
        return tuple(f"s{i}" for i in range(n_signals))
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise SignalsError(f"names must be a list of names; {names!r} was given.")
    checked = tuple(str(name) for name in names)
    if len(checked) != n_signals:
        raise SignalsError(
            f"{len(checked)} names were given for {n_signals} signals. Give one per signal."
        )
    twice = [name for name, times in Counter(checked).items() if times > 1]
    if twice:
        raise SignalsError(
            f"signal names must differ; given twice: {', '.join(twice)}."
        )
    return checked
