"""Dataclasses of arrays as the settings and arrays of a file, and back.

One rule for all: a field that is an array goes to the arrays, under the path of the field;
what JSON can hold stays as it is; another dataclass is an object that says its class. On
the way back, a class must be one that the reader knows, and every field must be of the
type that its class declares. What numbers mean is checked by whoever asked for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.storage.content_checks import require

IS = "is"
"""The key of an object that says what it is."""
_CSR = ("data", "indices", "indptr")
Arrays = dict[str, NDArray[Any]]
Known = Mapping[str, type]


def encode(value: Any, arrays: Arrays, known: Known, place: str) -> Any:
    """What JSON holds of a value; its arrays are added to `arrays`.

    Parameters
    ----------
    value : dataclass, array, number, text, list, tuple, dict or None
    arrays : dict
        Grows.
    known : mapping from str to type
        The dataclasses that may be in the file, by name.
    place : str
        Path of the value.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.storage.dataclass_encoding import decode, encode
    >>> arrays = {}
    >>> written = encode({"rates": np.array([0.1]), "k": 2}, arrays, {}, "it")
    >>> arrays
    {'it.rates': array([0.1])}
    >>> decode(written, arrays, {}, "it")
    {'rates': array([0.1]), 'k': 2}
    """

    def inner(one: Any, step: Any) -> Any:
        return encode(one, arrays, known, f"{place}.{step}")

    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        arrays[place] = value
        return {IS: "array"}
    if isinstance(value, csr_array):
        arrays.update({f"{place}.{part}": getattr(value, part) for part in _CSR})
        return {IS: "sparse", "shape": list(value.shape)}
    if isinstance(value, list):
        return [inner(one, i) for i, one in enumerate(value)]
    if isinstance(value, tuple):
        return {IS: "tuple", "of": inner([*value], "of")}
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            return {IS: "pairs", "of": inner([*value.items()], "of")}
        return {IS: "dict", "of": {key: inner(x, key) for key, x in value.items()}}
    if hasattr(value, "__array__"):  # a series of a data frame
        return encode(np.asarray(value), arrays, known, place)
    name = type(value).__name__
    if not is_dataclass(value) or known.get(name) is not type(value):
        raise TypeError(f"{value!r:.200} is nothing that a file can hold")
    stored = {f.name: inner(getattr(value, f.name), f.name) for f in fields(value)}
    return {IS: name, **stored}


def decode(
    value: Any, arrays: Arrays, known: Known, place: str, hint: Any = Any
) -> Any:
    """The value that `encode` wrote at a place; refused if it is not of a type.

    Raises one of what `corral.storage.versioned_file.explain_damage` takes for damage.

    Parameters
    ----------
    value, arrays, known, place
        As for `encode`.
    hint : type
        What the value must be, as an annotation says it.
    """
    found = _value(value, arrays, known, place)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        found = hint(found)
    require_fit(found, hint, place)
    return found


def require_fit(value: Any, hint: Any, place: str) -> None:
    """Refuse a value that is not what an annotation says."""
    kind = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
    require(fits(value, hint), f"{_describe(hint)} in {place}, not {kind}")


def _value(value: Any, arrays: Arrays, known: Known, place: str) -> Any:
    def inner(one: Any, step: Any, hint: Any = Any) -> Any:
        return decode(one, arrays, known, f"{place}.{step}", hint)

    if isinstance(value, list):
        return [inner(one, i) for i, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kind = value[IS]
    if kind == "array":
        return arrays[place]
    if kind == "sparse":
        shape = tuple(value["shape"])
        found = csr_array(tuple(arrays[f"{place}.{part}"] for part in _CSR), shape)
        found.check_format(full_check=True)
        return found
    if kind == "tuple":
        return tuple(inner(value["of"], "of", list))
    if kind == "dict":
        return {key: inner(one, key) for key, one in value["of"].items()}
    if kind == "pairs":
        return dict(inner(value["of"], "of"))
    require(isinstance(kind, str) and kind in known, "something that corral wrote")
    cls = known[kind]
    hints = get_type_hints(cls)
    stored = {name: one for name, one in value.items() if name != IS}
    require(stored.keys() == {f.name for f in fields(cls)}, f"the fields of {kind}")
    return cls(**{name: inner(one, name, hints[name]) for name, one in stored.items()})


def _describe(hint: Any) -> str:
    """What an annotation asks for, to be read by a person."""
    if _scalar_of(hint) is not None:
        return "float32 or float64" if hint == FloatArray else "other numbers"
    names = {float: "a number", int: "a whole number", bool: "true or false"}
    return names.get(hint, str(getattr(hint, "__name__", hint)))


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says, as far as it says anything.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.storage.dataclass_encoding import fits
    >>> from corral._types import FloatArray
    >>> fits(np.zeros(2), FloatArray | None), fits(np.zeros(2, int), FloatArray)
    (True, False)
    >>> fits(True, float), fits(1, float), fits(("a", 1), tuple[str, ...])
    (False, True, False)
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is NoneType:
        return value is None
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if (scalar := _scalar_of(hint)) is not None:
        return isinstance(value, np.ndarray) and _is_of(value, scalar)
    if origin is tuple:
        return isinstance(value, tuple) and all(fits(x, arguments[0]) for x in value)
    if hint is float:
        return type(value) in (int, float)
    if hint in (int, bool, str):
        return type(value) is hint
    try:
        return isinstance(value, origin or hint)
    except TypeError:  # a protocol, of which nothing can be asked
        return True


def _scalar_of(hint: Any) -> Any:
    """The numbers that an annotation of arrays asks for; None of another annotation.

    ``NDArray`` is another name for arrays, which Python sees through up to NumPy 2.4.
    """
    if get_origin(hint) is NDArray:
        return get_args(hint)[0]
    if get_origin(hint) is np.ndarray:
        return get_args(get_args(hint)[1])[0]
    return None


def _is_of(array: NDArray[Any], scalar: Any) -> bool:
    """Whether numbers are of the precision that all code computes with."""
    wanted = get_origin(scalar) or scalar
    if wanted is Any:
        return True
    if issubclass(wanted, np.floating):
        return array.dtype.kind == "f" and array.itemsize in (4, 8)
    return isinstance(wanted, type) and issubclass(array.dtype.type, wanted)
