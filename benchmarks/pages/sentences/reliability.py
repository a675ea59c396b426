"""Numbers of docs/reliability.md that are limits of the code."""

from __future__ import annotations

from benchmarks.pages.claims import Claim

CLAIMS = (
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
