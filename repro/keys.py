"""Hashes of data and settings, by which results are found again."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np

from corral.datasets import fetch
from corral.datasets.files import sha256_of


@cache
def data_hash(name: str) -> str:
    """One hash for the files of a data set; it must be in `CORRAL_DATA`."""
    return key_of([sha256_of(path) for path in fetch(name)])


def array_hash(*arrays: Any) -> str:
    """One hash for the contents of arrays."""
    found = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        found.update(f"{array.dtype}{array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def key_of(what: Any) -> str:
    """A hash for anything that JSON can hold."""
    text = json.dumps(what, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
