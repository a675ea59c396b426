"""docs/howto/from_other_tools.md names what there is, and all of it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("pandas")
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "from_other_tools.md"
LINE = re.compile(r"^\| `(corral\.compat\.[\w.]+)` \| (.*) \|$", re.MULTILINE)


@pytest.mark.parametrize(("module", "cell"), LINE.findall(PAGE.read_text()))
def test_the_table_is_true(module, cell):
    named = set(re.findall(r"`(\w+)`", cell))
    there = vars(import_module(module))
    assert named <= there.keys()
    public = getattr(import_module(module), "__all__", named)
    assert set(public) == named
