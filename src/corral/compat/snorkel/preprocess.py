"""`snorkel.preprocess`: functions that change a row before a labeling function sees it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from corral.compat import stands_for
from corral.errors import ParameterError

__all__ = ["LambdaPreprocessor", "preprocessor"]


class LambdaPreprocessor:
    """Changes a copy of a row by a function `f`; `preprocessor` makes one.

    Those in `pre` change the copy first. With `memoize` the answer for a row is kept, by
    `memoize_key` of the row or else by its values, for all functions that ask for it.
    """

    def __init__(
        self,
        name: str,
        f: Callable[[Any], Any],
        pre: Sequence[Callable[[Any], Any]] | None = None,
        memoize: bool = False,
        memoize_key: Callable[[Any], Hashable] | None = None,
    ) -> None:
        self.name = name
        self.memoize = memoize
        self._f, self._pre = f, list(pre or ())
        self._key = memoize_key or values_of
        self.reset_cache()

    def reset_cache(self) -> None:
        """Forget the answers that were kept."""
        self._cache: dict[Hashable, Any] = {}

    def __call__(self, x: Any) -> Any:
        """The changed copy of a row."""
        key = self._key(x) if self.memoize else None
        if self.memoize and key in self._cache:
            return self._cache[key]
        changed = deepcopy(x)
        # A pandas row forgets the fields that preprocessors added when it is copied.
        added, kept = getattr(x, "__dict__", {}), getattr(changed, "__dict__", {})
        kept.update({k: deepcopy(v) for k, v in added.items() if k not in kept})
        for change in (*self._pre, self._f):
            changed = change(changed)
        if self.memoize:
            self._cache[key] = changed
        return changed

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name}, Pre: {self._pre}"


def preprocessor(
    name: str | None = None, *args: Any, **kw: Any
) -> Callable[[Callable[[Any], Any]], LambdaPreprocessor]:
    """Make a preprocessor of a function; options as for `LambdaPreprocessor`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from corral.compat.snorkel.preprocess import preprocessor
    >>> @preprocessor(memoize=True)
    ... def count_words(x):
    ...     x.words = len(x.text.split())
    ...     return x
    >>> count_words(SimpleNamespace(text="win a prize")).words
    3
    """
    if callable(name):
        raise ParameterError("missing parentheses: write @preprocessor().")
    return lambda f: LambdaPreprocessor(name or f.__name__, f, *args, **kw)


def values_of(x: Any) -> Hashable:
    """What a row is known by: its values, as something that can be a key."""
    try:
        hash(x)
    except TypeError:
        pass  # a list, a row of pandas
    else:
        return x
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype.str, x.tobytes()
    if isinstance(x, list | tuple):
        return tuple(map(values_of, x))
    if hasattr(x, "items"):
        return frozenset((k, values_of(v)) for k, v in x.items())
    if hasattr(x, "__dict__"):
        return values_of(vars(x))
    raise ParameterError(
        f"a row of type {type(x).__name__} cannot be remembered by its values; give "
        "memoize_key=, a function from a row to a text or a number."
    )


stands_for(__name__, "core")
