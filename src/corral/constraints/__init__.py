"""Linear constraints on the labels: rows, ``A`` and ``c``, residuals, theory."""

from corral.constraints.designs import Design, Operator, make_design
from corral.constraints.kinds import (
    ClassBalance,
    Confusion,
    Constraint,
    CoveredBalance,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Recall,
)
from corral.constraints.signal_errors import label_matrix, signal_errors
from corral.constraints.space import LabelSpace, Rows, label_space, row_rates
from corral.constraints.space_builder import (
    ExampleFacts,
    check_constraints,
    constrained_space,
    read_example_facts,
)
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
    "ClassBalance",
    "Confusion",
    "Constraint",
    "CoveredBalance",
    "Design",
    "ErrorRate",
    "ExampleFacts",
    "GroupShare",
    "Known",
    "LabelSpace",
    "Operator",
    "Precision",
    "Recall",
    "Rows",
    "SingularForm",
    "check_constraints",
    "constrained_space",
    "distance_bound",
    "gram",
    "label_matrix",
    "label_space",
    "make_design",
    "rank",
    "read_example_facts",
    "redundant_rows",
    "redundant_signals",
    "row_rates",
    "signal_errors",
    "singular_form",
]
