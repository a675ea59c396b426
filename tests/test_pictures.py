"""The pictures of the documentation are what the script draws today."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
NUMBER = re.compile(r"-?\d+\.?\d*")


def test_pictures_are_those_of_today():
    pytest.importorskip("matplotlib").use("Agg")
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn = module.make_pictures()
    listed = {str(p.relative_to(DOCS / "images")) for p in DOCS.glob("images/plots/*")}
    assert {*listed, "constrained_space.svg"} == set(drawn)
    for path, text in drawn.items():
        stored = (DOCS / "images" / path).read_text(encoding="utf-8").strip()
        # Other machines round otherwise, so that a number may differ by a little.
        cure = f"{path} has changed: look at it, and run docs/make_pictures.py"
        assert NUMBER.sub("#", stored) == NUMBER.sub("#", text), cure
        both = [np.array(NUMBER.findall(each), float) for each in (stored, text)]
        np.testing.assert_allclose(*both, atol=0.3, err_msg=cure)


def test_every_picture_is_shown():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))
    for path in DOCS.glob("images/plots/*.svg"):
        assert f"images/plots/{path.name})" in pages
