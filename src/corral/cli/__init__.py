"""The command ``corral``."""

import os
import signal
import sys

INTERRUPTED = 130
"""The exit code that shells give to what was stopped by Ctrl-C."""


def main() -> None:
    """Run the command; whenever it is interrupted, it says so in one line."""
    # C extensions abort if Ctrl-C is raised while they are imported. So it simply ends the
    # process, until `Shell.work` begins.
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from corral.cli.app import main as run

        run()
    except (SystemExit, KeyboardInterrupt) as left:
        if isinstance(left, SystemExit) and left.code != INTERRUPTED:
            raise
        print("interrupted", file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)  # a thread that is inside DuckDB would abort at the end
    finally:
        signal.signal(signal.SIGINT, handler)


__all__ = ["main"]
