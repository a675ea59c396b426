"""The pictures of the documentation are what the script draws today."""

import importlib.util
import re
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parent.parent / "docs"
NUMBER = re.compile(r"-?\d+\.?\d*")


def test_pictures_are_those_of_today(tmp_path):
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.make_pictures(tmp_path)
    for path in tmp_path.iterdir():
        text = path.read_text(encoding="utf-8")
        stored = (DOCS / "images" / path.name).read_text(encoding="utf-8")
        # Other machines round otherwise, so that a number may differ by a little.
        cure = f"{path.name} has changed: look at it, and run docs/make_pictures.py"
        assert NUMBER.sub("#", stored) == NUMBER.sub("#", text), cure
        both = [np.array(NUMBER.findall(each), float) for each in (stored, text)]
        np.testing.assert_allclose(*both, atol=0.3, err_msg=cure)
