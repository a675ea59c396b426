"""The command ``corral``."""

import os
import signal
import sys

INTERRUPTED = 130
"""The exit code that shells give to what was stopped by Ctrl-C."""


def main() -> None:
    """Run the command; whenever it is interrupted, it says so in one line."""
    # Threads of OpenBLAS spin while they wait, which takes a small file 0.2 s of processor
    # time. OpenBLAS reads this when NumPy is loaded.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # C extensions abort if Ctrl-C is raised while they are imported. So it simply ends the
    # process, until `Shell.work` begins.
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from corral.cli.app import main as run

        run()
    except (SystemExit, KeyboardInterrupt) as left:
        # Typer makes the first of the second.
        if isinstance(left, SystemExit) and left.code != INTERRUPTED:
            raise
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, handler)
