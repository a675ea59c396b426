"""What people are asked to cite is this version."""

import re
from pathlib import Path

import corral

CITATION = Path(__file__).parents[1] / "CITATION.cff"


def test_the_citation_is_of_this_version():
    said = re.findall(r"^version: (.+)$", CITATION.read_text(), re.MULTILINE)
    assert said == [corral.__version__]
