"""Tables in engines and files: patterns are counted there, labels are put back there."""

from corral.tables.base import VoteTable
from corral.tables.files import VoteFiles
from corral.tables.open import ENGINES, open_files, open_table

__all__ = ["ENGINES", "VoteFiles", "VoteTable", "open_files", "open_table"]
