"""Many words found in one pass over many texts (Aho and Corasick, 1975).

Texts are read as code points, a block at a time, so what is found is what Python's own
search finds in any script. This module loads numba; small inputs do without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from corral._types import BoolArray
from corral.functions.keyword_kernels import scan
from corral.progress import progress

BLOCK = 1 << 20
"""Characters that are looked at together."""
CODE_POINTS = 0x110000


class Automaton:
    """The words of all signals as one machine: one step a character.

    Parameters
    ----------
    signals : sequence of (words, whole)
        The words of every signal, and whether they must stand alone.
    """

    def __init__(self, signals: Sequence[tuple[Sequence[str], bool]]) -> None:
        entries = [
            (word, signal, len(word) if whole else 0)
            for signal, (words, whole) in enumerate(signals)
            for word in words
        ]
        letters = sorted({letter for word, *_ in entries for letter in word})
        code = {letter: at for at, letter in enumerate(letters, 1)}
        self._width = width = len(letters) + 1  # the first: any letter of no word
        self._letters = np.zeros(CODE_POINTS, np.uint16 if width < 2**16 else np.int32)
        self._letters[[ord(letter) for letter in letters]] = range(1, width)

        step: list[list[int]] = [[0] * width]
        ends: list[list[int]] = [[]]  # the entries that are complete in a state
        for at, (word, *_) in enumerate(entries):
            state = 0
            for letter in word:
                if not step[state][code[letter]]:
                    step[state][code[letter]] = len(step)
                    step.append([0] * width)
                    ends.append([])
                state = step[state][code[letter]]
            ends[state].append(at)
        _close(step, ends)
        # States are kept as the start of their row, to save a product a character.
        self._step = (np.array(step) * width).astype(np.int32).ravel()
        self._ends = np.zeros((len(step) * width, 2), np.int32)
        stops = np.cumsum([len(complete) for complete in ends])
        self._ends[::width, 0] = np.concatenate([[0], stops[:-1]])
        self._ends[::width, 1] = stops
        order = [at for complete in ends for at in complete]
        self._signal = np.array([entries[at][1] for at in order], np.int32)
        self._length = np.array([entries[at][2] for at in order], np.int32)
        self._n_signals = len(signals)

    def find(self, texts: Sequence[str | None], lowercase: bool) -> BoolArray:
        """Which texts (n,) have a word of which signals (m,): (n, m)."""
        found = np.zeros((len(texts), self._n_signals), bool)
        joined = word_letters() if self._length.any() else np.zeros(1, bool)
        with progress("finding keywords", len(texts), "texts") as bar:
            present = [text or "" for text in texts]
            for start, stop in _blocks(present):
                block = present[start:stop]
                if lowercase:
                    block = [text.lower() for text in block]
                starts = np.zeros(len(block) + 1, np.int64)
                np.cumsum(list(map(len, block)), out=starts[1:])
                points = "".join(block).encode("utf-32-le", "surrogatepass")
                scan(
                    *(np.frombuffer(points, np.uint32), starts, self._letters),
                    *(self._step, self._ends, self._signal, self._length, joined),
                    found[start:stop],
                )
                bar.reach(stop)
        return found


def _close(step: list[list[int]], ends: list[list[int]]) -> None:
    """Where no word goes on, go on with the longest end that begins another word."""
    back = [0] * len(step)
    queue = [state for state in step[0] if state]
    for state in queue:  # grows: states in the order of their depth
        for letter, to in enumerate(step[state]):
            if to:
                back[to] = step[back[state]][letter]
                ends[to] = ends[to] + ends[back[to]]
                queue.append(to)
            else:
                step[state][letter] = step[back[state]][letter]


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of texts with about `BLOCK` characters."""
    total = np.cumsum(list(map(len, texts)))
    edges = np.searchsorted(total, np.arange(BLOCK, total[-1], BLOCK)) + 1
    return pairwise(np.unique([0, *edges.tolist(), len(texts)]).tolist())


@cache
def word_letters() -> Any:
    """Which code points belong to words: letters, digits and the underscore."""
    points = range(CODE_POINTS)
    letters = np.fromiter((chr(p).isalnum() for p in points), bool, CODE_POINTS)
    letters[ord("_")] = True
    return letters
