"""Hugging Face datasets: columns of votes in, soft labels as a column out."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from corral.errors import ParameterError, SignalsError, StorageError
from corral.exchange import argilla
from corral.exchange.answers import Annotations, AnswerSheet, Labels, Tool
from corral.storage import atomic_write
from corral.votes.coding import is_no_vote
from corral.votes.columns import choose_columns

VOTES = "weak_labels"
"""The column of votes, one list per example, if no other is named."""
MARKS = ("dataset_info.json", "dataset_dict.json", "state.json")


def is_dataset(data: Any) -> bool:
    """Whether this is a dataset, or splits of one."""
    return type(data).__module__.partition(".")[0] == "datasets"


def _knows(path: Path) -> bool:
    return path.suffix == ".arrow" or any((path / mark).exists() for mark in MARKS)


def _load_library() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise StorageError(
            "reading and writing datasets needs the package datasets; pip install datasets."
        ) from error
    return datasets


def _choose_split(source: Any, split: str | None) -> Any:
    """The dataset, or one of its splits, from a path if it is not loaded."""
    found = source
    if not is_dataset(source):
        library, place = _load_library(), str(source)
        is_file = source.suffix == ".arrow"
        read = library.Dataset.from_file if is_file else library.load_from_disk
        found = read(place)
    splits = found if isinstance(found, dict) else {}
    if split is None and not splits:
        return found
    if split is None and len(splits) == 1:
        return next(iter(splits.values()))
    if split not in splits:
        raise ParameterError(
            f"must be one of the splits {list(splits)}; {split!r} was given.",
            parameter="split",
        )
    return splits[split]


def collect(source: Any, sheet: AnswerSheet) -> None:
    """Note votes: one column per signal, or one column that lists those of all."""
    gold, text = sheet.options["gold"], sheet.options["text"]
    dataset = _choose_split(source, sheet.options["split"])
    columns = dataset.column_names
    if sheet.options["signals"] is None and VOTES not in columns:
        if not any(name.endswith(argilla.RESPONSES) for name in columns):
            raise ParameterError(
                f"the dataset has the columns {columns}. Say which are votes with "
                "`signals=`."
            )
        sheet.refuse_options("argilla", (*argilla.ARGILLA.options, "split"))
        argilla.collect([("", record) for record in dataset], sheet)
        sheet.records = dataset
        return
    sheet.refuse_options("datasets", ("signals", "gold", "text", "split"))
    chosen = choose_columns(columns, sheet.options["signals"] or VOTES)
    for name in (gold, text):
        if name is not None and name not in columns:
            raise ParameterError(f"no column is named {name!r}; there are {columns}.")
    if gold in chosen:
        raise ParameterError("is a signal, too; name the others.", parameter="gold")
    text = text or ("text" if "text" in columns else None)
    names = {name: _class_names(dataset, name) for name in chosen}
    if gold is not None:  # codes without names are those of the votes
        names[gold] = _class_names(dataset, gold) or names[chosen[0]]
    kinds = {name: dataset.features[name] for name in chosen}
    lists = {
        n for n, k in kinds.items() if isinstance(k, list) or hasattr(k, "feature")
    }
    length: dict[str, int] = {}
    for number, record in enumerate(dataset):
        row = sheet.add_example([number], record, record[text] if text else None)
        for signal in chosen:
            said = {signal: record[signal]}
            if signal in lists:
                each = record[signal] or ()
                said = {f"{signal}_{at}": value for at, value in enumerate(each)}
                if said and length.setdefault(signal, len(said)) != len(said):
                    raise SignalsError(
                        f"lists of votes must be equally long; {signal!r} has "
                        f"{length[signal]}, and {len(said)} in row {number}."
                    )
            for name, value in said.items():
                sheet.add_signal(name)
                if not _is_silent(value):
                    sheet.add_answer(row, name, [_name(value, names[signal])])
                elif isinstance(value, str):
                    sheet.skip("answers that mean no vote")
        if gold is not None and not _is_silent(record[gold]):
            sheet.add_known(row, _name(record[gold], names[gold]))
    listed = [each for each in names.values() if each is not None]
    sheet.classes = list(dict.fromkeys(chain(*listed))) or None
    sheet.records = dataset


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


def _class_names(dataset: Any, column: str) -> list[str] | None:
    """The names of the classes, where the dataset says what its codes mean."""
    kind = dataset.features[column]
    names = getattr(getattr(kind, "feature", kind), "names", None)
    return None if names is None else list(names)


def write(
    path: Path,
    found: Annotations | None,
    texts: list[str] | None,
    labels: Labels | None,
) -> None:
    """Save a dataset with the columns hard_label, soft_label and confidence."""
    assert labels is not None
    library = _load_library()
    made: Any
    if found is not None and found.format == HUGGING_FACE.name:
        made = found.records
    else:
        ids = {} if found is None else {"id": found.ids.tolist()}
        made = library.Dataset.from_dict({**ids, "text": texts})
    code = {value: at for at, value in enumerate(labels.classes)} | {None: -1}
    number = library.Value("float64")
    added = {
        "hard_label": (
            [code[label] for label in labels.answers],
            library.ClassLabel(names=list(map(str, labels.classes))),
        ),
        "soft_label": (labels.soft.tolist(), library.Sequence(number)),
        "confidence": (labels.soft.max(axis=1).tolist(), number),
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


HUGGING_FACE = Tool(
    "datasets",
    "a dataset that save_to_disk wrote, or an .arrow file,",
    ("question", "text", "predictions", "signals", "gold", "split"),
    _knows,
    collect,
    write=write,
)
