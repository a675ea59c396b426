"""Files that were damaged, and JSON that was edited: strategies, and what they do."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from tests.fuzz.properties import texts

Damage = tuple[str, float, bytes]
Edit = tuple[str, int, int, Any]

HARMFUL = [b'"', b"\x00", b"\r", b"\n\n", b"\xff\xfe", b"NaN", b",,,", b"{", b"1e999"]
HARMFUL += [b"[" * 5000, b"PK\x03\x04", b"\xef\xbb\xbf"]
damages: st.SearchStrategy[list[Damage]] = st.lists(
    st.tuples(
        st.sampled_from(["cut", "flip", "insert", "overwrite", "repeat", "replace"]),
        st.floats(0, 1),
        st.one_of(st.binary(min_size=1, max_size=12), st.sampled_from(HARMFUL)),
    ),
    min_size=1,
    max_size=3,
)
"""What is done to bytes: how, where (as a share of their length), and with which."""


def damaged(data: bytes, done: list[Damage]) -> bytes:
    for how, share, new in done:
        at = min(int(share * len(data)), max(len(data) - 1, 0))
        flipped = bytes(byte ^ (1 << len(new) % 8) for byte in data[at : at + 1])
        data = {
            "cut": data[:at],
            "flip": data[:at] + flipped + data[at + 1 :],
            "insert": data[:at] + new + data[at:],
            "overwrite": data[:at] + new + data[at + len(new) :],
            "repeat": data[:at] + data,
            "replace": new,
        }[how]
    return data


scalars: st.SearchStrategy[Any] = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 12), st.floats(0, 1), texts),
    st.sampled_from([2**53, -(2**63), 10**30, 1e308, -1e-300, math.nan, math.inf]),
)
json_values: st.SearchStrategy[Any] = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(texts, scalars, max_size=3),
    st.sampled_from([[[]], [[{}]], {"": {"": []}}]),
)
"""Anything that JSON can hold, not deep; NaN and infinity, too, which Python writes."""

edits: st.SearchStrategy[list[Edit]] = st.lists(
    st.tuples(
        st.sampled_from(["remove", "replace", "replace", "copy", "twice", "rename"]),
        *(st.integers(0, 2**16), st.integers(0, 2**16), json_values),
    ),
    max_size=3,
)
"""Changes to parts of a document: how, which part, another part, and a new value."""


def edited(document: Any, done: list[Edit]) -> Any:
    """A document after all edits; what was given stays as it is."""
    for how, at, other, value in done:
        made = [copy.deepcopy(document)]
        places = list(_places(made))
        inside, key = places[at % len(places)]
        if how == "remove" and inside is not made:
            del inside[key]
        elif how == "copy":
            source, name = places[other % len(places)]
            inside[key] = copy.deepcopy(source[name])
        elif how == "twice" and isinstance(inside, list) and inside is not made:
            inside.insert(key, copy.deepcopy(inside[key]))
        elif how == "rename" and isinstance(inside, dict):
            inside[str(value)] = inside.pop(key)
        else:
            inside[key] = value
        document = made[0]
    return document


def _places(inside: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a document, as what holds it and where."""
    for key in range(len(inside)) if isinstance(inside, list) else list(inside):
        yield inside, key
        if isinstance(inside[key], list | dict):
            yield from _places(inside[key])


def as_lines(rows: Any) -> str:
    """JSON lines of a list; of anything else, one line."""
    listed = rows if isinstance(rows, list) else [rows]
    return "".join(json.dumps(row) + "\n" for row in listed)
