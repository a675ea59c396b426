"""Snorkel's labeling package, by its names."""
