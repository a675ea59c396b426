"""Linear constraints on the labels: the public kinds, rows on the moments, theory."""

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
    check_constraints,
)
from corral.constraints.system import (
    ExampleFacts,
    System,
    make_system,
    read_example_facts,
    read_truth,
    row_means,
    signal_errors,
)
from corral.constraints.theory import (
    distance_bound,
    rank,
    redundant_rows,
    redundant_signals,
)

__all__ = [
    "ClassBalance",
    "Confusion",
    "Constraint",
    "CoveredBalance",
    "ErrorRate",
    "ExampleFacts",
    "GroupShare",
    "Known",
    "Precision",
    "Recall",
    "System",
    "check_constraints",
    "distance_bound",
    "make_system",
    "rank",
    "read_example_facts",
    "read_truth",
    "redundant_rows",
    "redundant_signals",
    "row_means",
    "signal_errors",
]
