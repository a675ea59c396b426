"""``corral demo``: the paper's task, models that contradict each other, and a loss."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console


def demo(
    examples: Annotated[int, typer.Option(min=100, help="How many examples.")] = 20_000,
) -> None:
    """Label the paper's synthetic task, then images by six models, then tumours by rules.

    200 features, 10 signals that each vote on 30% of the examples and are wrong on
    30 to 40% of those; no labeler sees a true label, except for the true rates.
    """
    from corral.cli.panel_demo import show_panel
    from corral.cli.raw_data_demo import show_raw_data_demo
    from corral.cli.synthetic_demo import show_synthetic

    console = Console()
    show_synthetic(console, examples)
    show_panel(console)
    show_raw_data_demo(console)
