"""What the file of a labeler must hold to label anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._stored import (
    check_coding,
    check_floats,
    check_number,
    check_positions,
    check_shape,
    require,
)
from corral.constraints import Rows
from corral.constraints.terms import EVERY, GROUP, Terms
from corral.error_rates import VoteModel
from corral.solvers.adagrad import Trajectory
from corral.solvers.dual import Multipliers
from corral.solvers.potentials import POTENTIALS

ROUNDING = 1e-6


def check_settings(settings: dict[str, Any]) -> None:
    """Types of the settings that nothing else checks."""
    names = settings["names"]
    require(
        isinstance(names, list) and names and all(isinstance(n, str) for n in names),
        "a list of names of signals",
    )
    require(len(set(names)) == len(names), "a different name for every signal")
    flags = ("named", "has_rates", "has_balance", "default_solver", "is_model")
    for flag in flags:
        require(isinstance(settings[flag], bool), f"true or false as {flag}")
    check_coding(settings)
    require(isinstance(settings["note"], str | None), "text as a note")
    rate = settings["uniform_rate"]
    require(rate is None or 0 <= rate <= 1, "an error rate from 0 to 1")
    require(isinstance(settings["parameters"]["allow_above_chance"], bool), "a flag")
    for name, value in settings["solution"].items():
        check_number(name, value)


def check_rates(
    arrays: dict[str, NDArray[Any]], m: int, columns: int, k: int, multilabel: bool
) -> None:
    """Error rates of signals, expected and found, and shares of classes."""
    for name in ("error_rates", "implied", "rates_spread"):
        if name in arrays:
            rates = arrays[name]
            shape = (m,) if rates.ndim == 1 else (m, columns)
            low, high = (0, np.inf) if name == "rates_spread" else (0, 1)
            check_floats(
                name,
                rates,
                shape,
                low=low - ROUNDING,
                high=high + ROUNDING,
                may_be_nan=True,
            )
    balances = [("prior", arrays["prior"])]
    if len(arrays.get("rates_balance", ())):
        balances.append(("rates_balance", arrays["rates_balance"]))
    for name, balance in balances:
        check_floats(name, balance, (k,), low=0, high=1)
        adds_up = multilabel or abs(balance.sum() - 1) < ROUNDING
        require(adds_up, f"shares in {name} that add up to one")


def check_rows(rows: Rows, m: int, columns: int, k: int) -> None:
    """Positions of signals and label columns, and what constraints are made of."""
    r = len(rows.signal)
    check_positions("rows_signal", rows.signal, (r,), -1, m)
    check_positions("rows_label", rows.label, (r,), -1, columns)
    check_floats("rows_size", rows.size, (r,), low=0)
    check_floats("rows_mean", rows.mean, (r,))
    n_rates = r
    if rows.terms is not None:
        n_rates = r - len(rows.terms)
        _check_terms(rows.terms, m, columns, k)
    of_signals = rows.label[:n_rates]
    require(n_rates >= 0 and (rows.signal[:n_rates] >= 0).all(), "rows of signals")
    # Rows are sorted by label column, and speak of one each or of all.
    require((np.diff(of_signals) >= 0).all(), "rows in order")
    pairs = {*zip(rows.signal[:n_rates].tolist(), of_signals.tolist(), strict=True)}
    require(len(pairs) == n_rates, "every row once")
    require((of_signals >= 0).all() or (of_signals < 0).all(), "rows of one kind")


def _check_terms(terms: Terms, m: int, columns: int, k: int) -> None:
    require(all(isinstance(name, str) for name in terms.names), "names of constraints")
    t = len(terms.row)
    check_positions("terms_row", terms.row, (t,), 0, len(terms.names))
    check_positions("terms_signal", terms.signal, (t,), min(EVERY, GROUP), m)
    # Of a group, this is its number, which no new example is in.
    said = np.where(terms.signal >= 0, terms.said, 0)
    # A class, of which two share one label column.
    check_positions("terms_said", said, (t,), 0, k)
    check_positions("terms_label", terms.label, (t,), 0, columns)
    check_floats("terms_coefficient", terms.coefficient, (t,))


def check_state(state: Any, r: int, m: int, columns: int, k: int) -> None:
    """What labels new votes: finite, and as large as the rows or the votes."""
    if isinstance(state, VoteModel):
        f = len(state.signal)
        check_positions("signal", state.signal, (f,), 0, m)
        check_positions("label", state.label, (f,), -1, columns)
        check_positions("vote", state.vote, (f,), 0, max(k, 2))
        check_positions("group", state.group, (f,), 0, max(f, m * columns) + 1)
        check_floats("weights", state.weights, (f, k))
        check_floats("bias", state.bias, (k,))
    elif isinstance(state, Trajectory):
        check_floats("steps", state.steps, (None, None, r))
        require(len(state.steps), "at least one start")
    elif isinstance(state, Multipliers):
        check_floats("multipliers", state.multipliers, (r,))
        require(state.potential in POTENTIALS, "a potential that corral knows")


def check_found(
    r: int,
    residual: NDArray[Any],
    implied_error_rates: NDArray[Any],
    history: NDArray[Any],
) -> None:
    """What the solver reported, a number for every row and every step."""
    check_shape("residual", residual, (r,), "f")
    check_shape("implied_error_rates", implied_error_rates, (r,), "f")
    check_shape("history", history, (None,), "f")
    require(len(history), "at least one step in the history")
