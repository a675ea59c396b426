"""Colours can be seen, on light and on dark, and told apart without red and green."""

from itertools import combinations

import numpy as np
import pytest

from corral.drawings import style

TONES = ("blue", "orange", "green", "pink", "grey")
THEMES = {
    "light": (style.LIGHT, style.LIGHT_SHADES),
    "dark": (style.DARK, style.DARK_SHADES),
}


def linear(colour: str) -> np.ndarray:
    """Amounts of light of red, green and blue (sRGB)."""
    part = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """As WCAG 2 has it, from 1 to 21."""
    light = [linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (first, second)]
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_and_marks_stand_out_from_the_paper(theme):
    colours, _ = THEMES[theme]
    for name in ("ink", "soft"):
        assert contrast(colours[name], colours["paper"]) >= 4.5
    for name in TONES:
        assert contrast(colours[name], colours["paper"]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_in_cells_can_be_read(theme):
    for shade in THEMES[theme][1].values():
        assert contrast(style.text_on(shade), shade) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_tones_differ_for_people_without_red_or_green_cones(theme):
    # Viénot, Brettel and Mollon (1999), for protanopes and deuteranopes.
    seen = np.array(
        [[0.1121, 0.8853, -0.0005], [0.1127, 0.8897, -0.0001], [0.0045, 0, 1]]
    )
    other = np.array(
        [[0.292, 0.7054, -0.0003], [0.2934, 0.7089, 0], [-0.02098, 0.02559, 1]]
    )
    colours, _ = THEMES[theme]
    for matrix in (seen, other):
        views = {
            name: (matrix @ linear(colours[name])).clip(0) ** (1 / 2.2)
            for name in TONES
        }
        for a, b in combinations(("blue", "orange", "green"), 2):
            assert np.linalg.norm(views[a] - views[b]) > 0.12


@pytest.mark.parametrize("theme", THEMES)
def test_shades_grow_stronger_from_the_weakest(theme):
    colours, shades = THEMES[theme]
    for sign in (1, -1):
        ramp = [contrast(shades[sign * step], colours["paper"]) for step in range(7)]
        assert ramp == sorted(ramp)
