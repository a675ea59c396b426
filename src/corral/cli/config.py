"""TOML files for repeat runs: ``--config`` reads one, ``--write-config`` writes one.

Keys are the names of options without their dashes, and of arguments in lower case. Values
are what would be typed: text or a number, true for a flag, a list for an option that may be
repeated or takes names with commas between, a table for ``name=value``. Paths are relative
to the folder of the file.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from corral import __version__
from corral.cli.streams import STREAM
from corral.errors import StorageError
from corral.storage.drafts import draft_of

PATHS = (
    *("votes", "output", "suggest_to", "functions", "data"),
    *("model", "save_model", "cache", "folder"),
)
"""Parameters that are paths."""
WITH_COMMAS = ("classes", "class_balance", "methods")
"""Those that take several values in one text, with commas between."""
NEVER = ("config", "write_config", "debug", "help")
"""Those that belong to one call."""


def read_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Take what a file says for what the command line does not."""
    if value is not None and not ctx.resilient_parsing:
        folder = Path() if str(value) == STREAM else value.parent
        params = _by_key(ctx.command)
        ctx.default_map = {
            params[key].name: _as_typed(params[key], key, given, folder, value)
            for key, given in _load(value, params).items()
        }
    return value


def check_config_file(path: Path) -> None:
    """Refuse a file that is there, before any work is done."""
    if path.exists():
        raise StorageError(
            f"the file {str(path)!r} of --write-config exists already. Choose another "
            "name, or delete it."
        )
    if not path.absolute().parent.is_dir():
        raise StorageError(f"there is no folder {str(path.absolute().parent)!r}.")


def write_config(path: Path, ctx: typer.Context) -> None:
    """Write every option that has a value, defaults too: those may change one day.

    What is empty by default, too, is left out.
    """
    lines = [f"# corral {__version__}: {ctx.command_path} --config {path.name}"]
    here = os.path.abspath(path.parent)
    for key, param in _by_key(ctx.command).items():
        value = ctx.params.get(param.name)
        if value is None or value in ((), []):
            continue
        if value in (False, "") and value == param.default:
            continue
        if _is_path(param) and _is_relative(str(value)):
            value = os.path.relpath(os.path.abspath(value), here)
        lines.append(f"{key} = {_as_toml(value)}")
    try:
        with draft_of(path) as draft:
            draft.write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {str(path)!r}: {error.strerror}.") from error


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
        text = sys.stdin.read() if str(path) == STREAM else path.read_text("utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise StorageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise StorageError(f"cannot read {str(path)!r}: it is no text.") from error
    except tomllib.TOMLDecodeError as error:
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


def _as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_toml, value))}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
