"""Word vectors in GloVe's text format, read once and mapped from a cache afterwards.

Python splits the lines, NumPy reads the numbers. Neither its `loadtxt` nor DuckDB would do:
published files hold words with spaces and words that are not UTF-8, and come zipped.
"""

from __future__ import annotations

import gzip
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from corral.errors import StorageError
from corral.progress import progress
from corral.storage.bounded_lines import bounded_lines
from corral.storage.drafts import draft_of
from corral.storage.versioned_file import user_cache
from corral.text_table import join_names

VERSION = 2
"""Version of the cache; raised when its content changes."""
HEAD = 1 << 16
"""Bytes at the beginning of a file that tell it from others."""
LONGEST = 1 << 20
"""Bytes of a line: a word and a hundred thousand numbers."""
DAMAGED = (EOFError, NotImplementedError, RuntimeError, zlib.error, lzma.LZMAError)
"""What unpacking raises: an entry may be cut, encrypted, or packed in another way."""
LINES = 4096
"""Lines that are parsed at once."""


@dataclass(frozen=True, eq=False, repr=False)
class VectorFile:
    """Word vectors that stay on disk.

    Attributes
    ----------
    source, cache : Path
        The file, and the folder of caches.
    member : str or None
        Which file of a zip.
    words : dict of str to int
        The row of every word; of words that come twice, the first.
    vectors : (v, d) array of float32
        Mapped from the cache.
    notes : tuple of str
        How the file differs from the published one, if `corral.datasets` gave it.
    """

    source: Path
    cache: Path
    member: str | None
    words: dict[str, int]
    vectors: NDArray[np.float32]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n, size = self.vectors.shape
        return f"VectorFile({self.source.name!r}: {n} words, {size} numbers each)"

    def __reduce__(self) -> Any:
        # Gigabytes of vectors do not belong into a pickle; the file is opened again.
        return _reopen, (self.source, self.cache, self.member, self.notes)

    def __deepcopy__(self, memo: Any) -> VectorFile:
        return self  # it does not change, and scikit-learn's clone would read it again


def default_cache() -> Path:
    """Where vectors are cached unless a folder is given."""
    return user_cache() / "vectors"


def open_vectors(
    path: str | os.PathLike[str],
    cache: str | os.PathLike[str] | None = None,
    *,
    member: str | None = None,
) -> VectorFile:
    r"""Open a file of word vectors; the first time it is read, later it is mapped.

    Parameters
    ----------
    path : path
        A word and its numbers per line, separated by spaces, as in GloVe's files; gzip if
        the name ends in ``.gz``, an archive if it ends in ``.zip``. A first line with two
        whole numbers, as word2vec writes it, is skipped. Numbers must be finite.
    cache : path, optional
        A folder. Default: ``corral/vectors`` in the user's cache folder. What is kept
        there is as large as the vectors, and is found again by the size, time and
        beginning of the file.
    member : str, optional
        Which file of a zip, if it has several.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from corral.features import open_vectors
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "vectors.txt")
    ...     _ = path.write_text("good 1 0\nbad -1 0\nfilm 0 1\n")
    ...     file = open_vectors(path, cache=folder)
    ...     print(file, file.vectors[file.words["bad"]])
    VectorFile('vectors.txt': 3 words, 2 numbers each) [-1.  0.]
    """
    source = Path(path).absolute()
    folder = default_cache() if cache is None else Path(cache).absolute()
    try:
        kept = folder / _key(source, member)
        if not kept.is_dir():
            _fill(source, member, kept)
        words, vectors = _read_cache(kept)
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {error.filename!r}.") from error
    except OSError as error:
        raise StorageError(f"cannot read or cache word vectors: {error}") from error
    rows: dict[str, int] = {}
    for i, word in enumerate(words):
        rows.setdefault(word, i)
    return VectorFile(source, folder, member, rows, vectors)


def _read_cache(kept: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Words and vectors of a cache; refused unless they are what `_fill` writes."""
    try:
        words = (kept / "words.txt").read_bytes().decode().split("\n")
        vectors = np.load(kept / "vectors.npy", mmap_mode="r", allow_pickle=False)
        if (vectors.ndim, vectors.dtype) != (2, np.float32) or len(vectors) < len(
            words
        ):
            raise ValueError(f"an array of {vectors.dtype} of shape {vectors.shape}")
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise StorageError(
            f"the cache of word vectors {str(kept)!r} is damaged ({error!s:.200}). Delete "
            "that folder; it is made anew."
        ) from error
    return words, vectors


def _reopen(
    source: Path, cache: Path, member: str | None, notes: tuple[str, ...]
) -> VectorFile:
    return replace(open_vectors(source, cache, member=member), notes=notes)


def _key(source: Path, member: str | None) -> str:
    """A name for the cache that changes with the file."""
    status = source.stat()
    if not stat.S_ISREG(status.st_mode):
        raise StorageError(f"{str(source)!r} is no file of word vectors.")
    with source.open("rb") as file:
        digest = sha256(file.read(HEAD))
    told = f"{VERSION} {status.st_size} {status.st_mtime_ns} {member}"
    digest.update(told.encode())
    return f"{source.name}-{digest.hexdigest()[:16]}"


def _fill(source: Path, member: str | None, kept: Path) -> None:
    """Write the cache, whole or not at all."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            draft_of(kept, folder=True) as draft,
            (draft / "words.txt").open("wb") as words,
            (draft / "vectors.npy").open("wb") as vectors,
        ):
            _convert(source, member, words, vectors)
    except OSError:
        if not kept.is_dir():  # else another process was faster
            raise


def _convert(
    source: Path, member: str | None, words: IO[bytes], vectors: IO[bytes]
) -> None:
    """Write the words, one per line, and their vectors as an array."""
    n = size = at = 0
    try:
        with (
            _open_text(source, member) as (lines, total, done),
            progress(f"reading {source.name}", total) as bar,
        ):
            while block := list(islice(lines, LINES)):
                if not at and _is_heading(block[0]):
                    block, at = block[1:], 1
                if block and not n:
                    size = max(len(block[0].split()) - 1, 0)
                    _write_header(vectors, 0, size)
                names, numbers = _parse(block, size, source, at + 1)
                words.write(b"\n" * bool(n and names) + b"\n".join(names))
                vectors.write(numbers.tobytes())
                n, at = n + len(names), at + len(block)
                bar.reach(done())
    except (*DAMAGED, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise StorageError(f"{str(source)!r} is damaged: {error}") from error
    if not n:
        raise StorageError(f"{str(source)!r} holds no word vectors.")
    vectors.seek(0)
    _write_header(vectors, n, size)


def _write_header(file: IO[bytes], n: int, size: int) -> None:
    # NumPy leaves room for the number of rows, so that it can be written last.
    header = {"descr": "<f4", "fortran_order": False, "shape": (n, size)}
    npy.write_array_header_1_0(file, header)


@contextmanager
def _open_text(
    source: Path, member: str | None
) -> Iterator[tuple[Iterable[bytes], int, Callable[[], int]]]:
    """The lines, the bytes that hold them on disk, and how many of these were read."""
    if member is not None and source.suffix != ".zip":
        raise StorageError(f"{str(source)!r} is no zip, so it has no {member!r} in it.")
    with source.open("rb") as raw:
        if source.suffix == ".zip":
            with zipfile.ZipFile(raw) as archive:
                entry = _find_entry(archive, member, source)
                with archive.open(entry) as text:
                    start = raw.tell()
                    lines = bounded_lines(text, source, longest=LONGEST)
                    yield lines, entry.compress_size, lambda: raw.tell() - start
        else:
            packed = source.suffix == ".gz"
            plain: Any = gzip.GzipFile(fileobj=raw) if packed else raw
            lines = bounded_lines(plain, source, longest=LONGEST)
            yield lines, source.stat().st_size, raw.tell


def _find_entry(
    archive: zipfile.ZipFile, member: str | None, source: Path
) -> zipfile.ZipInfo:
    """The file that is meant: the one of this name, or the only one."""
    names = archive.namelist()
    wanted = names if member is None else [name for name in names if name == member]
    if len(wanted) != 1:
        raise StorageError(
            f"{str(source)!r} holds {join_names(map(repr, names), 200) or 'no file'}; "
            f"{'say which by member=.' if member is None else f'not {member!r}.'}"
        )
    return archive.getinfo(wanted[0])


def _is_heading(line: bytes) -> bool:
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() for field in fields)


def _parse(
    lines: list[bytes], size: int, source: Path, first: int
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Words and numbers of lines, the first of which is number `first` of the file."""
    words, vectors = [], np.empty((len(lines), size), np.float32)
    with np.errstate(over="ignore"):  # infinity is refused below
        for i, line in enumerate(lines):
            word, *fields = line.rstrip().rsplit(b" ", size)  # a word may have spaces
            try:
                if not len(fields) == size > 0:
                    raise ValueError(f"{len(fields)} fields after the word")
                vectors[i] = fields
            except ValueError as error:
                raise StorageError(
                    f"line {first + i} of {str(source)!r} should have a word and "
                    f"{max(size, 1)} numbers; it is "
                    f"{line.rstrip()[:60].decode(errors='replace')!r}."
                ) from error
            # Large collections hold a few words that are no text.
            words.append(word.decode(errors="replace").encode())
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        bad = int(finite.argmin())
        raise StorageError(
            f"line {first + bad} of {str(source)!r}: the vector of "
            f"{words[bad].decode()!r:.60} has numbers that are not finite (NaN, or too "
            "large for 32 bits). Correct the line, or leave it out."
        )
    return words, vectors
