"""Expected error rates: given by the user, or estimated from the signals."""

from corral.error_rates.agreement import Agreement
from corral.error_rates.auto import Auto
from corral.error_rates.from_labels import FromLabels
from corral.error_rates.given_rates import (
    RateSource,
    SignalRates,
    Uniform,
    resolve_rates,
)
from corral.error_rates.rates import RateEstimator, Rates
from corral.error_rates.vote_model import VoteModel

__all__ = [
    "Agreement",
    "Auto",
    "FromLabels",
    "RateEstimator",
    "RateSource",
    "Rates",
    "SignalRates",
    "Uniform",
    "VoteModel",
    "resolve_rates",
]
