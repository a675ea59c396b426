"""The paper's cleaning, rule by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.features import clean_text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("A GOOD Film", "a good film"),
        ("good<br /><br />bad", "good bad"),
        ("2 < 3 and 4 > 1", "and"),
        ("see http://a.b/c?d and WWW.x.org now", "see and now"),
        ("@user likes #films", "likes"),
        ("it's 10/10!", "it s"),
        ("naïve\tline\nbreak", "na ve line break"),
        ("", ""),
        ("123 ?!", ""),
    ],
)
def test_rules(text, clean):
    assert clean_text(text) == clean


@given(st.text())
def test_only_words_are_left_and_cleaning_again_changes_nothing(text):
    clean = clean_text(text)
    assert set(clean) <= set("abcdefghijklmnopqrstuvwxyz ")
    assert clean == " ".join(clean.split())
    assert clean_text(clean) == clean
