"""Long load: many chunks, many clients, many rows; memory stays flat, labels the same."""
