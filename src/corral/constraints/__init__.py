"""Linear constraints on the labels: rows, ``A`` and ``c``, residuals, theory."""

from corral.constraints.designs import Design, Operator, make_design
from corral.constraints.signal_errors import label_matrix, signal_errors
from corral.constraints.space import LabelSpace, Rows, label_space, row_rates
from corral.constraints.theory import (
    SingularForm,
    distance_bound,
    gram,
    rank,
    redundant_rows,
    redundant_signals,
    singular_form,
)

__all__ = [
    "Design",
    "LabelSpace",
    "Operator",
    "Rows",
    "SingularForm",
    "distance_bound",
    "gram",
    "label_matrix",
    "label_space",
    "make_design",
    "rank",
    "redundant_rows",
    "redundant_signals",
    "row_rates",
    "signal_errors",
    "singular_form",
]
