"""The command ``corral``: one file a command."""

from corral.cli.app import app, main

__all__ = ["app", "main"]
