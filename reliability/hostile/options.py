"""Files of options (``--config``) that were made to take for ever, or to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from reliability.hostile.cases import Case, Surface, call

VOTES = "a,b\nspam,ham\nspam,spam\nham,ham\n"


def with_options(text: str | bytes) -> Callable[[Path], Path]:
    """A `Case.make` of votes and a file of options."""

    def make(folder: Path) -> Path:
        (folder / "votes.csv").write_text(VOTES)
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        (folder / "run.toml").write_bytes(raw)
        return folder

    return make


def label(folder: Path) -> None:
    """Label with the file of options."""
    call(folder, "label", "votes.csv", "-o", "out.csv", "--config", "run.toml")
    assert not (folder / "pwned").exists()
    assert (folder / "votes.csv").read_text() == VOTES


def label_from_stdin(folder: Path) -> None:
    """The same where options come by standard input."""
    text = (folder / "run.toml").read_text("utf-8", "replace")
    command = ("label", "votes.csv", "-o", "out.csv", "--config", "-")
    call(folder, *command, given=text)


SLOW: dict[str, str] = {
    "dotted keys, 40 KB": ".".join(["a"] * 20_000) + " = 1",
    "dotted keys, 1 MB": ".".join(["a"] * 500_000) + " = 1",
    "many dotted keys": "\n".join(f"a{'.a' * 300}.b{i} = 1" for i in range(300)),
    "dotted keys in quotes": ".".join(['"a"'] * 10_000) + " = 1",
    "dotted keys with blanks": " . ".join(["a"] * 10_000) + " = 1",
    "dotted keys within a table": "[t]\n" + ".".join(["a"] * 20_000) + " = 1",
    "dotted keys within braces": "a = {" + ".".join(["b"] * 20_000) + " = 1}",
    "a table of dots": "[" + ".".join(["a"] * 20_000) + "]",
    "a table of dots, in lists": "[[" + ".".join(["a"] * 20_000) + "]]",
    "many tables of dots": "\n".join(f"[{'a.' * 300}b{i}]" for i in range(300)),
    "lists, nested": "a = " + "[" * 20_000 + "]" * 20_000,
    "lists, never closed": "a = " + "[" * 60_000,
    "braces, nested": "a = " + "{a = " * 20_000 + "1" + "}" * 20_000,
    "a number of 100,000 digits": "seed = " + "9" * 100_000,
    "a hexadecimal number without end": "seed = 0x" + "f" * 100_000,
    "underscores in a number": "seed = " + "1_" * 50_000 + "1",
    "a fraction without end": "level = 0." + "1" * 100_000,
    "a power beyond all": "level = 1e" + "9" * 1000,
    "100,000 keys": "\n".join(f"a{i} = 1" for i in range(100_000)),
    "100,000 values": "id = [" + "'a', " * 100_000 + "]",
    "100,000 tables": "\n".join(f"[t{i}]" for i in range(100_000)),
    "100,000 tables of a list": "[[t]]\n" * 100_000,
    "a megabyte of blanks": " " * 2**20 + "\nid = 'id'",
    "a megabyte of comments": "# x\n" * 2**18,
    "100 MB of comments": ("# " + "x" * 1000 + "\n") * 100_000,
    "a text of 10 MB": "prefix = '" + "x" * 10_000_000 + "'",
    "a text never closed": 'prefix = """' + "x" * 1_000_000,
    "quotes without end": 'prefix = "' + '\\"' * 100_000,
    "escapes": 'prefix = "' + "\\u0041" * 10_000 + '"',
    "a key of a megabyte": "a" * 2**20 + " = 1",
}
ODD: dict[str, str | bytes] = {
    "a date": "seed = 1979-05-27",
    "a date that is none": "seed = 2021-02-31T99:99:99Z",
    "a time": "id = [07:32:00]",
    "NaN": "level = nan",
    "infinity": "seed = inf",
    "a key twice": "seed = 1\nseed = 2",
    "an option that no file may have": "debug = true",
    "a file of options in another": "config = 'other.toml'",
    "dunders": "__class__ = 'os'\n[__init__]\na = 1",
    "a pickle": b"\x80\x04cposix\nsystem\n.",
    "NUL": "prefix = 'a\x00b'",
    "NUL, escaped": 'prefix = "a\\u0000b"',
    "half a character": 'prefix = "\\ud800"',
    "a byte order mark": b"\xef\xbb\xbfid = 'id'",
    "UTF-16": "id = 'id'".encode("utf-16"),
    "bytes that are no text": b"id = '\xff'",
    "a carriage return": "id = 'id'\rseed = 1",
    "colour in a key": '"\\u001b[31m" = 1',
    "colour in a value": 'method = "\\u001b]0;x\\u0007\\u202e[red]"',
    "a prefix of colour": 'prefix = "\\u001b[2J"',
    "a prefix that is a formula": "prefix = '=cmd|x'",
    "the input as output": "output = 'votes.csv'\noverwrite = true",
    "a method that is code": 'method = \'__import__("os").system("touch pwned")\'',
    "an engine that is code": "engine = 'os.system'",
    "SQL as an id": "id = ['id\"; DROP TABLE votes; --']",
    "SQL as a limit": "memory-limit = \"1GB'; COPY (SELECT 1) TO 'pwned'; --\"",
    "a flag that is a text": "overwrite = 'true'",
    "a table for a text": "[method]\na = 1",
    "a list of lists": "id = [['id']]",
    "a seed below zero": "seed = -1",
    "threads without end": "threads = 1000000000",
    "a model that is a device": "model = '/dev/zero'",
    "a model that is a folder": "model = '/'",
    "a rate that is no number": "error-rate = ['a=[red]']",
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    yield Case("none: a good file", with_options("prefix = 'p_'"), label, "harmless")
    for name, text in SLOW.items():
        yield Case(name, with_options(text), label)
    for name, odd in ODD.items():
        yield Case(name, with_options(odd), label)
    for name in ("dotted keys, 40 KB", "lists, nested", "100 MB of comments"):
        yield Case(
            f"{name}, by standard input", with_options(SLOW[name]), label_from_stdin
        )


SURFACE = Surface(
    "files of options",
    "A file of options is refused within seconds, or is taken as its options would be",
    list_cases,
)
