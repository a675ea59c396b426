"""Numbers in README.md and docs: written from stored results, and checked against them."""
