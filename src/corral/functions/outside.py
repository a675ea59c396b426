"""What reads from outside the program: the environment, files, clocks, chance, the network.

The same code may then answer otherwise tomorrow, so its answers cannot be kept. Python does
not say what code does, so this goes by names: of modules, of what is in them, of built-in
functions and of methods. In doubt it does read from outside.
"""

from __future__ import annotations

import dis
import os
import random
import sys
from collections.abc import Collection
from types import BuiltinMethodType, ModuleType
from typing import Any

import numpy as np

GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
RANDOM = random.choice.__self__  # type: ignore[attr-defined]
"""The generator behind the functions of `random`."""


class CannotHashError(Exception):
    """Something whose content cannot be seen, such as an open file."""


ALL_OF = {
    "aiohttp", "boto3", "configparser", "ctypes", "fileinput", "ftplib", "getpass",
    "gettext", "glob", "http", "httpx", "importlib", "io", "linecache", "locale",
    "mmap", "multiprocessing", "netrc", "nt", "openai", "os", "pkgutil", "platform",
    "posix", "psutil", "psycopg2", "pwd", "random", "requests", "resource", "secrets",
    "select", "shelve", "shutil", "site", "smtplib", "socket", "sqlalchemy", "sqlite3",
    "ssl", "subprocess", "sys", "sysconfig", "tempfile", "time", "urllib3",
    "webbrowser", "xmlrpc",
}  # fmt: skip
"""Modules that are there to look outside."""
_PATHS = {"PathLike", "altsep", "curdir", "extsep", "fsdecode", "fsencode", "fspath"}
_PATHS |= {"linesep", "pardir", "path", "pathsep", "sep"}
BUT = {
    **dict.fromkeys(("os", "posix", "nt"), _PATHS),
    "sys": {"byteorder", "float_info", "getsizeof", "hexversion", "int_info", "intern"}
    | {"maxsize", "maxunicode", "version_info"},
    "time": {"sleep", "strptime", "struct_time"},
    "io": {"BytesIO", "StringIO"},
}
"""What is in some of them and does not."""
BUILT_IN = {
    "__import__", "breakpoint", "compile", "eval", "exec", "globals", "hash", "id",
    "input", "open",
}  # fmt: skip
"""Functions of Python that do, run code that cannot be seen, or differ between runs."""
ONLY: dict[str, Collection[str]] = {
    "builtins": BUILT_IN,
    "bz2": {"BZ2File", "open"},
    "codecs": {"open"},
    "gzip": {"GzipFile", "open"},
    "lzma": {"LZMAFile", "open"},
    "numpy": {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "random"},
    "tarfile": {"TarFile", "open"},
    "urllib": {"request"},
    "uuid": {"getnode", "uuid1", "uuid4"},
    "zipfile": {"ZipFile"},
}
"""What is in other modules and does."""
METHODS = {
    "abspath", "exists", "expanduser", "expandvars", "getatime", "getctime", "getcwd",
    "getenv", "getmtime", "getsize", "isdir", "isfile", "islink", "iterdir", "lexists",
    "listdir", "now", "open", "read_bytes", "read_csv", "read_excel", "read_json",
    "read_parquet", "read_sql", "read_table", "read_text", "realpath", "rglob",
    "samefile", "scandir", "stat", "today", "urlopen", "urlretrieve", "utcnow",
}  # fmt: skip
"""Methods that do, whatever they are of."""
ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")


def refuse_name(module: str, name: str) -> None:
    """Refuse what an installed module has by a name, if it reads from outside.

    Examples
    --------
    >>> from corral.functions.outside import refuse_name
    >>> refuse_name("os", "path.basename")
    >>> refuse_name("os", "environ")
    Traceback (most recent call last):
        ...
    corral.functions.outside.CannotHashError: it reads from outside (os.environ)
    """
    top, *inner = f"{module}.{name}".split(".")
    outside = top in ALL_OF and inner[0] not in BUT.get(top, ())
    if outside or inner[0] in ONLY.get(top, ()) or inner[-1] in METHODS:
        raise CannotHashError(f"it reads from outside ({module}.{name})")


def refuse_use(module: ModuleType, following: list[dis.Instruction]) -> None:
    """Refuse what code does with an installed module, if it reads from outside."""
    value: Any = module
    for step in following:
        if not isinstance(value, ModuleType):
            return
        if step.opname not in ATTRIBUTE:
            refuse_module(value.__name__)
            return
        refuse_name(value.__name__, step.argval)
        value = getattr(value, step.argval, None)


def refuse_module(name: str) -> None:
    """Refuse an installed module of which it cannot be seen what it is used for."""
    top = name.partition(".")[0]
    if top in ALL_OF or top in ONLY:
        raise CannotHashError(
            f"it may read from outside with module {name!r}, which it imports while it "
            "runs or uses other than by name"
        )


def refuse_step(step: dis.Instruction, *, before: dis.Instruction, known: bool) -> None:
    """Refuse a step of bytecode that reads from outside, or changes a global.

    Parameters
    ----------
    step, before : Instruction
        The step, and the one before it.
    known : bool
        Whether a global of the user has the name that it reads.
    """
    if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
        raise CannotHashError(f"it changes the global {step.argval!r}")
    if step.opname in GLOBAL and not known and step.argval in BUILT_IN:
        raise CannotHashError(f"what {step.argval}() gives it cannot be seen")
    if step.opname in ATTRIBUTE and step.argval in METHODS:
        # A column of a row may have such a name; it is not called.
        column = before.opname.startswith(("LOAD_FAST", "LOAD_DEREF"))
        if not column or _is_call(step):
            raise CannotHashError(f"it reads from outside (.{step.argval}())")


def _is_call(step: dis.Instruction) -> bool:
    """Whether an attribute is read to be called at once."""
    if sys.version_info < (3, 12):
        return step.opname == "LOAD_METHOD"
    return bool((step.arg or 0) & 1)


def refuse_object(value: Any) -> None:
    """Refuse the environment, the random generators that all share, and methods."""
    shared = (os.environ, getattr(os, "environb", None), RANDOM, np.random.mtrand._rand)
    if any(value is one for one in shared):
        raise CannotHashError(f"it reads from outside ({type(value).__name__})")
    if isinstance(value, BuiltinMethodType) and value.__name__ in METHODS:
        raise CannotHashError(f"it reads from outside (.{value.__name__}())")
