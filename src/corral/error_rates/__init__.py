"""Expected error rates: numbers given by the user, checked and spread over signals."""

from corral.error_rates.given import RateSource, SignalRates, Uniform, resolve_rates

__all__ = ["RateSource", "SignalRates", "Uniform", "resolve_rates"]
