"""What is known for sure: class balances and error rates, as constraints on the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.error_rates.vote_features import posterior
from corral.errors import ParameterError
from corral.labelers.probabilities import check_balance
from corral.panels.panel_votes import PanelVotes

ROUNDS, HALVINGS = 100, 30
MET = 1e-7
"""How far a constraint may be from met."""
LARGEST = 60.0
"""A tilt beyond this says that no labels meet all constraints."""


@dataclass(frozen=True, eq=False)
class Known:
    """Means over all rows that are known.

    Attributes
    ----------
    terms : (t, u, k) array of float
        What a pattern adds to each of them, by its class.
    values : (t,) array of float
    balance : (k,) array of float, optional
        The class balance, if it was given.
    rates : (m,) array of float
        Error rates of judges; NaN where they are not known.
    """

    terms: FloatArray
    values: FloatArray
    balance: FloatArray | None
    rates: FloatArray

    def __len__(self) -> int:
        return len(self.values)


def read_known(
    panel: PanelVotes,
    names: tuple[str, ...],
    class_balance: ArrayLike | None,
    error_rates: Mapping[str, float] | ArrayLike | None,
) -> Known:
    """Class balances and error rates as means over all rows."""
    u, _, k = panel.shape
    rates = _read_rates(names, error_rates)
    terms, values, balance = [], [], None
    if class_balance is not None:
        balance = check_balance(class_balance, k)
        # The last share follows from the others.
        terms += [np.broadcast_to(np.eye(k)[c], (u, k)) for c in range(k - 1)]
        values += balance[:-1].tolist()
    for judge in np.flatnonzero(np.isfinite(rates)):
        voted = (panel.votes[:, judge] >= 0)[:, None]
        terms.append(voted * (1 - panel.hard[:, judge]))
        values.append(float(rates[judge] * panel.mean(voted[:, 0].astype(float))))
    stacked = np.array(terms) if terms else np.zeros((0, u, k))
    return Known(stacked, np.array(values), balance, rates)


def _read_rates(names: tuple[str, ...], given: Any) -> FloatArray:
    """(m,) error rates; NaN where unknown."""
    rates = np.full(len(names), np.nan)
    if given is None:
        return rates
    if isinstance(given, Mapping):
        for name, rate in given.items():
            if name not in names:
                raise ParameterError(
                    f"names {name!r}, which is none of the judges {', '.join(names)}.",
                    parameter="error_rates",
                )
            rates[names.index(name)] = rate
    else:
        rates = np.asarray(given, float)
    told = rates[np.isfinite(rates)] if rates.shape == (len(names),) else np.array([-1])
    if not ((told >= 0) & (told < 1)).all():
        raise ParameterError(
            "must hold a number from 0 to below 1 per judge whose rate is known (a "
            "mapping by name), or one per judge with NaN where it is not.",
            parameter="error_rates",
        )
    return rates


def tilt(
    labels: FloatArray, left_out: FloatArray, panel: PanelVotes, known: Known, at: Any
) -> tuple[FloatArray, FloatArray]:
    """The labels nearest to those given, in relative entropy, that meet what is known.

    Parameters
    ----------
    labels : (u, k) array of float
    left_out : (l, k) array of float
        Of labelled rows; tilted by as much.
    panel : PanelVotes
    known : Known
    at : (l,) array of int
        Patterns of the labelled rows.
    """
    if not len(known):
        return labels, left_out
    logs = np.log(np.maximum(labels, 1e-12))
    share = panel.counts / panel.counts.sum()
    t = len(known)

    def potential(pull: FloatArray) -> tuple[float, FloatArray]:
        found, total = posterior(logs + np.tensordot(pull, known.terms, 1))
        return float(share @ total - pull @ known.values), found

    pull = np.zeros(t)
    value, found = potential(pull)
    for _ in range(ROUNDS):
        means = (known.terms * found).sum(axis=2)
        miss = means @ share - known.values
        if np.abs(miss).max() < MET:
            break
        both = np.einsum(
            "tuk,suk->ts", known.terms * (share[:, None] * found), known.terms
        )
        curve = both - (means * share) @ means.T + 1e-10 * np.eye(t)
        step = np.linalg.solve(curve, miss)
        step *= min(1.0, 5 / np.abs(step).max())
        for _ in range(HALVINGS):
            lower, moved = potential(pull - step)
            if lower <= value:
                break
            step /= 2
        pull, value, found = pull - step, lower, moved
    else:
        raise _cannot_hold()
    if np.abs(pull).max() > LARGEST:
        raise _cannot_hold()
    left = np.log(np.maximum(left_out, 1e-12))
    return found, posterior(left + np.tensordot(pull, known.terms[:, at], 1))[0]


def _cannot_hold() -> ParameterError:
    return ParameterError(
        "`class_balance=` and `error_rates=` cannot hold together: no labels of "
        "these votes meet them. Leave one of them out; `gold=` tells the others."
    )
