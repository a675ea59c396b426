from dataclasses import replace
from xml.etree import ElementTree

import pytest
from repro.figures import draw, find_stale_figures, hash_figure, read_digest
from repro.results import Record
from tests.repro.test_runner import EXPERIMENT

FIGURE = replace(
    EXPERIMENT,
    kind="figure",
    axes={"x": "rank", "b": "error"},
    paper={"a": {"x": {"x": [0, 1], "y": [0.2, 0.3]}}},
)
X = [0.0, 0.5, 1.0]
RECORDS = {
    ("a", "x"): Record([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]], rows=1, x=X, seeds=[0, 1]),
    ("b", "y"): Record([[0.5, 0.5, 0.5]], rows=1, x=X, seeds=[0]),
}


def test_stored_figures_are_up_to_date():
    stale = ", ".join(path.name for path in find_stale_figures())
    assert not stale, f"{stale}; run: python -m repro report"


def test_the_same_picture_is_the_same_file_and_says_its_hash():
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    picture = draw(FIGURE, RECORDS)
    assert picture == draw(FIGURE, RECORDS)
    assert read_digest(picture) == hash_figure(FIGURE, RECORDS)
    texts = {e.text for e in ElementTree.fromstring(picture).iter() if e.text}
    assert {"A", "B", "X", "Y", "X, paper", "rank", "accuracy", "error"} <= texts
    assert "Date" not in picture
