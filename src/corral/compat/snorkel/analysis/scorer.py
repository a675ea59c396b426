"""Several scores at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from corral.checks import check_choice
from corral.compat.snorkel.analysis.metrics import METRICS, metric_score
from corral.compat.snorkel.utils.core import ABSTAIN
from corral.errors import ParameterError


class Scorer:
    """Scores by name, and those of functions of a user.

    Parameters
    ----------
    metrics : list of str, optional
        Names that `metric_score` knows.
    custom_metric_funcs : mapping, optional
        From a name to a function of true classes, predictions and probabilities. It
        returns a number, or a dict of them.
    abstain_label : int or None
        Examples with this true or predicted label are left out of all but "coverage".

    Examples
    --------
    >>> from corral.compat.snorkel.analysis import Scorer
    >>> Scorer(["accuracy", "coverage"]).score([1, 0, 1, 1], [1, 1, -1, 1])
    {'accuracy': 0.6666666666666666, 'coverage': 0.75}
    """

    def __init__(
        self,
        metrics: Sequence[str] | None = None,
        custom_metric_funcs: Mapping[str, Callable[..., Any]] | None = None,
        abstain_label: int | None = ABSTAIN,
    ) -> None:
        for name in metrics or ():
            check_choice("metrics", name, METRICS)
        self.metrics = list(metrics or ())
        self.custom_metric_funcs = dict(custom_metric_funcs or {})
        self.abstain_label = abstain_label

    def score(
        self,
        golds: ArrayLike,
        preds: ArrayLike | None = None,
        probs: ArrayLike | None = None,
    ) -> dict[str, float]:
        """Scores by name.

        Parameters
        ----------
        golds : (n,) array of int
            True classes.
        preds : (n,) array of int, optional
        probs : (n, k) array of float, optional
        """
        if not len(golds):  # type: ignore[arg-type]
            raise ParameterError("there are no labels to score.")
        out = None if self.abstain_label is None else [self.abstain_label]
        left_out = {} if out is None else {"golds": out, "preds": out}
        found = {}
        for name in self.metrics:
            rows = None if name == "coverage" else left_out
            found[name] = metric_score(golds, preds, probs, name, rows)
        for name, function in self.custom_metric_funcs.items():
            said = function(golds, preds, probs)
            found |= said if isinstance(said, dict) else {name: said}
        return found
