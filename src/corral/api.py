"""Votes in, answers out: `label`, `panel`, `report`; and what a shell calls."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from corral.checks import check_positive, check_share, check_whole, make_generator
from corral.errors import CorralWarning, ParameterError, SignalsError
from corral.exchange import Annotations, write_annotations
from corral.exchange.annotations import check_target
from corral.io.files import VoteFiles, write_columns
from corral.io.gold import as_name, names_columns
from corral.io.lazy import Columns, refuse_clash
from corral.io.reader import Reading, Votes, make_reading, read_votes
from corral.storage import check_output, kind_of
from corral.votes import WeakSignals
from corral.votes.coding import code_labels
from corral.votes.columns import as_given, choose_columns, new_columns

if TYPE_CHECKING:
    from corral.explain import Explanation
    from corral.functions.apply_functions import AppliedFile
    from corral.labelers import Labeler
    from corral.labelers.labelled import LabelFacts
    from corral.panels import PanelReport
    from corral.reports.label_report import LabelReport
    from corral.study import Inspection, SuggestedRows

# What labels and what studies is imported where it is used: each is slow to load.

TABLES = (".csv", ".tsv", ".parquet")
"""Endings by which the labels of a tool's file are written as a table."""


def label(
    votes: Any,
    examples: Any = None,
    *,
    gold: Any = None,
    labeler: Labeler | str | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    prefix: str = "",
    **options: Any,
) -> Any:
    """Label examples from their votes, and from the true labels of some if there are any.

    Parameters
    ----------
    votes : array, nested list, sparse array, WeakSignals, table or path
        One row per example, one column per signal. A table is a pandas, Polars (eager
        or lazy), PyArrow, Hugging Face or Spark one or a DuckDB relation. A path may be
        a file, a folder or a pattern such as ``votes/*.parquet`` (CSV, TSV, Parquet or
        JSON lines), or a file of an annotation tool. Or a list of functions, which vote
        on `examples`, as for `corral.apply`.
    examples : sequence of n examples or table, optional
        For functions only: texts, or rows.
    gold : (n,) array of class values, str or path, optional
        True labels, None where unknown; or the name of their column of a table, or a file
        that has them. Their rows keep them, and they move the labels of all others: see
        `ConstrainedLabeler.fit`.
    labeler : Labeler or str, optional
        What labels: a labeler, or its name, such as ``"dawid-skene"`` (all of them are
        in ``corral.labelers.LABELERS``); default ``"constrained"``. ``method`` is the same.
    output : path, optional
        Where to write, if `votes` is a path; never over an input.
    overwrite : bool
        Replace an output that is there already.
    prefix : str
        Put in front of the names of the columns added to a table.
    **options
        How votes are read: the attributes of `corral.io.reader.Reading`, such as
        ``signals``, ``id``, ``task``, ``probabilities``, ``classes`` and ``abstain``. All
        others are options of the labeler, if it is given by name: by default those of
        `ConstrainedLabeler`, such as ``error_rates``.

    Returns
    -------
    (n, k) array of float, a table of the kind given, or the path of the output
        A table gets the columns ``p_<class>``, one per class, ``label``,
        ``confidence`` and ``covered``. In multi-label tasks the
        confidence is the probability that all classes are right.

    Examples
    --------
    >>> import corral
    >>> corral.label([[1, 1, -1], [0, 1, 0], [-1, 0, 0]]).round(1)
    array([[0.2, 0.8],
           [0.7, 0.3],
           [0.9, 0.1]])
    """
    from corral.labelers import labeler_of
    from corral.labelers.labelled import label_columns

    if isinstance(votes, list | tuple) and votes and all(map(_is_function, votes)):
        from corral.functions import apply

        if examples is None:
            raise ParameterError(
                "functions vote on examples; give these, too: corral.label([f, g], texts)."
            )
        votes = apply(votes, examples)
    elif examples is not None:
        raise ParameterError(
            "is for functions, as in corral.label([f, g], texts); true labels are `gold=`.",
            parameter="examples",
        )
    labeler = options.pop("method", labeler)
    known = {each.name for each in fields(Reading)}
    how = Reading(**{name: options.pop(name) for name in known & set(options)})
    if how.separator is not None and (labeler is None or isinstance(labeler, str)):
        options["multilabel"] = True
    chosen = labeler_of("constrained" if labeler is None else labeler, **options)
    if how.separator is not None and not getattr(chosen, "multilabel", False):
        raise ParameterError(
            "`separator=` makes a multi-label task, and the labeler is for one "
            "class per example; give it multilabel=True."
        )
    if isinstance(votes, str | PathLike):
        if output is None:
            raise ParameterError("say where to write the labels with `output=`.")
        label_files(
            votes,
            output,
            how,
            chosen,
            gold=gold,
            overwrite=overwrite,
            prefix=prefix,
        )
        return Path(output)
    if output is not None or overwrite:
        name = "overwrite" if output is None else "output"
        raise ParameterError("goes with the path of a file of votes.", parameter=name)
    found = read_votes(votes, how, gold=gold)
    table, frame = found.table, found.frame
    if table is None and prefix and frame is None:
        raise ParameterError("`prefix=` is for the columns of a table.")
    _learn(chosen, found)
    if table is None and frame is None:
        return chosen.labels_
    added = label_columns(chosen, prefix, separator=how.separator)
    if table is not None:
        if found.task is None:
            return table.labelled(added)
        return table.make({found.task: np.asarray(found.signals.index), **added})
    if found.task is not None:  # one row per task, in the order in which they were read
        names = [*enumerate(frame.get_column(found.task).to_list())]
        first = {name: at for at, name in reversed(names)}
        rows = [first[name] for name in np.asarray(found.signals.index).tolist()]
        frame = frame.select(found.task)[rows, :]
    refuse_clash(added, frame.columns, exact=True)
    return as_given(votes, new_columns(frame, added))


def _is_function(vote: Any) -> bool:
    """Whether this is a function that votes, not what a signal says of a row."""
    from corral.functions.base import SignalFunction

    return callable(vote) or isinstance(vote, SignalFunction)


def _learn(labeler: Any, found: Votes) -> None:
    """Fit a labeler to what was read, with the true labels if there are any."""
    if found.gold is None:
        labeler.fit(found.signals)
    elif "gold" in signature(labeler.fit).parameters:
        labeler.fit(found.signals, gold=found.gold)
    else:
        raise ParameterError(
            f"goes with ConstrainedLabeler and OrdinalLabeler; {type(labeler).__name__} "
            "does not learn from true labels.",
            parameter="gold",
        )


def label_files(
    votes: str | PathLike[str],
    output: str | PathLike[str],
    how: Reading,
    labeler: Labeler,
    *,
    gold: Any = None,
    overwrite: bool = False,
    prefix: str = "",
) -> LabelFacts:
    """Label files and write them: what `label` does with a path, and the command line."""
    from corral.labelers.labelled import describe_labels, label_columns

    check_output(output, inputs=[votes], overwrite=overwrite)
    if Path(output).suffix.lower() != ".json":  # which tools read
        kind_of(Path(output))
    found = read_votes(votes, how, gold=gold)
    signals, table, source = found.signals, found.table, found.source
    if not isinstance(source, Annotations) or Path(output).suffix.lower() in TABLES:
        source = None
        kind_of(Path(output))
    else:
        check_target(output, source.format, overwrite, source)
        if prefix:
            raise ParameterError(
                "is for tables, not for files of annotation tools.", parameter="prefix"
            )
    _learn(labeler, found)
    sets = how.separator
    if source is not None:
        write_annotations(output, source, labeler, overwrite=overwrite)
    else:
        added = label_columns(labeler, prefix, empty=True, separator=sets)
        if isinstance(table, VoteFiles) and found.task is None and sets is None:
            table.write(output, added, overwrite=overwrite)
        else:
            _write_beside(output, found, added, overwrite)
    n_rows, n_patterns = len(signals), signals.n_rows
    if table is not None and found.task is None:
        n_rows, n_patterns = table.n_rows, table.n_patterns
    return describe_labels(
        labeler,
        signals,
        n_rows,
        n_patterns,
        # what a tool's file says is known measures the labels, too
        found.gold if source is None or gold is not None else source.known,
        text=found.text,
        annotations=None if source is None else source.to_dict(),
    )


def _write_beside(
    output: str | PathLike[str], found: Votes, added: Columns, overwrite: bool
) -> None:
    """Write labels, one per row that was read, beside what names the rows."""
    table, index = found.table, found.signals.index
    if isinstance(table, VoteFiles) and index is None:
        table.write_beside(output, added, keep=table.columns, overwrite=overwrite)
        return
    beside = found.columns
    if beside is None:
        beside = {found.ids[0]: np.asarray(index)}
    refuse_clash(added, beside, exact=False)
    write_columns(output, {**beside, **added}, overwrite=overwrite)


def panel(
    votes: Any,
    *,
    gold: Any,
    slices: Any = None,
    sampling: Any = None,
    ordered: bool = False,
    require: str | Sequence[str] | None = None,
    system: str | ArrayLike | None = None,
    against: Any = None,
    automate: float | None = None,
    confidence: float = 0.9,
    since: Any = None,
    look: int | None = None,
    epsilon: float = 0.2,
    level: float = 0.9,
    random_state: Any = 0,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    **reading: Any,
) -> PanelReport:
    """Say what a panel of judges is worth, by some human labels, and label all rows.

    A hundred rows, drawn at random, have a human label. That gives the share of every
    class with an interval that holds whatever errors the judges have in common, the errors
    of every judge, how many independent judges they are worth, and a label for every row.

    Parameters
    ----------
    votes : array, nested list, WeakSignals, table or path
        As for `corral.label`; verdicts or probabilities.
    gold : (n,) array of class values, str, list of str or (n, a) array
        Human labels, as for `corral.label`; ten at least. A list of texts is labels if
        there is one per row and none is a column. Several columns are of several people:
        the truth is what most of them say, of ties the first of them, and the alt-test
        says which judge may replace one of them.
    slices : str, list of str, (n,) array, or mapping from a name to (n,) values, optional
        What to give shares by: names of columns of a table, or values.
    sampling : (n,) array of float, or str, optional
        The probability that each row had to be chosen for labeling. Default: all had the
        same; then labelled rows whose votes no random sample would have are refused.
    ordered : bool
        Classes have an order, such as grades: kappa is weighted, with a rank correlation
        beside it, and numbers have a mean.
    require : str or list of str, optional
        What must hold, such as ``"accuracy >= 0.85"``, ``"share(fail) <= 10%"`` or
        ``"kappa(best) >= 0.6"``; `gate` of the result says whether it does.
    system : (n,) array of values, or str, optional
        Which system every row is of: the others are compared with the first. Rows of one
        item have the same value in the first column of `id`.
    against : table or path, optional
        A second table like `votes`, of another system, which is compared with the first.
    automate : float, optional
        At most this share of the rows that judges decide alone is to be wrong, with
        probability `confidence`; see `PanelReport.automate`.
    since : PanelReport or path, optional
        An earlier panel, or the file that its ``save`` wrote: what changed since?
    look : int, optional
        How many panels have been compared with it, with this one; default: one more than
        it had been compared with itself.
    epsilon : float
        What an annotator costs more than a judge, for the alt-test.
    level : float
        Probability of the intervals.
    random_state : int, Generator or None
        For draws behind intervals and behind the choice of the best judge.
    output : path, optional
        Where to write the table with its labels, if `votes` is a path to a table with a
        column per judge: a probability per class, the class and its probability.
    overwrite : bool
        Replace a file that is there.
    **reading
        How votes are read, as for `corral.label`: ``signals``, ``task`` and so on.

    Returns
    -------
    PanelReport
        Print it; ``shares``, ``judges``, ``slices``, ``labels_`` and more have the numbers.

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
    """
    how = make_reading(reading)
    if automate is not None:
        check_share("automate", automate, "between 0 and 1")
    if look is not None and since is None:
        raise ParameterError("goes with `since=`.", parameter="look")
    if output is not None:
        is_file = isinstance(votes, str | PathLike)
        if not is_file or how.task is not None or against is not None:
            raise ParameterError(
                "is for one file with a column per judge; `labels_` of the result has "
                "the labels of others.",
                parameter="output",
            )
        kind_of(Path(output))
        check_output(output, inputs=[votes], overwrite=overwrite)
    several = [gold]
    if isinstance(gold, list) and gold and all(isinstance(one, str) for one in gold):
        several = gold if names_columns(gold, votes) else [gold]
    elif not isinstance(gold, str) and np.ndim(gold) == 2:
        several = list(np.asarray(gold, object).T)
    roles = ["gold", *(f"gold_{i}" for i in range(2, len(several) + 1))]
    beside: dict[str, Any] = dict(zip(roles, several, strict=True))
    beside |= {"slices": slices, "sampling": sampling}
    found = read_votes(votes, how, by_row=True, system=system, **beside)
    signals, values = found.signals, found.values
    items = next(iter(values.get("names") or ()), None)
    if against is not None:
        if system is not None:
            raise ParameterError("does not go with `system=`.", parameter="against")
        other = read_votes(against, how, by_row=True, **beside)
        signals, values, items = _add_system(found, other)
    people = np.column_stack(
        [code_labels(values[one], signals.classes, len(signals)) for one in roles]
    )
    from corral.panels import study_panel
    from corral.panels.inputs import find_majority

    study = study_panel(
        signals,
        find_majority(people, len(signals.classes)),
        slices=values.get("slices"),
        sampling=values.get("sampling"),
        level=level,
        random_state=random_state,
        people=people if len(several) > 2 else None,
        ordered=ordered,
        epsilon=epsilon,
    )
    asked: dict[str, Any] = {}
    if "system" in values:
        asked["systems"] = study.compare_systems(values["system"], items)
    if require:
        asked["gate"] = study.check(require)
    if automate is not None:
        asked["automation"] = study.automate(
            error=automate, confidence=confidence, random_state=random_state
        )
    if since is not None:
        asked["drift"] = study.since(since, look)
    study = replace(study, **asked)
    if output is not None:
        _write_beside(output, found, study.label_columns(), overwrite)
    return study


def _add_system(a: Votes, b: Votes) -> tuple[WeakSignals, dict[str, Any], Any]:
    """Two tables as one, with the system of every row, "A" or "B", and its item."""
    one, two = a.signals, b.signals
    same = np.array_equal(one.classes, two.classes)
    alike = one.is_hard == two.is_hard and (same or one.is_hard)
    if set(one.names) != set(two.names) or not alike:
        has = [f"{', '.join(s.names)} on {s.classes.tolist()}" for s in (one, two)]
        raise SignalsError(
            "the second table must have the judges of the first, and the same kind of "
            f"answers: {has[0]}; it has {has[1]}."
        )
    make: Any = (
        WeakSignals.from_votes if one.is_hard else WeakSignals.from_probabilities
    )
    own, other = (
        np.array([*s.classes.tolist(), None], object)[s.votes]
        if s.is_hard
        else s.probabilities[s.row_of]
        for s in (one, two)
    )
    order = [two.names.index(name) for name in one.names]
    both = np.concatenate([own, other[:, order]])
    classes = one.classes.tolist() if same else None
    made = make(both, names=one.names, classes=classes)
    values: dict[str, Any] = {"system": np.repeat(["A", "B"], [len(one), len(two)])}
    for role, mine in a.values.items():
        theirs = b.values[role]
        if role == "slices":
            values[role] = {n: np.append(mine[n], theirs[n]) for n in mine}
        elif role != "names":
            values[role] = np.append(np.asarray(mine, object), theirs)
    names = [each.values.get("names") for each in (a, b)]
    items = [item for each in names if each for item in each[0]]
    return made, values, items if all(names) else None


def report(
    votes: Any,
    *,
    gold: Any = None,
    text: Any = None,
    labeler: Labeler | str | None = None,
    title: str | None = None,
    random_state: int = 0,
    **reading: Any,
) -> LabelReport:
    """Say how good labels are, what signals do, what to do next, and what to read.

    Parameters
    ----------
    votes : as for `corral.label`
        Rows of a path or a relation stay in their engine but for those that are shown.
    gold : (n,) array of class values, str or path, optional
        True labels, as for `corral.label`. Only scores look at them, no labeler does.
    text : sequence of n texts, or str, optional
        What the examples are, or the name of that column.
    labeler : Labeler or str, optional
        What labels the votes: a labeler, fitted or not, or its name; default
        `ConstrainedLabeler`. One that is fitted stays as it is. ``method`` is the same.
    title : str, optional
        Default: the name of the file.
    random_state : int
        For methods that start at random, and to choose among rows with the same votes.
    **reading
        How votes are read, as for `corral.label`: ``signals``, ``task`` and so on. Columns
        of ``id`` name the rows that are shown.

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
    labeler = reading.pop("method", labeler)
    how = make_reading(reading)
    check_whole("random_state", random_state)
    from corral.labelers import Labeler, labeler_of
    from corral.reports.label_report import compute_report
    from corral.reports.rows import LabelledVotes

    if isinstance(votes, Labeler):
        raise ParameterError(
            "a labeler keeps no votes: give them, corral.report(votes, labeler=labeler)."
        )
    chosen = labeler_of("constrained" if labeler is None else labeler)
    if getattr(chosen, "multilabel", False):
        raise ParameterError(
            "a report is on tasks in which an example has one class; of a multi-label "
            "task, make one per class: corral.report(signals.for_class(c))."
        )
    found = read_votes(votes, how, gold=gold, text=text)
    signals = found.signals
    if (texts := found.values.get("text")) is not None:
        # Arrow's values are no texts.
        texts = list(texts.to_pylist() if hasattr(texts, "to_pylist") else texts)
        if len(texts) != len(signals):
            raise ParameterError(
                f"must hold one text for each of the {len(signals):,} rows; "
                f"{len(texts):,} came.",
                parameter="text",
            )
        found.values["text"] = texts
    truth = np.full(len(signals), -1)
    if found.gold is not None:
        truth = code_labels(found.gold, signals.classes, len(signals))
        if not ((truth >= 0) & signals.covered).any():
            raise ParameterError(
                "holds no true label of an example that a signal votes on.",
                parameter="gold",
            )
    caught: list[Any] = []
    if not hasattr(chosen, "model_"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            chosen.fit(signals)
    for one in caught:  # as if nobody had listened
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    labelled = LabelledVotes(
        chosen,
        signals,
        chosen.predict_proba(signals),
        chosen.covers(signals),
        truth,
        tuple(str(w.message) for w in caught if issubclass(w.category, CorralWarning)),
    )
    named = Path(fspath(votes)).name if isinstance(votes, str | PathLike) else ""
    return compute_report(
        labelled,
        found,
        title=title or named or f"Votes of {signals.n_signals:,} signals",
        data=named or repr(signals),
        seed=int(random_state),
    )


def explain_row(
    votes: str | PathLike[str],
    row: str,
    how: Reading,
    labeler: Labeler,
    gold: Any = None,
) -> Explanation:
    """Say which signals moved the label of a row of a file, and how far.

    The row is named by what it has in the first column that names rows; by its number, from
    1, if the reading names none. A labeler that is not fitted is fitted on the file.
    """
    found = read_votes(votes, how, by_row=True, gold=gold)
    names = found.values.get("names")
    if found.task is not None:
        names = (np.asarray(found.signals.index).tolist(),)
    if names:
        places = [i for i, name in enumerate(names[0]) if str(name) == row]
        said = f"{len(places) or 'no'} rows are named {row!r} in the first such column"
    else:
        is_number = row.isdecimal() and 1 <= int(row) <= len(found.signals)
        places = [int(row) - 1] if is_number else []
        said = (
            f"the row must be a number from 1 to {len(found.signals):,}; {row!r} came"
        )
    if len(places) != 1:
        raise ParameterError(
            f"{said}. `id=` says by which column rows are named; without it they go by "
            "their number."
        )
    if not hasattr(labeler, "model_"):
        _learn(labeler, found)
    return replace(labeler.explain(places[0], found.signals), example=row)


def inspect(
    votes: Any,
    *,
    gold: Any = None,
    show: Sequence[str] = (),
    error_rates: Any = "auto",
    **reading: Any,
) -> Inspection:
    """Say what signals do, how far they agree, and what to do next.

    Parameters
    ----------
    votes, gold
        As for `corral.label`. Only scores look at true labels.
    show : list of "agreement" and "advice"
        Parts to show whole; by default all are shown in short, and what the votes do not
        allow is left out, and said.
    error_rates
        As for `ConstrainedLabeler`, whose labels the advice is about.
    **reading
        How votes are read, as for `corral.label`.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7, 0.6], coverage=0.6)
    >>> found = corral.inspect(votes, gold=truth)
    >>> found.analysis.gold.error_rates.argmax()
    np.int64(3)
    """
    from corral import study
    from corral.labelers import ConstrainedLabeler
    from corral.labelers.labelled import find_accuracy

    how = make_reading(reading)
    if gold is not None and how.separator is not None:
        raise ParameterError(
            "is for tasks in which an example has one class; compare methods on sets of "
            "classes with corral compare.",
            parameter="gold",
        )
    found = read_votes(votes, how, gold=gold)
    read = found.signals
    parts: dict[str, Any] = {}
    skipped: list[str] = []

    def attempt(part: str, function: Any, *given: Any, **options: Any) -> Any:
        """What a function finds; or None, with a reason, if all parts are shown."""
        if show and part not in show:
            return None
        try:
            return function(*given, **options)
        except SignalsError as error:
            if show:
                raise
            skipped.append(f"{part.capitalize()} was left out: {error}")
            return None

    made = ConstrainedLabeler(error_rates, multilabel=how.separator is not None)
    labeler = attempt("advice", made.fit, read)
    accuracy = None
    if labeler is not None:
        accuracy = find_accuracy(labeler, read, found.gold)
    if not show:
        single = None if labeler is None or labeler.multilabel else labeler
        parts["analysis"] = study.analyse(read, single, found.gold)
    parts["agreement"] = attempt("agreement", study.agreement, read)
    values = None
    if labeler is not None:
        values = attempt("advice", study.value_of_signal, labeler, read)
        parts["redundancy"] = study.redundancy(read)
    if values is not None:
        if "analysis" in parts and (scores := parts["analysis"].gold) is not None:
            right = None if accuracy is None else accuracy.labels
            label_error = 0.0 if right is None else 1 - right.value
            values = values.judged_by(scores, label_error)
        parts["values"] = values
    return study.Inspection(
        read.reading,
        round(read.counts.sum()),
        read.harden().n_rows,
        accuracy,
        **parts,
        skipped=tuple(skipped),
    )


def suggest(
    votes: Any,
    k: int = 50,
    *,
    gold: Any = None,
    text: str | None = None,
    random_state: int = 0,
    **reading: Any,
) -> SuggestedRows:
    """Random rows to label by hand, by their ids or numbers from 1: a form to fill in.

    `k` rows, or all that have a vote if these are fewer; none that `gold` labels: those
    stand below them with their labels, so that the form has all that is known. `write`
    makes a CSV file of it, which all functions take back as `gold` once its column
    ``label`` is filled in. It does not show what signals say: who labels should not see it.

    Examples
    --------
    >>> import corral
    >>> rows = corral.suggest([["a", "b"], ["b", None], ["b", "b"]], 2)
    >>> list(rows.tables[0].columns)
    ['row', 'label']
    """
    check_positive("k", k)
    rng = make_generator(random_state)
    from corral.study import SuggestedRows, fetch_rows

    how = make_reading(reading)
    found = read_votes(votes, how, gold=gold, text=text)
    signals, names = found.signals, list(found.ids)
    if taken := [name for name in names if name.lower() == "label"]:
        raise ParameterError(
            f"column {taken[0]!r} cannot name the rows of the form, as it would be there "
            "twice; name the columns that do with `id=`."
        )
    left = np.where(signals.harden().covered, signals.row_weights, 0)
    codes = np.full(len(signals), -1)
    if found.gold is not None:
        codes = code_labels(found.gold, signals.classes, len(signals))
    left[codes >= 0] = 0
    if left.sum() < 1:
        raise ParameterError("there are no rows with a vote and no label yet.")
    k = min(k, int(left.sum()))
    drawn = rng.choice(int(left.sum()), k, replace=False)
    drawn = np.searchsorted(np.cumsum(left), drawn, side="right")
    often = Counter(drawn.tolist())  # as drawn: the first of them are random, too
    patterns, times = np.array([*often]), np.array([*often.values()])
    known = np.flatnonzero(codes >= 0)
    patterns = np.concatenate([patterns, known])
    times = np.concatenate([times, signals.row_weights[known]]).astype(int)
    at, numbers, cells, texts = fetch_rows(found, patterns, times)
    if signals.index is not None:
        names = names or ["task"]
    tell_apart = len(set(zip(*cells, strict=True))) == len(numbers)
    if len(names) != len(cells) or not tell_apart:
        names, cells = ["row"], [numbers]
    columns = dict(zip(names, cells, strict=True))
    if texts is not None:
        columns.setdefault(found.text or "text", texts)
    answers = np.array([*signals.classes.tolist(), None], object)
    columns["label"] = answers[codes[patterns[at]]].tolist()
    return SuggestedRows(
        {name: list(map(as_name, column)) for name, column in columns.items()}
    )


def apply_file(
    functions: str | PathLike[str],
    data: str | PathLike[str],
    output: str | PathLike[str],
    *,
    keep: Sequence[str] | None = None,
    prefix: str = "",
    overwrite: bool = False,
    on_error: Literal["raise", "abstain"] = "raise",
) -> AppliedFile:
    """Apply the functions of a Python file to the rows of a file, and write their votes.

    The output has the columns `keep` of the data (default: all), and one per function: its
    votes, or, if any function gives probabilities, that of the second of two classes, or
    one column per class. `on_error` is that of `corral.apply`.
    """
    from corral.functions import Row, apply, load_functions
    from corral.functions.apply_functions import AppliedFile, vote_columns

    table = VoteFiles(data)
    kind_of(Path(output))
    check_output(output, inputs=[data], overwrite=overwrite)
    kept = table.columns if keep is None else choose_columns(table.columns, keep)
    chosen = load_functions(functions)
    rows = [
        Row(dict(zip(table.columns, cells, strict=True))) for cells in table.read_rows()
    ]
    found = apply(chosen, rows, on_error=on_error)
    added = {f"{prefix}{name}": cells for name, cells in vote_columns(found).items()}
    table.write_beside(output, added, keep=kept, overwrite=overwrite)
    return AppliedFile(
        len(found),
        found.classes,
        not found.is_hard,
        float(found.covered.mean()),
        found.names,
        found.coverage,
        found.conflicts,
        tuple(kept),
        tuple(added),
    )
