"""The sign matrix of a set of signals as an operator, one form a kind of signal."""

from corral.constraints.designs.base import Design
from corral.constraints.designs.make import design_rows, make_design

__all__ = ["Design", "design_rows", "make_design"]
