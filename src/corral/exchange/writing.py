"""Files of annotation tools, written."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.exchange import hugging_face, wrench
from corral.exchange.annotations import Annotations
from corral.exchange.json_records import ENDINGS, write_records
from corral.exchange.tool import Answered, Suggestion
from corral.exchange.tools import FOLDERS, JSON_TOOLS, TOOLS
from corral.metrics import is_answered, is_winner
from corral.storage import check_output

SLACK = 1e-3
"""By how much probabilities may exceed one, as rounded numbers do."""


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
    if found is None:
        _check_texts(examples)
    name = format or (None if found is None else found.format)
    if name is None:
        raise ParameterError(
            f"say which tool the file is for: {', '.join(TOOLS)}.", parameter="format"
        )
    place = Path(path)
    read = [] if found is None or found.path is None else [found.path]
    check_target(place, name, overwrite, inputs=read)
    texts = examples.texts if isinstance(examples, Annotations) else list(examples)
    if classes is not None:
        _check_classes(labels, classes)
    elif found is not None:
        classes = found.signals.classes.tolist()
    suggestions, soft, values = _read_labels(labels, len(examples), classes)
    if name == wrench.NAME:
        if found is None:
            raise ParameterError("a folder of WRENCH has votes; these are texts only.")
        own = found.signals.classes.tolist()
        if soft is not None and set(values) != set(own):
            raise ParameterError(
                f"a folder of WRENCH has one list of classes, {own} of the votes; {values} "
                "are those of the labels."
            )
        wrench.write(
            place,
            found,
            soft if soft is None else soft[:, list(map(values.index, own))],
        )
        return place
    if soft is None:
        raise ParameterError(
            "give a fitted labeler or probabilities.", parameter="labels"
        )
    same = found is not None and found.format == name
    if texts is None and not same:
        raise ParameterError(
            "these annotations have no texts to write for another tool. Say which field is "
            "the text with `text=` where they are read."
        )
    if name == hugging_face.NAME:
        columns = {} if same else _columns(found, texts)
        kept = found.records if same and found is not None else None
        hugging_face.write(place, kept, columns, suggestions, soft, values)
        return place
    tool = JSON_TOOLS[name]
    about = (
        Answered(classes=values)
        if found is None
        else Answered(found.question, found.target, values)
    )
    made = [
        tool.suggest(
            found.records[at] if same and found is not None else None,
            None if texts is None else texts[at],
            suggestion,
            about,
        )
        for at, suggestion in enumerate(suggestions)
    ]
    write_records(place, made, lines=place.suffix.lower() != ".json")
    return place


def check_target(
    path: str | PathLike[str],
    name: str,
    overwrite: bool,
    *,
    inputs: Sequence[str | PathLike[str]] = (),
) -> None:
    """Refuse a path that the tool would not read, or that is there already."""
    place = Path(path)
    check_choice("format", name, TOOLS)
    if name not in FOLDERS and place.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"files for {name} end in {', '.join(ENDINGS)}; {place.name!r} was given."
        )
    check_output(place, inputs=inputs, overwrite=overwrite and name not in FOLDERS)


def _check_texts(texts: Any) -> None:
    odd = [text for text in texts if not isinstance(text, str)]
    if isinstance(texts, str):  # its letters are texts, too
        odd = [texts]
    if odd:
        raise ParameterError(
            "must be what corral.read_annotations found, or a list of texts; "
            f"{odd[0]!r:.80} came.",
            parameter="examples",
        )


def _check_classes(labels: Any, classes: Sequence[Any]) -> None:
    if len(set(classes)) != len(classes):
        raise ParameterError(f"must differ; {list(classes)} came.", parameter="classes")
    if hasattr(labels, "covered_") and list(classes) != labels.classes_.tolist():
        raise ParameterError(
            f"is for arrays of probabilities; the labeler has {labels.classes_.tolist()}.",
            parameter="classes",
        )


def _columns(found: Annotations | None, texts: Any) -> dict[str, list[Any]]:
    """A new dataset: the names of examples, if they have any, and the texts."""
    ids = {} if found is None else {"id": found.ids.tolist()}
    return {**ids, "text": texts}


def _read_labels(
    labels: Any, n: int, classes: Sequence[Any] | None
) -> tuple[list[Suggestion], FloatArray | None, list[Any]]:
    """Suggestions, probabilities (n, k) or None, and the classes of their columns."""
    if labels is None:
        return [], None, []
    if hasattr(labels, "covered_"):  # a fitted labeler
        soft, values = labels.labels_, labels.classes_.tolist()
        hard = labels.decide(soft, labels.covered_)
        answered = is_answered(hard)
        said = hard.tolist()
    else:
        try:
            soft = np.atleast_1d(np.asarray(labels, float))
        except (TypeError, ValueError):
            soft = np.empty(0)
        values = np.asarray(range(soft.shape[-1]) if classes is None else classes)
        values = values.tolist()  # plain values, which JSON has
        if soft.ndim != 2 or soft.shape[1] != len(values):
            raise ParameterError(
                "must be a fitted labeler, or probabilities with one row per example and "
                f"one column for each of {len(values)} classes; {labels!r:.80} was given.",
                parameter="labels",
            )
        filled = soft[~np.isnan(soft).any(axis=1)]  # of other examples nothing is known
        if (filled < 0).any() or (filled.sum(axis=1) > 1 + SLACK).any():
            raise ParameterError(
                "must be probabilities: none below zero, a sum of 1 in every row, or "
                "zeros or NaN where there is no answer.",
                parameter="labels",
            )
        answered = is_winner(soft).sum(axis=1) == 1  # neither tied nor missing
        said = [values[at] for at in soft.argmax(axis=1)]
    if len(soft) != n:
        raise ParameterError(
            f"has {len(soft):,} rows, but there are {n:,} examples.", parameter="labels"
        )
    best = soft.max(axis=1)
    suggestions = [
        Suggestion(at, said[at] if answered[at] else None, float(best[at]))
        for at in range(n)
    ]
    return suggestions, soft, values
