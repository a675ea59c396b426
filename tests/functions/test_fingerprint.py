"""A hash changes with every part of a function, and with nothing else."""

import functools
import re
import threading
from collections import OrderedDict
from types import FunctionType, ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from corral.functions import keywords, signal
from corral.functions.fingerprint import CannotHashError, fingerprint

SOURCE = """
LIMIT = 3
UNUSED = 1
def helper(x, _deep=None):
    return x > LIMIT
def make(closed):
    def rule(row, default=4, *, word="a"):
        \"\"\"Say something.\"\"\"
        return "spam" if helper(row) and closed and row != 10 else None
    return rule
rule = make(5)
"""


def rule_of(source):
    """The function that a user's module defines."""
    scope = {"__name__": "users_module"}
    exec(source, scope)
    return scope["rule"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("and closed", "or closed", id="bytecode"),
        pytest.param("row != 10", "row != 11", id="constant"),
        pytest.param("default=4", "default=5", id="default"),
        pytest.param('word="a"', 'word="b"', id="keyword default"),
        pytest.param("make(5)", "make(6)", id="closure"),
        pytest.param(
            "LIMIT = 3", "LIMIT = 4", id="global of a function that is called"
        ),
        pytest.param("x > LIMIT", "x < LIMIT", id="function that is called"),
        pytest.param("_deep=None", "_deep=1", id="its default"),
        pytest.param("else None", "else (lambda: 1)()", id="function within"),
    ],
)
def test_every_part_counts(old, new):
    assert old in SOURCE
    changed = rule_of(SOURCE.replace(old, new))
    assert fingerprint(changed) != fingerprint(rule_of(SOURCE))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("UNUSED = 1", "UNUSED = 2", id="global that is not read"),
        pytest.param("LIMIT = 3", "\n\n# moved\nLIMIT = 3", id="place and comments"),
    ],
)
def test_what_does_not_count(old, new):
    changed = rule_of(SOURCE.replace(old, new))
    assert fingerprint(changed) == fingerprint(rule_of(SOURCE))


def test_globals_of_functions_within():
    def source(limit):
        return (
            f"LIMIT = {limit}\nrule = lambda row: [x for x in row if (lambda: LIMIT)()]"
        )

    assert fingerprint(rule_of(source(1))) != fingerprint(rule_of(source(2)))


def test_names_of_attributes_are_not_globals():
    source = (
        "import threading\nwords = threading.Lock()\ndef rule(row): return row.words"
    )
    fingerprint(rule_of(source))


def test_classes_methods_and_partials():
    source = """
class Rule:
    factor = 2
    def __init__(self, a): self.a = a
    def __call__(self, row): return row * self.factor
    @property
    def twice(self): return 2
    @staticmethod
    def still(): return 1
rule = Rule(3)
"""
    seen = {fingerprint(rule_of(source))}
    for old, new in [
        ("factor = 2", "factor = 3"),
        ("Rule(3)", "Rule(4)"),
        ("row *", "row +"),
        ("return 2", "return 3"),
        ("return 1", "return 3"),
        ("= Rule(3)", "= Rule(3).__call__"),
    ]:
        assert old in source
        seen.add(fingerprint(rule_of(source.replace(old, new))))
    assert len(seen) == 7
    assert fingerprint(rule_of(source)) in seen
    add = functools.partial(int.__add__, 1)
    assert fingerprint(add) != fingerprint(functools.partial(int.__add__, 2))


def test_modules_by_their_file_or_version(tmp_path):
    def rule(row):
        return users.words and np.sqrt(row)

    users = ModuleType("users")
    users.__file__ = str(tmp_path / "users.py")
    (tmp_path / "users.py").write_text("words = 1")
    before = fingerprint(rule)
    assert fingerprint(rule) == before
    (tmp_path / "users.py").write_text("words = 2")
    assert fingerprint(rule) != before
    with pytest.raises(CannotHashError, match="module made has no file"):
        fingerprint(ModuleType("made"))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner)
    | st.dictionaries(st.text(), inner) | st.frozensets(st.integers()),
    max_leaves=8,
)  # fmt: skip


@given(values, values)
def test_different_values_have_different_hashes(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (repr(one) == repr(other))


def test_lists_of_texts_are_not_joined():
    lists = [
        ["ab", "c"],
        ["a", "bc"],
        ["abc"],
        ["abc", ""],
        ["ab", "c", None],
        ("ab", "c"),
    ]
    assert len({fingerprint(entry) for entry in lists}) == len(lists)


def test_arrays_sets_patterns_and_models():
    array = np.arange(6.0)
    distinct = [
        *(array, array.reshape(2, 3), array.astype(np.float32), array + 1),
        *(np.array(["a", None], object), np.array(["a", 1], object)),
        *(re.compile("a"), re.compile("a", re.I), re.compile("b")),
        *(
            {1, 2},
            {1, 3},
            OrderedDict(a=1),
            {"a": 1},
            slice(3),
            range(3),
            np.float64(1),
        ),
    ]
    assert len({fingerprint(entry) for entry in distinct}) == len(distinct)
    assert fingerprint(set("abcdef")) == fingerprint(set("fedcba"))
    assert fingerprint(array[::2]) == fingerprint(array[::2].copy())
    forests = [
        RandomForestClassifier(2, random_state=seed).fit(array[:, None], array > 2)
        for seed in (0, 0, 1)
    ]
    first, same, other = map(fingerprint, forests)
    assert first == same != other


def test_functions_that_call_themselves():
    scope = {"__name__": "users_module"}
    exec("def rule(n): return n and rule(n - 1)", scope)
    assert isinstance(scope["rule"], FunctionType)
    assert fingerprint(scope["rule"]) == fingerprint(scope["rule"])


def test_what_cannot_be_seen():
    lock = threading.Lock()
    for hidden in (lock, lambda row: lock, [lock], (n for n in "a")):
        with pytest.raises(
            CannotHashError, match=r"the content of a .* cannot be seen"
        ):
            fingerprint(hidden)


def test_builders_by_their_options():
    made = [
        keywords(None, "a", 1),
        keywords("c", "a", 1),
        keywords(None, "b", 1, name="a"),
        keywords(None, "a", 0),
        keywords(None, "a", 1, match="word"),
        signal(len),
        signal(str),
    ]
    assert len({fingerprint(function) for function in made}) == len(made)
    assert fingerprint(keywords(None, "a", 1)) == fingerprint(made[0])
