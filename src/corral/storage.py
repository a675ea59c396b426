"""Find files, and write a file whole or not at all."""

from __future__ import annotations

import fnmatch
import glob
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path

from corral.errors import CorralError, ParameterError, SignalsError, StorageError

AnyPath = str | os.PathLike[str]
KINDS = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")


def check_output(
    path: AnyPath, *, inputs: Iterable[AnyPath] = (), overwrite: bool = False
) -> Path:
    """The real path behind `path`; refuse a place that must not be written.

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
        matches = deep if "**" in pattern else target.match(pattern)
        matches = matches and not os.path.exists(source)
        for place in (source, *glob.glob(os.fspath(source), recursive=True)):
            real = Path(os.path.realpath(place))
            both = real.exists() and os.path.exists(target)
            same = real in (target, target.parent) or (both and real.samefile(target))
            if same or matches:
                raise ParameterError(
                    f"the output {given!r} would replace, lie in or match "
                    f"{os.fspath(source)!r}, which this run uses. Choose another output."
                )
    try:
        target.stat()
    except FileNotFoundError:
        if os.access(target.parent, os.W_OK | os.X_OK):
            return target
        said = f"cannot write {given!r}: its folder may not be written to."
        raise StorageError(said) from None
    except OSError as error:  # such as a name that is too long
        raise StorageError(f"cannot write {given!r}: {error.strerror}.") from error
    if not target.is_file():
        raise StorageError(f"cannot write {given!r}: it exists and is not a file.")
    if not overwrite:
        raise ParameterError(
            f"the output {given!r} exists already. Choose another name, or replace it with "
            "`overwrite=True`."
        )
    return target


@contextmanager
def atomic_write(
    path: AnyPath, *, inputs: Iterable[AnyPath] = (), overwrite: bool = False
) -> Iterator[Path]:
    """An empty file to write to, which takes the place of `path` at the end.

    If anything is raised, or the process is killed, `path` stays as it was. A file that is
    replaced keeps its permissions. Parameters are those of `check_output`.
    """
    target = check_output(path, inputs=inputs, overwrite=overwrite)
    temporary = target.with_name(f".corral-{os.urandom(8).hex()}.tmp")
    try:
        temporary.touch()
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
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def reading(path: AnyPath, expected: str) -> Iterator[None]:
    """Turn whatever a damaged file leads to into one error."""
    name = os.fspath(path)
    try:
        yield
    except MemoryError:
        raise
    except PermissionError as error:
        raise StorageError(f"cannot read {name!r}: {error.strerror}.") from error
    except CorralError as error:  # says what was expected and found, but not where
        raise StorageError(f"in {name!r}: {error}") from error
    except Exception as error:  # half a dozen libraries, each with errors of its own
        found = str(error) or type(error).__name__
        raise StorageError(
            f"expected {expected} in {name!r}, found: {found:.300}. The file may be "
            "damaged, or another one."
        ) from error


def find_files(path: AnyPath) -> list[Path]:
    """The files that a path, a folder or a pattern of names stands for."""
    source = Path(path)
    if source.is_file():
        return [source]
    if source.is_dir():
        found = [file for file in sorted(source.iterdir()) if file.is_file()]
        files = [file for file in found if not file.name.startswith((".", "_"))]
        if not files:
            raise SignalsError(
                f"the folder {str(source)!r} has no files of votes: names that end in "
                f"{', '.join(KINDS)}, and do not begin with a dot or an underscore."
            )
        return files
    matches = sorted(glob.glob(str(source), recursive=True))
    files = [file for file in map(Path, matches) if file.is_file()]
    if not files:
        beside = os.listdir(source.parent) if source.parent.is_dir() else []
        near = get_close_matches(source.name, beside, 1, cutoff=0.8)
        asked = f" Did you mean {str(source.with_name(near[0]))!r}?" if near else ""
        raise SignalsError(f"there is no file {str(source)!r}.{asked}")
    return files


def kind_of(path: Path) -> str:
    """The kind of a file by its name, compressed or not."""
    packed = path.suffix.lower() == ".gz"
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    if ending not in KINDS or (packed and ending == ".parquet"):
        raise SignalsError(
            f"cannot tell what kind of file {path.name!r} is; its name must end in "
            f"{', '.join(KINDS)}."
        )
    return ending
