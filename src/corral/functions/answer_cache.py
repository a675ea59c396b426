"""Answers kept on disk, by the content of function and data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np

from corral.errors import StorageError
from corral.functions.row_table import Table
from corral.functions.signal_function import Answers, SignalFunction
from corral.signals.coding import ABSTAIN
from corral.storage.content_checks import Shape, check_floats, check_positions, require
from corral.storage.versioned_file import explain_damage, read_file, write_file

KIND = "answers of a signal"


class AnswerCache:
    """A folder with one file for every function and data.

    The name of a file is the hash of both, so what has changed is not found, and nothing
    is ever out of date. Files may be deleted at any time.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    table : Table
    """

    def __init__(self, folder: str | os.PathLike[str], table: Table) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot use {str(folder)!r} as a cache: {error}"
            ) from error
        from corral.functions.fingerprint import fingerprint  # joblib loads slowly

        self._hash = fingerprint
        self._table = table
        self._columns: dict[Any, str] = {}

    def file(self, function: SignalFunction) -> Path:
        """Where the answers are, or would be; `CannotHashError` if that is unclear."""
        parts = [self._hash(function)]
        reads = function.reads()
        for column in self._table.names() if reads is None else reads:
            parts += [repr(column), self._column(column)]
        slug = re.sub(r"\W+", "-", function.name).strip("-")[:40]
        return self._folder / f"{slug}-{self._hash(parts)}.npz"

    def _column(self, name: Any) -> str:
        if name not in self._columns:
            entries = self._table.column(name)
            texts = isinstance(entries, list) and set(map(type, entries)) == {str}
            self._columns[name] = _hash_texts(entries) if texts else self._hash(entries)
        return self._columns[name]


def _hash_texts(texts: Iterable[str]) -> str:
    """A hash of many texts, ten times as fast as that of a list of anything."""
    digest = sha1(usedforsecurity=False)
    for text in texts:
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def load(file: Path, n: int) -> Answers | None:
    """Answers of a file for `n` rows; None if there is no file."""
    if not file.exists():
        return None
    settings, arrays = read_file(file, KIND)
    kept: dict[str, Any] = arrays
    with explain_damage(file):
        classes = settings["classes"]
        _check(classes, kept, n)
        return Answers(tuple(classes), **kept)


def _check(classes: Any, arrays: dict[str, Any], n: int) -> None:
    """Refuse answers that no function can have given."""
    plain = isinstance(classes, list) and all(
        isinstance(value, str | int | float | None) for value in classes
    )
    require(plain, "a list of texts or numbers as classes")
    require(len(set(classes)) == len(classes), "a class only once")
    if "probabilities" in arrays:
        require(len(arrays) == 1, "either probabilities or codes")
        shares: dict[str, Shape] = {"probabilities": (n, len(classes))}
    else:
        check_positions("codes", arrays["codes"], (n,), ABSTAIN, len(classes))
        shares = {"confidence": (n,)} if "confidence" in arrays else {}
    for name, shape in shares.items():
        # Rounding may leave a probability a little above one.
        check_floats(name, arrays[name], shape, low=0, high=1 + 1e-6, may_be_nan=True)


def save(file: Path, answers: Answers) -> None:
    """Write answers, whole or not at all; a link in its place is not followed."""
    if file.is_symlink():
        file.unlink()
    fields = ("codes", "confidence", "probabilities")
    given = {field: getattr(answers, field) for field in fields}
    arrays = {field: np.asarray(a) for field, a in given.items() if a is not None}
    write_file(file, KIND, {"classes": list(answers.classes)}, arrays)
