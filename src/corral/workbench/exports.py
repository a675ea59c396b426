"""Files that a workbench writes: functions, votes, labels, the report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from corral.api import report
from corral.errors import ParameterError
from corral.labelers.labelled import label_columns
from corral.storage import atomic_write
from corral.workbench.labels import ONE_FIT, Snapshot
from corral.workbench.rows import RowStore

FORMATS = {
    "functions": ("py",),
    "votes": ("csv", "parquet"),
    "labels": ("csv", "parquet"),
    "report": ("html",),
}
"""Endings of the files that can be written."""
PREFIX = "rule_"
"""Begins the names of columns of votes, so that ``--signals 'rule_*'`` finds them."""


def write(
    what: str,
    target: Path,
    snapshot: Snapshot,
    store: RowStore,
    functions: str | os.PathLike[str] | None,
) -> None:
    """Write one of `FORMATS`; see `Workbench.export`."""
    if what in ("functions", "votes") and not snapshot.names:
        raise ParameterError("cannot be exported: add a rule first.", parameter="what")
    if what in ("labels", "report") and snapshot.labeler is None:
        raise ParameterError("cannot be exported: no rule votes yet.", parameter="what")
    if what == "functions":
        text = _write_functions(snapshot, store.text, functions)
        with atomic_write(target, overwrite=True) as temporary:
            temporary.write_text(text, encoding="utf-8")
    elif what == "votes":
        values = np.array([*snapshot.classes, None], object)  # -1 is the last
        votes = {
            f"{PREFIX}{name}": values[snapshot.votes[rule]]
            for rule, name in snapshot.names.items()
        }
        store.write_beside(target, votes | _hand_columns(snapshot))
    elif what == "labels":
        store.write_beside(target, _label_columns(snapshot) | _hand_columns(snapshot))
    else:
        _write_report(target, snapshot, store)


def _write_functions(
    snapshot: Snapshot, text: str, functions: str | os.PathLike[str] | None
) -> str:
    """A Python file that votes exactly as the rules do; it loads a file of `functions`."""
    # Functions of a file may name classes by numbers.
    values = snapshot.functions.values
    known: dict[Any, Any] = {str(value): value for value in values}
    used, calls, made = set(), "", ""
    for rule in snapshot.project.rules.values():
        make, given, named = rule.call(text, known)
        # `repr` writes every text so that Python reads it.
        said = [*map(repr, given), *(f"{k}={v!r}" for k, v in named.items())]
        if rule.kind in ("words", "regex"):
            said[0] = "TEXT"
        calls += f"    {make.__name__}({', '.join(said)}, name={rule.title!r}),\n"
        used.add(make.__name__)
    if functions is not None:
        used.add("load_functions")
        made = f"functions = load_functions({str(Path(functions).absolute())!r})\n\n"
    if calls:
        made += f"rules = [\n{calls}]\n"
    return f'''"""Rules written in the workbench of corral.

Their votes:   corral apply THIS_FILE.py DATA.csv -o votes.csv --prefix rule_
In Python:     corral.apply(corral.functions.load_functions(file), data)
To go on:      corral serve DATA.csv --text COLUMN --functions THIS_FILE.py
"""

from corral.functions import {", ".join(used)}

CLASSES = {[known.get(c, c) for c in snapshot.project.classes]!r}
TEXT = {text!r}

{made}'''


def _label_columns(snapshot: Snapshot) -> dict[str, Any]:
    """Probabilities, label, confidence, covered; hand labels are certain."""
    labeler: Any = snapshot.labeler
    columns: dict[str, Any] = label_columns(labeler, empty=True)
    hand = _hand_columns(snapshot)["hand_label"]
    given = hand != None  # noqa: E711
    certain = {f"p_{c}": hand == c for c in labeler.classes_}
    certain |= {"label": hand, "confidence": 1.0, "covered": True}
    return {
        name: np.where(given, certain[name], column) for name, column in columns.items()
    }


def _hand_columns(snapshot: Snapshot) -> dict[str, Any]:
    hand, how = np.full((2, snapshot.search.n_rows), None, object)
    for row, entry in snapshot.project.entries["hand_labels"].items():
        hand[int(row)], how[int(row)] = entry["class"], entry["how"]
    return {"hand_label": hand, "hand_label_row": how}


def _write_report(target: Path, snapshot: Snapshot, store: RowStore) -> None:
    """The report of corral; rows drawn by lot and labelled by hand are its gold."""
    columns = _hand_columns(snapshot)
    drawn = columns["hand_label_row"] == "random"
    gold: Any = np.where(drawn, columns["hand_label"], None)
    if not (drawn & snapshot.covers("covered")).any():
        gold = None
    texts = [text for block in store.texts() for text in block]
    with ONE_FIT:  # a report fits, too, and catches warnings
        made = report(
            snapshot.signals,
            labeler=snapshot.labeler,
            gold=gold,
            text=texts,
            title=store.path.name,
        )
    made.write(target, overwrite=True)
