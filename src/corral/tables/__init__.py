"""Tables in engines and files: patterns are counted there, labels are put back there."""

from corral.tables.base import VoteTable
from corral.tables.files import VoteFiles
from corral.tables.open import open_table

__all__ = ["VoteFiles", "VoteTable", "open_table"]
