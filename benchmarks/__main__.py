"""``python -m benchmarks``: every benchmark, or a quick look with ``--quick``.

The full run fails if it does not show what is claimed.
"""

import argparse
import sys

from benchmarks import foundation

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    if parser.parse_args().quick:
        foundation.run(n=100_000, runs=3)
        sys.exit()
    missed = foundation.missed(foundation.run())
    for name in missed:
        print(f"missed: {name}", file=sys.stderr)
    sys.exit(bool(missed))
