"""Tables in engines and files: patterns are counted there, labels are put back there."""

from corral.tables.lazy_table import open_table
from corral.tables.vote_files import VoteFiles
from corral.tables.vote_table import VoteTable

__all__ = ["VoteFiles", "VoteTable", "open_table"]
