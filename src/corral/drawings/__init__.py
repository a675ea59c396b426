"""Charts: one description of what is shown, and SVG text of it.

Drawing        axes and marks, in the units of the data (drawing)
draw_*         one chart per file, from arrays to a Drawing
to_svg         a Drawing as SVG text (svg), for the report and for files
STYLESHEET     its colours on light and on dark (style)
draw_on_axes   the same with matplotlib (on_axes), for `corral.plots`
"""

from corral.drawings.agreement_matrix import draw_agreement
from corral.drawings.class_shares import draw_class_shares
from corral.drawings.confidence import draw_confidence
from corral.drawings.constrained_space import draw_constrained_space
from corral.drawings.costs import draw_costs
from corral.drawings.drawing import (
    Area,
    Axis,
    Bars,
    Cells,
    Drawing,
    Line,
    Mark,
    Note,
    Points,
)
from corral.drawings.on_axes import draw_on_axes
from corral.drawings.reliability_diagram import draw_reliability
from corral.drawings.sensitivity_bars import draw_sensitivity
from corral.drawings.share_intervals import draw_share_intervals
from corral.drawings.signal_errors import draw_signal_errors
from corral.drawings.signal_values import draw_signal_values
from corral.drawings.strengths import draw_strengths
from corral.drawings.style import DARK_VARIABLES, STYLESHEET
from corral.drawings.svg import to_svg

__all__ = [
    "DARK_VARIABLES",
    "STYLESHEET",
    "Area",
    "Axis",
    "Bars",
    "Cells",
    "Drawing",
    "Line",
    "Mark",
    "Note",
    "Points",
    "draw_agreement",
    "draw_class_shares",
    "draw_confidence",
    "draw_constrained_space",
    "draw_costs",
    "draw_on_axes",
    "draw_reliability",
    "draw_sensitivity",
    "draw_share_intervals",
    "draw_signal_errors",
    "draw_signal_values",
    "draw_strengths",
    "to_svg",
]
