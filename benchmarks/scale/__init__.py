"""Time and memory as the data grow."""
