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

    Parameters
    ----------
    message : str
        A sentence; or the rest of one that begins with the name of `parameter`.
    parameter : str, optional
        The name of the invalid option, if known; kept as an attribute.

    Examples
    --------
    >>> from corral.errors import ParameterError
    >>> ParameterError("must be positive; 0 was given.", parameter="bins")
    ParameterError('bins must be positive; 0 was given.')
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

    Attributes
    ----------
    failures : dict
        By signal: how many rows failed, and the first traceback.
    """

    failures: dict[str, Any]

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
    level, frame = 2, sys._getframe(1)
    while frame.f_back and _library(frame.f_globals) in BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def is_called_by(module: str) -> bool:
    """Whether a module of another library is between corral and the user's line."""
    frame = sys._getframe(1)
    while frame.f_back and _library(frame.f_globals) in BETWEEN:
        if str(frame.f_globals.get("__name__", "")).startswith(f"{module}."):
            return True
        frame = frame.f_back
    return False


BETWEEN = ("corral", "sklearn", "joblib", "contextlib")
"""Libraries whose lines may stand between corral and the line of a user."""


def _library(names: dict[str, Any]) -> str:
    """The package that the globals of a frame belong to."""
    return str(names.get("__name__", "")).partition(".")[0]
