"""Labelers: scikit-learn style estimators from signals to soft labels."""

from inspect import signature
from typing import Any

from corral.errors import ParameterError
from corral.labelers.base import Labeler as Labeler
from corral.labelers.constrained import ConstrainedLabeler as ConstrainedLabeler
from corral.labelers.em import DataProgramming as DataProgramming
from corral.labelers.em import DawidSkene as DawidSkene
from corral.labelers.em import OneCoinDawidSkene as OneCoinDawidSkene
from corral.labelers.metal import MeTaL as MeTaL
from corral.labelers.ordinal import OrdinalLabeler as OrdinalLabeler
from corral.labelers.simple import Averaging as Averaging
from corral.labelers.simple import MajorityVote as MajorityVote
from corral.labelers.simple import WeightedVote as WeightedVote

LABELERS: dict[str, type[Any]] = {
    "constrained": ConstrainedLabeler,
    "majority-vote": MajorityVote,
    "weighted-vote": WeightedVote,
    "averaging": Averaging,
    "data-programming": DataProgramming,
    "metal": MeTaL,
    "dawid-skene": DawidSkene,
    "one-coin-dawid-skene": OneCoinDawidSkene,
    "ordinal": OrdinalLabeler,
}
"""Labelers by the names that `corral.label` and `--method` take."""


def labeler_of(labeler: Any, **options: Any) -> Labeler:
    """The labeler that a name stands for, made with `options`, or the object given."""
    if isinstance(labeler, str) and labeler in LABELERS:
        known = list(signature(LABELERS[labeler]).parameters)
        for option in options:
            if option not in known:
                raise ParameterError(
                    f"is not for `labeler={labeler!r}`, whose options are "
                    f"{', '.join(known)}, nor for reading votes.",
                    parameter=option,
                )
        made: Labeler = LABELERS[labeler](**options)
        return made
    if not isinstance(labeler, Labeler):
        names = ", ".join(map(repr, LABELERS))
        raise ParameterError(
            f"labeler must be one of {names}, or an object such as "
            f"corral.MajorityVote(); {labeler!r} was given."
        )
    if options:
        raise ParameterError(
            f"options {', '.join(options)} belong to the labeler that was given; set "
            "them there."
        )
    return labeler
