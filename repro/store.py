"""Arrays that cost time and serve several cells, kept in files between runs."""

from __future__ import annotations

import os
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
    """

    def __init__(self, folder: Path = CACHE) -> None:
        self.folder = folder

    def get(
        self, name: str, source: Any, make: Callable[[], NDArray[Any]]
    ) -> NDArray[Any]:
        """An array from its file, or made now.

        Parameters
        ----------
        name : str
            What it is, for those who look into the folder.
        source : anything that JSON can hold
            All that it depends on.
        make : callable
        """
        path = self.folder / f"{name}-{key_of(source)[:16]}.npy"
        if path.exists():
            found: NDArray[Any] = np.load(path)
            return found
        array = make()
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.save(file, array)
        os.replace(part, path)
        return array
