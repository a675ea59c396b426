"""The front door: `corral.label`, `corral.compare` and `corral.report`."""
