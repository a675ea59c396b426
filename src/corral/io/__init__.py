"""Votes from anywhere: lazy frames, files, arrays; and labelled tables back."""
