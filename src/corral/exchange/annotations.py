"""`corral.read_annotations` and `corral.write_annotations`: files of annotation tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from corral.checks import check_choice
from corral.datasets import reading
from corral.decisions import is_answered, is_winner
from corral.errors import CorralError, ParameterError, SignalsError, StorageError
from corral.exchange.answers import (
    Annotations,
    AnswerSheet,
    Labels,
    Suggestion,
    Tool,
)
from corral.exchange.argilla import ARGILLA
from corral.exchange.doccano import DOCCANO
from corral.exchange.hugging_face import HUGGING_FACE, is_dataset
from corral.exchange.label_studio import LABEL_STUDIO
from corral.exchange.prodigy import PRODIGY
from corral.exchange.records import ENDINGS, Record, read_records, write_records
from corral.exchange.wrench import WRENCH
from corral.progress import watch
from corral.results.text import join_names
from corral.storage import check_output
from corral.votes.coding import list_abstains

# In the order in which they are tried: doccano's records have no mark of their own.
KNOWN = (LABEL_STUDIO, ARGILLA, PRODIGY, DOCCANO, HUGGING_FACE, WRENCH)
TOOLS = tuple(tool.name for tool in KNOWN)
MAX_EXCESS = 1e-3
"""By how much the sum of probabilities may exceed one, as rounded numbers do."""


def read_annotations(
    path: Any,
    format: str | None = None,
    *,
    question: str | None = None,
    text: str | None = None,
    predictions: bool = False,
    signals: str | Sequence[str] | None = None,
    gold: str | None = None,
    split: str | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
) -> Annotations:
    """Read a file of an annotation tool: who said what of which example.

    One signal per annotator, one example per task or record, also those that nobody
    answered. What is no single choice is skipped, and counted in ``skipped``.

    Parameters
    ----------
    path : path or Dataset
        A file or folder of Label Studio (JSON), Argilla, doccano or Prodigy (JSON or JSON
        lines; doccano also a zip or folder with a file per member), a Hugging Face dataset
        or the folder of one, or a folder of WRENCH.
    format : str, optional
        One of ``corral.exchange.TOOLS``; default: what the file looks like.
    question : str, optional
        Which control of Label Studio, or question of Argilla, if there are several.
    text : str, optional
        The field that holds the text, if it is not ``text`` or the only one.
    predictions : bool
        Also read predictions of Label Studio, or suggestions of Argilla, as votes of the
        models that made them; never corral's own.
    signals, gold : str or sequence of str, str, optional
        Columns of a dataset that hold votes (one per signal, or one of lists), and the one
        that holds true classes.
    split : str, optional
        Which part of a dataset or of a folder of WRENCH; default ``train`` of the latter.
    classes : sequence, optional
        All classes in order; default: those that the file lists, or that were answered.
    abstain : class value or list, optional
        Answers that are no vote, such as ``"unsure"``.

    Returns
    -------
    Annotations

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
    loaded = is_dataset(path)
    if not loaded and not isinstance(path, str | PathLike):
        given = type(path).__name__
        raise ParameterError(f"must be a path; a {given} was given.", parameter="path")
    options = {
        "question": question,
        "text": text,
        "predictions": predictions,
        "signals": signals,
        "gold": gold,
        "split": split,
    }
    place = Path("dataset") if loaded else Path(path)
    sheet = AnswerSheet(options, list_abstains(abstain))
    with watch(f"reading {place.name}", lambda: len(sheet.texts), unit="examples"):
        tool, source = (HUGGING_FACE, path) if loaded else _find_tool(place, format)
        sheet.refuse_options(tool.name, tool.options)
        with _reading_tool(place, tool.expected):
            tool.collect(source, sheet)
            found = sheet.finish(tool.name, classes)
    if text is not None and found.texts is None:
        raise ParameterError(f"{text!r} is no text in some records.", parameter="text")
    return found if loaded else replace(found, path=place)


def _find_tool(place: Path, format: str | None) -> tuple[Tool, Any]:
    """The tool that wrote a file; and the records, or the path of a folder."""
    named = next((t for t in KNOWN if t.name == format), None)
    tool = named or _tool_of(place)
    if tool is not None and tool.write is not None:
        return tool, place
    records = [(stem, record) for stem, _, record in read_records(place)]
    first = records[0][1]
    looks = _tool_of(first)
    if tool is None:
        if looks is not None:
            return looks, records
        keys = join_names(f"{key!r:.40}" for key in first) or "missing"
        raise StorageError(
            f"{str(place)!r} is of no tool that corral knows; the keys of its first record "
            f"are {keys}. Say which with `format=`: {', '.join(TOOLS)}. Of WRENCH, give "
            "the folder."
        )
    if looks is not None and not tool.knows(first):
        raise StorageError(
            f"{str(place)!r} is of {looks.name}, by the look of its first record; "
            f"`format=` says {format}."
        )
    return tool, records


def _tool_of(found: Path | Record) -> Tool | None:
    """The tool that a path, or a record, looks like."""
    is_path = isinstance(found, Path)
    tools = (tool for tool in KNOWN if (tool.write is not None) == is_path)
    return next((tool for tool in tools if tool.knows(found)), None)


def recognise(path: str | PathLike[str]) -> str | None:
    """The tool that a file or folder looks like, by its name and beginning.

    None where it may as well be a table of votes. A ``.json`` is always of a tool, though
    it may take to read it to say of which: then this is ``"json"``.
    """
    place = Path(path)
    tool = _tool_of(place)
    if tool is None and place.suffix.lower() in (".json", ".zip"):
        return "json"
    if tool is None and (place.is_dir() or place.suffix.lower() in ENDINGS):
        with suppress(CorralError):
            tool = _tool_of(next(read_records(place))[2])
    return None if tool is None else tool.name


@contextmanager
def _reading_tool(path: Path, expected: str) -> Iterator[None]:
    """As `reading`, but errors of corral keep their class."""
    try:
        with reading(path, expected):
            yield
    except StorageError as error:
        said = error.__cause__
        if isinstance(said, ParameterError):
            raise said from None
        if isinstance(said, SignalsError):
            raise SignalsError(f"in {str(path)!r}: {said}") from None
        raise


def write_annotations(
    path: str | PathLike[str],
    examples: Annotations | Sequence[str],
    labels: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    format: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write labels into a file that an annotation tool reads, as suggestions with scores.

    Records that were read keep all that they had. An example without an answer gets no
    suggestion.

    Parameters
    ----------
    path : path
        A ``.json`` or ``.jsonl`` file; for a dataset, or WRENCH, a folder.
    examples : Annotations or sequence of str
        What was read, or plain texts.
    labels : Labeler or (n, k) array of float
        Fitted on the votes of the examples; or probabilities. WRENCH takes votes alone.
    classes : sequence, optional
        What the columns of an array are, in their order; default: the classes of the
        annotations.
    format : str, optional
        One of ``corral.exchange.TOOLS``; default: the tool that the examples are from.
    overwrite : bool
        Replace a file that exists.

    Returns
    -------
    Path

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
    >>> print(path.read_text())
    {"text": "great", "label": ["pos"], "confidence": 0.9}
    {"text": "dull", "label": ["neg"], "confidence": 0.8}
    <BLANKLINE>
    """
    found = examples if isinstance(examples, Annotations) else None
    texts: Any = examples if found is None else found.texts
    if found is None:
        odd = [text for text in texts if not isinstance(text, str)]
        if odd or isinstance(texts, str):
            raise ParameterError(
                "must be what corral.read_annotations found, or a list of texts; "
                f"{odd[0] if odd else texts!r:.80} came.",
                parameter="examples",
            )
        texts = list(texts)
    name = format or (None if found is None else found.format)
    if name is None:
        raise ParameterError(
            f"say which tool the file is for: {', '.join(TOOLS)}.", parameter="format"
        )
    place = Path(path)
    read = [] if found is None or found.path is None else [found.path]
    tool = check_target(place, name, overwrite, inputs=read)
    made = None
    if labels is not None:
        default = None if found is None else found.signals.classes.tolist()
        made = _read_labels(labels, len(examples), classes, default)
    same = found is not None and found.format == name
    if tool is not WRENCH:  # which takes votes without labels and without texts
        if made is None:
            raise ParameterError("is needed to write suggestions.", parameter="labels")
        if texts is None and not same:
            raise ParameterError(
                "the annotations have no texts for another tool. Name the field of the "
                "text with `text=` where they are read."
            )
    if tool.write is not None:
        tool.write(place, found, texts, made)
        return place
    assert made is not None
    assert tool.suggest is not None
    about = (None, None) if found is None else (found.question, found.target)
    written = []
    for at, label in enumerate(made.answers):
        text, sure = None if texts is None else texts[at], float(made.soft[at].max())
        suggestion = Suggestion(at, text, label, sure, *about, made.classes)
        record = found.records[at] if found is not None and same else None
        written.append(tool.suggest(record, suggestion))
    write_records(place, written, lines=place.suffix.lower() != ".json")
    return place


def check_target(
    path: str | PathLike[str],
    name: str,
    overwrite: bool,
    *,
    inputs: Sequence[str | PathLike[str]] = (),
) -> Tool:
    """The tool with a name; refuse a path it would not read, or that is there already."""
    place = Path(path)
    check_choice("format", name, TOOLS)
    tool = KNOWN[TOOLS.index(name)]
    if tool.write is None and place.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"files for {name} end in {', '.join(ENDINGS)}; {place.name!r} was given."
        )
    check_output(place, inputs=inputs, overwrite=overwrite and tool.write is None)
    return tool


def _read_labels(
    labels: Any, n: int, classes: Sequence[Any] | None, default: list[Any] | None
) -> Labels:
    if classes is not None and len(set(classes)) != len(classes):
        raise ParameterError(f"must differ; {list(classes)} came.", parameter="classes")
    if hasattr(labels, "covered_"):  # a fitted labeler
        soft, values = labels.labels_, labels.classes_.tolist()
        if classes is not None and list(classes) != values:
            raise ParameterError(
                f"is for arrays of probabilities; the labeler has {values}.",
                parameter="classes",
            )
        hard = labels.decide(soft, labels.covered_)
        answered, answers = is_answered(hard), hard.tolist()
    else:
        try:
            soft = np.atleast_1d(np.asarray(labels, float))
        except (TypeError, ValueError):
            soft = np.empty(0)
        if classes is not None:
            values = np.asarray(classes).tolist()  # plain values, which JSON has
        else:
            values = default or list(range(soft.shape[-1]))
        if soft.ndim != 2 or soft.shape[1] != len(values):
            raise ParameterError(
                "must be a fitted labeler, or probabilities with one column for each of "
                f"{len(values)} classes; {labels!r:.80} was given.",
                parameter="labels",
            )
        filled = soft[~np.isnan(soft).any(axis=1)]
        if (filled < 0).any() or (filled.sum(axis=1) > 1 + MAX_EXCESS).any():
            raise ParameterError(
                "must be probabilities: at least zero, with a sum of 1 in every row; NaN "
                "or zeros where there is no answer.",
                parameter="labels",
            )
        answered = is_winner(soft).sum(axis=1) == 1  # neither tied nor missing
        answers = [values[at] for at in soft.argmax(axis=1)]
    if len(soft) != n:
        raise ParameterError(
            f"has {len(soft):,} rows, but there are {n:,} examples.", parameter="labels"
        )
    kept = zip(answers, answered, strict=True)
    return Labels([label if some else None for label, some in kept], soft, values)
