"""Texts that are meant to break whoever reads JSON, and values of the wrong kind."""

from __future__ import annotations

DEEP = 100_000
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "only blanks": b" " * 1000,
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "half an object": b'{"a": 1',
    "objects, nested deeply": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "lists, nested deeply": b"[" * DEEP + b"]" * DEEP,
    "lists, never closed": b"[" * DEEP,
    "a bare NaN": b'{"format": NaN, "version": NaN, "id": NaN}',
    "a bare Infinity": b'{"format": -Infinity, "version": Infinity}',
    "a number of 100,000 digits": b'{"version": ' + b"9" * 100_000 + b"}",
    "a number beyond doubles": b'{"version": 1e999999999}',
    "a key twice": b'{"version": 1, "version": 2}',
    "half a character": b'{"format": "\\ud800", "\\udfff": 1}',
    "NUL": b'{"format": "\\u0000"}\x00',
    "UTF-16": '{"version": 1}'.encode("utf-16"),
    "UTF-32": '{"version": 1}'.encode("utf-32"),
    "a byte order mark": b'\xef\xbb\xbf{"version": 1}',
    "bytes that are no text": b"\xff\xfe\xfd{}",
    "overlong UTF-8": b'{"a": "\xc0\xaf"}',
    "a million keys": b"{" + b",".join(b'"%d":0' % i for i in range(300_000)) + b"}",
    "a pickle": b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "a Python literal": b"__import__('os').system('touch pwned')",
    "YAML": b"!!python/object/apply:os.system ['touch pwned']",
    "colour for a terminal": b'{"format": "\\u001b[31m\\u009b2J\\u202e"}',
}
"""None of these is a model, a project or an export."""
VALUES: dict[str, object] = {
    "null": None,
    "true": True,
    "a negative number": -1,
    "a huge number": 10**30,
    "a number of 5,000 digits": 10**4000,
    "a fraction": 0.5,
    "a number beyond doubles": 1e308,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "no text": "",
    "a text": "\x1b]52;c;cm0gLXJm\x07\u202e[red]",
    "half a character": "\ud800",
    "a long text": "x" * 100_000,
    "no list": [],
    "a list": [1, "a", None],
    "a nested list": [[[]]],
    "no object": {},
    "an object": {"is": "os.system", "of": ["touch pwned"]},
}
"""What may stand where something else belongs."""


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The paths to all that a value of JSON holds; of long lists only the first."""
    found = [path]
    if isinstance(value, dict):
        for key, each in value.items():
            found += places(each, (*path, key))
    elif isinstance(value, list) and value:
        found += places(value[0], (*path, 0))
    return found


def put(value: object, path: tuple[object, ...], new: object) -> object:
    """The same value with something else at a place."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, dict):
        return value | {key: put(value[key], tuple(rest), new)}
    assert isinstance(value, list)
    assert isinstance(key, int)
    return [*value[:key], put(value[key], tuple(rest), new), *value[key + 1 :]]
