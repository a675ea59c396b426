"""Which methods are compared: names and labelers, as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone

from corral.errors import ParameterError
from corral.labelers import FEATURED, LABELERS, Labeler
from corral.peers import PEERS, PeerLabeler
from corral.wording import say

LEFT_OUT = ("weighted-vote", "ordinal")
"""These need weights, or the order of the classes, from a user."""
OWN: dict[str, Any] = {**LABELERS, **FEATURED}


def all_methods(peers: bool, features: bool) -> list[str]:
    """Names of all that can be tried."""
    votes = [name for name in LABELERS if name not in LEFT_OUT]
    installed = [name for name, peer in PEERS.items() if peer().is_installed()]
    return votes + list(FEATURED) * features + installed * peers


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
        elif isinstance(method, str) and method in OWN | PEERS:
            labeler = (OWN | PEERS)[method]().set_params(random_state=random_state)
        else:
            raise _unknown(method)
        title = str(method) if name is None else str(name)
        again = sum(known.split(" #")[0] == title for known in made)
        made[f"{title} #{again + 1}" if again else title] = labeler
    return made


def _unknown(method: Any) -> ParameterError:
    return ParameterError(
        f'must be among {", ".join(OWN | PEERS)}{say(", labelers")}, "own" or "all"; '
        f"{method!r} was given.",
        parameter="methods",
    )


def needs_rows(methods: Any) -> bool:
    """Whether a library is asked that knows no counts."""
    if isinstance(methods, str):
        return methods == "all" or methods in PEERS
    return any(isinstance(m, PeerLabeler) or m in PEERS for m in methods)
