"""How signals were read, in a line for people."""

from __future__ import annotations

from typing import Any

from corral.signals.parts import Kind, Parts

MOST_CLASSES = 8


def describe_reading(parts: Parts) -> str:
    """What means no vote, and which classes there are.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> WeakSignals.from_votes([[0, 1], [-1, 1]]).reading
    '-1 = no vote; classes 0, 1'
    >>> WeakSignals.from_votes([["a", None], ["b", "b"]]).reading
    'empty = no vote; classes a, b'
    >>> WeakSignals.from_probabilities([[0.9, 0.4], [0.2, 0.1]]).reading
    'probabilities of class 1, the second of 0, 1'
    """
    classes = parts.classes.tolist()
    shown = ", ".join(map(_shown, classes[:MOST_CLASSES]))
    if len(classes) > MOST_CLASSES:
        shown += f", ... ({len(classes)} in all)"
    if parts.kind is Kind.CLASS_PROBABILITIES:
        if parts.n_label_columns == 1:
            return f"probabilities of class {_shown(classes[1])}, the second of {shown}"
        return f"probabilities of the classes {shown}"
    if parts.kind is Kind.ONE_VS_REST:
        return f"one class at a time; classes {shown}"
    if parts.silent is None:
        return f"classes {shown}"
    if not parts.silent:
        return f"every cell is a vote; classes {shown}"
    silent = ", ".join("empty" if v is None else _shown(v, True) for v in parts.silent)
    return f"{silent} = no vote; classes {shown}"


def _shown(value: Any, quoted: bool = False) -> str:
    """A value; text with quotes where its ends could not be seen."""
    if isinstance(value, str) and (quoted or not value.isidentifier()):
        return repr(value)
    return str(value)
