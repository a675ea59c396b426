"""From labels in the box to class probabilities, and from these to a class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from corral._types import BoolArray, FloatArray, IntArray
from corral.decisions import is_winner
from corral.errors import ParameterError

ROUNDING = 1e-6
"""What shares that add up to one may lack."""
UNDECIDED = 1e-4
"""Labels of an example that add up to less say nothing of its class: no solver is as
precise as that, and a rounding error must not become a certainty."""


def check_balance(
    class_balance: ArrayLike | None, n_classes: int, *, multilabel: bool = False
) -> FloatArray:
    """Shares (k,) of the classes as a user gave them; default even.

    Shares of a multi-label task need not add up to one; default one half each.
    """
    if class_balance is None:
        return np.full(n_classes, 0.5 if multilabel else 1 / n_classes)
    try:
        prior = np.asarray(class_balance, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("class_balance must be numbers.") from error
    if prior.shape != (n_classes,) or not ((prior >= 0) & (prior <= 1)).all():
        raise ParameterError(
            f"class_balance must hold {n_classes} shares between 0 and 1; "
            f"{prior.tolist()} was given."
        )
    if not multilabel and abs(prior.sum() - 1) > ROUNDING:
        raise ParameterError(
            f"class_balance must add up to one; it adds up to {prior.sum():g}."
        )
    return prior


def class_columns(y: FloatArray) -> FloatArray:
    """(n, k) labels of every class from label columns (n, c); one is the second of two."""
    return np.column_stack([1 - y, y]) if y.shape[1] == 1 else y


def class_probabilities(
    labels: FloatArray,
    kept: BoolArray,
    covered: BoolArray,
    prior: FloatArray,
    undecided: float = UNDECIDED,
) -> FloatArray:
    """Rows that sum to one.

    Labels that are all zero are undecided, and become even. Nearly zero is nearly
    undecided: what a row lacks to `undecided` is added evenly before it is divided by its
    sum, so that labels that differ by a rounding error become probabilities that hardly
    differ.

    Parameters
    ----------
    labels : (n, n_labels) array of float
        Labels in [0, 1]; one column means the second of two classes.
    kept : (n, n_labels) array of bool
        Entries that have a label of their own. The others share what these leave,
        ``max(0, 1 - sum) / number``.
    covered : (n, n_labels) array of bool
        Entries that any signal votes on. Rows without any get `prior`, unless they are
        `kept`.
    prior : (k,) array of float
    undecided : float
        How precise the labels are: a sum of less is no sum.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.probabilities import class_probabilities
    >>> kept = np.array([[True, False, False]])
    >>> prior = np.full(3, 1 / 3)
    >>> class_probabilities(np.array([[0.8, 0, 0]]), kept, kept, prior).round(3)
    array([[0.8, 0.1, 0.1]])
    >>> every = np.ones((1, 3), bool)
    >>> class_probabilities(np.array([[0, 4e-17, 0]]), every, every, prior).round(3)
    array([[0.333, 0.333, 0.333]])
    """
    if labels.shape[1] == 1:
        shares = np.empty((len(labels), 2))
        np.subtract(1, labels[:, 0], out=shares[:, 0])
        shares[:, 1] = labels[:, 0]
    else:
        shares = np.where(kept, labels, 0)
        left = np.maximum(0, 1 - shares.sum(axis=1))
        open_entries = (~kept).sum(axis=1)
        share = left / np.maximum(open_entries, 1)
        np.add(shares, share[:, None], out=shares, where=~kept)
        lacking = undecided - shares.sum(axis=1)
        shares += np.maximum(lacking, 0)[:, None] / shares.shape[1]
        shares /= shares.sum(axis=1, keepdims=True)
    bare = ~covered.any(axis=1) & ~kept.all(axis=1)
    shares[bare] = prior
    return shares


def choose_classes(
    probabilities: FloatArray, rng: np.random.Generator | None = None
) -> tuple[IntArray, BoolArray]:
    """(n,) the likeliest class of every example, and whether several are as likely.

    Of these it is the first; by lot, if a generator is given.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.probabilities import choose_classes
    >>> choose_classes(np.array([[0.2, 0.8], [0.5, 0.5]]))
    (array([1, 0]), array([False,  True]))
    """
    best = is_winner(probabilities)
    tied: BoolArray = best.sum(axis=1) > 1
    chosen = best.argmax(axis=1)
    if rng is not None:
        lots = best[tied] * (1 - rng.random((tied.sum(), best.shape[1])))
        chosen[tied] = lots.argmax(axis=1)
    return chosen, tied
