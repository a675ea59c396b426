"""Regularised minimax conditional entropy: crowd, terms, penalties."""
