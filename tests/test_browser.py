"""The browser that tests of pages use: what it must notice."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_it_notices_requests_errors_and_bad_contrast(
    open_page: Any, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<html lang="en"><title>t</title><body><p style="color:#eee">pale</p>'
        "<img src='absent.png' alt=''><script>nonsense()</script>"
    )
    opened = open_page(page)
    assert [address.rpartition("/")[2] for address in opened.requests] == ["absent.png"]
    assert any("nonsense" in error for error in opened.errors)
    assert any("color-contrast" in finding for finding in opened.audit())
