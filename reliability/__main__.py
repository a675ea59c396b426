"""``python -m reliability PART``: try to break corral, count, and store what came of it."""

from __future__ import annotations

import argparse
import sys


def main() -> int:
    """Run one part; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    fuzz = parts.add_parser("fuzz", help="arbitrary input against invariants")
    fuzz.add_argument("--cases", type=int, default=10_000)
    fuzz.add_argument("--more", action="store_true", help="add to what is stored")
    faults = parts.add_parser("faults", help="runs that are killed or starved")
    faults.add_argument("--count", type=int, default=50)
    faults.add_argument("--seed", type=int, default=0)
    faults.add_argument("--kinds", nargs="*", help="such as 'kill -9'; default all")
    numbers = parts.add_parser("numbers", help="solvers against fifty digits")
    numbers.add_argument(
        "--cases", type=int, default=5, help="per solver and constraint"
    )
    given = parser.parse_args()
    if given.part == "fuzz":
        from reliability.fuzz.run import run_fuzz

        return int(not run_fuzz(given.cases, more=given.more))
    if given.part == "faults":
        from reliability.faults.run import FAULTS, run_faults

        return int(
            not run_faults(given.count, given.seed, kinds=given.kinds or tuple(FAULTS))
        )
    if given.part == "numbers":
        from reliability.numbers.run import run_numbers

        return int(not run_numbers(given.cases))
    raise AssertionError(given.part)


if __name__ == "__main__":
    sys.exit(main())
