"""``python -m reliability PART``: try to break corral, count, and store what came of it."""

from __future__ import annotations

import argparse
import os
import sys


def main() -> int:
    """Run one part; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    fuzz = parts.add_parser("fuzz", help="arbitrary input against invariants")
    fuzz.add_argument("--cases", type=int, default=10_000)
    fuzz.add_argument("--more", action="store_true", help="add to what is stored")
    fuzz.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    guided = parts.add_parser("guided", help="files that reach ever more of corral")
    guided.add_argument("--seconds", type=int, default=60, help="per reader")
    guided.add_argument("--readers", nargs="*", help="such as model; default all")
    faults = parts.add_parser("faults", help="runs that are killed or starved")
    faults.add_argument(
        "--count", type=int, default=50, help="of kills; of other kinds, a share of it"
    )
    faults.add_argument("--seed", type=int, default=0)
    faults.add_argument("--kinds", nargs="*", help="such as 'kill -9'; default all")
    numbers = parts.add_parser("numbers", help="solvers against fifty digits")
    numbers.add_argument(
        "--cases", type=int, default=5, help="per solver and constraint"
    )
    versions = parts.add_parser(
        "versions", help="the wheel, with old and new libraries"
    )
    versions.add_argument("--pythons", nargs="*", help="such as 3.11; default all")
    versions.add_argument(
        "--libraries", nargs="*", default=["oldest", "newest"], help="one, or both"
    )
    versions.add_argument(
        "--tests", nargs="*", default=["tests"], help="default: those of the package"
    )
    load = parts.add_parser("load", help="many chunks, many clients, many rows")
    names = ("chunks", "workbench", "engines")
    load.add_argument("--parts", nargs="+", choices=names, default=names)
    load.add_argument("--chunks", type=int, default=10_000)
    load.add_argument("--clients", type=int, default=50)
    load.add_argument("--minutes", type=float, default=10)
    load.add_argument("--rows", type=int, default=100_000_000)
    hostile = parts.add_parser("hostile", help="input that was made to harm")
    hostile.add_argument("--surfaces", nargs="*", help="such as models; default all")
    hostile.add_argument("--skip", type=int, default=1, help="try one in so many")
    hostile.add_argument("--no-store", action="store_true", help="only look")
    parts.add_parser("page", help="write docs/reliability.md from what is stored")
    given = parser.parse_args()
    if given.part == "fuzz":
        from reliability.fuzz.run import run_fuzz

        return int(not run_fuzz(given.cases, more=given.more, jobs=given.jobs))
    if given.part == "guided":
        from reliability.fuzz.guided import run_guided

        return int(not run_guided(given.seconds, given.readers))
    if given.part == "faults":
        from reliability.faults.run import FAULTS, run_faults

        return int(
            not run_faults(given.count, given.seed, kinds=given.kinds or tuple(FAULTS))
        )
    if given.part == "numbers":
        from reliability.numbers.run import run_numbers

        return int(not run_numbers(given.cases))
    if given.part == "versions":
        from reliability.versions import PYTHONS, run_versions

        pythons = given.pythons or list(PYTHONS)
        return int(not run_versions(pythons, given.libraries, given.tests))
    if given.part == "load":
        from reliability.load.run import run_load

        sizes = {
            name: getattr(given, name)
            for name in ("chunks", "clients", "minutes", "rows")
        }
        return int(not run_load(given.parts, **sizes))
    if given.part == "hostile":
        from reliability.hostile.run import SURFACES, run_hostile

        names = given.surfaces or SURFACES
        done = run_hostile(names, skip=given.skip, keep=not given.no_store)
        return int(not done)
    from reliability.page import write_page

    return int(not write_page())


if __name__ == "__main__":
    sys.exit(main())
