"""Caches that somebody else wrote."""

import pytest

import corral
from corral.errors import SignalsWarning
from corral.functions import keywords


def test_a_link_in_a_cache_is_not_followed(tmp_path):
    rows = [{"text": "free"}, {"text": "no"}]
    functions = [keywords("text", ["free"], "spam")]
    options = {"cache": tmp_path / "cache", "classes": ["ham", "spam"]}
    first = corral.apply(functions, rows, **options)
    (file,) = (tmp_path / "cache").iterdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    file.unlink()
    file.symlink_to(elsewhere)
    with pytest.warns(SignalsWarning, match="answered anew"):
        again = corral.apply(functions, rows, **options)
    assert str(first) == str(again)
    assert elsewhere.read_text() == "mine"
