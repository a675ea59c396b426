"""The compiled pass of `corral.functions.automaton`, which imports numba."""

import numba


@numba.njit(cache=True, nogil=True)
def scan(points, starts, letters, step, ends, signal, length, joined, found):
    """Mark in ``found`` (n, m) the signals of which a text has a word."""
    for text in range(len(starts) - 1):
        first, stop = starts[text], starts[text + 1]
        state = 0
        for at in range(first, stop):
            state = step[state + letters[points[at]]]
            for end in range(ends[state, 0], ends[state, 1]):
                size = length[end]  # 0: may be part of a longer word
                if size:
                    before = at - size
                    if before >= first and joined[points[before]]:
                        continue
                    if at + 1 < stop and joined[points[at + 1]]:
                        continue
                found[text, signal[end]] = True
