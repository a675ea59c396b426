"""Which methods are compared: names and labelers, as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone

from corral.errors import ParameterError
from corral.labelers import LABELERS, Labeler

LEFT_OUT = ("weighted-vote", "ordinal")
"""These need weights, or the order of the classes, from a user."""


def all_methods() -> list[str]:
    """Names of all that can be tried."""
    return [name for name in LABELERS if name not in LEFT_OUT]


def make_methods(methods: Any, random_state: int | None) -> dict[str, Labeler]:
    """Labelers by name, in the order given."""
    if isinstance(methods, str | Labeler):
        methods = [methods]
    if not isinstance(methods, Iterable):
        raise _unknown(methods)
    given = (
        methods.items()
        if isinstance(methods, Mapping)
        else ((None, m) for m in methods)
    )
    made: dict[str, Labeler] = {}
    for name, method in given:
        if isinstance(method, Labeler):
            labeler = clone(method)
        elif isinstance(method, str) and method in LABELERS:
            labeler = LABELERS[method]().set_params(random_state=random_state)
        else:
            raise _unknown(method)
        title = str(method) if name is None else str(name)
        again = sum(known.split(" #")[0] == title for known in made)
        made[f"{title} #{again + 1}" if again else title] = labeler
    if not made:
        raise _unknown(methods)
    return made


def _unknown(method: Any) -> ParameterError:
    return ParameterError(
        f'must be among {", ".join(LABELERS)}, "own" or a labeler object; '
        f"{method!r} was given.",
        parameter="methods",
    )
