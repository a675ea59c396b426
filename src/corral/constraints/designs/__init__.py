"""The rows of a set of signals as an operator, one form per kind of signal."""

from corral.constraints.designs.choose_design import design_rows, make_design
from corral.constraints.designs.combined_design import CombinedDesign, JointDesign
from corral.constraints.designs.operator import Operator
from corral.constraints.designs.signal_design import Design
from corral.constraints.designs.sparse_vote_design import SparseVoteDesign
from corral.constraints.designs.value_design import ValueDesign
from corral.constraints.designs.vote_design import VoteDesign

__all__ = [
    "CombinedDesign",
    "Design",
    "JointDesign",
    "Operator",
    "SparseVoteDesign",
    "ValueDesign",
    "VoteDesign",
    "design_rows",
    "make_design",
]
