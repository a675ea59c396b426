"""A plug-in for Inspect: a jury of scorers, and how many independent judges it is worth.

Importing this module takes ``inspect_ai`` and makes both known to it by their names. ::

    labeler = corral.ConstrainedLabeler().fit(corral.read_judges("logs/").signals)
    scorer = multi_scorer([a, b, c], corral_jury(labeler))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import Score, metric, score_reducer

from corral.errors import SignalsError
from corral.exchange.inspect_logs import LETTERS


def _number(value: Any) -> float:
    """What a judge says of an answer, from 0 to 1; NaN if nothing."""
    value = LETTERS.get(value, value) if isinstance(value, str) else value
    return float(value) if isinstance(value, float | int) else np.nan


@score_reducer(name="corral_jury")
def corral_jury(labeler: Any, *, threshold: float = 0.5) -> Callable[..., Any]:
    """Reduce scores of several judges to the probability that the answer passes.

    Parameters
    ----------
    labeler : Labeler
        Fitted on logs in which these judges, in this order, are the signals.
    threshold : float
        The smallest score that is a pass, as in `corral.read_judges`.
    """

    def reduce(scores: list[Any]) -> Any:
        said = np.array([_number(score.value) for score in scores])
        if len(said) != len(labeler.signal_names_):
            raise SignalsError(
                f"{len(said)} judges scored; the labeler was fitted on "
                f"{len(labeler.signal_names_)}, {', '.join(labeler.signal_names_)}."
            )
        votes = np.where(said >= threshold, "pass", "fail").astype(object)
        votes[np.isnan(said)] = None
        shares = labeler.predict_proba(votes[None, :])[0]
        share = float(shares[list(labeler.classes_).index("pass")])
        told = f"{np.sum(votes == 'pass')} of {len(votes)} judges pass it"
        return Score(value=share, explanation=f"{told}: right with {share:.0%}")

    return reduce


@metric(name="effective_judges")
def effective_judges(
    gold: str = "gold", *, threshold: float = 0.5
) -> Callable[..., Any]:
    """How many judges who err independently a scorer with several values is worth.

    Of judges whose errors correlate by r on average, m are worth m / (1 + (m - 1) r). True
    answers (C or I, or 0 or 1) are in the metadata of samples, under `gold`.
    """

    def compute(scores: Sequence[Any]) -> float:
        wrong = []
        for each in scores:
            true = _number((each.sample_metadata or {}).get(gold))
            said = np.array([_number(value) for value in each.score.value.values()])
            if not np.isnan([true, *said]).any():
                wrong.append((said >= threshold) != (true >= threshold))
        if len(wrong) < 2:
            return np.nan
        errors = np.array(wrong, float).T
        varied = errors[errors.std(axis=1) > 0]
        correlation = np.atleast_2d(np.corrcoef(varied)) if len(varied) else np.eye(1)
        pairs = correlation[~np.eye(len(correlation), dtype=bool)]
        mean = pairs.mean().clip(0, 1) if len(pairs) else 0.0
        return float(len(errors) / (1 + (len(errors) - 1) * mean))

    return compute
