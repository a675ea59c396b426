"""Labelers by the name that users give."""

from __future__ import annotations

from typing import Any

from corral.errors import ParameterError
from corral.labelers.adversarial import AdversarialLabeler
from corral.labelers.averaging import Averaging
from corral.labelers.base import Labeler
from corral.labelers.constrained import ConstrainedLabeler
from corral.labelers.data_consistent import DataConsistentLabeler
from corral.labelers.data_programming import DataProgramming
from corral.labelers.dawid_skene import DawidSkene
from corral.labelers.majority_vote import MajorityVote
from corral.labelers.metal import MeTaL
from corral.labelers.minimax_entropy import MinimaxEntropy
from corral.labelers.one_coin_dawid_skene import OneCoinDawidSkene
from corral.labelers.stochastic_gall import StochasticGALL
from corral.labelers.weighted_vote import WeightedVote

LABELERS: dict[str, type[Labeler]] = {
    "constrained": ConstrainedLabeler,
    "majority-vote": MajorityVote,
    "weighted-vote": WeightedVote,
    "averaging": Averaging,
    "data-programming": DataProgramming,
    "metal": MeTaL,
    "dawid-skene": DawidSkene,
    "one-coin-dawid-skene": OneCoinDawidSkene,
    "minimax-entropy": MinimaxEntropy,
}
"""Labelers of votes by name; one more makes it known to `corral.label` and `--method`."""

FEATURED: dict[str, type[Any]] = {
    "adversarial": AdversarialLabeler,
    "stochastic-gall": StochasticGALL,
    "data-consistent": DataConsistentLabeler,
}
"""Those that need features beside the votes."""


def labeler_of(labeler: Any, **options: Any) -> Labeler:
    """The labeler that a name stands for, made with `options`, or the object given.

    Examples
    --------
    >>> from corral.labelers import labeler_of
    >>> labeler_of("dawid-skene", max_iter=20)
    DawidSkene(max_iter=20)
    """
    if isinstance(labeler, str):
        if labeler not in LABELERS:
            names = ", ".join(map(repr, LABELERS))
            raise ParameterError(
                f"labeler must be one of {names}, or an object such as "
                f"corral.MajorityVote(); {labeler!r} was given."
            )
        return LABELERS[labeler](**options)
    if not isinstance(labeler, Labeler):
        raise ParameterError(
            "labeler must be a name such as 'dawid-skene', or a labeler such as "
            f"corral.MajorityVote(); {labeler!r} was given."
        )
    if options:
        raise ParameterError(
            f"options {', '.join(options)} belong to the labeler that was given; set "
            "them there."
        )
    return labeler
