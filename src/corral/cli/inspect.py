"""``corral inspect``: what signals do, before anything is labelled."""

from __future__ import annotations

from typing import Any

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import GoldIfAny, Overwrite, ResultFile, VotesFile
from corral.cli.shell import Shell


@takes_votes
def inspect(
    votes: VotesFile,
    reading: dict[str, Any],
    shell: Shell,
    gold: GoldIfAny = None,
    output: ResultFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Show what every signal does, and which contradict each other.

    Says how the votes were read, and warns of what looks wrong. Labels nothing. With --gold
    also how often signals err, and on what.
    """
    shell.check_result_file(output, overwrite)
    how = shell.read(reading)
    with shell.work():
        load_scikit_learn()
        from corral.front_door.inspect import inspect_file

        found = inspect_file(votes, how, gold)
    shell.give(found, output, overwrite=overwrite)
