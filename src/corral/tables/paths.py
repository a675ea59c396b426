"""Paths: which files of votes there are, of which kind, and where to write labels."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from corral.errors import ParameterError, SignalsError
from corral.wording import option

KINDS = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")
COMPRESSIONS = {".gz": ", COMPRESSION gzip", ".zst": ", COMPRESSION zstd"}


def find_files(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a path, a folder or a pattern of names stands for."""
    source = Path(path)
    if source.is_file():
        return [source]
    if source.is_dir():
        found = [file for file in sorted(source.iterdir()) if file.is_file()]
        files = [file for file in found if not file.name.startswith((".", "_"))]
        if not files:
            hidden = f"; names such as {found[0].name!r} are left out" if found else ""
            raise SignalsError(
                f"the folder {str(source)!r} has no files of votes{hidden}. Their names "
                f"must end in {', '.join(KINDS)}."
            )
        return files
    matches = sorted(glob.glob(str(source), recursive=True))
    files = [file for file in map(Path, matches) if file.is_file()]
    if not files:
        raise SignalsError(f"there is no file {str(source)!r}.{_suggest(source)}")
    return files


def _suggest(missing: Path) -> str:
    """The name of a file beside it that is spelled nearly so, as a question."""
    try:
        names = os.listdir(missing.parent)
    except OSError:
        return ""
    near = get_close_matches(missing.name, names, 1, cutoff=0.8)
    return f" Did you mean {str(missing.with_name(near[0]))!r}?" if near else ""


def kind_of(path: Path) -> str:
    """The kind of a file by its name, whatever it is compressed with."""
    plain = path
    if path.suffix.lower() in COMPRESSIONS:
        plain = path.with_suffix("")
    ending = plain.suffix.lower()
    if ending not in KINDS or (plain is not path and ending == ".parquet"):
        raise SignalsError(
            f"cannot tell what kind of file {path.name!r} is; its name must end in "
            f"{', '.join(KINDS)}."
        )
    return ending


def check_output(
    target: Path,
    source: str | os.PathLike[str],
    files: Iterable[Path],
    overwrite: bool,
) -> None:
    """Refuse a path to write to that is no file, an input, or there already.

    Parameters
    ----------
    target : path
    source : path
        What was read: a file, a folder or a pattern.
    files : iterable of paths
        The files that it stands for.
    overwrite : bool
        Whether a file may be replaced; an input never is.
    """
    kind_of(target)
    refuse_input(target, source, files)
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise SignalsError(f"there is no folder {str(folder)!r}.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SignalsError(
            f"cannot write {target.name!r}: the folder {str(folder)!r} may not be written "
            "to."
        )
    try:
        target.stat()
        there = True
    except FileNotFoundError:
        there = False
    except OSError as error:  # such as a name that is too long
        raise SignalsError(
            f"cannot write {target.name!r}: {error.strerror}."
        ) from error
    if target.is_dir():
        raise SignalsError(f"cannot write {target.name!r}: a folder has that name.")
    if there and not target.is_file():
        raise SignalsError(
            f"cannot write {target.name!r}: a device, pipe or socket has that name, and "
            "would be replaced by a file. Choose another name."
        )
    refuse_existing(there, str(target), overwrite)


def refuse_existing(there: bool, path: str, overwrite: bool) -> None:
    """Refuse to replace a file without `overwrite`."""
    if there and not overwrite:
        raise ParameterError(
            f"the output {path!r} exists already. Choose another name, or replace it with "
            f"{option('overwrite', True)}."
        )


def refuse_input(
    target: Path, source: str | os.PathLike[str], files: Iterable[Path]
) -> None:
    """Refuse a path to write to that is an input, or would be one next time."""
    if os.path.exists(target):
        left = filter(os.path.exists, files)  # an input may be deleted once it was read
        same = [file for file in left if os.path.samefile(target, file)]
        if same:
            raise ParameterError(
                f"the output {str(target)!r} is the input {str(same[0])!r}, which it "
                "would replace. Choose another output."
            )
    here = Path(os.path.realpath(target.parent), target.name)
    places = [Path(os.path.realpath(target)), here]  # two, if the output is a link
    if Path(source).is_dir():
        folder = Path(os.path.realpath(source))
        inside = any(
            place.parent == folder and not place.name.startswith((".", "_"))
            for place in places
        )
    else:
        named = Path(source).is_file()  # so its brackets are no pattern
        inside = not named and any(_would_find(source, place) for place in places)
    if inside:
        raise ParameterError(
            f"the output {str(target)!r} would be one of the inputs, {str(source)!r}, "
            "when they are read again. Choose another folder for it."
        )


def refuse_place(target: str, source: str) -> None:
    """As `refuse_input`, for paths that may be on a cluster, where folders are written.

    A folder that holds the input is refused as well: to replace it would delete that.
    """
    for start in ("file://", "file:"):
        target, source = target.removeprefix(start), source.removeprefix(start)
    if "://" not in source:
        found = [Path(source), *map(Path, glob.glob(source, recursive=True))]
        refuse_input(Path(target), source, [path for path in found if path.exists()])
        target, source = os.path.realpath(target), os.path.realpath(source)
    target, source = target.rstrip("/"), source.rstrip("/")
    if f"{source}/".startswith(f"{target}/") or fnmatchcase(target, source):
        raise ParameterError(
            f"the output {target!r} is an input, or the folder of one, {source!r}, which "
            "it would replace. Choose another output."
        )
    if target.startswith(f"{source}/"):
        raise ParameterError(
            f"the output {target!r} would be one of the inputs, {source!r}, when they "
            "are read again. Choose another folder for it."
        )


def watch_files(files: Sequence[Path], name: str) -> Callable[[], None]:
    """Remember what files are now; what is returned refuses them once they have changed.

    Labels that were found for other votes would not match their rows.

    Parameters
    ----------
    files : sequence of paths
    name : str
        What a message calls them.
    """
    before = [_state_of(file) for file in files]

    def refuse_changes() -> None:
        if [_state_of(file) for file in files] != before:
            raise SignalsError(
                f"{name} changed while it was read, so nothing was written. Label it "
                "again when it is complete, or label a copy of it."
            )

    return refuse_changes


def _state_of(file: Path) -> tuple[int, int, int] | None:
    """What tells that a file was replaced or written to; None where it is gone."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _would_find(pattern: str | os.PathLike[str], place: Path) -> bool:
    """Whether `glob` would find a real path if a file were there."""
    if _matches(place.parts, _real_pattern(pattern).parts):
        return True
    # Folders that are links: compare where they lead to.
    folders, last = os.path.split(os.fspath(pattern))
    if last == "**":
        folders, last = os.fspath(pattern), "*"
    found = glob.glob(os.path.join(folders, ""), recursive=True) if folders else ["."]
    real = {Path(os.path.realpath(folder)) for folder in found}
    return place.parent in real and _matches((place.name,), (last,))


def _real_pattern(pattern: str | os.PathLike[str]) -> Path:
    """A pattern of which the folders that it names are resolved."""
    parts = Path(os.path.abspath(pattern)).parts
    marked = [i for i, part in enumerate(parts) if glob.has_magic(part)]
    fixed = marked[0] if marked else len(parts)
    return Path(os.path.realpath(Path(*parts[:fixed])), *parts[fixed:])


def _matches(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether a path is one that `glob` would find by a pattern."""
    if not patterns or not parts:
        return not patterns and not parts
    first, rest = patterns[0], patterns[1:]
    if first == "**":
        return not rest or _matches(parts, rest) or _matches(parts[1:], patterns)
    hidden = parts[0].startswith(".") and not first.startswith(".")
    return not hidden and fnmatchcase(parts[0], first) and _matches(parts[1:], rest)
