"""Columns of probabilities: one per signal, or one per signal and class.

Names decide, as `columns=` says how they are made; unasked, a name such as ``llm_pos``
is a signal and a class if all names are made so. Numbers never decide, but are checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from corral._types import IntArray
from corral.errors import SignalsError

MARKS = "[_.:/ -]"  # what stands between signal and class in the name of a column
MODEL = "model"  # the signal whose columns are named after classes alone
ADVICE = (
    "Pass `columns='{signal}'` if every column is a signal with the probability of the "
    "second of two classes, `columns='{class}'` if all are classes of one signal, or how "
    "names are made, such as `columns='{class}_{signal}'`."
)


Grouped: TypeAlias = tuple[list[str], list[Any] | None, IntArray | None]
"""The signals, their classes, and the column (m, k) of every signal and class. Without
the last two, every column is a signal, with the probability of the second of two classes.
"""


def group_columns(
    names: Sequence[Any], layout: str | None, classes: Sequence[Any] | None
) -> Grouped:
    """Read from the names of columns whether each has one class of a signal.

    Examples
    --------
    >>> from corral.votes.probability_columns import group_columns
    >>> names = ["llm_neg", "llm_pos", "bert_neg", "bert_pos"]
    >>> signals, classes, places = group_columns(names, None, None)
    >>> signals, classes, places.tolist()
    (['llm', 'bert'], ['neg', 'pos'], [[0, 1], [2, 3]])
    """
    columns, labels = [str(name) for name in names], [str(c) for c in classes or ()]
    if layout == "{signal}":
        return columns, None, None
    if layout is None and set(columns) == set(labels):
        layout = "{class}"
    if layout is None:
        template = rf"\{{signal\}}{MARKS}\{{class\}}"
    elif layout.count("{class}") == 1 and layout.count("{signal}") <= 1:
        template = re.escape(layout)
    else:
        raise SignalsError(
            f"`columns=` says how names are made, such as '{{signal}}_{{class}}', "
            f"'{{signal}}' or '{{class}}'; {layout!r} was given."
        )
    label = "|".join(map(re.escape, labels)) or ".+"
    for name in (".+", ".+?"):  # a name may be split at its last mark or at its first
        pattern = template.replace(r"\{signal\}", f"(?P<signal>{name})")
        pattern = pattern.replace(r"\{class\}", f"(?P<label>{label})")
        parts = [found for c in columns if (found := re.fullmatch(pattern, c))]
        pairs = [
            (part.groupdict().get("signal", MODEL), part["label"]) for part in parts
        ]
        signals = list(dict.fromkeys(signal for signal, _ in pairs))
        seen = labels or list(dict.fromkeys(about for _, about in pairs))
        size = len(signals) * len(seen)
        if len(seen) > 1 and len(set(pairs)) == len(pairs) == len(columns) == size:
            places = [[pairs.index((s, about)) for about in seen] for s in signals]
            whole = all(re.fullmatch(r"-?\d+", about) for about in seen)
            values = [int(about) if whole else about for about in seen]
            return signals, list(classes or values), np.array(places)
    others = "|".join(map(re.escape, labels[:-1]))
    if layout is None and not re.search(
        f"{MARKS}({others or '(?!)'})(,|$)", ",".join(columns)
    ):
        return columns, None, None
    raise SignalsError(
        f"the columns {', '.join(map(repr, columns[:8]))} do not have the same classes "
        f"for every signal. {ADVICE}"
    )
