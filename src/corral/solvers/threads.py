"""Work on ranges of patterns, shared out to threads where that pays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

from corral.constraints import Operator

PARALLEL_FROM = 100_000
"""Labels from which a pass is shared out to threads; below, starting them costs more."""

Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@contextmanager
def open_threads(design: Operator) -> Iterator[Map]:
    """`map`, over threads if a pass is large: the kernels release the lock."""
    threads = os.cpu_count() or 1
    large = design.n_patterns * design.n_labels >= PARALLEL_FROM
    if design.compiled and large and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield pool.map
    else:
        yield map
