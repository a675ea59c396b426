"""Lines of files of others: none is longer than memory should hold, nor are all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr

from corral.errors import StorageError

LONGEST = 1 << 24
"""Characters of a line, in tables too: eight times what DuckDB takes by default."""
FEW = 1 << 28
"""Bytes that any packed file may unpack to; a prompt that every line repeats packs well."""
PER_LINE = 64
"""Bytes that a line counts more than it has: a billion empty ones take long, too."""
MOST_RATIO = 100
"""Beyond `FEW`, a packed file of text may unpack to so many times its size."""


def bounded_lines(
    stream: IO[AnyStr], path: str | os.PathLike[str], *, longest: int = LONGEST
) -> Iterator[AnyStr]:
    r"""The lines of a file, packed or not; refused once one is too long, or all are.

    A gzip of a megabyte may be one line of a gigabyte, or a billion of them.

    Parameters
    ----------
    stream : file
        Open for reading: what is in the file, unpacked.
    path : path
        The file on disk.
    longest : int
        Characters, or bytes, of a line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from corral.storage.bounded_lines import bounded_lines
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("a\n" + 20 * "b")
    >>> with path.open() as stream:
    ...     list(bounded_lines(stream, path, longest=10))
    Traceback (most recent call last):
    corral.errors.StorageError: line 2 of 'a.txt' has more than 10 characters. Is it another
    kind of file?
    """
    place, number, total = Path(path), 0, 0
    most = most_unpacked(place)
    while line := stream.readline(longest + 1):
        number, total = number + 1, total + len(line)
        if len(line) > longest:
            raise StorageError(
                f"line {number} of {place.name!r} has more than {longest:,} characters. "
                "Is it another kind of file?"
            )
        if total + number * PER_LINE > most:
            raise refuse_bomb(place, f"{number:,} lines of {total:,} bytes, or more")
        yield line


def most_unpacked(path: Path) -> int:
    """Bytes that a packed file may unpack to."""
    return max(FEW, MOST_RATIO * path.stat().st_size)


def refuse_bomb(path: Path, held: str) -> StorageError:
    """The error for a file that unpacks to more than a file of text would."""
    return StorageError(
        f"{path.name!r} unpacks to {held}, which is too much for its "
        f"{path.stat().st_size:,} bytes on disk. Unpack it yourself, if that is right, and "
        "give what was in it."
    )
