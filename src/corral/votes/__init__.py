"""Votes: what every source says of every example, read once and checked."""

from corral.votes.coding import ABSTAIN
from corral.votes.weak_signals import Kind, Schema, WeakSignals

__all__ = ["ABSTAIN", "Kind", "Schema", "WeakSignals"]
