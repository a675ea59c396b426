"""True labels that a user has, in the classes of signals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import IntArray
from corral.errors import ParameterError
from corral.votes.abstains import is_no_vote
from corral.votes.coding import ABSTAIN


def code_labels(labels: ArrayLike, classes: NDArray[Any], n: int) -> IntArray:
    """Code the true classes of `n` examples, as far as they are known.

    Parameters
    ----------
    labels : (n,) array of class values
        None, NaN, "" or -1 (where it is no class) where unknown.
    classes : (k,) array
    n : int

    Returns
    -------
    (n,) array of int
        Positions in `classes`, -1 where unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.votes.gold import code_labels
    >>> code_labels(["b", None, "a"], np.array(["a", "b"]), 3).tolist()
    [1, -1, 0]
    """
    given = np.asarray(labels, object)
    if given.shape != (n,):
        raise ParameterError(
            f"known labels must hold one value for each of the {n} examples, None or -1 "
            f"where unknown; the shape given is {given.shape}."
        )
    lookup = {value: code for code, value in enumerate(classes.tolist())}
    codes = np.full(n, ABSTAIN)
    for i, value in enumerate(given.tolist()):
        if isinstance(value, Hashable) and value in lookup:
            codes[i] = lookup[value]
        elif not is_no_vote(value) and value != ABSTAIN:
            raise ParameterError(
                f"label {value!r} is not one of the classes {classes.tolist()}. "
                + _advice(value, lookup)
            )
    return codes


def _advice(value: Any, classes: Iterable[Any]) -> str:
    """What to do about a label that is no class."""
    alike = [known for known in classes if str(known) == str(value)]
    if not alike:
        return "Name every class in `classes=`, in order."
    kind = type(alike[0]).__name__
    return (
        f"The class {alike[0]!r} is of type {kind}, the label of type "
        f"{type(value).__name__}: make the labels {kind}, too."
    )
