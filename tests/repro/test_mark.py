"""The page on which exemplars are marked, and the signals that marks give."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repro.images import Marks, mark_signals, read_marks

pytest.importorskip("uvicorn", reason="the page needs the extra serve")
from repro.mark import Marking
from repro.mark_by_script import mark, served

from corral.errors import ParameterError

CLASSES = ["dark", "light"]
IMAGES = np.random.default_rng(0).integers(0, 256, (6, 12, 10), np.uint8)


def test_a_drag_marks_pixels_and_save_writes_them(
    open_page: Any, tmp_path: Path
) -> None:
    out = tmp_path / "marks.npz"
    options = ("--classes", ",".join(CLASSES), "--out", str(out))
    with served(IMAGES, *options) as address:
        opened = open_page(address)
        page = opened.page
        page.get_by_role("button", name="Image 4", exact=True).wait_for()
        assert opened.audit() == []
        page.locator("#class").focus()
        mark(page, 4, "light", [((3, 4), (6, 4))])
        assert "light (1)" in page.locator("#class").inner_text()
        page.fill("#brush", "1")
        page.get_by_role("button", name="Image 2", exact=True).click()
        page.locator("#large").focus()
        for key in ("ArrowDown", "ArrowRight", " "):
            page.keyboard.press(key)
        page.locator("#save").click()
        page.get_by_text("Saved: light, 2.").wait_for()
        page.get_by_role("button", name="Save").click()  # nothing is marked any more
        page.get_by_text("mark some pixels").wait_for()
        expected = [error for error in opened.errors if "422" not in error]
        assert expected == []
    marks = read_marks(out)
    assert (marks.row.tolist(), marks.label.tolist()) == ([4, 2], ["light"] * 2)
    wanted = np.zeros((12, 10), bool)
    wanted[1:7, 0:9] = True  # a brush of six pixels, from (3, 4) to (6, 4)
    np.testing.assert_array_equal(marks.mask[0], wanted)
    assert marks.mask[1].sum() == 1


def test_without_the_token_there_is_no_page(chromium: Any, tmp_path: Path) -> None:
    options = ("--classes", "a,b", "--out", str(tmp_path / "marks.npz"))
    with served(IMAGES, *options) as address:
        page = chromium.new_page()
        page.goto(address.partition("?")[0])
        assert "locked" in page.inner_text("h1")
        page.close()


def test_marks_that_are_stored_stay(tmp_path: Path) -> None:
    path = tmp_path / "marks.npz"
    pixels = "1" + "0" * 119
    Marking(IMAGES, CLASSES, path).add(1, "dark", pixels)
    again = Marking(IMAGES / 255, CLASSES, path)
    again.add(0, "light", pixels)
    assert again.count() == {"dark": 1, "light": 1}
    assert read_marks(path).row.tolist() == [1, 0]
    for wrong in ((9, "dark", pixels), (1, "grey", pixels), (1, "dark", "0" * 120)):
        with pytest.raises(ParameterError):
            again.add(*wrong)


def test_the_worked_example() -> None:
    """METHODS i: distances 1 to 11, of which a tenth is within."""
    images = np.arange(12.0).reshape(12, 1, 1)[:, :, [0, 0]]
    images[:, :, 1] = 7  # not marked
    mask = np.array([[[True, False]]])
    said = mark_signals(
        images, Marks(np.array([0]), np.array(["c0"]), mask), ["c0", "c1"]
    )
    assert said.shape == (1, 12, 2)
    assert np.isnan(said[..., 1]).all()
    half = np.percentile(np.arange(12.0), 50)
    np.testing.assert_allclose(said[0, :, 0], 1 / (1 + np.exp(np.arange(12) - half)))
