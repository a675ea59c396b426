"""Names and call shapes of Snorkel's labeling package and Crowd-Kit's aggregators.

A program that imports ``snorkel`` or ``crowdkit`` runs with ``corral.compat.`` in front of
that. Nothing here imports these libraries. What differs, and why:
docs/howto/from_other_tools.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from corral.errors import CompatWarning, warn_user


def warn_of_options(function: str, names: Iterable[str], instead: str) -> None:
    """Warn of options that were given and have no effect."""
    if given := ", ".join(names):
        warn_user(f"no effect in {function}: {given}. {instead}", CompatWarning)
