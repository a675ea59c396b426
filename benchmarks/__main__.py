"""``python -m benchmarks``: every benchmark, or a quick look with ``--quick``."""

import argparse

from benchmarks import foundation

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the size, 3 runs"
    )
    if parser.parse_args().quick:
        foundation.run(n=100_000, runs=3)
    else:
        foundation.run()
