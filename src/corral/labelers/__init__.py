"""Labelers: scikit-learn style estimators from signals to soft labels.

Each is imported when its name is first used.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from corral.errors import ParameterError
from corral.labelers.base import Labeler as Labeler

if TYPE_CHECKING:
    from corral.labelers.constrained import ConstrainedLabeler as ConstrainedLabeler
    from corral.labelers.em import DataProgramming as DataProgramming
    from corral.labelers.em import DawidSkene as DawidSkene
    from corral.labelers.em import OneCoinDawidSkene as OneCoinDawidSkene
    from corral.labelers.metal import MeTaL as MeTaL
    from corral.labelers.ordinal import OrdinalLabeler as OrdinalLabeler
    from corral.labelers.simple import Averaging as Averaging
    from corral.labelers.simple import MajorityVote as MajorityVote
    from corral.labelers.simple import WeightedVote as WeightedVote

_PLACES = {
    "constrained": ("constrained", "ConstrainedLabeler"),
    "majority-vote": ("simple", "MajorityVote"),
    "weighted-vote": ("simple", "WeightedVote"),
    "averaging": ("simple", "Averaging"),
    "data-programming": ("em", "DataProgramming"),
    "metal": ("metal", "MeTaL"),
    "dawid-skene": ("em", "DawidSkene"),
    "one-coin-dawid-skene": ("em", "OneCoinDawidSkene"),
    "ordinal": ("ordinal", "OrdinalLabeler"),
}
__all__ = ["LABELERS", "Labeler", "labeler_of", *sorted(c for _, c in _PLACES.values())]


def __getattr__(name: str) -> Any:
    for module, kind in _PLACES.values():
        if kind == name:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _ByName(Mapping[str, Any]):
    """Classes by the name that users give, imported when they are asked for."""

    def __getitem__(self, name: str) -> Any:
        return __getattr__(_PLACES[name][1])

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


LABELERS = _ByName()
"""Labelers by the names that `corral.label` and `--method` take."""


def labeler_of(labeler: Any, **options: Any) -> Labeler:
    """The labeler that a name stands for, made with `options`, or the object given.

    Examples
    --------
    >>> from corral.labelers import labeler_of
    >>> labeler_of("dawid-skene", max_iter=20)
    DawidSkene(max_iter=20)
    """
    if isinstance(labeler, str) and labeler in LABELERS:
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
