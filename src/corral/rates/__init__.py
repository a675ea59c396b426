"""Error rates: given, from gold, from agreement, or from the votes alone."""

from corral.rates.agreement import Agreement as Agreement
from corral.rates.default import Auto as Auto
from corral.rates.from_labels import FromLabels as FromLabels
from corral.rates.rates import Accuracy as Accuracy
from corral.rates.rates import RateEstimator as RateEstimator
from corral.rates.rates import Rates as Rates
from corral.rates.rates import check_balance as check_balance
from corral.rates.rates import read_rates as read_rates
from corral.rates.rates import signal_numbers as signal_numbers
from corral.rates.rates import wilson_bound as wilson_bound
from corral.rates.rates import wilson_intervals as wilson_intervals
