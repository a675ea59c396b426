"""Numbers of docs/reliability.md that are limits of the code."""

from __future__ import annotations

from benchmarks.pages.claims import Claim

CLAIMS = (
    Claim(
        "at most 1 GB of memory beyond what Python",
        reason="MOST_MEMORY of reliability/hostile/trying.py, which every case keeps to",
    ),
    Claim(
        "at most 256 MB or a hundred times its size",
        reason="constants of corral.storage.bounded_lines: its test",
    ),
    Claim(
        "TOML of at most 1 MB",
        reason="MOST_BYTES of corral.cli.config: tests/cli/test_config.py",
    ),
    Claim(
        "Bodies have at most 64 KB",
        reason="MOST_BYTES of the guard: tests/workbench/server/test_attacks.py",
    ),
    Claim(
        "take more memory than 256 MB or a hundred times its size",
        reason="constants of corral.storage.archive: tests/storage/test_archive.py",
    ),
    Claim(
        "root mean square residual within 0.01 of the least",
        reason="corral.solvers.solution.TOLERANCE: tests/solvers/test_adagrad.py",
    ),
    Claim(
        "whose heap is limited to 2 GB",
        reason="a setting of the run: reliability.load.engines.HEAP",
    ),
)
