"""Classifiers on soft labels, calibration of probabilities."""
