"""Files of arrays and settings: versioned, checked, written whole or not at all.

A file is a NumPy archive (a zip of arrays, without pickle) in which one entry is JSON text
that says what the file is. Anything else is refused with a reason.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.drafts import draft_of
from corral.errors import StorageError

VERSION = 3
"""Version of the files written; raised when their content changes."""
_HEADER = "corral"


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
    text = np.frombuffer(json.dumps(header, default=_plain).encode(), np.uint8)
    try:
        with draft_of(target) as draft, draft.open("wb") as file:
            entries: dict[str, Any] = {_HEADER: text, **arrays}
            np.savez_compressed(file, **entries)
    except OSError as error:
        why = error.strerror or error
        raise StorageError(f"cannot write {str(target)!r}: {why}") from error


def _plain(value: Any) -> Any:
    if not isinstance(value, np.generic | np.ndarray):
        raise TypeError(f"{value!r:.80} cannot be written as JSON")
    return value.tolist()


def read_file(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_file` wrote: settings and arrays.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from corral.storage import read_file, write_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/a", "example", {"k": 2}, {"x": np.arange(3)})
    ...     settings, arrays = read_file(f"{folder}/a", "example")
    >>> settings, arrays["x"].tolist()
    ({'k': 2}, [0, 1, 2])
    """
    name = str(path)
    try:
        with open(name, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        header = json.loads(arrays.pop(_HEADER).tobytes())
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {name!r}.") from error
    except (
        *(OSError, ValueError, KeyError, EOFError, AttributeError, TypeError),
        *(zipfile.BadZipFile, zlib.error),
    ) as error:
        raise StorageError(
            f"{name!r} is damaged, or is no file that corral wrote: {error}"
        ) from error
    if header.get("version") != VERSION:
        raise StorageError(
            f"{name!r} has version {header.get('version')!r} of the format; this corral "
            f"reads version {VERSION}. Install the corral that wrote it, or fit again."
        )
    if header.get("kind") != kind:
        raise StorageError(f"{name!r} holds a {header.get('kind')!r}, not a {kind!r}.")
    return header["settings"], arrays
