"""Tables in engines and files: patterns are counted there, labels are put back there."""

from corral.tables.choose_engine import ENGINES, open_files, open_table
from corral.tables.vote_files import VoteFiles
from corral.tables.vote_table import VoteTable

__all__ = ["ENGINES", "VoteFiles", "VoteTable", "open_files", "open_table"]
