"""Hugging Face datasets: columns of votes in, soft labels as a column out."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from corral.errors import ParameterError, SignalsError, StorageError
from corral.exchange import argilla
from corral.exchange.annotations import AnswerSheet
from corral.exchange.tool import Answered, Suggestion, Wanted
from corral.signals.abstains import is_no_vote
from corral.signals.frames import choose_columns
from corral.storage import atomic_write

NAME = "datasets"
EXPECTED = "a dataset that save_to_disk wrote, or an .arrow file,"
VOTES = "weak_labels"
"""The column of votes, one list per example, if none is named."""
MARKS = ("dataset_info.json", "dataset_dict.json", "state.json")


def knows_folder(path: Path) -> bool:
    """Whether a folder, or a file, holds a dataset."""
    return path.suffix == ".arrow" or any((path / mark).exists() for mark in MARKS)


def load_library() -> Any:
    """The library, if it is installed."""
    try:
        import datasets
    except ImportError as error:
        raise StorageError(
            "reading and writing datasets needs the package datasets; pip install datasets."
        ) from error
    return datasets


def open_dataset(path: Path) -> Any:
    """The dataset in a folder or an ``.arrow`` file, or its splits."""
    library = load_library()
    if path.suffix == ".arrow":
        return library.Dataset.from_file(str(path))
    return library.load_from_disk(str(path))


def choose_split(found: Any, split: str | None) -> Any:
    """A dataset itself, or one of its splits."""
    if not isinstance(found, dict):
        if split is not None:
            raise ParameterError(
                "is given, but there are no splits.", parameter="split"
            )
        return found
    if split is None and len(found) == 1:
        return next(iter(found.values()))
    if split not in found:
        raise ParameterError(
            f"must be one of {', '.join(map(repr, found))}; {split!r} was given.",
            parameter="split",
        )
    return found[split]


def collect(dataset: Any, sheet: AnswerSheet, wanted: Wanted) -> Answered:
    """Note votes: one column per signal, or one column that lists those of all."""
    columns = dataset.column_names
    if wanted.signals is None and VOTES not in columns:
        if any(name.endswith(argilla.FLAT) for name in columns):
            records = [("", record) for record in dataset]
            return argilla.collect(records, sheet, wanted)
        raise ParameterError(
            f"the dataset has the columns {', '.join(map(repr, columns))}. Say which are "
            f"votes with `signals=`."
        )
    wanted.refuse_other("datasets", "signals", "gold", "text", "split")
    chosen = choose_columns(columns, wanted.signals or VOTES)
    for name in (wanted.gold, wanted.text):
        if name is not None and name not in columns:
            raise ParameterError(
                f"no column is named {name!r}; there are {', '.join(columns)}."
            )
    text = wanted.text or ("text" if "text" in columns else None)
    gold = wanted.gold
    if gold in chosen:
        raise ParameterError(
            f"column {gold!r} is a signal, too. True classes are no votes: name the others "
            f"with `signals=`.",
            parameter="gold",
        )
    names = {name: _class_names(dataset, name) for name in chosen}
    if gold is not None:  # codes without names are those of the votes
        names[gold] = _class_names(dataset, gold) or names[chosen[0]]
    length = dict.fromkeys(chosen, -1)
    for number, record in enumerate(dataset):
        row = sheet.add_example(
            [number], record, None if text is None else record[text]
        )
        for signal in chosen:
            said = record[signal]
            each = {signal: said}
            if _is_list(dataset, signal):
                each = {f"{signal}_{at}": v for at, v in enumerate(said or ())}
                if each and length[signal] not in (-1, len(each)):
                    raise SignalsError(
                        f"lists of votes must be equally long, one vote per signal; "
                        f"{signal!r} has {length[signal]}, and {len(each)} in row {number}."
                    )
                length[signal] = len(each) or length[signal]
            for name, value in each.items():
                sheet.add_signal(name)
                if not _is_silent(value):
                    sheet.add_vote(row, name, _name(value, names[signal]))
                elif isinstance(value, str):
                    sheet.skip("answers that mean no vote")
        if gold is not None and not _is_silent(record[gold]):
            sheet.add_known(row, _name(record[gold], names[gold]))
    listed = [each for each in names.values() if each is not None]
    return Answered(classes=list(dict.fromkeys(chain(*listed))) or None)


def _is_silent(value: Any) -> bool:
    return is_no_vote(value) or value == -1


def _name(value: Any, names: list[str] | None) -> Any:
    """The class of a vote; a column with missing codes may have made them floats."""
    code = int(value) if isinstance(value, float) and value.is_integer() else value
    if names is None or not isinstance(code, int):
        return code
    if not 0 <= code < len(names):
        raise SignalsError(
            f"codes of classes must be from 0 to {len(names) - 1}, or -1; {code} came."
        )
    return names[code]


def _is_list(dataset: Any, column: str) -> bool:
    kind = dataset.features[column]
    return isinstance(kind, list) or hasattr(kind, "feature")


def _class_names(dataset: Any, column: str) -> list[str] | None:
    """The names of the classes, where the dataset says what its codes mean."""
    kind = dataset.features[column]
    kind = getattr(kind, "feature", kind)
    names = getattr(kind, "names", None)
    return None if names is None else list(names)


def write(
    path: Path,
    dataset: Any,
    columns: dict[str, list[Any]],
    suggestions: list[Suggestion],
    soft: Any,
    classes: list[Any],
) -> None:
    """Save a dataset with the columns hard_label, soft_label and confidence.

    Parameters
    ----------
    path : path
        A folder, which must not be there.
    dataset : Dataset or None
        What to add to; None: a new one of `columns`.
    columns : dict
    suggestions, soft, classes
        The labels: one by one, as probabilities (n, k), and what their columns are.
    """
    library = load_library()
    made = library.Dataset.from_dict(columns) if dataset is None else dataset
    code = {value: at for at, value in enumerate(classes)} | {None: -1}
    hard = library.ClassLabel(names=list(map(str, classes)))
    added = {
        "hard_label": ([code[s.label] for s in suggestions], hard),
        "soft_label": (soft.tolist(), library.Sequence(library.Value("float64"))),
        "confidence": ([s.confidence for s in suggestions], library.Value("float64")),
    }
    clash = [name for name in added if name in made.column_names]
    if clash:
        raise ParameterError(
            f"the dataset has {', '.join(map(repr, clash))} already. Remove such columns "
            "before, with dataset.remove_columns."
        )
    for name, (values, kind) in added.items():
        made = made.add_column(name, values, feature=kind)
    with atomic_write(path, folder=True) as temporary:
        made.save_to_disk(str(temporary))
