"""Options of other libraries that have no meaning here."""

from __future__ import annotations

from collections.abc import Iterable

from corral.errors import CompatWarning, warn_user

_said: set[tuple[str, str]] = set()
"""Callables and options that a warning has named already."""


def warn_of_options(function: str, names: Iterable[str], instead: str) -> None:
    """Warn of options that were given and have no effect, once for each of them.

    Parameters
    ----------
    function : str
        What they were given to.
    names : iterable of str
        The options that were given.
    instead : str
        A sentence that says why they have none, or what does.
    """
    new = [name for name in names if (function, name) not in _said]
    if new:
        _said.update((function, name) for name in new)
        has = "have" if len(new) > 1 else "has"
        warn_user(
            f"{', '.join(new)} {has} no effect in {function}: {instead}", CompatWarning
        )
