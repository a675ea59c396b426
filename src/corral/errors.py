"""Exceptions and warnings.

Every message says what was expected, what came and what to do.
"""


class CorralError(Exception):
    """Base class of all errors raised on purpose by corral."""


class SignalsError(CorralError, ValueError):
    """The votes, probabilities or tables given cannot be read as weak signals."""


class ParameterError(CorralError, ValueError):
    """An option has a value that the method cannot work with."""


class StorageError(CorralError):
    """A file cannot be written, or is not what it should be."""


class CorralWarning(UserWarning):
    """Base class of all warnings raised by corral."""


class SignalsWarning(CorralWarning):
    """Something in the signals or their error rates deserves a look."""


class ConvergenceWarning(CorralWarning):
    """The solver stopped before the labels were certified close to the best."""


class InfeasibleWarning(CorralWarning):
    """No labeling gives every signal the error rate it is expected to have."""
