"""The system's Chromium for tests of pages: a fixture `open_page`, and what a page did."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox",  # CI runs as root, where the sandbox cannot start
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def find_chromium() -> str | None:
    """Path of the system's Chromium or Chrome, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


@dataclass
class OpenedPage:
    """A page of the browser, with what it asked for and complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)  # but for the page itself
    errors: list[str] = field(default_factory=list)  # console errors and exceptions

    def audit(self) -> list[str]:
        """What axe finds serious or critical: the rule and the places."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {[node['target'] for node in one['nodes']][:5]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running headless Chromium, or a skip with the reason."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="it needs playwright"
    )
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (Debian's package chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., OpenedPage]]:
    """A function that opens a file or an address in a new window of the browser.

    It takes ``width``, ``dark`` and whatever `browser.new_context` takes.
    """
    contexts = []

    def open_one(
        target: Path | str, width: int = 1280, dark: bool = False, **options: Any
    ) -> OpenedPage:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        opened = OpenedPage(page)
        address = target.resolve().as_uri() if isinstance(target, Path) else target

        def note_request(request: Any) -> None:
            if request.url != address and not request.url.startswith("data:"):
                opened.requests.append(request.url)

        def note_message(message: Any) -> None:
            if message.type == "error":
                opened.errors.append(message.text)

        page.on("request", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.goto(address)
        return opened

    yield open_one
    for context in contexts:
        context.close()
