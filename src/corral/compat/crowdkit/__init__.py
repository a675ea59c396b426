"""Crowd-Kit's aggregators of classes, by their names."""
