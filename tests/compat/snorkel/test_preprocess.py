"""Preprocessors change a copy, and remember."""

from types import SimpleNamespace

import numpy as np
import pytest

from corral.compat.snorkel.preprocess import Preprocessor, preprocessor
from corral.compat.snorkel.preprocess.core import values_of
from corral.errors import ParameterError


@preprocessor()
def add_words(x):
    x.words = x.text.split()
    return x


@preprocessor(pre=[add_words])
def count_words(x):
    x.number = len(x.words)
    return x


def test_the_row_itself_stays_as_it_is():
    row = SimpleNamespace(text="a free prize", tags=[])

    @preprocessor()
    def tag(x):
        x.tags.append("seen")
        return x

    assert tag(row).tags == ["seen"]
    assert row.tags == []


def test_rows_of_pandas_keep_what_was_added():
    pd = pytest.importorskip("pandas")
    row = pd.Series({"text": "a free prize"})
    assert count_words(row).number == 3
    assert count_words(add_words(row)).words == ["a", "free", "prize"]
    assert not hasattr(row, "words")


def test_a_class_with_run():
    class Lower(Preprocessor):
        def __init__(self):
            super().__init__("lower", {"given": "text"}, {"small": "lowered"})

        def run(self, given):
            return {"small": given.lower()} if given else None

    assert Lower()(SimpleNamespace(text="FREE")).lowered == "free"
    assert Lower()(SimpleNamespace(text="")) is None
    assert repr(Lower()) == "Lower lower, Pre: []"

    class Size(Preprocessor):
        def run(self, text):
            return {"size": len(text)}

    assert Size("size")(SimpleNamespace(text="FREE")).size == 4


def test_memory_goes_by_values_or_by_a_key():
    calls = []

    @preprocessor(memoize=True, memoize_key=lambda x: x.id)
    def note(x):
        calls.append(x.id)
        return x

    for number in (1, 2, 1):
        note(SimpleNamespace(id=number, text=str(len(calls))))
    assert calls == [1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, [2]], [1, [3]]),
        ({"a": [1]}, {"a": [2]}),
        (np.array([1]), np.array([2])),
        (SimpleNamespace(a={"b": 1}), SimpleNamespace(a={"b": 2})),
        (([1],), ([2],)),
    ],
)
def test_values_tell_rows_apart(one, other):
    assert values_of(one) == values_of(one)
    assert values_of(one) != values_of(other)
    hash(values_of(one))


def test_what_cannot_be_remembered():
    class Slotted:
        __slots__ = ()
        __hash__ = None

    with pytest.raises(ParameterError, match="give memoize_key="):
        values_of(Slotted())
    with pytest.raises(ParameterError, match="missing parentheses"):
        preprocessor(print)
