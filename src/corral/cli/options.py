"""Every option, once: its help, what messages call it, what a file says of it."""

from __future__ import annotations

import re
import shlex
import tomllib
from ast import literal_eval
from collections.abc import Iterable
from difflib import get_close_matches
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

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
TOOLS = ("label-studio", "argilla", "prodigy", "doccano")
FORMATS = ("csv", "tsv", "parquet", "jsonl")
METRICS = ("nominal", "ordinal", "interval")
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


OPTIONS = """
Reading
signals NAMES
    Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all.
id NAMES
    Columns that are not signals, e.g. id,text; may be repeated.
task NAME
    For a table with one vote per row: the column of examples.
worker NAME
    With --task: the column that names the signal; default worker.
label NAME
    With --task: the column of votes; default label.
probabilities
    Columns hold probabilities, not votes.
columns PATTERN
    With --probabilities: how column names are made, e.g. '{signal}_{class}'.
bins NUMBER
    With --probabilities: round to multiples of 1 / bins.
abstain VALUE
    A value that means no vote, if not empty or -1; may be repeated.
classes NAMES
    All classes in order, e.g. 'ham,spam'; default: those there are.
normalise
    Read classes as one if they differ only in case or blanks.
separator TEXT
    Cells hold sets of classes with this between, e.g. ';'.
judges
    VOTES has JSON lines that judges wrote: id, judge, verdict.
pattern REGEX
    With --judges: regular expression for the verdict; the last match counts.
question NAME
    In an annotation tool's file: which control or question, if there are several.
predictions
    In an annotation tool's file: also read model predictions as votes.
memory-limit SIZE
    Memory that DuckDB may use, e.g. 2GB.
threads NUMBER
    Threads of DuckDB; default: all cores.
gold NAME
    The column of true labels; may have gaps.
text NAME
    The column of texts.
panel.by NAMES
    Columns to give shares by, one after the other, e.g. topic,language.
sampling NAME
    Column with each row's probability of having been sampled for labelling; default:
    all have the same.
a NAME
    The column of one item.
b NAME
    The column of the other.
winner NAME
    The column of verdicts: the name of an item, a, b, left, right, or tie.
judge NAME
    The column of judges; default: one judge gave all verdicts.
first NAME
    The column that says which item was shown first; default: the column of --a.
no-order
    Nobody knows which item was shown first.
rank.task NAME
    The column of what items were compared on, such as a prompt; verdicts on one task
    may be correlated.
counts NAME
    The column that says how many comparisons a row stands for.
verdict VALUE=ROLE
    What a verdict means, such as 1=a, 2=b or 0=tie; may be repeated.
Labels
method NAME
    What labels: {METHODS}.
methods NAMES
    Names with commas between; own: all methods that need no further numbers.
error-rate RATE
    0.1 for all signals, or name=0.1 per signal; default auto.
panel.error-rate NAME=RATE
    An error rate that is known, e.g. gpt=0.1; may be repeated.
class-balance SHARES
    Shares of the classes that labels have, e.g. 0.7,0.3.
solver NAME
    {SOLVERS}; default adagrad for given rates.
iterations NUMBER
    Steps of the solver; default 200.
scale-free
    Adagrad: for millions of rows.
learn-known
    From an annotation tool's file: learn error rates from its true labels.
dev-size NUMBER
    Labelled rows that some methods may learn from.
positive CLASS
    The class that F1 is of, if not the second.
agreement
    Show only how far signals agree: Krippendorff's alpha, and kappas.
advise
    Show only what to do next: which signals to fix or drop, which rates matter.
metric NAME
    Distance between votes, for alpha: {METRICS}.
level NUMBER
    Confidence level of intervals, e.g. 0.9.
resamples NUMBER
    How often examples are drawn again for the intervals.
seed NUMBER
    Random seed.
rank.by NAMES
    Columns whose values get strengths of their own, e.g. topic,language.
prior NUMBER
    Standard deviation of the prior of strengths, in log-odds; default 5.
model FILE
    A saved labeler (corral label --save-model); default: one fitted on the file.
on-error WHAT
    Where a function fails on a row: raise (stop) or abstain.
cache FOLDER
    Keep answers there, for the same file of functions and the same rows.
jobs NUMBER
    Processes for plain functions.
functions FILE
    A Python file with functions of corral, shown beside the page's rules.
Output
output FILE
    Write the result there instead of printing it: .html, .json, .txt, .csv (its first
    table) or .svg (its first chart); - for a page on standard output.
label.output FILE
    Where to write, kind by its ending; - for standard output.
apply.output FILE
    Where to write, kind by its ending; - for standard output.
panel.output FILE
    The table with its labels as .csv, .tsv or .parquet; or the result as .html, .json,
    .txt or .svg instead of printing it.
overwrite
    Replace a file that exists.
prefix TEXT
    In front of the added columns, e.g. rule_.
keep NAMES
    Columns of the data to keep, e.g. id,text; may be repeated; default all.
keep-order
    Default: keep the order of up to 5 million rows.
save-model FILE
    Also save what labels, for corral explain --model and Labeler.load.
to NAME
    From an annotation tool's file: write for another tool.
title TEXT
    Title of the page; default: the name of the file.
suggest NUMBER
    How many random rows to list, to label by hand.
suggest-to FILE
    CSV or TSV file of these rows, with an empty column for the labels.
folder FOLDER
    Where files are; default: what CORRAL_DATA names, or a cache.
project FILE
    Where the work is kept; default: DATA with the ending .corral.json.
This run
format KIND
    Format of standard input and output: {FORMATS}. Or the annotation tool that wrote
    VOTES, if corral does not recognise it: {TOOLS}.
json
    Print the result as JSON on standard output.
config FILE
    Take options from a TOML file; those given here win.
quiet
    No messages and no progress.
debug
    Show where an error comes from.
host ADDRESS
    Address to listen on; the network can reach all but 127.0.0.1.
port NUMBER
    Port to listen on; default: 8765, or another free one.
browser
    Open the page; default: only on a terminal.
examples NUMBER
    How many examples.
"""
"""Options under the headings of the help; `command.option` is for one command."""
ARGUMENTS = {
    "votes": "CSV, TSV, Parquet or JSON lines: a file, a folder, 'votes/*.csv', or - for "
    "standard input; or a file of an annotation tool.",
    "data": "The rows: CSV, TSV, Parquet or JSON lines, or - for standard input.",
    "table": "One comparison per row, CSV, TSV, Parquet or JSON lines: a file, a folder, "
    "'arena/*.csv', or - for standard input.",
    "functions": "A Python file with functions made by corral.signal and "
    "corral.functions.",
    "row": "The number of the row, from 1; with --id or --task, what it has in the first "
    "of these columns.",
}
FLAGS = {
    "output": ("--output", "-o"),
    "quiet": ("--quiet", "-q"),
    "label": ("--answer",),
}
LIMITS = {
    **{
        n: {"min": 1} for n in ("threads", "iterations", "jobs", "resamples", "suggest")
    },
    **{name: {"min": 0} for name in ("dev_size", "seed")},
    "port": {"min": 0, "max": 65535},
    "examples": {"min": 100},
}
CHOICES: dict[str, Iterable[str]] = {
    "method": METHODS,
    "methods": ("own", *METHODS),
    "solver": SOLVERS,
    "metric": METRICS,
    "to": TOOLS,
    "format": (*FORMATS, *TOOLS),
}
RUN: dict[str, tuple[Any, Any]] = {
    "format": (str, "csv"),
    "json": (bool, False),
    "config": (Path | None, None),
    "quiet": (bool, False),
    "debug": (bool, False),
}
"""What every command has."""


PANELS = (None, "Reading", "Labels", "Output", "This run")
"""Headings of the help, in order; arguments come first."""


def _read_table() -> dict[str, tuple[str, str | None, str]]:
    """Heading, metavar and help of every option, by its name as a parameter."""
    found: dict[str, tuple[str, str | None, str]] = {}
    panel = name = ""
    lists = {"METHODS": METHODS, "SOLVERS": SOLVERS, "METRICS": METRICS}
    lists |= {"FORMATS": FORMATS, "TOOLS": TOOLS}
    for line in OPTIONS.strip().splitlines():
        if line.startswith(" "):
            heading, metavar, said = found[name]
            for key, values in lists.items():
                line = line.replace(f"{{{key}}}", ", ".join(values))
            found[name] = heading, metavar, f"{said} {line.strip()}".strip()
        elif line[0].isupper():
            panel = line
        else:
            name, _, metavar = line.replace("-", "_").partition(" ")
            found[name] = panel, metavar or None, ""
    return found


HELP = _read_table()
_KINDS: dict[str, tuple[Any, Any]] = {
    **dict.fromkeys(("signals", "id", "abstain"), (list[str] | None, None)),
    **dict.fromkeys(("task", "worker", "label", "columns"), (str | None, None)),
    **dict.fromkeys(("classes", "separator", "pattern"), (str | None, None)),
    **dict.fromkeys(("question", "memory_limit"), (str | None, None)),
    **dict.fromkeys(("bins", "threads"), (int | None, None)),
    **dict.fromkeys(("probabilities", "normalise"), (bool, False)),
    **dict.fromkeys(("judges", "predictions"), (bool, False)),
}
READING = {name: _KINDS[name] for name in HELP if name in _KINDS}
"""How votes are read; names and meanings as in `corral.io.reader.Reading`."""


def parameter(command: str, name: str, kind: Any, default: Any) -> Parameter:
    """A parameter of a command, with what the table above says of it."""
    positional = default is Parameter.empty and name in (*ARGUMENTS, "file")
    what: Any
    if positional:
        key = "table" if command == "rank" else "data" if name == "file" else name
        what = typer.Argument(metavar=key.upper(), help=ARGUMENTS[key])
    else:
        panel, metavar, said = HELP.get(f"{command}.{name}") or HELP[name]
        flags = FLAGS.get(name, (f"--{name.replace('_', '-')}",))
        if kind == bool | None:  # on or off
            flags = (f"{flags[0]}/--no-{flags[0][2:]}",)
        more: dict[str, Any] = dict(LIMITS.get(name, {}))
        if name in CHOICES:
            more["autocompletion"] = lambda: list(CHOICES[name])
        if name == "config":
            more |= {"is_eager": True, "callback": read_config}
        what = typer.Option(
            *flags, metavar=metavar, rich_help_panel=panel, help=said, **more
        )
    return Parameter(
        name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, what], default=default
    )


def place_in_help(what: Any) -> int:
    """Where an argument or an option stands in the help."""
    return PANELS.index(getattr(what, "rich_help_panel", None))


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


def read_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Take what a TOML file says for what the command line does not.

    Keys are the names of options without their dashes, and of arguments in lower case.
    Values are what would be typed: text or a number, true for a flag, a list for an
    option that may be repeated or takes names with commas between, a table for
    ``name=value``.
    """
    if value is None or ctx.resilient_parsing:
        return value
    try:
        found = tomllib.loads(value.read_text("utf-8"))
    except OSError as error:
        raise StorageError(f"cannot read {str(value)!r}: {error.strerror}.") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise StorageError(f"{str(value)!r} is not a TOML file: {error}.") from error
    params: dict[str, Any] = {}
    for param in ctx.command.params:
        if param.name not in ("config", "debug", "help"):
            long = [each[2:] for each in param.opts if each.startswith("--")]
            params[long[0] if long else str(param.name)] = param
    for key in found:
        if key not in params:
            near = get_close_matches(key.lower().replace("_", "-"), params, 1)
            cure = f"Did you mean {near[0]!r}?" if near else "See --help for those."
            raise StorageError(
                f"{str(value)!r} has the key {key!r}, which is not an option of this "
                f"command. {cure}"
            )
    ctx.default_map = {
        params[key].name: _as_typed(params[key], given) for key, given in found.items()
    }
    return value


def _as_typed(param: Any, given: Any) -> Any:
    """A value of TOML as it would come from the command line."""
    if isinstance(given, bool):
        return given
    if isinstance(given, dict):
        given = [f"{name}={each}" for name, each in given.items()]
    texts = [str(each) for each in (given if isinstance(given, list) else [given])]
    return texts if getattr(param, "multiple", False) else ",".join(texts)
