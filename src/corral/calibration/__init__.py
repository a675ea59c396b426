"""Whether probabilities mean what they say, and how to mend them with a few labels."""

from corral.calibration.calibrator import Calibrator, calibrate
from corral.calibration.reliability_table import Reliability, reliability

__all__ = ["Calibrator", "Reliability", "calibrate", "reliability"]
