"""Exceptions and warnings.

Every message says what was expected, what came and what to do.
"""

import sys
import warnings
from typing import Any


class CorralError(Exception):
    """Base class of all errors raised on purpose by corral."""


class SignalsError(CorralError, ValueError):
    """The votes, probabilities or tables given cannot be read as weak signals."""


class ParameterError(CorralError, ValueError):
    """An option has a value that the method cannot work with.

    With `parameter`, the name of the option, the message is the rest of a sentence that
    begins with it.
    """

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        super().__init__(message if parameter is None else f"{parameter} {message}")
        self.parameter = parameter


class FunctionError(CorralError):
    """A function that says the class of a row failed; the message has signal and row."""


class StorageError(CorralError):
    """A file cannot be written, or is not what it should be."""


class StaleVersionError(CorralError):
    """A project was changed meanwhile, by another tab or program; nothing was done."""


class CorralWarning(UserWarning):
    """Base class of all warnings raised by corral."""


class SignalsWarning(CorralWarning):
    """Something in the signals or their error rates deserves a look."""


class FunctionWarning(SignalsWarning):
    """Functions failed on some rows, which count as abstains.

    `failures` has by signal how many rows failed, and the first traceback.
    """

    def __init__(self, message: str, failures: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.failures = failures or {}


class ConvergenceWarning(CorralWarning):
    """The solver stopped before the labels were certified close to the best."""


class InfeasibleWarning(CorralWarning):
    """No labeling gives every signal the error rate it is expected to have."""


class CompatWarning(CorralWarning):
    """An option of another library was given that has no meaning here."""


def warn_user(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Warn at the line of the user's that led here, however deep in corral this is."""
    warnings.warn(message, category, stacklevel=2 + len(_modules_between()))


def is_called_by(module: str) -> bool:
    """Whether a module of another library is between corral and the user's line."""
    return any(name.startswith(f"{module}.") for name in _modules_between())


BETWEEN = ("corral", "sklearn", "joblib", "contextlib")
"""Libraries whose lines may stand between corral and the line of a user."""


def _modules_between() -> list[str]:
    """Modules of the calls from the one that asks out to the user's line."""
    frame, found = sys._getframe(2), []
    while frame.f_back:
        name = str(frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] not in BETWEEN:
            break
        found.append(name)
        frame = frame.f_back
    return found
