"""Labelers: scikit-learn style estimators from signals to soft labels.

Those of names that are not used are not imported.
"""

from typing import TYPE_CHECKING, Any

from corral._lazy import LazyClasses
from corral.errors import ParameterError
from corral.labelers.base import Labeler

if TYPE_CHECKING:
    from corral.labelers.adversarial import AdversarialLabeler as AdversarialLabeler
    from corral.labelers.averaging import Averaging as Averaging
    from corral.labelers.constrained import ConstrainedLabeler as ConstrainedLabeler
    from corral.labelers.data_consistent import (
        DataConsistentLabeler as DataConsistentLabeler,
    )
    from corral.labelers.data_programming import DataProgramming as DataProgramming
    from corral.labelers.dawid_skene import DawidSkene as DawidSkene
    from corral.labelers.featured import FeatureLabeler as FeatureLabeler
    from corral.labelers.majority_vote import MajorityVote as MajorityVote
    from corral.labelers.metal import MeTaL as MeTaL
    from corral.labelers.minimax_entropy import MinimaxEntropy as MinimaxEntropy
    from corral.labelers.one_coin_dawid_skene import (
        OneCoinDawidSkene as OneCoinDawidSkene,
    )
    from corral.labelers.stochastic_gall import StochasticGALL as StochasticGALL
    from corral.labelers.weighted_vote import WeightedVote as WeightedVote

LABELERS = LazyClasses(
    {
        "constrained": ("corral.labelers.constrained", "ConstrainedLabeler"),
        "majority-vote": ("corral.labelers.majority_vote", "MajorityVote"),
        "weighted-vote": ("corral.labelers.weighted_vote", "WeightedVote"),
        "averaging": ("corral.labelers.averaging", "Averaging"),
        "data-programming": ("corral.labelers.data_programming", "DataProgramming"),
        "metal": ("corral.labelers.metal", "MeTaL"),
        "dawid-skene": ("corral.labelers.dawid_skene", "DawidSkene"),
        "one-coin-dawid-skene": (
            "corral.labelers.one_coin_dawid_skene",
            "OneCoinDawidSkene",
        ),
        "minimax-entropy": ("corral.labelers.minimax_entropy", "MinimaxEntropy"),
    }
)
"""Labelers of votes by name; one more makes it known to `corral.label` and `--method`."""

FEATURED = LazyClasses(
    {
        "adversarial": ("corral.labelers.adversarial", "AdversarialLabeler"),
        "stochastic-gall": ("corral.labelers.stochastic_gall", "StochasticGALL"),
        "data-consistent": ("corral.labelers.data_consistent", "DataConsistentLabeler"),
    }
)
"""Those that need features beside the votes."""

__all__ = [
    "FEATURED",
    "LABELERS",
    "AdversarialLabeler",
    "Averaging",
    "ConstrainedLabeler",
    "DataConsistentLabeler",
    "DataProgramming",
    "DawidSkene",
    "FeatureLabeler",
    "Labeler",
    "MajorityVote",
    "MeTaL",
    "MinimaxEntropy",
    "OneCoinDawidSkene",
    "StochasticGALL",
    "WeightedVote",
    "labeler_of",
]


def __getattr__(name: str) -> Any:
    if name == "FeatureLabeler":
        from corral.labelers.featured import FeatureLabeler

        return FeatureLabeler
    found = LABELERS.class_called(name) or FEATURED.class_called(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


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
        made: Labeler = LABELERS[labeler](**options)
        return made
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
