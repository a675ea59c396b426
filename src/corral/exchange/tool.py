"""What every annotation tool has: a name, a reader of records, a writer of suggestions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from corral.datasets import StrPath, reading
from corral.errors import CorralError, ParameterError, SignalsError, StorageError
from corral.exchange.annotations import AnswerSheet, Record

KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
"""What types are called in JSON."""
AGENT = "corral"
"""The name under which suggestions are written, and not read again as votes."""


@dataclass(frozen=True)
class Wanted:
    """What a user says of a file; every tool has some of it."""

    question: str | None = None
    text: str | None = None
    predictions: bool = False
    signals: str | Sequence[str] | None = None
    gold: str | None = None
    split: str | None = None

    def refuse_other(self, tool: str, *known: str) -> None:
        """Refuse what a tool does not have."""
        for each in fields(self):
            if each.name not in known and getattr(self, each.name) != each.default:
                raise ParameterError(
                    f"is not for files of {tool}.", parameter=each.name
                )


@dataclass(frozen=True)
class Answered:
    """What the answers of a file are about.

    Attributes
    ----------
    question, target : str or None
    classes : sequence or None
        All classes, where the file lists them.
    """

    question: str | None = None
    target: str | None = None
    classes: Sequence[Any] | None = None


@dataclass(frozen=True)
class Suggestion:
    """The label of an example, to be shown to who annotates it.

    Attributes
    ----------
    number : int
        Of the example, from 0.
    label : class value or None
        None: there is no answer.
    confidence : float
        The probability of the label.
    """

    number: int
    label: Any
    confidence: float


Records: TypeAlias = Sequence[tuple[str, Record]]
"""With the name of the file that each is from."""


@dataclass(frozen=True)
class JsonTool:
    """A tool whose files are records in JSON or JSON lines.

    Attributes
    ----------
    name : str
    expected : str
        What a record looks like, in a few words.
    knows : callable
        Whether a record is one of this tool.
    collect : callable
        Notes records on a sheet, and says what the answers are about.
    suggest : callable
        A record with a suggestion: of this tool, or of a text if there is none.
    """

    name: str
    expected: str
    knows: Callable[[Record], bool]
    collect: Callable[[Records, AnswerSheet, Wanted], Answered]
    suggest: Callable[[Record | None, str | None, Suggestion, Answered], Record]


def choose_question(found: Iterable[str], wanted: str | None) -> str | None:
    """The question that is read: the one there is, or the one that was named."""
    names = list(dict.fromkeys(found))
    if wanted is not None and wanted not in names:
        listed = ", ".join(map(repr, names)) or "none that has a single choice"
        raise ParameterError(
            f"{wanted!r} has no answers in the file; there are {listed}.",
            parameter="question",
        )
    if wanted is None and len(names) > 1:
        raise SignalsError(
            f"the file has answers to {', '.join(map(repr, names))}. Choose one with "
            f"`question={names[0]!r}`."
        )
    return wanted if wanted is not None else next(iter(names), None)


def choose_text(record: Mapping[str, Any], wanted: str | None) -> Any:
    """The text of an example: the field that was named, or that is clearly the one."""
    if wanted is not None:
        return record.get(wanted)
    if "text" in record:
        return record["text"]
    texts = [value for value in record.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def add_answer(sheet: AnswerSheet, row: int, signal: Any, said: Sequence[Any]) -> None:
    """Note a list of classes, if it is just one."""
    if len(said) == 1:
        sheet.add_vote(row, signal, said[0])
    else:
        sheet.take_back(row, signal)
        sheet.skip("answers of several classes" if said else "answers of no class")


def take(record: Any, key: str, kind: type = object) -> Any:
    """A field of a record; refused if it is not there, or something else."""
    there = isinstance(record, dict) and key in record
    if not there or not isinstance(record[key], kind):
        raise StorageError(
            f"expected {KINDS.get(kind, 'something')} as {key!r}, found {record!r:.90}."
        )
    return record[key]


def take_all(record: Record, *keys: str) -> list[Record]:
    """The objects in a list of a record, under the first key that is there; or none."""
    key = next((key for key in keys if record.get(key) is not None), None)
    found: list[Record] = [] if key is None else take(record, key, list)
    odd = next((each for each in found if not isinstance(each, dict)), None)
    if odd is not None:
        raise StorageError(f"expected objects in {key!r}, found {odd!r:.80}.")
    return found


@contextmanager
def reading_tool(path: StrPath, expected: str) -> Iterator[None]:
    """As `reading`, but errors of corral keep their class."""
    try:
        with reading(path, expected):
            yield
    except CorralError as error:
        said = error.__cause__
        if isinstance(said, ParameterError):
            raise said from None
        if isinstance(said, SignalsError):
            raise SignalsError(f"in {str(path)!r}: {said}") from None
        raise
