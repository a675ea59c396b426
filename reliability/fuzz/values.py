"""Arbitrary values: class names, column names, cells, and what is no such thing."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np
from hypothesis import strategies as st


def mostly(
    usual: st.SearchStrategy[Any], other: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Three of four cases as `usual`; `one_of` would weigh every kind of `other` alike."""
    chances = st.sampled_from([True, True, True, False])
    return chances.flatmap(lambda is_usual: usual if is_usual else other)


WORDS = st.sampled_from(
    [
        *("spam", "ham", "Spam", " ham", "0", "1", "-1", "1.0", "nan", "None", "null"),
        *("", " ", "N/A", "?", "none", "true", "False", "inf", "1e3", "=1+1", "@x"),
        *("a,b", 'a"b', "a;b", "a\nb", "a\tb", "a\r", "\x1b[31mred", "[red]x[/red]"),
        *(
            "<b>x</b>",
            "'; DROP TABLE t; --",
            "x\x00y",
            "\u202eabc",
            "é",
            "e\u0301",
            "日本",
        ),
        *("\ud83d\ude00", "😀", "p_1", "label", "{signal}", "%s", "a" * 300),
    ]
)
"""Texts that something in the way may take for something else."""

# Surrogates that stand alone are no text that a file could hold.
texts = st.one_of(WORDS, st.text(max_size=8)).filter(
    lambda s: not any(0xD800 <= ord(c) <= 0xDFFF for c in s)
)
integers = st.one_of(
    st.integers(-3, 9), st.sampled_from([2**31, 2**63 - 1, -(2**63), 2**64, 10**30])
)
floats = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e-12, 1 - 1e-16, 5e-324, 1e308, -1.0, 2.0]),
)
odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    floats,
    texts,
    st.binary(max_size=3),
    st.sampled_from(
        [
            *(1j, math.nan, decimal.Decimal(1), decimal.Decimal("NaN"), object, len),
            *(datetime.date(2020, 1, 1), np.datetime64("2020-01-01"), np.float32(0.5)),
            *(
                np.int8(1),
                np.bool_(True),
                np.str_("a"),
                (),
                [],
                {},
                {"a": 1},
                [1],
                (1, 2),
            ),
        ]
    ),
)
"""Anything that a user may have put into a cell or an option."""

class_values: st.SearchStrategy[list[Any]] = st.one_of(
    st.lists(texts.filter(str.strip), min_size=2, max_size=5, unique=True),
    st.lists(st.integers(-3, 40), min_size=2, max_size=5, unique=True),
    st.lists(
        st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=2, max_size=4, unique=True
    ),
    st.just([False, True]),
)
"""Classes as users call them: two or more, different."""
