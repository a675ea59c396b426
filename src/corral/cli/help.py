"""Help that fits a terminal: options under headings, never cut, text beside or below."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

WIDEST = 110
"""Columns of help, however wide the terminal is: longer lines are hard to read."""
SETTINGS = {"max_content_width": WIDEST, "help_option_names": ["--help", "-h"]}
"""Of every command."""
ORDER = ("Arguments", "Options", "Reading", "Labels", "Output", "This run")
LONGEST = 26
"""Characters of an option beside which there is text; that of longer ones is below."""


class PanelCommand(TyperCommand):
    """A command whose options stand under the headings of their panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Arguments by their names: VOTES, not {VOTES}."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, heading by heading."""
        panels: dict[str, list[tuple[str, str]]] = {}
        param: Any
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                if param.param_type_name == "argument":
                    record = str(param.metavar), param.help
                panels.setdefault(_panel_of(param), []).append(record)
        for panel in sorted(panels, key=ORDER.index):
            with formatter.section(panel):
                formatter.write_dl(panels[panel], col_max=LONGEST)


def _panel_of(param: Any) -> str:
    if param.name == "help":
        return ORDER[-1]
    if param.param_type_name == "argument":
        return ORDER[0]
    return getattr(param, "rich_help_panel", None) or ORDER[1]
