"""``python -m reliability.fuzz.one_reader NAME FAILURES ...``: one reader, guided.

atheris watches which parts of corral a file reaches, and goes on from files that reached
new ones. It never returns, so each reader has a process of its own; other arguments are
libFuzzer's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["corral"]):
    # What readers load when they are called, so that it is watched, too.
    import corral.cli.app
    import corral.cli.config
    import corral.cli.inspect
    import corral.exchange
    import corral.features.vector_file
    import corral.front_door.label
    import corral.judges
    import corral.labelers.constrained_file
    import corral.tables.vote_files
    import corral.workbench  # noqa: F401

from reliability.fuzz.properties import Property, Tally
from reliability.fuzz.readers import READERS


def main() -> None:
    """Read what atheris makes; note each kind of failure once, and go on."""
    name, failures, *options = sys.argv[1:]
    reader, tally, told = READERS[name], Tally(), Path(failures)
    prop = Property(name, reader.says, None, reader.run, 0)  # type: ignore[arg-type]

    def read(data: bytes) -> None:
        known = len(tally.failures)
        tally.run(prop, data)
        if len(tally.failures) > known:
            listed = [{"kind": k, **one} for k, one in tally.failures.items()]
            told.write_text(json.dumps(listed))

    atheris.Setup([sys.argv[0], *options], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
