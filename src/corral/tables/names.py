"""Names of columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from corral.errors import SignalsError


def twins_of(names: Iterable[str]) -> list[str]:
    """Names that occur twice, whatever their case."""
    folded = Counter(name.lower() for name in names)
    return sorted(name for name, times in folded.items() if times > 1)


def refuse_twins(names: Iterable[str], engine: str) -> None:
    """For engines to which names that differ in case are one."""
    twins = twins_of(names)
    if twins:
        raise SignalsError(
            f"the table has two columns named {', '.join(twins)}; to {engine} upper and "
            "lower case are the same."
        )


def fresh_name(what: str) -> str:
    """A name that no user has."""
    return f"corral_{what}_{os.urandom(6).hex()}"
