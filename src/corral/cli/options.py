"""Every option, declared once; what messages call them; and files of options."""

from __future__ import annotations

import os
import re
import shlex
import sys
import tomllib
from ast import literal_eval
from difflib import get_close_matches
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from corral.errors import ParameterError, StorageError

STREAM = "-"
"""The path that stands for standard input, or output."""
# Names, so that --help does not have to load what they stand for; tests compare them.
METHODS = {
    "constrained": "ConstrainedLabeler",
    "majority-vote": "MajorityVote",
    "weighted-vote": "WeightedVote",
    "averaging": "Averaging",
    "data-programming": "DataProgramming",
    "metal": "MeTaL",
    "dawid-skene": "DawidSkene",
    "one-coin-dawid-skene": "OneCoinDawidSkene",
    "ordinal": "OrdinalLabeler",
}
SETS = ("label", "compare", "inspect")
"""Commands that take sets of classes."""
TOOLS = ("label-studio", "argilla", "prodigy", "doccano", "datasets", "wrench")
FORMATS = ("csv", "tsv", "parquet", "jsonl")
METRICS = ("nominal", "ordinal", "interval")
UNCONNECTED = ("refuse", "separate")
SOLVERS = ("adagrad", "entropy", "projection")
SPELLINGS = {kind: method for method, kind in METHODS.items()} | {
    "accuracies": "--error-rate",
    "error_rates": "--error-rate",
    "first=None": "--no-order",
    "judges": "--judges",
    "slices": "--by",
    "label": "--answer",
    "labeler": "--method",
    "random_state": "--seed",
    "verdicts": "--verdict",
    "y": "--gold",
}
"""What a shell calls arguments and labelers, where it is not their name with dashes."""


def in_shell_words(message: str, parameter: str | None = None) -> str:
    """A message of Python's, with options and labelers named as the shell has them.

    Parameters
    ----------
    message : str
        With `` `name=value` ``, `` `name=` `` and `` `Labeler` `` in backticks.
    parameter : str, optional
        The option that the message may begin with, without backticks.

    Examples
    --------
    >>> from corral.cli.options import in_shell_words
    >>> in_shell_words("Pass `classes=[-1, 1]`, or `normalise=True`.")
    'Pass --classes -1,1, or --normalise.'
    >>> in_shell_words("dev_size must be positive.", "dev_size")
    '--dev-size must be positive.'
    """
    if parameter is not None and message.startswith(f"{parameter} "):
        message = _spell(parameter) + message.removeprefix(parameter)
    return re.sub(r"`(?:([a-z]\w*)=([^`]*)|[A-Z]\w*)`", _translate, message)


def _translate(found: re.Match[str]) -> str:
    name, text = found.groups()
    if name is None or found[0][1:-1] in SPELLINGS:  # a class, or a value with a name
        return SPELLINGS.get(found[0][1:-1], found[0])
    if text in ("", "True"):
        return _spell(name)
    try:
        value = literal_eval(text)
    except (SyntaxError, ValueError):  # not a literal: nan, for example
        value = text
    if isinstance(value, dict):
        values = [f"{key}={each}" for key, each in value.items()]
    else:
        each = value if isinstance(value, list) else [value]
        values = [f"{v:g}" if isinstance(v, float) else str(v) for v in each]
        if name != "abstain":  # which is given once per value
            values = [",".join(values)]
    return " ".join(f"{_spell(name)} {shlex.quote(v)}" for v in values)


def _spell(name: str) -> str:
    return SPELLINGS.get(name, f"--{name.replace('_', '-')}")


READING, LABELS, OUTPUT, RUN = "Reading", "Labels", "Output", "This run"
"""Headings in the help of a command."""


def opt(
    panel: str, help: str, metavar: str | None = None, *flags: str, **more: Any
) -> Any:
    """An option under a heading."""
    return typer.Option(
        *flags, metavar=metavar, rich_help_panel=panel, help=help, **more
    )


def _listed(kind: Any, default: Any, *option: Any, **more: Any) -> tuple[Any, Any]:
    return Annotated[kind, opt(*option, **more)], default


Text, Texts = str | None, list[str] | None
VotesFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="VOTES",
        path_type=str,
        help="CSV, TSV, Parquet or JSON lines: a file, a folder, 'votes/*.csv', or - for "
        "standard input; or a file of an annotation tool.",
    ),
]
DataFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        path_type=str,
        help="The rows: CSV, TSV, Parquet or JSON lines, or - for standard input.",
    ),
]
ErrorRates: TypeAlias = Annotated[
    Texts,
    opt(LABELS, "0.1 for all signals, or name=0.1 per signal; default auto.", "RATE"),
]
Shares: TypeAlias = Annotated[
    Text, opt(LABELS, "Shares of the classes that labels have, e.g. 0.7,0.3.", "SHARES")
]
Method: TypeAlias = Annotated[
    str,
    opt(
        LABELS,
        f"What labels: {', '.join(METHODS)}.",
        "NAME",
        autocompletion=lambda: list(METHODS),
    ),
]
RateChange: TypeAlias = Annotated[
    float, opt(LABELS, "How far error rates may be off.", "NUMBER")
]
Gold: TypeAlias = Annotated[
    str, opt(READING, "The column of true labels; may have gaps.", "NAME")
]
GoldIfAny: TypeAlias = Annotated[
    Text,
    opt(
        READING,
        "A column of true labels, if there is one; may have gaps.",
        "NAME",
        "--gold",
    ),
]
TextColumn: TypeAlias = Annotated[Text, opt(READING, "The column of texts.", "NAME")]
Classes: TypeAlias = Annotated[
    Text,
    opt(
        LABELS,
        "All classes in order, e.g. 'ham,spam'; default: those there are.",
        "NAMES",
    ),
]
Output: TypeAlias = Annotated[
    str,
    opt(
        OUTPUT,
        "Where to write, kind by its ending; - for standard output.",
        "FILE",
        "--output",
        "-o",
        path_type=str,
    ),
]
ResultFile: TypeAlias = Annotated[
    Text,
    opt(
        OUTPUT,
        "Write the result there instead of printing it: .html, .json, .txt, .csv (its "
        "first table) or .svg (its first chart); - for a page on standard output.",
        "FILE",
        "--output",
        "-o",
        path_type=str,
    ),
]
Overwrite: TypeAlias = Annotated[
    bool, opt(OUTPUT, "Replace a file that exists.", None, "--overwrite")
]
Prefix: TypeAlias = Annotated[
    str, opt(OUTPUT, "In front of the added columns, e.g. rule_.", "TEXT")
]
Level: TypeAlias = Annotated[
    float, opt(LABELS, "Confidence level of intervals, e.g. 0.9.", "NUMBER")
]
Seed: TypeAlias = Annotated[int, opt(LABELS, "Random seed.", "NUMBER", min=0)]


def read_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Take what a TOML file says for what the command line does not.

    Keys are the names of options without their dashes, and of arguments in lower case.
    Values are what would be typed: text or a number, true for a flag, a list for an
    option that may be repeated or takes names with commas between, a table for
    ``name=value``. Paths are relative to the folder of the file.
    """
    if value is None or ctx.resilient_parsing:
        return value
    # A pipe, such as the shell makes of <(...), is in no folder that matters.
    piped = str(value) == STREAM or value.is_fifo()
    folder = Path() if piped else value.parent
    params = {}
    for param in ctx.command.params:
        if param.name not in ("config", "debug", "help"):
            long = [each[2:] for each in param.opts if each.startswith("--")]
            params[long[0] if long else param.name] = param
    ctx.default_map = {
        params[key].name: _as_typed(params[key], key, given, folder, value)
        for key, given in _load(value, params).items()
    }
    return value


PATHS = (
    *("votes", "output", "suggest_to", "functions", "data", "file"),
    *("model", "save_model", "cache", "folder", "project"),
)
"""Parameters that are paths."""
WITH_COMMAS = ("classes", "class_balance", "methods")
"""Those that take several values in one text, with commas between."""

READING_OPTIONS = {
    "signals": _listed(
        Texts,
        None,
        READING,
        "Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all.",
        "NAMES",
    ),
    "id": _listed(
        Texts,
        None,
        READING,
        "Columns that are not signals, e.g. id,text; may be repeated.",
        "NAMES",
    ),
    "task": _listed(
        Text,
        None,
        READING,
        "For a table with one vote per row: the column of examples.",
        "NAME",
    ),
    "worker": _listed(
        Text, None, READING, "Then the column of signals; default worker.", "NAME"
    ),
    "label": _listed(
        Text,
        None,
        READING,
        "And the column of votes; default label.",
        "NAME",
        "--answer",
    ),
    "probabilities": _listed(
        bool,
        False,
        READING,
        "Columns hold probabilities, not votes.",
        None,
        "--probabilities",
    ),
    "columns": _listed(
        Text,
        None,
        READING,
        "How names of those are made, e.g. '{signal}_{class}'.",
        "PATTERN",
    ),
    "bins": _listed(
        int | None, None, READING, "Round those to multiples of 1 / bins.", "NUMBER"
    ),
    "abstain": _listed(
        Texts,
        None,
        READING,
        "A value that means no vote, if not empty or -1; may be repeated.",
        "VALUE",
    ),
    "classes": _listed(
        Text, None, READING, "All classes in order, e.g. 'ham,spam'.", "NAMES"
    ),
    "normalise": _listed(
        bool,
        False,
        READING,
        "Read classes that differ in case or blanks only as one.",
        None,
        "--normalise",
    ),
    "separator": _listed(
        Text,
        None,
        READING,
        "Cells hold sets of classes with this between, e.g. ';'.",
        "TEXT",
    ),
    "judges": _listed(
        bool,
        False,
        READING,
        "VOTES has JSON lines that judges wrote: id, judge, verdict.",
        None,
        "--judges",
    ),
    "pattern": _listed(
        Text,
        None,
        READING,
        "Then what finds a verdict in a text; its last match.",
        "REGEX",
    ),
    "question": _listed(
        Text,
        None,
        READING,
        "Of an annotation tool: which control or question, if there are several.",
        "NAME",
    ),
    "predictions": _listed(
        bool,
        False,
        READING,
        "And read what models predicted there as votes.",
        None,
        "--predictions",
    ),
    "memory_limit": _listed(
        Text, None, READING, "What DuckDB may use, e.g. 2GB.", "SIZE"
    ),
    "threads": _listed(
        int | None, None, READING, "Of DuckDB; default: all.", "NUMBER", min=1
    ),
}
"""How votes are read: the names and meanings are those of `corral.io.reader.Reading`."""
RUN_OPTIONS = {
    "format": _listed(
        str,
        "csv",
        RUN,
        f"What - reads and writes: {', '.join(FORMATS)}. Or the tool that VOTES are from, "
        f"if they do not show it: {', '.join(TOOLS)}.",
        "KIND",
        autocompletion=lambda: [*FORMATS, *TOOLS],
    ),
    "json": _listed(
        bool, False, RUN, "Print the result as JSON on standard output.", None, "--json"
    ),
    "config": _listed(
        Path | None,
        None,
        RUN,
        "Take options from a TOML file; those given here win.",
        "FILE",
        is_eager=True,
        callback=read_config,
    ),
    "quiet": _listed(
        bool, False, RUN, "No messages and no progress.", None, "--quiet", "-q"
    ),
    "debug": _listed(
        bool, False, RUN, "Show where an error comes from.", None, "--debug"
    ),
}
"""What every command has."""


def as_parameters(options: dict[str, tuple[Any, Any]]) -> list[Parameter]:
    """Options as parameters of a command."""
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in options.items()
    ]


# -- what options say ----------------------------------------------------------------


def split_list(text: str | None) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def read_classes(given: str | None) -> list[str] | list[int] | None:
    """Classes by name; as numbers if all of them are."""
    names = split_list(given)
    if all(re.fullmatch(r"-?\d+", name) for name in names):
        return list(map(int, names)) or None
    return names


def read_shares(given: str | None) -> list[float] | None:
    """What `--class-balance` says, in the order of the classes."""
    if given is None:
        return None
    try:
        return [float(share) for share in given.split(",")]
    except ValueError as error:
        raise ParameterError(
            f"takes numbers with commas between, such as 0.7,0.3; {given} was given.",
            parameter="class_balance",
        ) from error


def read_rates(given: list[str] | None) -> float | str | dict[str, float]:
    """What `--error-rate` says; "auto" if it was not given."""
    if not given or given == ["auto"]:
        return "auto"
    try:
        if len(given) == 1 and "=" not in given[0]:
            return float(given[0])
        pairs = [item.rsplit("=", 1) for item in given]
        rates = {name: float(rate) for name, rate in pairs}
    except ValueError as error:
        raise ParameterError(
            "takes one number, name=number per signal, or auto; "
            f"{', '.join(given)} was given.",
            parameter="error_rates",
        ) from error
    if len(rates) < len(pairs):
        raise ParameterError("names a signal twice.", parameter="error_rates")
    return rates


def read_pair(given: str, parameter: str, example: str) -> tuple[str, str]:
    """What ``2=b`` says: a value, and its meaning."""
    value, mark, role = given.rpartition("=")
    if not mark or not role:
        raise ParameterError(
            f"takes a name and a value, such as {example}; {given!r} was given.",
            parameter=parameter,
        )
    return value.strip(), role


# -- files of options ----------------------------------------------------------------


def _load(path: Path, known: dict[str, Any]) -> dict[str, Any]:
    """What a file says; refused if it says what no option is for."""
    try:
        text = sys.stdin.read() if str(path) == STREAM else path.read_text("utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise StorageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is one
        raise StorageError(f"{str(path)!r} is not a TOML file: {error}.") from error
    for key in found:
        if key not in known:
            near = get_close_matches(key.lower().replace("_", "-"), known, 1)
            raise StorageError(
                f"{str(path)!r} has the key {key!r}, which is not an option of this "
                "command. "
                + (f"Did you mean {near[0]!r}?" if near else "See --help for those.")
            )
    return found


def _as_typed(param: Any, key: str, given: Any, folder: Path, path: Path) -> Any:
    """A value of TOML as it would come from the command line."""

    def as_text(value: Any, expected: str = "text or a number") -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise StorageError(
                f"{str(path)!r} has {key} = {given!r:.60}, where {expected} is expected."
            )
        return str(value)

    if getattr(param, "is_flag", False):
        return given if isinstance(given, bool) else as_text([], "true or false")
    several = getattr(param, "multiple", False)
    if several and isinstance(given, dict):
        given = [f"{name}={as_text(item)}" for name, item in given.items()]
    if isinstance(given, list) and (several or param.name in WITH_COMMAS):
        texts = [as_text(item) for item in given]
        return texts if several else ",".join(texts)
    text = as_text(given)
    if param.name in PATHS and text != STREAM and not os.path.isabs(text):
        text = str(folder / text)
    return [text] if several else text
