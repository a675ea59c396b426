"""Error rates: given, from gold, from agreement, or from the votes alone."""

from corral.rates.agreement import Agreement
from corral.rates.default import Auto
from corral.rates.from_labels import FromLabels
from corral.rates.rates import (
    Accuracy,
    RateEstimator,
    Rates,
    check_balance,
    read_rates,
    signal_numbers,
)

__all__ = [
    "Accuracy",
    "Agreement",
    "Auto",
    "FromLabels",
    "RateEstimator",
    "Rates",
    "check_balance",
    "read_rates",
    "signal_numbers",
]
