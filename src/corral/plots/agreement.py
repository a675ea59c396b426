"""How far every two signals agree, drawn."""

from __future__ import annotations

from typing import Any, Self

from corral.analysis import RaterAgreement, agreement
from corral.drawings import draw_agreement
from corral.errors import ParameterError
from corral.plots.display import Display, fitted_votes


class AgreementDisplay(Display):
    """Cohen's kappa of every pair of signals, as a matrix of shades.

    Examples
    --------
    >>> from corral.datasets import random_votes
    >>> from corral.plots import AgreementDisplay
    >>> votes, _ = random_votes(1000, [0.9, 0.8, 0.7], coverage=0.6)
    >>> display = AgreementDisplay.from_votes(votes)
    """

    @classmethod
    def from_agreement(cls, found: RaterAgreement, *, ax: Any = None) -> Self:
        """Draw what `corral.agreement` found."""
        if found.kappa is None:
            raise ParameterError(
                f"no pairs were compared, as there are {len(found.names):,} signals; "
                "choose some of them."
            )
        return cls(draw_agreement(found.names, found.kappa, found.common)).plot(ax)

    @classmethod
    def from_votes(cls, votes: Any, *, ax: Any = None, **reading: Any) -> Self:
        """Draw the agreement of any votes; `reading` is as for `corral.agreement`."""
        return cls.from_agreement(agreement(votes, resamples=1, **reading), ax=ax)

    @classmethod
    def from_labeler(cls, labeler: Any, *, ax: Any = None) -> Self:
        """Draw the agreement of the signals that a labeler was fitted on."""
        return cls.from_votes(fitted_votes(labeler, None), ax=ax)
