"""The tables of cleanlab's ``multiannotator``, as of version 2.9, with corral's numbers."""
