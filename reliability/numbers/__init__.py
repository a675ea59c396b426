"""Solvers against fifty digits: are labels right, and certificates true."""
