"""Snorkel's labeling package, as of version 0.10, with corral behind it."""
