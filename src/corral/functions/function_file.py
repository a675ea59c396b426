"""Signal functions from a Python file."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from corral.errors import FunctionError
from corral.functions.signal_function import SignalFunction

MODULE = "corral_functions"
"""What the module of such a file is called."""


def load_functions(path: str | os.PathLike[str]) -> list[SignalFunction]:
    r"""Run a Python file, and take the signal functions that it defines.

    Those are what `corral.signal` and the builders of `corral.functions` make, by
    themselves or in lists, in the order of their names in the file. Names that begin with
    an underscore are left out. The file can import what lies beside it.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from corral.functions import load_functions
    >>> file = Path(tempfile.mkdtemp()) / "rules.py"
    >>> _ = file.write_text(
    ...     "from corral.functions import keywords\n"
    ...     "free = keywords('text', ['free'], 'spam', name='free')\n"
    ... )
    >>> [function.name for function in load_functions(file)]
    ['free']
    """
    place = Path(path)
    if place.suffix != ".py" or not place.is_file():
        raise FunctionError(
            f"functions are read from a Python file, such as rules.py; {str(path)!r} is "
            f"{'no file' if not place.is_file() else 'none'}."
        )
    found = [
        function
        for name, value in vars(_run(place)).items()
        if not name.startswith("_")
        for function in _functions_in(value)
    ]
    functions = list({id(function): function for function in found}.values())
    if not functions:
        raise FunctionError(
            f"{place.name!r} defines no signal functions. Decorate a function of a row "
            "with @corral.signal, or build one with corral.functions, such as keywords."
        )
    return functions


def _run(place: Path) -> Any:
    """The module that a file is, run."""
    spec: Any = spec_from_file_location(MODULE, place)
    module = module_from_spec(spec)
    outer = sys.modules.get(MODULE)  # a file may load the functions of another
    sys.modules[MODULE] = module  # dataclasses of the file look for it there
    sys.path.insert(0, str(place.absolute().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == spec.origin
        ]
        at = lines[-1] if lines else getattr(error, "lineno", None)
        where = "" if at is None else f", line {at}"
        raise FunctionError(
            f"{place.name!r} failed{where}: {type(error).__name__}: {error}."
        ) from error
    finally:
        # Not there, it is sent to other processes as it is; they could not import it.
        del sys.modules[MODULE]
        if outer is not None:
            sys.modules[MODULE] = outer
    return module


def _functions_in(value: Any) -> list[SignalFunction]:
    if isinstance(value, SignalFunction):
        return [value]
    if isinstance(value, list | tuple):
        return [function for item in value for function in _functions_in(item)]
    return []
