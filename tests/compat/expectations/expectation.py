"""What a test of another library expects, and whether it holds with corral behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

HEAD = ("| Their test | Expects | Here |", "|---|---|---|")


@dataclass(frozen=True)
class Expectation:
    """A row of the table in docs/compat.md, and the check that it rests on.

    Attributes
    ----------
    test : str
        The test, or tests, of the other library.
    expects : str
    verdict : "holds", "differs" or "absent"
    check : callable
        Passes if the verdict is right.
    why : str
        How it differs, and why.
    """

    test: str
    expects: str
    verdict: Literal["holds", "differs", "absent"]
    check: Callable[[], None]
    why: str = ""

    @property
    def row(self) -> str:
        """The row of the table."""
        if self.verdict == "holds":
            here = f"holds, {self.why}" if self.why else "holds"
        else:
            here = f"**{self.verdict}**: {self.why}"
        test = self.test.replace("::", "` `")  # where a line may be broken
        return f"| `{test}` | {self.expects} | {here} |"


class Expectations(list[Expectation]):
    """Those of a library, in the order of the table."""

    def holds(self, test: str, expects: str, why: str = ""):
        """Add a check that passes because what is expected holds."""
        return self._adder(test, expects, "holds", why)

    def differs(self, test: str, expects: str, why: str):
        """Add a check that passes because it differs as written."""
        return self._adder(test, expects, "differs", why)

    def absent(self, test: str, expects: str, why: str):
        """Add a check that passes because there is no such thing here."""
        return self._adder(test, expects, "absent", why)

    def _adder(self, test, expects, verdict, why):
        def add(check):
            self.append(Expectation(test, expects, verdict, check, why))
            return check

        return add

    def table(self) -> str:
        """The table of the page."""
        return "\n".join([*HEAD, *(each.row for each in self)])
