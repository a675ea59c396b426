"""Label models of other libraries with the interface of labelers, to compare with.

Nothing in corral needs them. ``pip install 'corral[peers]'`` brings them.
"""

from collections.abc import Callable
from functools import partial

from corral.peers.crowd_kit import AGGREGATORS, CrowdKit
from corral.peers.hyperlm import HyperLM
from corral.peers.peer_labeler import PeerLabeler
from corral.peers.snorkel import Snorkel

PEERS: dict[str, Callable[[], PeerLabeler]] = {
    "snorkel": Snorkel,
    "hyperlm": HyperLM,
    **{f"crowd-kit-{name}": partial(CrowdKit, name) for name in AGGREGATORS},
}
"""Functions that make the label model of a name."""

__all__ = ["AGGREGATORS", "PEERS", "CrowdKit", "HyperLM", "PeerLabeler", "Snorkel"]
