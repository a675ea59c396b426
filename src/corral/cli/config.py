"""TOML files for repeat runs, which ``--config`` reads.

Keys are the names of options without their dashes, and of arguments in lower case. Values
are what would be typed: text or a number, true for a flag, a list for an option that may be
repeated or takes names with commas between, a table for ``name=value``. Paths are relative
to the folder of the file.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from corral.cli.streams import STREAM
from corral.errors import StorageError

PATHS = (
    *("votes", "output", "suggest_to", "functions", "data", "file"),
    *("model", "save_model", "cache", "folder", "project"),
)
"""Parameters that are paths."""
WITH_COMMAS = ("classes", "class_balance", "methods")
"""Those that take several values in one text, with commas between."""
MOST_BYTES = 1 << 20
"""Of a file of options, which has dozens of lines."""
MOST_DOTS = 8
"""In a key. A key of 20,000 parts takes the parser half a minute, and no option has two."""
_TEXTS = re.compile(
    r"""\"{3}(?s:\\.|[^\\])*?(?:"{3,5}|\Z)|'{3}(?s:.)*?(?:'{3,5}|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*"""
)
"""Texts and comments, closed or not: dots in them are no dots of a key."""
_DOTTED = re.compile(rf"(?<![\w-])(?:[\w-]+\.){{{MOST_DOTS}}}")
NEVER = ("config", "debug", "help")
"""Those that belong to one call."""


def read_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Take what a file says for what the command line does not."""
    if value is not None and not ctx.resilient_parsing:
        # A pipe, such as the shell makes of <(...), is in no folder that matters.
        piped = str(value) == STREAM or value.is_fifo()
        folder = Path() if piped else value.parent
        params = _by_key(ctx.command)
        ctx.default_map = {
            params[key].name: _as_typed(params[key], key, given, folder, value)
            for key, given in _load(value, params).items()
        }
    return value


def _by_key(command: Any) -> dict[str, Any]:
    """The parameters of a command by their key in a file."""
    found = {}
    for param in command.params:
        if param.name not in NEVER:
            long = [opt[2:] for opt in param.opts if opt.startswith("--")]
            found[long[0] if long else param.name] = param
    return found


def _load(path: Path, known: dict[str, Any]) -> dict[str, Any]:
    """What a file says; refused if it says what no option is for."""
    try:
        text = _read_text(path)
        _refuse_dots(path, text)
        found = tomllib.loads(text)
    except OSError as error:
        raise StorageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except (UnicodeError, LookupError) as error:
        raise StorageError(f"cannot read {str(path)!r}: it is no text.") from error
    except tomllib.TOMLDecodeError as error:
        raise StorageError(f"{str(path)!r} is no TOML file: {error}.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise StorageError(f"{str(path)!r} is no TOML file: {error}.") from error
    except RecursionError as error:
        raise StorageError(
            f"{str(path)!r} is no TOML file of options: its values are nested too deeply."
        ) from error
    for key in found:
        if key not in known:
            near = get_close_matches(key.lower().replace("_", "-"), known, 1)
            raise StorageError(
                f"{str(path)!r} has the key {key!r}, which is no option of this command. "
                + (f"Did you mean {near[0]!r}?" if near else "See --help for those.")
            )
    return found


def _read_text(path: Path) -> str:
    """The text of a file, or of standard input, unless it is longer than options are."""
    if str(path) == STREAM:
        text = sys.stdin.read(MOST_BYTES + 1)
        size = len(text)
    else:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        size = len(raw)
        text = "" if size > MOST_BYTES else raw.decode("utf-8")
    if size > MOST_BYTES:
        raise StorageError(
            f"{str(path)!r} is no file of options: it has more than {MOST_BYTES:,} bytes."
        )
    return text


def _refuse_dots(path: Path, text: str) -> None:
    """Refuse keys of many parts before they are parsed."""
    bare = re.sub(r"(?<![ \t])[ \t]*\.[ \t]*", ".", _TEXTS.sub("a", text))
    if _DOTTED.search(bare):
        raise StorageError(
            f"{str(path)!r} is no TOML file of options: a key has more than {MOST_DOTS} "
            "parts with dots between."
        )


def _as_typed(param: Any, key: str, given: Any, folder: Path, path: Path) -> Any:
    """A value of TOML as it would come from the command line."""
    if getattr(param, "is_flag", False):
        if not isinstance(given, bool):
            raise _unfit(path, key, given, "true or false")
        return given
    several = getattr(param, "multiple", False)
    if several and isinstance(given, dict):
        given = [f"{name}={_as_text(path, key, item)}" for name, item in given.items()]
    if isinstance(given, list):
        texts = [_as_text(path, key, item) for item in given]
        if several:
            return texts
        if param.name in WITH_COMMAS:
            return ",".join(texts)
    text = _as_text(path, key, given)
    if _is_path(param) and _is_relative(text):
        text = str(folder / text)
    return [text] if several else text


def _as_text(path: Path, key: str, given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise _unfit(path, key, given, "text or a number")
    return str(given)


def _unfit(path: Path, key: str, given: Any, expected: str) -> StorageError:
    return StorageError(
        f"{str(path)!r} has {key} = {given!r:.60}, where {expected} is expected."
    )


def _is_path(param: Any) -> bool:
    return param.name in PATHS


def _is_relative(path: str) -> bool:
    """Whether a path depends on the folder; an address of a cluster does not."""
    return path != STREAM and "://" not in path and not os.path.isabs(path)
