"""Workbenches on ports of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.workbench.server.client import Client, write_reviews


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that serves a file of reviews from a thread."""
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    from corral.workbench import Workbench
    from corral.workbench.server import WorkbenchServer

    with ExitStack() as stack:

        def start(path: Path | None = None, **options: Any) -> WorkbenchServer:
            path = path or write_reviews(tmp_path / "reviews.csv")
            options = {"text": "text", "classes": ("neg", "pos")} | options
            bench = Workbench.open(path, **options)
            stack.callback(bench.close)
            return stack.enter_context(WorkbenchServer(bench, port=0))

        yield start


@pytest.fixture
def client(serve: Callable[..., Any]) -> Client:
    """A client of a new server that has its cookie."""
    return Client(serve().access.address).enter()
