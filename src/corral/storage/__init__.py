"""Files: versioned, checked when they are read, written whole or not at all.

Import from the modules: `drafts` needs no NumPy, so the command line can start without it.
"""
