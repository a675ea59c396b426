"""What ``corral label`` does with files of annotation tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from corral.errors import ParameterError
from corral.exchange import Annotations, write_annotations
from corral.exchange.writing import check_target
from corral.front_door.label_facts import describe_labels

if TYPE_CHECKING:
    from corral.labelers import Labeler


@dataclass(frozen=True)
class LabelledAnnotations:
    """What was found on the way from answers of annotators to suggestions.

    Attributes
    ----------
    found : Annotations
    labeler : Labeler
        Fitted on their signals.
    accuracy : float or None
        Of the labels where the true class is known; None if no such example has a vote,
        or if error rates were learned from them.
    n_scored : int
        Examples that it is of.
    """

    found: Annotations
    labeler: Labeler
    accuracy: float | None
    n_scored: int

    def to_dict(self) -> dict[str, Any]:
        """What there is to say of it, in plain values: one line per signal."""
        signals = self.found.signals
        described = describe_labels(
            self.labeler, signals, len(signals), len(signals.patterns)
        )
        return described | {
            "annotations": self.found.to_dict(),
            "accuracy_known": self.accuracy,
            "scored": self.n_scored,
        }


def label_annotations(
    found: Annotations,
    output: str | PathLike[str],
    make_labeler: Callable[[Any], Labeler],
    *,
    format: str | None = None,
    learn: bool = False,
    overwrite: bool = False,
    save_model: str | PathLike[str] | None = None,
) -> LabelledAnnotations:
    """Label what annotators answered, and write suggestions for a tool.

    Parameters
    ----------
    found : Annotations
    output, format, overwrite
        As for `write_annotations`.
    make_labeler : callable
        Gives the labeler, from `FromLabels` or None.
    learn : bool
        Learn error rates from the known labels.
    save_model : path, optional
        Where to save the labeler, too; after the labels are written.
    """
    from corral.error_rates import FromLabels
    from corral.signals.gold import code_labels

    check_target(output, format or found.format, overwrite)
    signals = found.signals
    known = code_labels(found.known, signals.classes, len(found)) >= 0
    if learn and not known.any():
        raise ParameterError(
            "needs true labels, of which the file has none.", parameter="learn_known"
        )
    labeler = make_labeler(FromLabels(found.known) if learn else None).fit(signals)
    write_annotations(output, found, labeler, format=format, overwrite=overwrite)
    if save_model is not None:
        labeler.save(save_model)
    n_scored = 0 if learn else int((known & labeler.covered_).sum())
    accuracy = labeler.score(signals, found.known) if n_scored else None
    return LabelledAnnotations(found, labeler, accuracy, n_scored)
