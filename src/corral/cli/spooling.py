"""Votes that are no table yet, as one that every command reads."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from corral.cli.annotation_files import spool_annotations
from corral.cli.shell import Shell
from corral.errors import ParameterError

OF_JUDGES = ("judges", "pattern")
"""Options for what judges wrote."""


def spool_votes(
    votes: str, reading: Mapping[str, Any], shell: Shell
) -> AbstractContextManager[tuple[str, dict[str, Any]]]:
    """The path of a table of votes, and how to read it, for as long as this lasts.

    Parameters
    ----------
    votes : str
        A table, what judges wrote (``--judges``) or a file of an annotation tool.
    reading : mapping
        All options that say how votes are read.
    shell : Shell
    """
    other = {name: value for name, value in reading.items() if name not in OF_JUDGES}
    if not reading["judges"]:
        if reading["pattern"] is not None:
            raise ParameterError("--pattern goes with --judges.")
        return spool_annotations(votes, other, shell)
    from corral.cli.judges import spool_judges

    return spool_judges(votes, other, reading["pattern"], shell)
