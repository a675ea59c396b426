"""Data and project as the workbench begins with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.errors import CorralError, StorageError
from corral.workbench.actions import Facts, name_classes
from corral.workbench.function_rules import FunctionRules, run_functions
from corral.workbench.project import Project
from corral.workbench.project_file import ProjectFile, check_classes
from corral.workbench.row_store import RowStore, row_hash


@dataclass(frozen=True)
class Opened:
    """What was read.

    Attributes
    ----------
    store : RowStore
    functions : FunctionRules or None
    functions_file : path or None
    file : ProjectFile
        Locked.
    project : Project
    data : dict
        What the file says of the rows.
    is_saved : bool
        Whether the file has the project as it is.
    facts : Facts
    """

    store: RowStore
    functions: FunctionRules | None
    functions_file: str | os.PathLike[str] | None
    file: ProjectFile
    project: Project
    data: dict[str, Any]
    is_saved: bool
    facts: Facts


def open_project(
    data: str | os.PathLike[str],
    text: str,
    project: str | os.PathLike[str] | None,
    classes: Sequence[str] | None,
    functions: str | os.PathLike[str] | None,
) -> Opened:
    """Read rows, functions and project; see `Workbench.open`."""
    path = Path(data)
    beside = path.with_name(f"{stem_of(path)}.corral.json")
    store = RowStore(path, text)
    file = ProjectFile(beside if project is None else project)
    try:
        about = {
            "name": path.name,
            "rows": store.n_rows,
            "text": text,
            "hash": store.fingerprint(),
        }
        found = file.read()
        start = Project()
        if found is not None:
            start = _of_same_data(found, about, file)
            check_rows(start, store, file.path.name)
        loaded = None
        if functions is not None:
            loaded = run_functions(functions, store, classes or start.classes)
        facts = Facts(
            store.n_rows,
            tuple(store.numbers),
            {} if loaded is None else loaded.ids,
            () if loaded is None else loaded.classes,
            lambda row: row_hash(store.texts_of(np.array([row]))[0]),
        )
        named = classes or start.classes or facts.function_classes
        if named:
            step = name_classes(start, list(named), facts)
            if tuple(named) != start.classes:
                start = start.take(step)
            if found is None:  # nothing to go back to
                start = Project(start.entries)
    except BaseException:
        file.close()
        raise
    is_saved = found is not None and start is found[0]
    return Opened(store, loaded, functions, file, start, about, is_saved, facts)


def _of_same_data(
    found: tuple[Project, dict[str, Any]], about: Mapping[str, Any], file: ProjectFile
) -> Project:
    """A project that was read, if it belongs to these rows."""
    project, data = found
    if data["hash"] != about["hash"]:
        raise StorageError(
            f"the project {file.path.name!r} belongs to other rows: {data['rows']:,} of "
            f"{data['name']!r}, column {data['text']!r}; these are {about['rows']:,} of "
            f"{about['name']!r}, column {about['text']!r}. Name another project; to use "
            "its rules on these rows, export them as functions and open that file, too."
        )
    return project


def check_rows(project: Project, store: RowStore, name: str) -> None:
    """Refuse a project, by its name, that speaks of rows or columns that are not there."""
    _check_hand_labels(project, store, name)
    _check_columns(project, store, name)


def check_step(project: Project, store: RowStore, name: str) -> None:
    """Refuse to go where no acts lead: the history in a file may be somebody else's."""
    try:
        check_classes(project)
    except (CorralError, ValueError) as error:
        raise StorageError(
            f"this step of the project {name!r} leads nowhere ({error!s:.200}): its file "
            "was changed by hand. Nothing was done."
        ) from error
    check_rows(project, store, name)


def _check_hand_labels(project: Project, store: RowStore, name: str) -> None:
    """Refuse hand labels of rows that are not there, or have another text."""
    entries = project.section("hand_labels")
    rows = [int(row) for row in entries]
    there = all(row < store.n_rows for row in rows)
    texts = store.texts_of(np.array(rows, np.int64)) if there else []
    hashes = [entry["hash"] for entry in entries.values()]
    if [row_hash(text) for text in texts] != hashes:
        raise StorageError(
            f"the project {name!r} is damaged: it has hand labels of rows that "
            "are not in the data. Restore a copy, or take these labels out."
        )


def _check_columns(project: Project, store: RowStore, name: str) -> None:
    """Refuse rules on columns that are not there: a project is known by its texts."""
    for rule in project.rules.values():
        if rule.kind == "threshold" and rule.column not in store.numbers:
            raise StorageError(
                f"the project {name!r} has the rule {rule.title!r}, and "
                f"{store.path.name!r} has no column of numbers {rule.column!r}. Rename "
                "the column in one of the two files, or take the rule out."
            )


def draw_sample(n_rows: int, size: int) -> IntArray | None:
    """Rows that answer at once, in order; None: all, where these are no more."""
    if n_rows <= size:
        return None
    return np.sort(np.random.default_rng(0).choice(n_rows, size, replace=False))


def stem_of(path: Path) -> str:
    """The name of a file without its endings.

    Examples
    --------
    >>> from pathlib import Path
    >>> from corral.workbench.opening import stem_of
    >>> stem_of(Path("data/reviews.csv.gz"))
    'reviews'
    """
    plain = path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path
    return plain.stem or plain.name
