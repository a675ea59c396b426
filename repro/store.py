"""Arrays that cost time and serve several cells, kept in files between runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.keys import key_of

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
    spared : float
        Seconds that arrays once took which were found in files, less those that arrays
        for all cells took now. With them added, the time of a cell is its own, whether
        or not another one was there before.
    """

    def __init__(self, folder: Path = CACHE, version: int = 1) -> None:
        self.folder = folder
        self.version = version
        self.spared = 0.0

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
            What it is, for those who look into the folder.
        source : anything that JSON can hold
            All that it depends on.
        make : callable
        for_all : bool
            Whether its time is no single cell's.
        """
        path = self.folder / f"{name}-{key_of([self.version, source])[:16]}.npz"
        start, spared = time.perf_counter(), self.spared
        if not path.exists():
            array = make()
            own = time.perf_counter() - start + self.spared - spared
            self._write(path, array, own)
        with np.load(path) as file:
            found, seconds = file["array"], float(file["seconds"])
        passed = time.perf_counter() - start
        self.spared = spared + (0.0 if for_all else seconds) - passed
        return found

    def _write(self, path: Path, array: NDArray[Any], seconds: float) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Two processes may make the same array; each writes a file of its own.
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.savez(file, array=array, seconds=seconds)
        os.replace(part, path)
