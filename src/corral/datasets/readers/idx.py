"""IDX, the array format of MNIST and its kin, gzipped or plain."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.datasets.readers.reader_tools import StrPath, reading

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: StrPath) -> NDArray[Any]:
    """Read one array of any type and shape that the format knows.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.datasets.readers import read_idx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels-idx1-ubyte"
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    ...     read_idx(path)
    array([7, 8, 9], dtype=uint8)
    """
    with reading(path, "an array in the IDX format"):
        content = Path(path).read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        if content[:2] != b"\0\0" or content[2] not in _TYPES:
            raise ValueError(f"a file that begins with {content[:4]!r}")
        dtype, begin = np.dtype(_TYPES[content[2]]), 4 + 4 * content[3]
        shape = np.frombuffer(content, ">u4", content[3], 4).tolist()
        size = begin + math.prod(shape) * dtype.itemsize
        if len(content) != size:
            raise ValueError(f"{len(content)} bytes where shape {shape} needs {size}")
        array = np.frombuffer(content, dtype, offset=begin).reshape(shape)
        return array.astype(dtype.newbyteorder("="))
