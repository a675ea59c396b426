"""Arbitrary input, and what must hold for all of it."""
