"""Results as plain values, for JSON: no arrays, no NaN, one dict per line of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def as_plain(value: Any) -> Any:
    """The same in lists, dicts, text and numbers; what JSON has no number for is None.

    Examples
    --------
    >>> import numpy as np
    >>> from corral._plain import as_plain
    >>> as_plain({"rate": np.array([0.5, np.nan]), "classes": ("ham", np.int64(1))})
    {'rate': [0.5, None], 'classes': ['ham', 1]}
    """
    if hasattr(value, "tolist"):  # arrays of NumPy, and their scalars
        value = value.tolist()
    if hasattr(value, "to_dict"):  # what other functions of corral give
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Iterable):
        return [as_plain(item) for item in value]
    return str(value)


def as_rows(**columns: Any) -> list[dict[str, Any]]:
    """Columns as one dict per line; those that are None are left out.

    Examples
    --------
    >>> from corral._plain import as_rows
    >>> as_rows(signal=["a", "b"], rate=[0.1, 0.2], error=None)
    [{'signal': 'a', 'rate': 0.1}, {'signal': 'b', 'rate': 0.2}]
    """
    given = {
        name: as_plain(column) for name, column in columns.items() if column is not None
    }
    lines = zip(*given.values(), strict=True)
    return [dict(zip(given, line, strict=True)) for line in lines]
