"""What ``corral label`` does with files of annotation tools."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

from corral.errors import ParameterError
from corral.exchange import Annotations, write_annotations
from corral.exchange.annotations import check_target
from corral.front_door.label_facts import LabelFacts, describe_labels

if TYPE_CHECKING:
    from corral.labelers import Labeler


def label_annotations(
    found: Annotations,
    output: str | PathLike[str],
    make_labeler: Callable[[Any], Labeler],
    *,
    format: str | None = None,
    learn: bool = False,
    overwrite: bool = False,
    save_model: str | PathLike[str] | None = None,
) -> LabelFacts:
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
    from corral.rates import FromLabels
    from corral.votes.coding import code_labels

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
    return describe_labels(
        labeler,
        signals,
        len(signals),
        len(signals.patterns),
        accuracy_known=accuracy,
        scored=n_scored,
        annotations=found.to_dict(),
    )
