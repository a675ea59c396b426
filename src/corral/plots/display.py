"""What all displays share: a drawing, matplotlib axes, SVG text."""

from __future__ import annotations

from typing import Any, Self

from corral.drawings import Drawing, draw_on_axes, to_svg
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.signals import WeakSignals


class Display:
    """A chart that was computed, to be drawn as often as you like.

    Parameters
    ----------
    drawing : Drawing
        What it shows.

    Attributes
    ----------
    drawing : Drawing
    ax_ : matplotlib axes
        Where `plot` drew it last.
    figure_ : matplotlib figure
    """

    ax_: Any
    figure_: Any

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.drawing.description!r})"

    def plot(self, ax: Any = None) -> Self:
        """Draw with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: those of a new figure, as large as the chart needs.

        Returns
        -------
        the display
            With `ax_` and `figure_`.
        """
        self.ax_ = draw_on_axes(self.drawing, ax)
        self.figure_ = self.ax_.figure
        return self

    def to_svg(self, *, width: float = 640, standalone: bool = True) -> str:
        """The chart as SVG text, for a file or, with ``standalone=False``, for a page.

        See `corral.drawings.to_svg`.
        """
        return to_svg(self.drawing, width=width, standalone=standalone)


def fitted_votes(labeler: Any, votes: Any) -> WeakSignals:
    """The votes to look at: those given, or those that the labeler was fitted on."""
    if not isinstance(labeler, Labeler):
        raise ParameterError(
            "a fitted labeler was expected, such as "
            f"corral.ConstrainedLabeler().fit(votes); {type(labeler).__name__} came."
        )
    if votes is not None:
        return labeler.read(votes)
    read: WeakSignals | None = getattr(labeler, "_signals_", None)
    if read is None:
        raise ParameterError(
            "the votes fitted on are not there: fit the labeler first or, as they are not "
            "saved with it, give them as the second argument."
        )
    return read
