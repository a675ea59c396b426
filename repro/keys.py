"""Hashes of data and settings, by which results are found again."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np

from corral.datasets import fetch
from corral.datasets.data_files import sha256_of


@cache
def hash_data(name: str) -> str:
    """One hash for the files of a data set; it must be in `CORRAL_DATA`."""
    return make_key([sha256_of(path) for path in fetch(name)])


def hash_arrays(*arrays: Any) -> str:
    """One hash for the contents of arrays."""
    found = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        found.update(f"{array.dtype}{array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def make_key(what: Any) -> str:
    """A hash for anything that JSON can hold."""
    text = json.dumps(what, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
