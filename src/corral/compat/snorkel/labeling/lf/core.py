"""Labeling functions, which are signal functions that answer with a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from corral.errors import ParameterError
from corral.functions.by_rows import RowFunction
from corral.signals.coding import ABSTAIN


@dataclass
class PreparedFunction:
    """A function of a row, with what it is given beside the row."""

    function: Callable[..., Any]
    resources: dict[str, Any]
    pre: list[Callable[[Any], Any]]

    def __post_init__(self) -> None:
        update_wrapper(self, self.function)

    def __call__(self, x: Any) -> int:
        for change in self.pre:
            x = change(x)
            if x is None:
                raise ParameterError(
                    f"preprocessor {getattr(change, 'name', change)!r} returned None; "
                    "it should return the row."
                )
        said: Any = self.function(x, **self.resources)
        if said is None or said != said:  # None and NaN are abstains everywhere here
            return ABSTAIN
        try:
            vote = int(said)
        except (TypeError, ValueError):
            vote = None
        if vote is None or vote != said:
            raise ParameterError(
                "a labeling function returns a class, 0 or more, or -1 for an abstain; "
                f"{said!r:.80} came. corral.signal takes probabilities and texts."
            )
        return max(vote, ABSTAIN)


class LabelingFunction(RowFunction):
    """A function from a row to a class, or to -1: it abstains.

    `corral.apply` takes it as it is, next to keywords, models and plain functions.

    Parameters
    ----------
    name : str
    f : callable
        From a row, and `resources` by name, to 0, 1, ... or -1.
    resources : mapping, optional
        Further arguments of `f`.
    pre : list of callables, optional
        What is done to the row before; see `corral.compat.snorkel.preprocess`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from corral.compat.snorkel.labeling import LabelingFunction
    >>> def contains(x, word):
    ...     return 1 if word in x.text else -1
    >>> free = LabelingFunction("free", contains, resources={"word": "free"})
    >>> free(SimpleNamespace(text="a free prize"))
    1
    """

    function: PreparedFunction

    def __init__(
        self,
        name: str,
        f: Callable[..., Any],
        resources: Mapping[str, Any] | None = None,
        pre: Sequence[Callable[[Any], Any]] | None = None,
    ) -> None:
        prepared = PreparedFunction(f, dict(resources or {}), list(pre or ()))
        super().__init__(prepared, name=name)

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name}, Preprocessors: {self.function.pre}"


def labeling_function(
    name: str | None = None,
    resources: Mapping[str, Any] | None = None,
    pre: Sequence[Callable[[Any], Any]] | None = None,
) -> Callable[[Callable[..., Any]], LabelingFunction]:
    """Make a `LabelingFunction` of a function.

    Parameters
    ----------
    name : str, optional
        Default: the name of the function.
    resources, pre
        As for `LabelingFunction`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from corral.compat.snorkel.labeling import labeling_function
    >>> @labeling_function()
    ... def short(x):
    ...     return 0 if len(x.text) < 9 else -1
    >>> short(SimpleNamespace(text="hello")), short
    (0, LabelingFunction short, Preprocessors: [])
    """
    if callable(name):
        raise ParameterError("missing parentheses: write @labeling_function().")
    return lambda f: LabelingFunction(name or f.__name__, f, resources, pre)
