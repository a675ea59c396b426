"""``python docs/workbench_pictures.py``: the pictures of the workbench in docs/images.

The made-up messages of the picture of a report, and rules that somebody might write on
them. Needs the extra serve, playwright and the system's Chromium.
"""

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]
CLASSES = ("delivery", "refund", "account")
RULES = [
    ("parcel, courier", "delivery"),
    ("shipped, tracking", "delivery"),
    ("order", "delivery"),
    ("refund, money", "refund"),
    ("return, broken", "refund"),
    ("password, log in", "account"),
    ("settings, account", "account"),
]
WIDE = (1360, 850)


def write_messages(path: Path) -> Path:
    """The messages as a file."""
    from report_picture import make_messages

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        writer.writerows([text] for text in make_messages()[0])
    return path


def open_page(browser: Any, address: str, size: tuple[int, int], dark: bool) -> Any:
    """The page in a window of some size."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#rows > li", state="attached")
    return page


def take(page: Any, name: str) -> None:
    """Write one picture, once everything is still."""
    page.wait_for_timeout(700)
    path = DOCS / "images" / f"workbench_{name}.png"
    page.screenshot(path=path)
    print(f"wrote {path}, {path.stat().st_size / 1000:.0f} KB")  # noqa: T201


def type_rule(page: Any, words: str, name: str) -> None:
    """Type a rule for a class."""
    page.locator("#words").fill(words)
    page.locator(f"[name=class][value={name}]").check(force=True)


def main() -> None:
    """Write all of them."""
    from playwright.sync_api import expect, sync_playwright
    from tests.browser import FLAGS, find_chromium

    from corral.workbench import Workbench
    from corral.workbench.server import WorkbenchServer

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = write_messages(Path(folder, "messages.csv"))
        bench = Workbench.open(path, text="text", classes=CLASSES)
        browser = driver.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        with WorkbenchServer(bench, port=0) as server:
            address = server.access.address
            page = open_page(browser, address, WIDE, dark=False)
            for done, (words, name) in enumerate(RULES, 1):
                type_rule(page, words, name)
                page.locator("#words").press("Enter")
                expect(page.locator("#rules tbody tr")).to_have_count(done)
            type_rule(page, "charged, card", "refund")
            take(page, "typing")
            page.locator("#words").press("Escape")
            dark = open_page(browser, address, WIDE, dark=True)
            dark.locator("#rules .rate").nth(2).click()
            dark.locator("#label-rows").click()
            take(dark, "labelling")
        browser.close()
        bench.close()


if __name__ == "__main__":
    main()
