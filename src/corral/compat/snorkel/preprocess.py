"""`snorkel.preprocess`: functions that change a row before a labeling function sees it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Sequence
from copy import deepcopy
from typing import Any

from corral.errors import ParameterError

__all__ = ["LambdaPreprocessor", "preprocessor"]


class LambdaPreprocessor:
    """Changes a copy of a row by a function `f`; `preprocessor` makes one.

    Those in `pre` change the copy first. With `memoize`, all functions share the answer for
    a row, which is told by its `memoize_key`, or else by its values.
    """

    def __init__(
        self,
        name: str,
        f: Callable[[Any], Any],
        pre: Sequence[Callable[[Any], Any]] | None = None,
        memoize: bool = False,
        memoize_key: Callable[[Any], Hashable] | None = None,
    ) -> None:
        self.name, self._f, self._pre = name, f, list(pre or ())
        self._key = (memoize_key or values_of) if memoize else None
        self._cache: dict[Hashable, Any] = {}

    def __call__(self, x: Any) -> Any:
        """The changed copy of a row."""
        key = None if self._key is None else self._key(x)
        if key in self._cache:
            return self._cache[key]
        changed = deepcopy(x)
        # A pandas row forgets the fields that preprocessors added when it is copied.
        added, kept = getattr(x, "__dict__", {}), getattr(changed, "__dict__", {})
        kept.update({k: deepcopy(v) for k, v in added.items() if k not in kept})
        for change in (*self._pre, self._f):
            changed = change(changed)
        if self._key is not None:
            self._cache[key] = changed
        return changed


def preprocessor(
    name: str | None = None, *args: Any, **kw: Any
) -> Callable[[Callable[[Any], Any]], LambdaPreprocessor]:
    """Make a preprocessor of a function; options as for `LambdaPreprocessor`."""
    if callable(name):
        raise ParameterError("missing parentheses: write @preprocessor().")
    return lambda f: LambdaPreprocessor(name or f.__name__, f, *args, **kw)


def values_of(x: Any) -> bytes:
    """The values of a row, as a key; the place of a row of pandas is not one of them."""
    fields = dict(x.items()) if hasattr(x, "items") else getattr(x, "__dict__", x)
    return pickle.dumps(fields)
