"""Paths: which files of votes there are, and of which kind."""

from __future__ import annotations

import glob
import os
from difflib import get_close_matches
from pathlib import Path

from corral.errors import SignalsError

KINDS = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


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
