"""A page on which a person marks what distinguishes an image of a class.

The paper's annotators took an exemplar of a class and marked the pixels that tell the class
from the others. How near other images are to it there is a soft signal for that class: see
`repro.images.mark_signals`. The page listens on this machine only, behind the guard of the
workbench, and every mark is in the file as soon as it is saved.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import typer
import uvicorn
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from corral.errors import CorralError, ParameterError
from corral.storage import atomic_write
from corral.workbench.server.guard import Access, BodyTooLongError, Guard
from repro.images import Marks, read_marks

PAGE = Path(__file__).with_name("mark_page")
HOST = "127.0.0.1"


class Marking:
    """Images to choose exemplars from, and the file of marks; what it holds stays.

    `images` are (n, height, width) or (n, height, width, 3): bytes, or numbers from 0 to 1.
    So many as `shown` are drawn at random.
    """

    def __init__(
        self, images: NDArray[Any], classes: list[str], path: Path, shown: int = 50
    ) -> None:
        if images.ndim not in (3, 4) or images.shape[3:] not in ((), (3,)):
            raise ParameterError(f"images of shape {images.shape} cannot be shown.")
        self.classes, self.path, self.shape = classes, path, images.shape[1:3]
        drawn = np.random.default_rng(0).permutation(len(images))[:shown]
        pixels = images[drawn] * (1 if images.dtype == np.uint8 else 255)
        if pixels.ndim == 3:
            pixels = np.stack([pixels] * 3, axis=3)
        chosen = zip(drawn.tolist(), pixels.astype(np.uint8).tolist(), strict=True)
        self.shown = dict(chosen)
        none = Marks(
            np.zeros(0, int), np.zeros(0, str), np.zeros((0, *self.shape), bool)
        )
        self.marks = read_marks(path) if path.exists() else none

    def count(self) -> dict[str, int]:
        """Marks of every class."""
        return {name: int((self.marks.label == name).sum()) for name in self.classes}

    def add(self, row: Any, label: Any, mask: Any) -> None:
        """Store a mark; its pixels are given as a text of 0 and 1."""
        if row not in self.shown or label not in self.classes or "1" not in mask:
            raise ParameterError("choose an image and a class, and mark some pixels.")
        drawn = np.array([pixel == "1" for pixel in mask]).reshape(1, *self.shape)
        new = (np.array([row]), np.array([label]), drawn)
        marks = Marks(*map(np.concatenate, zip(self.marks, new, strict=True)))
        with atomic_write(self.path, overwrite=True) as part, part.open("wb") as file:
            np.savez_compressed(file, **marks._asdict())
        self.marks = marks


def serve(marking: Marking) -> None:
    """Serve the page until Ctrl-C, to whoever has the address that is printed."""
    listening = socket.create_server((HOST, 0))
    access = Access(HOST, listening.getsockname()[1])
    typer.echo(access.address)
    config = uvicorn.Config(
        Guard(_routes(marking), access), ws="none", lifespan="off", log_level="warning"
    )
    with suppress(KeyboardInterrupt):  # uvicorn ended in order, and passes it on
        uvicorn.Server(config).run([listening])


def _routes(marking: Marking) -> Starlette:
    async def describe(_: Request) -> Response:
        shown = list(marking.shown.items())
        return JSONResponse({"images": shown, "marked": marking.count()})

    async def add(request: Request) -> Response:
        given = await request.json()
        marking.add(given["row"], given["label"], given["mask"])
        return JSONResponse({"marked": marking.count()})

    async def refuse(_: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 422)

    page = Mount("/", StaticFiles(directory=PAGE, html=True))
    routes = [Route("/task", describe), Route("/mark", add, methods=["POST"]), page]
    refused = (CorralError, BodyTooLongError, ValueError, LookupError, TypeError)
    return Starlette(routes=routes, exception_handlers=dict.fromkeys(refused, refuse))
