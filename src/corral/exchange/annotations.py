"""`corral.read_annotations` and `corral.write_annotations`: files of annotation tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from corral.checks import check_choice
from corral.decisions import is_answered, is_winner
from corral.errors import CorralError, ParameterError, StorageError
from corral.exchange.answers import Annotations, AnswerSheet, Suggestion
from corral.exchange.evaluations import EVALUATIONS
from corral.exchange.judges import is_of_judges
from corral.exchange.records import (
    ENDINGS,
    Record,
    expecting,
    find_tool,
    load_tool,
    read_records,
    write_records,
)
from corral.results import join_names
from corral.storage import check_output
from corral.votes.coding import list_abstains

# In the order in which they are tried: doccano's records have no mark of their own.
MODULES = {"label-studio": "label_studio", "argilla": "argilla", "doccano": "doccano"}
TOOLS = tuple(MODULES)
"""Tools, each with a module that ``knows`` its records, can ``collect`` their answers, and
``suggest`` a label: add it to a record, or make one."""
MAX_EXCESS = 1e-3
"""By how much the sum of probabilities may exceed one, as rounded numbers do."""


def read_annotations(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    question: str | None = None,
    text: str | None = None,
    predictions: bool = False,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
) -> Annotations:
    """Read a file of an annotation tool: one signal per annotator.

    Every task or record is an example, also without an answer. Answers that are not a
    single choice are skipped, and counted in ``skipped``.

    Parameters
    ----------
    path : path
        A file or folder of Label Studio (JSON), Argilla or doccano (JSON or JSON lines;
        doccano also a zip or folder with a file per member).
    format : str, optional
        One of ``corral.exchange.TOOLS``; default: what the file looks like.
    question : str, optional
        Which control of Label Studio, or question of Argilla, if there are several.
    text : str, optional
        The field with the text; default: ``text``, or the only text.
    predictions : bool
        Also read predictions of Label Studio, or suggestions of Argilla, as votes of the
        models that made them, except corral's.
    classes : sequence, optional
        All classes in order; default: all answers, sorted.
    abstain : class value or list, optional
        Answers that mean no vote, such as ``"unsure"``.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import corral
    >>> rows = [{"text": "great", "label": ["pos"]}, {"text": "dull", "label": ["neg"]}]
    >>> path = Path(tempfile.mkdtemp()) / "alice.json"
    >>> _ = path.write_text(json.dumps(rows))
    >>> print(corral.read_annotations(path))
    doccano: 2 examples, 1 signals, 2 votes, 0 known labels
    """
    if format is not None:
        check_choice("format", format, TOOLS)
    place = Path(path)
    records = [(file, record) for file, _, record in read_records(place)]
    first = records[0][1]
    tool = format or find_tool(MODULES, first)
    if tool is None:
        keys = join_names(f"{key!r:.40}" for key in first) or "missing"
        raise StorageError(
            f"{str(place)!r} does not look like the file of a tool; the keys of its first "
            f"record are {keys}. Name the tool with `format=`: {', '.join(TOOLS)}."
        )
    for name, value in {"question": question, "predictions": predictions}.items():
        if value and tool == "doccano":
            raise ParameterError("is not for files of doccano.", parameter=name)
    options = {"question": question, "text": text, "predictions": predictions}
    sheet = AnswerSheet(options, list_abstains(abstain))
    with expecting(tool, place):
        load_tool(MODULES[tool]).collect(records, sheet)
    found = sheet.finish(tool, classes)
    if text is not None and found.texts is None:
        raise ParameterError(f"{text!r} is not text in some records.", parameter="text")
    return replace(found, path=place)


def recognise(path: str | PathLike[str]) -> str | None:
    """One of ``TOOLS`` or ``EVALUATIONS``, or "judges", by the first record; else None."""
    try:
        first = next(read_records(path))[2]
    except (CorralError, StopIteration):
        return None
    found = find_tool({**MODULES, **EVALUATIONS}, first)
    return found or ("judges" if is_of_judges(first) else None)


def write_annotations(
    path: str | PathLike[str],
    examples: Annotations | Sequence[str],
    labels: Any,
    *,
    classes: Sequence[Any] | None = None,
    format: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write labels as suggestions with scores, into a file that an annotation tool reads.

    Records that were read keep all that they had.

    Parameters
    ----------
    path : path
        A ``.json`` or ``.jsonl`` file.
    examples : Annotations or sequence of str
        What was read, or plain texts.
    labels : Labeler or (n, k) array of float
        Fitted on the votes of the examples; or probabilities.
    classes : sequence, optional
        The classes of the columns of an array; default: the classes of the annotations.
    format : str, optional
        One of ``corral.exchange.TOOLS``; default: the tool that wrote the examples.
    overwrite : bool
        Replace a file that exists.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import corral
    >>> path = Path(tempfile.mkdtemp()) / "tasks.jsonl"
    >>> texts, labels = ["great", "dull"], [[0.1, 0.9], [0.8, 0.2]]
    >>> _ = corral.write_annotations(
    ...     path, texts, labels, classes=["neg", "pos"], format="doccano"
    ... )
    >>> print(path.read_text().strip())
    {"text": "great", "label": ["pos"], "confidence": 0.9}
    {"text": "dull", "label": ["neg"], "confidence": 0.8}
    """
    found = examples if isinstance(examples, Annotations) else None
    texts: Any = examples if found is None else found.texts
    if found is None and (
        isinstance(texts, str) or not all(isinstance(text, str) for text in texts)
    ):
        raise ParameterError(
            "must be what corral.read_annotations found, or a list of texts.",
            parameter="examples",
        )
    name = format or ("" if found is None else found.format)
    check_target(path, name, overwrite, found)
    suggest = load_tool(MODULES[name]).suggest
    records: Sequence[Record | None] = [None] * len(examples)
    question = target = None
    if found is not None:
        question, target = found.question, found.target
        classes = found.signals.classes.tolist() if classes is None else classes
        records = found.records if found.format == name else records
    if texts is None and None in records:
        raise ParameterError(
            "the annotations have no texts for another tool. Name the field of the text "
            "with `text=` where they are read."
        )
    written = []
    for at, (label, sure) in enumerate(_read_labels(labels, len(examples), classes)):
        text = None if texts is None else texts[at]
        made = Suggestion(at, text, label, sure, question, target)
        written.append(suggest(records[at], made))
    write_records(Path(path), written)
    return Path(path)


def check_target(
    path: str | PathLike[str], name: str, overwrite: bool, found: Annotations | None
) -> None:
    """Refuse an unknown tool, and a path that exists or that the tool would not read."""
    check_choice("format", name, TOOLS)
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"files for {name} end in {', '.join(ENDINGS)}; {place.name!r} was given."
        )
    read = [] if found is None or found.path is None else [found.path]
    check_output(place, inputs=read, overwrite=overwrite)


def _read_labels(
    labels: Any, n: int, classes: Sequence[Any] | None
) -> Iterator[tuple[Any, float]]:
    """The answer of every example, None without one; and how sure it is."""
    if hasattr(labels, "covered_"):  # a fitted labeler
        soft = labels.labels_
        hard = labels.decide(soft, labels.covered_)
        answered, answers = is_answered(hard), hard.tolist()
    else:
        try:
            soft = np.atleast_2d(np.asarray(labels, float))
        except (TypeError, ValueError):
            soft = np.empty((0, 0))
        values = list(range(soft.shape[-1]) if classes is None else classes)
        total = np.nansum(soft, axis=-1)
        wide = soft.ndim == 2 and soft.shape[1] == len(values)
        if not wide or (soft < 0).any() or (total > 1 + MAX_EXCESS).any():
            raise ParameterError(
                f"must be a fitted labeler, or probabilities of {len(values)} classes, NaN "
                f"or zeros where there is no answer; {labels!r:.80} was given.",
                parameter="labels",
            )
        answered = is_winner(soft).sum(axis=1) == 1  # neither tied nor missing
        answers = [values[at] for at in soft.argmax(axis=1)]
    if len(soft) != n:
        raise ParameterError(
            f"has {len(soft):,} rows, but there are {n:,} examples.", parameter="labels"
        )
    for label, some, sure in zip(answers, answered, soft.max(axis=1), strict=True):
        yield label if some else None, float(sure)
