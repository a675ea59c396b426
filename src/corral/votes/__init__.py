"""Votes: what every source says of every example, read once and checked."""

from corral.votes.coding import ABSTAIN
from corral.votes.matrix import Kind, Schema
from corral.votes.weak_signals import WeakSignals

__all__ = ["ABSTAIN", "Kind", "Schema", "WeakSignals"]
