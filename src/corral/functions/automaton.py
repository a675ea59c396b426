"""Many words found in one pass over many texts (Aho and Corasick, 1975).

Texts are read as code points, a block at a time, so what is found is what Python's own
search finds in any script. This module loads numba; small inputs do without it.

Written here, because libraries return every match as an object of Python. On the texts of
the benchmark `functions`, both measured in the same run, searching with ahocorasick-rs 1.0
takes 2.1 times as long on SST-2, and all of IMDB takes 1.6 times as long, too long for the
targets there. pyahocorasick 2.3 takes 4 to 5 times as long. The votes are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, IntArray
from corral.errors import ParameterError
from corral.functions.keyword_kernels import scan
from corral.progress import progress

BLOCK = 1 << 20
"""Characters that are looked at together."""
CODE_POINTS = 0x110000
MOST_CELLS = 1 << 27
"""Limit of states times letters; such a table takes 1.5 GB."""


class Automaton:
    """The words of all signals as one machine: one step per character.

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
        words = list(dict.fromkeys(word for word, *_ in entries))
        points = [np.frombuffer(_utf32([word]), np.uint32) for word in words]
        letters = np.unique(np.concatenate(points))
        width = len(letters) + 1  # the first is for letters that are in no word
        self._letters = np.zeros(CODE_POINTS, np.uint16 if width < 2**16 else np.int32)
        self._letters[letters] = range(1, width)

        step, back, last = _machine([self._letters[word] for word in points], width)
        own: dict[int, list[int]] = {state: [] for state in last}
        state_of = dict(zip(words, last, strict=True))
        for at, (word, *_) in enumerate(entries):
            own[state_of[word]].append(at)
        ends = _ends(own, back)  # the entries that are complete in a state
        # States are kept as the start of their row, to save a product per character.
        step *= width
        self._step = step
        self._ends = np.zeros((len(step), 2), np.int32)
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
                scan(
                    *(np.frombuffer(_utf32(block), np.uint32), starts, self._letters),
                    *(self._step, self._ends, self._signal, self._length, joined),
                    found[start:stop],
                )
                bar.reach(stop)
        return found


def _machine(
    words: Sequence[NDArray[Any]], width: int
) -> tuple[NDArray[np.int32], IntArray, list[int]]:
    """Steps and fallbacks of the states, in the order of their depth.

    Returns
    -------
    step : (states * width,) array of int
        The next state, by state and letter.
    back : (states,) array of int
        The state of the longest end of what was read that begins another word.
    last : list of int
        The state in which every word is complete.
    """
    length = np.array([len(word) for word in words])
    start, letters = np.cumsum(length) - length, np.concatenate(words)
    state = np.zeros(len(words), np.int64)
    levels: list[tuple[IntArray, IntArray]] = []
    n = 1
    for depth in range(length.max()):  # a letter of all words at a time
        on = np.flatnonzero(length > depth)
        cells, to = np.unique(
            state[on] * width + letters[start[on] + depth], return_inverse=True
        )
        levels.append((cells, np.arange(n, n + len(cells))))
        state[on], n = n + to, n + len(cells)
    if n * width > MOST_CELLS:
        raise ParameterError(
            f"{len(words):,} keywords with {width - 1:,} different letters are too many: "
            f"they need a table of {n * width:,} cells, and {MOST_CELLS:,} is the limit. "
            "Look whole entries up with `lookup`, or apply the words in parts."
        )
    step = np.zeros(n * width, np.int32)
    for cells, states in levels:
        step[cells] = states
    rows, back = step.reshape(n, width), np.zeros(n, np.int64)
    # Where no word goes on, go on as from the fallback state, which is less deep.
    for cells, states in levels:
        before, letter = np.divmod(cells, width)
        back[states] = np.where(before, rows[back[before], letter], 0)
        here = rows[states[0] : states[-1] + 1]
        np.copyto(here, rows[back[states]], where=here == 0)
    return step, back, state.tolist()


def _ends(own: dict[int, list[int]], back: IntArray) -> list[list[int]]:
    """The entries complete in every state: its own, and those of its fallback."""
    ends: list[list[int]] = []
    for state, shorter in enumerate(back.tolist()):
        inherited = ends[shorter] if state else []
        ends.append(own[state] + inherited if state in own else inherited)
    return ends


def _utf32(texts: Iterable[str]) -> bytes:
    return "".join(texts).encode("utf-32-le", "surrogatepass")


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
