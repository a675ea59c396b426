"""Files of annotation tools, read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.exchange import hugging_face, wrench
from corral.exchange.annotations import Annotations, AnswerSheet
from corral.exchange.tool import Records, Wanted, reading_tool
from corral.exchange.tools import JSON_TOOLS, TOOLS, expected_in, find_tool
from corral.progress import watch
from corral.signals.abstains import list_abstains
from corral.storage import find_files

NO_RECORDS: Records = ()


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
    >>> def said(who, choice):
    ...     result = {"from_name": "sentiment", "to_name": "text", "type": "choices",
    ...               "value": {"choices": [choice]}}
    ...     return {"completed_by": who, "result": [result]}
    >>> tasks = [
    ...     {"id": 1, "data": {"text": "great"}, "annotations": [said(7, "pos")]},
    ...     {"id": 2, "data": {"text": "dull"}, "annotations": [said(7, "neg")]},
    ... ]
    >>> path = Path(tempfile.mkdtemp()) / "export.json"
    >>> _ = path.write_text(json.dumps(tasks))
    >>> print(corral.read_annotations(path))
    label-studio: 2 examples, 1 signals, 2 votes, 0 known labels
    """
    if format is not None:
        check_choice("format", format, TOOLS)
    wanted = Wanted(question, text, predictions, signals, gold, split)
    sheet = AnswerSheet(list_abstains(abstain))
    place = _existing(path)
    with watch(f"reading {place.name}", lambda: len(sheet.records), unit="examples"):
        name, records = hugging_face.NAME, NO_RECORDS
        if not is_dataset(path):
            name, records = find_tool(place, format)
        with reading_tool(place, expected_in(name)):
            kept: Any = None
            if name == hugging_face.NAME:
                given = path if is_dataset(path) else hugging_face.open_dataset(place)
                kept = hugging_face.choose_split(given, split)
                about = hugging_face.collect(kept, sheet, wanted)
            elif name == wrench.NAME:
                about = wrench.collect(place, sheet, wanted)
            else:
                about = JSON_TOOLS[name].collect(records, sheet, wanted)
            found = sheet.finish(
                name,
                about.classes if classes is None else classes,
                question=about.question,
                target=about.target,
                records=kept,
            )
    if text is not None and found.texts is None:
        raise ParameterError(f"{text!r} is no text in some records.", parameter="text")
    return found if is_dataset(path) else replace(found, path=place)


def is_dataset(data: Any) -> bool:
    """Whether this is a dataset of Hugging Face, or splits of one."""
    return type(data).__module__.partition(".")[0] == "datasets"


def _existing(path: Any) -> Path:
    """The file or folder; for a dataset that is loaded, what messages call it."""
    if is_dataset(path):
        return Path("dataset")
    if not isinstance(path, str | PathLike):
        raise ParameterError(
            f"must be that of a file or folder, or a dataset; a {type(path).__name__} was "
            "given.",
            parameter="path",
        )
    if Path(path).is_dir():
        return Path(path)
    found = find_files(path)
    if len(found) > 1:
        raise ParameterError(
            f"{str(path)!r} names {len(found)} files. Give one, or a folder of them."
        )
    return found[0]
