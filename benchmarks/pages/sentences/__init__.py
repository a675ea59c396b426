"""Every sentence of README.md and docs that claims a result, by what it rests on.

A claim belongs to no page: words may move from one to another. Whoever changes the words
beside a number changes them here, too.
"""

from benchmarks.pages.sentences import (
    labels,
    panel,
    quality,
    reliability,
    settings,
    speed,
    workbench,
)

CLAIMS = (
    *(*quality.CLAIMS, *speed.CLAIMS, *labels.CLAIMS, *panel.CLAIMS),
    *(*settings.CLAIMS, *workbench.CLAIMS, *reliability.CLAIMS),
)

__all__ = ["CLAIMS"]
