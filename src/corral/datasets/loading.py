"""`load` and `fetch`: data sets by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from corral.datasets.catalogue import CATALOGUE, Source, registry
from corral.datasets.data_files import FOLDER_VARIABLE, check, data_folder, download
from corral.datasets.dataset import Dataset
from corral.datasets.scikit_learn_data import EMBEDDED
from corral.errors import ParameterError, StorageError

if TYPE_CHECKING:
    from corral.features import VectorFile


def names() -> tuple[str, ...]:
    """Every name that `load` knows.

    Examples
    --------
    >>> from corral import datasets
    >>> datasets.names()[:4]
    ('digits', 'breast_cancer', 'sst2', 'imdb')
    """
    return (*EMBEDDED, *CATALOGUE)


@overload
def load(  # type: ignore[overload-overlap] # any other name gives a Dataset
    name: Literal["glove", "glove_42b"],
    *,
    folder: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> VectorFile: ...
@overload
def load(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> Dataset: ...
def load(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> Dataset | VectorFile:
    """Load a data set: texts or arrays, true labels, and signals where they come along.

    Files are looked for in `folder`. What is not there is downloaded into it from the
    publisher, once.

    Parameters
    ----------
    name : str
        One of `names`.
    folder : path, optional
        Default: what the environment variable ``CORRAL_DATA`` names, or a cache in the
        user's home.
    verify : bool
        Refuse files that are not known by their hash. False reads what is there, as long
        as it has the right format.

    Returns
    -------
    Dataset
        Or `corral.features.VectorFile`, for ``"glove"`` and ``"glove_42b"``.

    Examples
    --------
    Two data sets are part of scikit-learn and need no file:

    >>> from corral import datasets
    >>> digits = datasets.load("digits")
    >>> digits
    Dataset('digits': train 1413, test 354; 10 classes)
    >>> digits.train
    Examples(1413 labels, array of (1413, 8, 8), 5 signals)
    """
    if name in EMBEDDED:
        return EMBEDDED[name]()
    root = data_folder(folder)
    source, notes = _locate(name, root, verify)
    return source.load(root, notes)


def fetch(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> tuple[Path, ...]:
    """See that the files of a data set are there, and say where.

    Parameters
    ----------
    name, folder, verify
        As for `load`.

    Returns
    -------
    tuple of Path
        Empty for what needs no file.
    """
    if name in EMBEDDED:
        return ()
    root = data_folder(folder)
    source, _ = _locate(name, root, verify)
    return tuple(root / path for path in source.paths)


@dataclass(frozen=True)
class DataFiles:
    """What a data set needs, and what of it is there.

    Attributes
    ----------
    name : str
    status : str
        "built in", "there", "to download" or "by hand".
    home : str
        Where the data come from.
    files : tuple of Path
        What is read: the form of the data that is there, else the one to be downloaded.
    missing : tuple of Path
        Those of them that are not there.
    """

    name: str
    status: str
    home: str
    files: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values."""
        return {
            "name": self.name,
            "status": self.status,
            "home": self.home,
            "files": list(map(str, self.files)),
            "missing": list(map(str, self.missing)),
        }


def survey(*, folder: str | os.PathLike[str] | None = None) -> tuple[DataFiles, ...]:
    """Say of every data set what it needs, and what of it is there; fetch nothing.

    Parameters
    ----------
    folder : path, optional
        As for `load`.

    Examples
    --------
    >>> from corral import datasets
    >>> datasets.survey()[0]
    DataFiles(name='digits', status='built in', home='scikit-learn', files=(), missing=())
    """
    root = data_folder(folder)
    return tuple(_survey(name, root) for name in names())


def _survey(name: str, root: Path) -> DataFiles:
    if name in EMBEDDED:
        return DataFiles(name, "built in", "scikit-learn")
    source, known = _choose_source(name, root), registry()
    missing = [path for path in source.paths if not (root / path).exists()]
    status = "to download" if missing else "there"
    if any(known[path].url is None for path in missing):
        status = "by hand"
    return DataFiles(
        name,
        status,
        source.home,
        tuple(root / path for path in source.paths),
        tuple(root / path for path in missing),
    )


def _locate(name: str, root: Path, verify: bool) -> tuple[Source, tuple[str, ...]]:
    """The source to read, its files in place, and how they differ from the published."""
    if name not in CATALOGUE:
        raise ParameterError(
            f"there is no data set {name!r}. Known are {', '.join(names())}."
        )
    source = _choose_source(name, root)
    known = registry()
    _require(name, source, root)
    notes = []
    for path in source.paths:
        file, place = known[path], root / path
        if not place.exists():
            download(file, place)
        elif verify:
            notes.append(check(file, place))
        else:
            notes.append(f"{place.name}: not verified")
    return source, tuple(note for note in notes if note)


def _choose_source(name: str, root: Path) -> Source:
    """The first form that is there, else the first that can be downloaded."""
    sources = CATALOGUE[name]
    there = [s for s in sources if any((root / path).exists() for path in s.paths)]
    known = registry()
    public = [s for s in sources if all(known[path].url for path in s.paths)]
    return [*there, *public, *sources][0]


def _require(name: str, source: Source, root: Path) -> None:
    """Say what to put where if something is missing that cannot be downloaded."""
    known = registry()
    missing = [
        f"  {root / path}\n    {known[path].known}"
        for path in source.paths
        if known[path].url is None and not (root / path).exists()
    ]
    if missing:
        raise StorageError(
            f"{name!r} cannot be downloaded: these files have no public address of their "
            f"own. Put them in place (the data are from {source.home}), or name another "
            f"folder by {FOLDER_VARIABLE}:\n" + "\n".join(missing)
        )
