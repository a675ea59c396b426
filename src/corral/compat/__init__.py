"""Names and call shapes of other libraries, with corral behind them.

A program that imports ``snorkel``, ``crowdkit`` or ``cleanlab.multiannotator`` runs with
``corral.compat.`` in front of that, as far as the folders here go. Nothing here imports
those libraries. What differs, and why: docs/compat.md.
"""
