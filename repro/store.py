"""Arrays that cost time and serve several cells, kept in files between runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.keys import make_key

CACHE = Path(__file__).parent / ".cache"


class Store:
    """Files named after what their arrays were computed from.

    Parameters
    ----------
    folder : Path
    version : int
        Of the experiment; a newer one does not read what older ones left.

    Attributes
    ----------
    saved_seconds : float
        Seconds to add to the time of a cell, so that it does not depend on which cells ran
        before: what arrays found in files took when they were made, less the time that
        arrays for all cells took now.
    """

    def __init__(self, folder: Path = CACHE, version: int = 1) -> None:
        self.folder = folder
        self.version = version
        self.saved_seconds = 0.0

    def get(
        self,
        name: str,
        source: Any,
        make: Callable[[], NDArray[Any]],
        *,
        for_all: bool = False,
    ) -> NDArray[Any]:
        """An array from its file, or made now.

        Parameters
        ----------
        name : str
            The start of the file's name.
        source : anything that JSON can hold
            All that it depends on.
        make : callable
        for_all : bool
            Whether its time counts for no cell.
        """
        path = self.folder / f"{name}-{make_key([self.version, source])[:16]}.npz"
        start, spared = time.perf_counter(), self.saved_seconds
        if not path.exists():
            array = make()
            own = time.perf_counter() - start + self.saved_seconds - spared
            self._write(path, array, own)
        with np.load(path) as file:
            found, seconds = file["array"], float(file["seconds"])
        passed = time.perf_counter() - start
        self.saved_seconds = spared + (0.0 if for_all else seconds) - passed
        return found

    def _write(self, path: Path, array: NDArray[Any], seconds: float) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Two processes may make the same array; each writes a file of its own.
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.savez(file, array=array, seconds=seconds)
        os.replace(part, path)
