"""What reads from outside the program: files, the environment, the network, chance, time.

The same code may then answer otherwise tomorrow, so its answers cannot be kept. Python does
not say what code does, so this goes by names: of modules, of what is in them, of built-in
functions and of methods. In doubt it does read from outside. Every name stands in a table
below, beside what it reads; the functions only look it up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import BuiltinMethodType
from typing import Any


class CannotHashError(Exception):
    """Something whose content cannot be seen, such as an open file."""


def _table(names: dict[str, str]) -> dict[str, str]:
    """From what is read and the names that read it, to names and what they read."""
    return {name: what for what, listed in names.items() for name in listed.split()}


MODULES = _table(
    {
        "files": "configparser fileinput gettext glob linecache io mmap netrc pkgutil "
        "shelve shutil tempfile",
        "a database": "duckdb psycopg2 sqlalchemy sqlite3",
        "the network": "aiohttp boto3 ftplib http httpx openai requests select smtplib "
        "socket ssl urllib3 webbrowser xmlrpc",
        "the clock": "time",
        "random numbers": "random secrets",
        "the environment": "getpass locale nt os platform posix psutil pwd resource site "
        "sys sysconfig",
        "other programs": "ctypes importlib multiprocessing subprocess",
    }
)
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
BUILT_IN = {"__import__", "breakpoint", "compile", "eval", "exec", "globals", "hash"}
BUILT_IN |= {"id", "input", "open"}
"""Functions of Python that do, run code that cannot be seen, or differ between runs."""
NAMES = _table(
    {
        "files": "_pickle.Unpickler _pickle.load bz2.BZ2File bz2.open codecs.open "
        "dill.load gzip.GzipFile gzip.open joblib.Memory joblib.load lzma.LZMAFile "
        "lzma.open nltk.corpus nltk.data numpy.fromfile numpy.genfromtxt numpy.load "
        "numpy.loadtxt numpy.memmap pandas.ExcelFile pandas.HDFStore pickle.Unpickler "
        "pickle.load pyarrow.OSFile pyarrow.dataset pyarrow.memory_map scipy.datasets "
        "scipy.io spacy.load tarfile.TarFile tarfile.open torch.hub torch.load "
        "transformers.pipeline zipfile.ZipFile",
        "the network": "urllib.request",
        "random numbers": "numpy.random torch.bernoulli torch.multinomial torch.normal "
        "torch.poisson torch.rand torch.rand_like torch.randint torch.randint_like "
        "torch.randn torch.randn_like torch.randperm torch.seed uuid.uuid1 uuid.uuid4",
        "the environment": "uuid.getnode",
        "what cannot be seen": " ".join(f"builtins.{n}" for n in BUILT_IN),
    }
)
"""What is in other modules and does."""
METHODS = _table(
    {
        "files": "abspath exists expanduser expandvars from_file from_pretrained "
        "getatime getctime getcwd getmtime getsize imread isdir isfile islink iterdir "
        "lexists listdir loadmat open realpath rglob samefile scandir stat",
        "the environment": "getenv",
        "the network": "urlopen urlretrieve",
        "the clock": "now today utcnow",
        "the time zone of the machine": "astimezone fromtimestamp",
        "random numbers": "bernoulli_ normal_ random_ rvs sample shuffle uniform_",
    }
)
"""Methods that do, whatever they are of."""
PREFIXES = {
    **dict.fromkeys(("load_", "read_", "scan_"), "files"),
    "fetch_": "the network",
}
"""How the names of other such methods begin: `read_csv`, `load_model`."""
WORDS = {"now", "today"}
"""Texts that mean the clock to ..."""
DATES = {"DatetimeIndex", "Period", "Timestamp", "datetime64", "to_datetime"}
"""... what makes dates of texts."""
GENERATORS = {
    "random.Random",
    "numpy.random._generator.Generator",
    "numpy.random.bit_generator.BitGenerator",
    "numpy.random.mtrand.RandomState",
    "torch._C.Generator",
}
"""Classes of objects that draw: every call of the function changes them."""


def method_reads(name: str) -> str | None:
    """What a method of that name reads from outside; None: nothing that is known."""
    begins = (what for start, what in PREFIXES.items() if name.startswith(start))
    return METHODS.get(name) or next(begins, None)


def refuse_name(module: str, name: str) -> None:
    """Refuse what an installed module has by a name, if it reads from outside.

    Examples
    --------
    >>> from corral.functions.outside import refuse_name
    >>> refuse_name("os", "path.basename")
    >>> refuse_name("joblib.numpy_pickle", "load")
    Traceback (most recent call last):
        ...
    corral.functions.outside.CannotHashError: it reads files from outside (joblib.load)
    """
    top, *inner = f"{module}.{name}".split(".")
    first, last = f"{top}.{inner[0]}", f"{top}.{inner[-1]}"
    if top in MODULES and inner[0] not in BUT.get(top, ()):
        _refuse(MODULES[top], first)
    for full in (
        first,
        last,
    ):  # where it is defined may be deeper than where it is read
        if full in NAMES:
            _refuse(NAMES[full], full)
    refuse_method(inner[-1], f"{module}.{name}")


def refuse_method(name: str, shown: str | None = None) -> None:
    """Refuse a method, of whatever it is, that reads from outside."""
    what = method_reads(name)
    if what is not None:
        _refuse(what, shown or f".{name}()")


def refuse_module(name: str) -> None:
    """Refuse an installed module of which it cannot be seen what it is used for."""
    top = name.partition(".")[0]
    if top in MODULES or any(full.startswith(f"{top}.") for full in NAMES):
        raise CannotHashError(
            f"it may read from outside with module {name!r}, which it uses other than "
            "by name"
        )


def refuse_object(value: Any) -> None:
    """Refuse the environment, methods that read, and all that is drawn from."""
    if value is os.environ or value is getattr(os, "environb", None):
        _refuse("the environment", "os.environ")
    if isinstance(value, BuiltinMethodType):
        refuse_method(value.__name__)
    if isinstance(value, Iterator):
        raise CannotHashError(
            f"the content of a {type(value).__name__} cannot be seen, or changes when it "
            "is drawn from"
        )
    kinds = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(value).__mro__)
    if not GENERATORS.isdisjoint(kinds):
        raise CannotHashError(
            f"it may draw random numbers from a {type(value).__name__}, which changes it"
        )


def _refuse(what: str, name: str) -> None:
    raise CannotHashError(f"it reads {what} from outside ({name})")
