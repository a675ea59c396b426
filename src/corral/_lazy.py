"""Classes by name, imported when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any


class LazyClasses(Mapping[str, Any]):
    """Names that users give, and the classes they stand for.

    Parameters
    ----------
    places : dict
        From a name to the module and the name of the class in it.

    Examples
    --------
    >>> from corral._lazy import LazyClasses
    >>> classes = LazyClasses({"pair": ("fractions", "Fraction")})
    >>> list(classes), classes["pair"].__name__
    (['pair'], 'Fraction')
    """

    def __init__(self, places: dict[str, tuple[str, str]]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Any:
        module, kind = self._places[name]
        return getattr(import_module(module), kind)

    def class_called(self, kind: str) -> Any:
        """The class with this name of its own; None if there is none."""
        for module, own in self._places.values():
            if own == kind:
                return getattr(import_module(module), kind)
        return None

    def __contains__(self, name: object) -> bool:
        return name in self._places  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
