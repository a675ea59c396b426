"""What leaves the workbench: functions, votes, labels, the report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corral.api import label_columns, report
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.storage import atomic_write
from corral.workbench.evaluation import ONE_FIT
from corral.workbench.row_store import RowStore
from corral.workbench.rules import Rule
from corral.workbench.snapshot import Snapshot

FORMATS = {
    "functions": ("py",),
    "votes": ("csv", "parquet"),
    "labels": ("csv", "parquet"),
    "report": ("html",),
}
"""What can be exported, and as what; the first is the default."""
PREFIX = "rule_"
"""In front of the names of columns of votes, as ``--signals 'rule_*'`` finds them."""


def check_export(what: str, path: str | os.PathLike[str], format: str | None) -> None:
    """Refuse what cannot be written, before all rows are looked at."""
    check_choice("what", what, FORMATS)
    ending = Path(path).suffix.removeprefix(".").lower()
    check_choice("format", format or ending, FORMATS[what])
    if format is not None and format != ending:
        raise ParameterError(
            f"is {format!r}, and the name of the file ends in {ending!r}.",
            parameter="format",
        )


def export(
    what: str,
    path: str | os.PathLike[str],
    snapshot: Snapshot,
    store: RowStore,
    functions: str | os.PathLike[str] | None,
) -> Path:
    """Write one of `FORMATS`; see `Workbench.export`."""
    target = Path(path)
    if what == "functions":
        text = write_functions(snapshot, store.text, functions)
        with atomic_write(target, overwrite=True) as temporary:
            temporary.write_text(text, encoding="utf-8")
    elif what in ("votes", "labels"):
        columns = vote_columns if what == "votes" else labels_and_hand_labels
        store.write_beside(target, columns(snapshot))
    else:
        _write_report(target, snapshot, store)
    return target


def write_functions(
    snapshot: Snapshot, text: str, functions: str | os.PathLike[str] | None
) -> str:
    """A Python file of functions that vote exactly as the rules do.

    Parameters
    ----------
    snapshot : Snapshot
    text : str
        The column with the texts.
    functions : path or None
        The file of the rules that were not written on the page; it is loaded, not copied.
    """
    rules = list(snapshot.rules.values())
    if not rules and functions is None:
        raise ParameterError(
            "cannot be exported: there are no rules yet.", parameter="what"
        )
    # Functions of a file may name classes by numbers.
    known = {} if snapshot.functions is None else snapshot.functions.values_by_name
    used = sorted({_BUILDERS[rule.kind] for rule in rules})
    used += [] if functions is None else ["load_functions"]
    lines = [
        '"""Rules written in the workbench of corral.',
        "",
        "Their votes:   corral apply THIS_FILE.py DATA.csv -o votes.csv --prefix rule_",
        "In Python:     corral.apply(corral.functions.load_functions(file), data)",
        "To go on:      corral serve DATA.csv --text COLUMN --functions THIS_FILE.py",
        '"""',
        "",
        f"from corral.functions import {', '.join(used)}",
        "",
        f"CLASSES = {[known.get(c, c) for c in snapshot.project.classes]!r}",
        f"TEXT = {text!r}",
        "",
    ]
    if functions is not None:
        place = str(Path(functions).absolute())
        lines += [f"functions = load_functions({place!r})", ""]
    if rules:
        lines += ["rules = ["]
        lines += [
            f"    {_call(rule, known.get(rule.class_, rule.class_))}," for rule in rules
        ]
        lines += ["]", ""]
    return "\n".join(lines)


_BUILDERS = {"words": "keywords", "regex": "regex", "threshold": "threshold"}


def _call(rule: Rule, label: Any) -> str:
    """The call that makes a rule; `repr` writes every text so that Python reads it."""
    name = f"name={rule.title!r}"
    if rule.kind == "words":
        return f'keywords(TEXT, {list(rule.words)!r}, {label!r}, match="word", {name})'
    if rule.kind == "regex":
        return f"regex(TEXT, {rule.pattern!r}, {label!r}, {name})"
    limits = {"above": rule.above, "below": rule.below}
    given = "".join(f"{k}={v!r}, " for k, v in limits.items() if v is not None)
    return f"threshold({rule.column!r}, {label!r}, {given}{name})"


def vote_columns(snapshot: Snapshot) -> dict[str, Any]:
    """The votes of every rule as a column of class names, and what people said."""
    found = snapshot.evaluation
    if not snapshot.ids:
        raise ParameterError(
            "cannot be exported: there are no rules yet.", parameter="what"
        )
    names = _column_names(list(snapshot.names.values()))
    values = np.array([*found.classes, None], object)  # -1 is the last
    votes = {
        name: values[found.votes[:, at]]  # empty where the rule abstains
        for name, at in zip(names, snapshot.ids.values(), strict=True)
    }
    return votes | _hand_columns(snapshot)


def _column_names(names: Sequence[str]) -> list[str]:
    """Names of columns; upper and lower case are the same to most programs."""
    taken: set[str] = set()
    made = []
    for name in names:
        column, number = f"{PREFIX}{name}", 1
        while column.lower() in taken:
            number += 1
            column = f"{PREFIX}{name} ({number})"
        taken.add(column.lower())
        made.append(column)
    return made


def labels_and_hand_labels(snapshot: Snapshot) -> dict[str, Any]:
    """Probabilities, label, confidence, covered; what people said is certain."""
    labeler = snapshot.evaluation.labeler
    if labeler is None:
        raise ParameterError(
            "cannot be exported: no rule votes yet, so there are no labels.",
            parameter="what",
        )
    columns: dict[str, Any] = label_columns(labeler, empty=True)
    people = _hand_columns(snapshot)
    hand = people["hand_label"]
    given = hand != None  # noqa: E711
    certain = {f"p_{c}": hand == c for c in labeler.classes_}
    certain |= {"label": hand, "confidence": 1.0, "covered": True}
    for name, column in columns.items():
        columns[name] = np.where(given, certain[name], column)
    return columns | people


def _hand_columns(snapshot: Snapshot) -> dict[str, Any]:
    hand, how = np.full((2, snapshot.search.n_rows), None, object)
    for row, entry in snapshot.project.section("hand_labels").items():
        hand[int(row)], how[int(row)] = entry["class"], entry["how"]
    return {"hand_label": hand, "hand_label_row": how}


def _write_report(target: Path, snapshot: Snapshot, store: RowStore) -> None:
    """The report of corral; rows drawn by lot and labelled by hand are its gold."""
    labeler = snapshot.evaluation.labeler
    if labeler is None:
        raise ParameterError(
            "cannot be exported: no rule votes yet, so there is nothing to report.",
            parameter="what",
        )
    gold = np.full(snapshot.search.n_rows, None, object)
    for row, entry in snapshot.project.section("hand_labels").items():
        if entry["how"] == "random":
            gold[int(row)] = entry["class"]
    measured = [row for row in np.flatnonzero(gold != None) if labeler.covered_[row]]  # noqa: E711
    texts = [text for block in store.texts() for text in block]
    with ONE_FIT:  # a report fits, too, and catches warnings
        made = report(
            labeler, gold=gold if measured else None, text=texts, title=store.path.name
        )
    made.write(target, overwrite=True)
