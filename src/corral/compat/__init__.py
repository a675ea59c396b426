"""Names and call shapes of Snorkel's labeling package and Crowd-Kit's aggregators.

A program that imports ``snorkel`` or ``crowdkit`` runs with ``corral.compat.`` in front of
that. Nothing here imports these libraries. What differs, and why: docs/compat.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from corral.errors import CompatWarning, warn_user

_said: set[tuple[str, str]] = set()
"""Callables and options that a warning has named already."""


def warn_of_options(function: str, names: Iterable[str], instead: str) -> None:
    """Warn, once for each, of options that were given and have no effect."""
    new = [name for name in names if (function, name) not in _said]
    if new:
        _said.update((function, name) for name in new)
        has = "have" if len(new) > 1 else "has"
        warn_user(
            f"{', '.join(new)} {has} no effect in {function}: {instead}", CompatWarning
        )
