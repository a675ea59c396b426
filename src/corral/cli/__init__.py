"""The command ``corral``: one file per command."""

import sys

INTERRUPTED = 130
"""The exit code that shells give to what was stopped by Ctrl-C."""


def main() -> None:
    """Run the command; whenever it is interrupted, it says so in one line."""
    try:
        # Imported here: that takes a second, in which Ctrl-C may come, too.
        from corral.cli.interrupts import repeat_lost_interrupts

        with repeat_lost_interrupts():
            from corral.cli.app import main as run

            run()
    except SystemExit as left:
        if left.code == INTERRUPTED:  # where Typer heard of it
            print("interrupted", file=sys.stderr)
        raise
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


__all__ = ["main"]
