"""Hashes of data and settings, by which results are found again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from repro.data import hash_files


def hash_data(name: str) -> str:
    """One hash for the files of a data set."""
    return make_key(hash_files(name))


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
