"""The one way in which corral writes a file: whole, and where the user meant it."""

from __future__ import annotations

import fnmatch
import glob
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from corral.errors import ParameterError, StorageError

AnyPath = str | os.PathLike[str]


def check_output(
    path: AnyPath, *, inputs: Iterable[AnyPath] = (), overwrite: bool = False
) -> Path:
    """The real path that `path` leads to, unless nothing may be written there.

    Parameters
    ----------
    path : path
        Its folder must exist. A link is followed, so it stays a link.
    inputs : iterable of paths
        Files, folders and patterns that the same run uses. An output never replaces one,
        nor lies in such a folder, nor matches a pattern, and would be read next time.
    overwrite : bool
        Whether a file that exists may be replaced.
    """
    given = os.fspath(path)
    target = Path(os.path.realpath(given))
    for folder in (os.path.dirname(given) or ".", str(target.parent)):
        if not os.path.isdir(folder):
            raise StorageError(f"there is no folder {folder!r} for {target.name!r}.")
    for source in inputs:
        pattern = os.path.realpath(source)
        deep = fnmatch.fnmatch(str(target), pattern.replace("**/", "*"))
        again = deep if "**" in pattern else target.match(pattern)
        again = again and not os.path.exists(source)
        for place in (source, *glob.glob(os.fspath(source), recursive=True)):
            real = Path(os.path.realpath(place))
            there = os.path.exists(real) and os.path.exists(target)
            same = real in (target, target.parent) or (there and real.samefile(target))
            if same or again:
                raise ParameterError(
                    f"the output {given!r} would replace, lie in or match "
                    f"{os.fspath(source)!r}, which this run uses. Choose another output."
                )
    try:
        target.stat()
    except FileNotFoundError:
        if os.access(target.parent, os.W_OK | os.X_OK):
            return target
        raise StorageError(
            f"cannot write {given!r}: its folder may not be written to."
        ) from None
    except OSError as error:  # such as a name that is too long
        raise StorageError(f"cannot write {given!r}: {error.strerror}.") from error
    if not target.is_file():
        raise StorageError(f"cannot write {given!r}: it exists and is not a file.")
    if not overwrite:
        raise ParameterError(
            f"the output {given!r} exists already. Choose another name, or replace it with "
            f"`overwrite=True`."
        )
    return target


@contextmanager
def atomic_write(
    path: AnyPath,
    *,
    inputs: Iterable[AnyPath] = (),
    overwrite: bool = False,
    folder: bool = False,
) -> Iterator[Path]:
    """An empty file (or folder) to write to, which takes the place of `path` at the end.

    If anything is raised, `path` stays as it was. A process that is killed leaves the old
    file, and perhaps the hidden temporary one beside it.

    Parameters
    ----------
    path, inputs, overwrite
        As for `check_output`. A file that is replaced keeps its permissions.
    folder : bool
        Make a folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.storage.atomic_write import atomic_write
    >>> place = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with atomic_write(place) as temporary:
    ...     _ = temporary.write_text("hello")
    ...     place.exists()
    False
    >>> place.read_text()
    'hello'
    """
    target = check_output(path, inputs=inputs, overwrite=overwrite)
    temporary = target.with_name(f".corral-{os.urandom(8).hex()}.tmp")
    try:
        temporary.mkdir() if folder else temporary.touch()
        if target.exists():
            shutil.copymode(target, temporary)
        yield temporary
        temporary.replace(target)
    except OSError as error:
        if error.filename and not str(error.filename).startswith(str(temporary)):
            raise
        why = error.strerror or error
        raise StorageError(f"cannot write {os.fspath(path)!r}: {why}.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        with suppress(OSError):
            temporary.unlink()
