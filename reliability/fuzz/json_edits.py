"""JSON that was edited: any part of it removed, replaced, moved or given twice."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from reliability.fuzz.values import texts

scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 12),
    st.floats(0, 1),
    texts,
    st.sampled_from([2**53, -(2**63), 10**30, 1e308, -1e-300, math.nan, math.inf]),
)
json_values: st.SearchStrategy[Any] = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(texts, scalars, max_size=3),
    st.sampled_from([[[]], [[{}]], {"": {"": []}}]),
)
"""Anything that JSON can hold, not deep; NaN and infinity, too, which Python writes."""


@dataclass(frozen=True)
class Edit:
    """A change to one part of a document.

    Attributes
    ----------
    how : str
        "remove", "replace", "copy" (another part here), "twice" (in a list) or "rename".
    at, other : int
        Which parts, counted through the document and around.
    value : JSON value
    """

    how: str
    at: int
    other: int
    value: Any

    def apply(self, document: Any) -> Any:
        """The document after it; what was given stays as it is."""
        made = [copy.deepcopy(document)]
        places = list(_places(made))
        inside, key = places[self.at % len(places)]
        if self.how == "remove" and inside is not made:
            del inside[key]
        elif self.how == "copy":
            source, name = places[self.other % len(places)]
            inside[key] = copy.deepcopy(source[name])
        elif self.how == "twice" and isinstance(inside, list) and inside is not made:
            inside.insert(key, copy.deepcopy(inside[key]))
        elif self.how == "rename" and isinstance(inside, dict):
            inside[str(self.value)] = inside.pop(key)
        else:
            inside[key] = self.value
        return made[0]


def _places(inside: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a document, as what holds it and where."""
    for key in range(len(inside)) if isinstance(inside, list) else list(inside):
        yield inside, key
        if isinstance(inside[key], list | dict):
            yield from _places(inside[key])


edits: st.SearchStrategy[list[Edit]] = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["remove", "replace", "replace", "copy", "twice", "rename"]),
        st.integers(0, 2**16),
        st.integers(0, 2**16),
        json_values,
    ),
    max_size=3,
)


def edited(document: Any, done: list[Edit]) -> Any:
    """A document after all edits."""
    for edit in done:
        document = edit.apply(document)
    return document


def as_lines(rows: Any) -> str:
    """JSON lines of a list; of anything else, one line."""
    listed = rows if isinstance(rows, list) else [rows]
    return "".join(json.dumps(row) + "\n" for row in listed)
