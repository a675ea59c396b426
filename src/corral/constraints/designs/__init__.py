"""The rows of a set of signals as an operator, one form per kind of signal."""

from corral.constraints.designs.base import Design
from corral.constraints.designs.combined import CombinedDesign, JointDesign
from corral.constraints.designs.make import design_rows, make_design
from corral.constraints.designs.operator import Operator
from corral.constraints.designs.sparse import SparseVoteDesign
from corral.constraints.designs.values import ValueDesign
from corral.constraints.designs.votes import VoteDesign

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
