"""What a property is, and how cases of it are run, counted and told apart."""

from __future__ import annotations

import re
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from corral.errors import CorralError, CorralWarning


@dataclass(frozen=True)
class Property:
    """Something that must hold for every case of a strategy.

    Attributes
    ----------
    name : str
    says : str
        The invariant, in words.
    cases : SearchStrategy
    check : callable
        Takes a case; raises if the invariant does not hold. `CorralError` is a refusal,
        which is fine for input that may be refused, and only until it was accepted: what
        comes afterwards is within `must_work`.
    cost : float
        Milliseconds per case, as measured: dear properties get fewer cases.
    """

    name: str
    says: str
    cases: st.SearchStrategy[Any]
    check: Callable[[Any], None]
    cost: float


PROPERTIES: dict[str, Property] = {}


def holds_for(
    cases: st.SearchStrategy[Any], *, cost: float
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Make a function that checks a case known as a property; it says what must hold."""

    def register(check: Callable[[Any], None]) -> Callable[[Any], None]:
        name = check.__name__.replace("_", " ")
        PROPERTIES[name] = Property(name, check.__doc__ or "", cases, check, cost)
        return check

    return register


@contextmanager
def quiet() -> Iterator[None]:
    """Warnings of corral are part of its answer; those of other libraries are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CorralWarning)
        yield


@contextmanager
def must_work() -> Iterator[None]:
    """What is done with input that was accepted: a refusal is a failure from here on.

    Without it, a property of a round trip could not fail: what cannot be read back would
    count as refused, as if it had been bad from the start.
    """
    try:
        yield
    except CorralError as error:
        message = f"refused after it was accepted: {type(error).__name__}: {error}"
        raise AssertionError(message) from error


@dataclass
class Tally:
    """What came of the cases of a property.

    Attributes
    ----------
    held, refused : int
        Cases in which the invariant held, and that corral refused with a message.
    failures : dict
        By kind of failure: how often, and the first case with its traceback.
    """

    held: int = 0
    refused: int = 0
    failures: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """Cases that failed, of whatever kind."""
        return sum(failure["times"] for failure in self.failures.values())

    @property
    def cases(self) -> int:
        """All of them."""
        return self.held + self.refused + self.failed

    def run(self, prop: Property, case: Any) -> None:
        """Check one case."""
        try:
            with quiet():
                prop.check(case)
        except CorralError:
            self.refused += 1
        except Exception as error:
            kind = _kind(error)
            first = {
                "times": 0,
                "case": repr(case)[:2000],
                "why": _without_folders(traceback.format_exc()),
            }
            self.failures.setdefault(kind, first)["times"] += 1
        else:
            self.held += 1


def _without_folders(said: str) -> str:
    """A traceback without the folders of this machine, which is stored for all to read."""
    homes = r"site-packages|python3\.\d+|src|reliability"
    return re.sub(rf'File "/[^"]*/(?=(?:{homes})/)', 'File "', said)


def _kind(error: Exception) -> str:
    """Failures of the same line of the same type are of one kind."""
    if isinstance(error.__cause__, CorralError):  # by `must_work`: where it was refused
        error = error.__cause__
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = "/".join(last.filename.split("/")[-2:])
    return f"{type(error).__name__} in {where}:{last.lineno}"


def seed_of(name: str, batch: int) -> int:
    """A seed of its own for every property and batch, the same in every process.

    With one seed for all, properties that share a strategy would see the same cases.
    """
    return zlib.crc32(f"{name} {batch}".encode())


def run_cases(prop: Property, number: int, batch: int, tally: Tally) -> None:
    """Run `number` cases, the same each time for the same `batch`."""

    @seed(seed_of(prop.name, batch))
    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(prop.cases)
    def every(case: Any) -> None:
        tally.run(prop, case)

    # Threads of linear algebra wait for each other far longer than tiny cases take.
    with threadpool_limits(1):
        every()
