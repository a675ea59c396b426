"""Error rates: given, from gold, from agreement, or from the votes alone."""

from corral.rates.agreement import Agreement
from corral.rates.default import Auto
from corral.rates.from_labels import FromLabels
from corral.rates.rates import (
    Accuracy,
    RateEstimator,
    Rates,
    by_name,
    check_balance,
    name_source,
    read_rates,
)

__all__ = [
    "Accuracy",
    "Agreement",
    "Auto",
    "FromLabels",
    "RateEstimator",
    "Rates",
    "by_name",
    "check_balance",
    "name_source",
    "read_rates",
]
