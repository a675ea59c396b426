"""Files of data sets: where they are, whether they are right, how they get there.

One folder has them all: the one that the environment variable ``CORRAL_DATA`` names, or
a cache in the user's home. What is missing there is downloaded, if it has a public
address.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from corral.errors import StorageError
from corral.progress import Progress, watch
from corral.storage.versioned_file import user_cache

FOLDER_VARIABLE = "CORRAL_DATA"
"""Name of the environment variable that names the folder."""
_CHUNK = 1 << 18


@dataclass(frozen=True)
class File:
    """A file by name and hash.

    Attributes
    ----------
    path : str
        Below the folder of all data sets.
    sha256 : str or None
        Of the published file.
    url : str or None
        Where it is published; such a file has a hash.
    copies : mapping of str to str
        Hashes of other copies that are known, and how they differ.
    """

    path: str
    sha256: str | None = None
    url: str | None = None
    copies: Mapping[str, str] = field(default_factory=dict)

    @property
    def known(self) -> str:
        """The hashes of good copies, as text."""
        hashes = [*([self.sha256] if self.sha256 else []), *self.copies]
        return f"sha256 {' or '.join(hashes)}"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder of all data sets: `folder`, ``CORRAL_DATA``, or the user's cache."""
    named = folder or os.environ.get(FOLDER_VARIABLE)
    return Path(named).expanduser() if named else user_cache()


def check(file: File, path: Path) -> str:
    """Refuse a file that is not a known copy; say how it differs from the published one.

    Returns
    -------
    str
        "" for the published file.
    """
    found = sha256_of(path)
    if found == file.sha256:
        return ""
    if found not in file.copies:
        mend = "Remove it to have it downloaded again" if file.url else "Replace it"
        raise StorageError(
            f"{str(path)!r} is not the file that was expected: truncated, renamed or "
            f"another version.\n  expected {file.known}\n"
            f"  found sha256 {found}\n"
            f"{mend}, or pass verify=False to read it as it is."
        )
    return f"{path.name}: {file.copies[found]}"


def download(file: File, path: Path) -> None:
    """Put a file in place: whole and checked, or not at all."""
    import pooch

    bar = _DownloadBar(f"downloading {path.name}", None, "bytes")
    downloader = pooch.HTTPDownloader(progressbar=bar, chunk_size=_CHUNK)
    try:
        pooch.retrieve(
            file.url,
            f"sha256:{file.sha256}",
            fname=path.name,
            path=path.parent,
            downloader=downloader,
        )
    except OSError as error:  # requests' errors are among them
        raise StorageError(
            f"cannot download {file.url}: {error}. Nothing was kept; try again, or put "
            f"the file there by hand: {path}"
        ) from error
    except ValueError as error:
        raise StorageError(f"cannot use {file.url}: {error}") from error
    finally:
        bar.close()


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    place = Path(path)
    try:
        size = place.stat().st_size
        with place.open("rb") as file, watch(f"checking {place.name}", file.tell, size):
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StorageError(f"cannot read {str(path)!r}: {error}") from error


class _DownloadBar(Progress):
    """`Progress` with the names by which pooch calls a progress bar."""

    def update(self, n: int) -> None:
        # pooch counts whole chunks, the last one too.
        self.reach(min(self.done + n, self.total or self.done + n))

    def reset(self) -> None:
        self.done = 0
