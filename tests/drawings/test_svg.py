"""SVG text is well-formed, escaped, fit for a strict page, and nothing in it overlaps."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.drawings.samples import SAMPLES

from corral import drawings
from corral.drawings import Axis, Drawing, Note, Points, to_svg
from corral.drawings.layout import lay_out
from corral.drawings.words import cut, text_width, wrap

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_chart_is_fit_for_a_page_with_a_strict_policy(name):
    text = to_svg(SAMPLES[name])
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert root.get("aria-label") == SAMPLES[name].title
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[1].text == SAMPLES[name].description
    elements = list(root.iter())
    assert {each.tag.removeprefix(SVG) for each in elements} <= {
        *("svg", "title", "desc", "g", "path", "rect", "text")
    }
    names = {key for each in elements for key in each.attrib}
    assert not {key for key in names if key == "style" or key.startswith("on")}
    assert "id" not in names  # several drawings share a page
    assert "nan" not in text
    assert not re.search(r"\d\.\d\d", re.sub(r">[^<]*<|opacity=\S+", "", text))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_its_own_has_paper_and_the_stylesheet(name):
    root = ElementTree.fromstring(to_svg(SAMPLES[name], standalone=True))
    assert root.find(f"{SVG}style").text.strip() == drawings.STYLESHEET.strip()
    assert root.find(f"{SVG}rect").get("class") == "cd-f-paper"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_class_that_is_used_has_a_rule(name):
    used = set(re.findall(r'class="([^"]+)"', to_svg(SAMPLES[name])))
    assert {each for each in used if f".{each}{{" not in drawings.STYLESHEET} == set()


@given(st.text(min_size=1))
def test_names_of_others_are_text_and_nothing_else(name):
    points = Points((0.2,), (0,), (name,), name=name, labels=(name,))
    drawing = Drawing(
        name, name, Axis(name), Axis(categories=(name,)), (points,), (name,)
    )
    plain = Drawing("a", "a", Axis("a"), Axis(categories=("a",)), (points,), ("a",))
    root = ElementTree.fromstring(to_svg(drawing, standalone=True))
    allowed = {each.tag for each in ElementTree.fromstring(to_svg(plain)).iter()}
    assert {each.tag for each in root.iter()} <= {*allowed, f"{SVG}style", f"{SVG}rect"}


def test_a_script_stays_text():
    name = "<script>alert(1)</script>&\"'"
    drawing = drawings.draw_signal_errors([name], expected=[0.2])
    text = to_svg(drawing)
    assert "<script" not in text
    assert name in "".join(ElementTree.fromstring(text).itertext())


@pytest.mark.parametrize("m", [1, 2, 7, 23, 24, 60])
@pytest.mark.parametrize("width", [320, 640, 900])
def test_names_of_signals_do_not_overlap(m, width):
    names = [f"rule_{i}_" + "long name " * (i % 4) for i in range(m)]
    drawing = drawings.draw_signal_errors(names, expected=np.linspace(0.1, 0.4, m))
    layout = lay_out(drawing, width)
    places = [layout.y(tick.value) for tick in layout.y_ticks]
    assert all(b - a >= layout.y_size * 1.2 for a, b in pairwise(places))
    for tick in layout.y_ticks:
        assert text_width(tick.shown, layout.y_size) <= layout.left
    ends = [
        (layout.x(t.value), text_width(t.shown, layout.x_size) / 2)
        for t in layout.x_ticks
    ]
    assert all(a + wide < b - other for (a, wide), (b, other) in pairwise(ends))
    assert layout.width <= width + 0.01
    assert ends[-1][0] + ends[-1][1] <= layout.width + 1


@pytest.mark.parametrize("m", [2, 5, 30, 60])
def test_columns_of_a_matrix_have_room_for_their_names(m):
    names = [f"rule_{i}_" + "long name " * (i % 4) for i in range(m)]
    layout = lay_out(drawings.draw_agreement(names, np.eye(m)), 640)
    pitch = layout.x(1) - layout.x(0)
    assert pitch >= layout.x_size
    assert layout.x_label >= max(
        text_width(tick.shown, layout.x_size) for tick in layout.x_ticks
    )


def test_sixty_signals_with_long_names_stay_small():
    names = [f"rule_{i}_" + "long name " * 9 for i in range(60)]
    text = to_svg(drawings.draw_agreement(names, np.full((60, 60), 0.31)))
    assert len(text) < 250_000


def test_words_at_one_place_move_apart():
    notes = tuple(Note(0.5, 0.5, f"words number {i}") for i in range(4))
    text = to_svg(Drawing("a", "a", Axis("x"), Axis("y"), notes))
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>words', text)
    assert len(set(places)) == 4


@given(st.text(max_size=60), st.floats(20, 300))
def test_cut_text_fits(text, room):
    assert text_width(cut(text, room, 12), 12) <= room or len(cut(text, room, 12)) <= 1


@given(st.text("ab \n", max_size=80), st.floats(60, 300))
def test_wrapped_text_keeps_its_words(text, room):
    lines = wrap(text, room, 12)
    assert all(text_width(line, 12) <= room for line in lines)


def test_a_name_of_ten_thousand_characters_is_cut_in_few_steps(monkeypatch):
    looked_at = []

    def count(text, size):
        looked_at.append(len(text))
        return text_width(text, size)

    monkeypatch.setattr("corral.drawings.words.text_width", count)
    assert len(cut("x" * 10_000, 110, 12)) < 30
    # Character by character from its end, it would be fifty million.
    assert sum(looked_at) < 5_000
