"""Patterns: RE2 and re find the same where both can."""

import os
import re
import subprocess
import sys

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.errors import FunctionError, ParameterError
from corral.functions import regex

PATTERNS = [r"a+b", r"^a", r"(?i)AB|b\.", r"\bab\b", r"[^a]b$", "é"]


@settings(max_examples=30)
@given(st.lists(st.none() | st.text("aAb. é\0", max_size=8), min_size=1))
@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_engines_find_the_same(pattern, texts):
    if r"\b" in pattern:  # there RE2 knows ASCII only
        texts = [text and text.replace("é", "") for text in texts]
    expected = ["x" if t is not None and re.search(pattern, t) else None for t in texts]
    for engine in ("re2", "re"):
        assert (
            regex(None, pattern, "x", engine=engine).apply(texts).to_list() == expected
        )


def test_a_pattern_that_takes_re_for_ever_is_linear():
    evil = regex(None, r"^(a|a)*$", "x")
    assert evil.apply(["a" * 40 + "b", "aaa"]).to_list() == [None, "x"]


def test_half_a_character_is_no_obstacle():
    assert regex(None, "b", "x").apply(["\ud800b", "é\udc00"]).to_list() == ["x", None]


@pytest.mark.parametrize("pattern", ["(", r"(\w)\1", "(?=a)"])
def test_what_re2_cannot_do_is_said_at_once(pattern):
    with pytest.raises(ParameterError, match=r'RE2 cannot use.*pass engine="re"'):
        regex(None, pattern, "x")


def test_too_little_memory_is_no_fault_of_the_pattern(monkeypatch):
    """A project of the workbench with such a rule was said to be damaged."""

    def fail(*given):
        raise duckdb.OutOfMemoryException("Out of Memory Error: Allocation failure")

    monkeypatch.setattr("corral.functions.by_regex._search_re2", fail)
    with pytest.raises(MemoryError):
        regex(None, "a+", "x")


def test_regex_options():
    with pytest.raises(ParameterError, match="is no pattern"):
        regex(None, "(", "x", engine="re")
    with pytest.raises(ParameterError, match="engine must be"):
        regex(None, "a", "x", engine="perl")
    with pytest.raises(ParameterError, match="pattern must be text"):
        regex(None, re.compile("a"), "x")
    assert "engine='re2'" in repr(regex("text", "a", "x"))
    with pytest.raises(FunctionError, match="row 0: TypeError: text was expected"):
        regex(None, "a", "x").apply([7])


FORK = """
import os, sys
from corral.functions import regex

search = regex(None, "a+", "x")
assert search.apply(["a", "b"]).to_list() == ["x", None]
child = os.fork()
assert search.apply(["b", "a"]).to_list() == [None, "x"]
if not child:
    sys.exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_that_was_forked_after_a_search_ends():
    """As servers fork their workers: the child waited for threads that it does not have."""
    ended = subprocess.run([sys.executable, "-c", FORK], timeout=60, check=False)
    assert ended.returncode == 0
