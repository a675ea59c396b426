"""The page that a workbench serves."""

from contextlib import closing

import pytest

pytest.importorskip("uvicorn", reason="it needs the extra serve")

from corral.workbench import Workbench
from corral.workbench.server.app import render_page


def test_the_name_of_the_data_is_visible(tmp_path):
    data = tmp_path / "\x1b]0;x\x07\u202e<b>.csv"
    data.write_text("text\na\nb\n")
    with closing(Workbench.open(data, text="text", classes=["no", "yes"])) as bench:
        page = render_page(bench)
    assert "<title>\\x1b]0;x\\x07\\u202e&lt;b&gt;" in page
    assert not {"\x1b", "\x07", "\u202e"} & set(page)
