"""The command line, run in this process."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from unittest.mock import patch


def run_command(
    arguments: list[str], folder: Path, given: str = ""
) -> tuple[int, str, str]:
    """Run ``corral`` in a folder: exit code, output, messages.

    Parameters
    ----------
    arguments : list of str
    folder : path
    given : str
        Standard input.
    """
    from corral.cli import main

    code, out, err = 0, io.StringIO(), io.StringIO()
    here = os.getcwd()
    os.chdir(folder)
    try:
        with (
            patch.object(sys, "argv", ["corral", *arguments]),
            patch.object(sys, "stdin", io.StringIO(given)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 0
    finally:
        os.chdir(here)
    return code, out.getvalue(), err.getvalue()
