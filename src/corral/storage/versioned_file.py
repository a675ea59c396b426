"""Files of arrays and settings: versioned, checked, written whole or not at all.

A file is a NumPy archive (a zip of arrays, without pickle) in which one entry is JSON text
that says what the file is. That entry is read first, and a file that is something else is
refused before anything of it is unpacked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from corral.errors import CorralError, StorageError
from corral.storage.archive import DAMAGED, Archive, ForeignFileError, pack
from corral.storage.drafts import draft_of

VERSION = 6
"""Version of the files written; raised when their content changes."""


def write_file(
    path: str | os.PathLike[str],
    kind: str,
    settings: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
) -> None:
    """Write settings and arrays; the old file or the new, never half of one.

    Parameters
    ----------
    path : path
    kind : str
        What is in the file.
    settings : dict
        Anything that JSON can hold, and NumPy's numbers and arrays, as plain ones.
    arrays : dict of arrays
        Numbers, booleans or text.
    """
    target = Path(path)
    header = {"version": VERSION, "kind": kind, "settings": settings}
    try:
        with draft_of(target) as draft, draft.open("wb") as file:
            pack(file, header, arrays)
    except (OSError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot write {str(target)!r}: {why}") from error


def read_file(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_file` wrote: settings and arrays.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from corral.storage.versioned_file import read_file, write_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/a", "example", {"k": 2}, {"x": np.arange(3)})
    ...     settings, arrays = read_file(f"{folder}/a", "example")
    >>> settings, arrays["x"].tolist()
    ({'k': 2}, [0, 1, 2])
    """
    with _open_archive(path) as archive:
        if archive.header.get("kind") != kind:
            found = archive.header.get("kind")
            raise StorageError(
                f"{os.fspath(path)!r} holds a {found!r:.80}, not a {kind!r}."
            )
        settings = archive.header["settings"]
        if not isinstance(settings, dict):
            raise ValueError(f"its settings are {type(settings).__name__}, no object")
        return settings, archive.unpack()


def read_kind(path: str | os.PathLike[str]) -> str:
    """What a file that `write_file` wrote says it holds."""
    with _open_archive(path) as archive:
        return str(archive.header["kind"])


@contextmanager
def _open_archive(path: str | os.PathLike[str]) -> Iterator[Archive]:
    """The archive of a file of this version; refuse whatever else is there."""
    name = os.fspath(path)
    if not os.path.lexists(name):
        raise StorageError(f"there is no file {name!r}.")
    if not os.path.isfile(name):
        what = "a folder" if os.path.isdir(name) else "no regular file"
        raise StorageError(f"{name!r} is {what}; give the path of a file.")
    with explain_damage(name), open(name, "rb") as file:
        archive = Archive(file)
        version = archive.header.get("version")
        if version != VERSION:
            raise StorageError(
                f"{name!r} has version {version!r:.80} of the format; this corral reads "
                f"version {VERSION}. Install the corral that wrote it, or fit again."
            )
        yield archive


@contextmanager
def explain_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise whatever reading a file raises as a `StorageError` that says what is wrong.

    Examples
    --------
    >>> from corral.storage.versioned_file import explain_damage
    >>> with explain_damage("a.corral"):
    ...     {}["weights"]
    Traceback (most recent call last):
    corral.errors.StorageError: 'a.corral' is damaged ('weights' is missing). Take
    another copy of it, or make it anew.
    """
    name = os.fspath(path)
    try:
        yield
    except StorageError:
        raise
    except ForeignFileError as error:
        raise StorageError(
            f"{name!r} is no file that corral wrote: {error}. Give one that it did write."
        ) from error
    except PermissionError as error:
        raise StorageError(f"cannot read {name!r}: {error.strerror}.") from error
    except MemoryError as error:
        raise StorageError(f"there is too little memory to read {name!r}.") from error
    except (*DAMAGED, CorralError) as error:
        said = f"{type(error).__name__}: {error}"
        if type(error) is ValueError:
            said = str(error)
        elif type(error) is KeyError:
            said = f"{error} is missing"
        raise StorageError(
            f"{name!r} is damaged ({said:.300}). Take another copy of it, or make it anew."
        ) from error


def user_cache() -> Path:
    """The folder in which corral keeps what it can make or download again."""
    import pooch  # slow to import

    return Path(pooch.os_cache("corral"))
