"""Every option, once: its help, and what messages call it."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Callable, Iterable
from inspect import Parameter
from textwrap import fill
from typing import Annotated, Any

import typer

from corral.errors import ParameterError

INDENT: Any = {"initial_indent": "      ", "subsequent_indent": "      "}
STREAM = "-"
"""The path that stands for standard input, or output."""
# Names, so that --help does not have to load what they stand for; tests compare them.
METHODS = (
    *("constrained", "majority-vote", "averaging", "data-programming", "metal"),
    *("dawid-skene", "one-coin-dawid-skene", "ordinal"),
)
"""Labelers that need nothing but votes, or error rates."""
SETS = ("label", "compare", "inspect")
"""Commands that take sets of classes."""
TOOLS = ("label-studio", "argilla", "doccano")
FORMATS = ("csv", "tsv", "parquet", "jsonl")
SPELLINGS = {
    "error_rates": "--error-rate",
    "first=None": "--no-order",
    "slices": "--by",
    "k": "K",
    "labeler": "--method",
    "labels": "LABELS",
    "random_state": "--seed",
    "verdicts": "--verdict",
    "y": "--gold",
}
"""What a shell calls arguments, where it is not their name with dashes."""


def in_shell_words(message: str, parameter: str | None = None) -> str:
    """A message of Python's, with options as a shell has them.

    They stand in backticks, as `` `name=value` `` or `` `name=` ``; `parameter` is the one
    that the message may begin with, without backticks.

    Examples
    --------
    >>> from corral.cli.options import in_shell_words
    >>> in_shell_words("Pass `classes=[-1, 1]`, or `normalise=True`.")
    'Pass --classes -1,1, or --normalise.'
    >>> in_shell_words("bad_name must be positive.", "bad_name")
    '--bad-name must be positive.'
    """

    def flag(name: str) -> str:
        return SPELLINGS.get(name, f"--{name.replace('_', '-')}")

    def spell(found: re.Match[str]) -> str:
        name, text = found.groups()
        if text in ("", "True") or f"{name}={text}" in SPELLINGS:
            return SPELLINGS.get(f"{name}={text}", flag(name))
        try:
            value = literal_eval(text)
        except (SyntaxError, ValueError):  # not a literal: nan, for example
            value = text
        if isinstance(value, dict):
            value = [f"{key}={each}" for key, each in value.items()]
        listed = value if isinstance(value, list) else [value]
        said = (f"{v:g}" if isinstance(v, float) else str(v) for v in listed)
        return f"{flag(name)} {shlex.quote(','.join(said))}"

    if parameter is not None and message.startswith(f"{parameter} "):
        message = flag(parameter) + message.removeprefix(parameter)
    return re.sub(r"`([a-z]\w*)=([^`]*)`", spell, message)


OPTIONS = f"""
Reading
signals NAMES: Signal columns, e.g. 'rule_*' or a,b; may be repeated. Default: all that
    are not ids, texts or dates.
id NAMES: Columns that are not signals, e.g. id,text; may be repeated.
task NAME: For a table with one vote per row: the column of examples.
worker NAME: With --task: the column that names the signal; default worker, or a name
    alike.
label NAME: With --task: the column of votes; default label, or a name alike. --answer is
    the same.
repeats WHICH: What to keep where a worker answers a task twice: refuse, last or first.
probabilities: Columns hold probabilities, not votes.
encoding NAME: How the file is written, e.g. cp1252; default UTF-8.
abstain VALUES: What means no vote, if not empty or -1, e.g. '?,N/A'; may be repeated.
classes NAMES: All classes in order, e.g. 'ham,spam'; default: those there are.
normalise: Read classes as one if they differ only in case or blanks.
separator TEXT: Cells hold sets of classes with this between, e.g. ';'; for label, compare
    and inspect.
judges: VOTES has JSON lines that judges wrote: id, judge, verdict.
pattern REGEX: With --judges: regular expression for the verdict; the last match counts.
threshold NUMBER: Of judges who give scores: the smallest that passes; default 0.5.
question NAME: In an annotation tool's file: which control or question, if there are
    several.
predictions: In an annotation tool's file: also read model predictions as votes.
format KIND: Of standard input and output: {", ".join(FORMATS)}.
    Or the annotation tool that wrote the file, if corral does not recognise it:
    {", ".join(TOOLS)}.
Columns
gold COLUMN|FILE: True labels: a column, or a file that `corral suggest` wrote; gaps are
    fine.
text NAME: The column of texts.
by NAMES: Columns to give shares by, one after the other, e.g. topic,language.
panel.gold NAMES: The column of human labels; may have gaps. Or those of several people,
    e.g. ann,bob,eve.
system NAME: The column of systems: each is compared with the first; --id names the items.
against FILE: Verdicts on another system, which is compared with that of VOTES.
since FILE: What --save wrote of an earlier panel: what changed?
sampling NAME: Column with each row's probability of having been sampled for labelling;
    default: all have the same.
a NAME: The column of one item; default: a, or model_a as in files of the Arena.
b NAME: The column of the other; default: b, or model_b.
winner NAME: The column of verdicts: the name of an item, a, b, left, right, or tie.
judge NAME: The column of judges; default: one judge gave all verdicts, but in files
    of the Arena.
first NAME: The column that says which item was shown first; default: the column of --a.
no-order: Nobody knows which item was shown first.
rank.task NAME: The column of what items were compared on, such as a prompt; verdicts on
    one task may be correlated.
verdict VALUE=ROLE: What a verdict means, such as 1=a, 2=b or 0=tie; may be repeated.
Labels
method NAME: What labels: {", ".join(METHODS)}.
methods NAMES: Names with commas between; own: all methods that need no further numbers.
error-rate RATE: 0.1 for all signals, or name=0.1 per signal; default auto.
class-balance SHARES: Shares of the classes that labels have, e.g. 0.7,0.3.
agreement: Show only how far signals agree: Krippendorff's alpha, and kappas.
advise: Show only what to do next: which signals to fix or drop, which rates matter.
level NUMBER: Confidence level of intervals, e.g. 0.9.
seed NUMBER: Random seed.
people NAMES: Judges who are people: not ranked by, but compared with the ranking.
on-error WHAT: Where a function fails on a row: raise (stop) or abstain.
functions FILE: A Python file with functions of corral, shown beside the page's rules.
ordered: Classes have an order: weighted kappa, rank correlation, mean grade.
require TEXT: What must hold, e.g. 'kappa(best) >= 0.6'; may be repeated.
automate SHARE: Let judges decide rows of which at most this share is wrong, e.g. 0.05.
confidence NUMBER: With --automate: with this probability; default 0.9.
look NUMBER: With --since: how many panels have been compared with it, with this one.
Output
output FILE: Write the result there instead of printing it: .html, .json, .txt, .csv (its
    first table) or .svg (its first chart).
table.output FILE: Where to write, kind by its ending; - for standard output.
train.output FILE: Where to keep the classifier, such as model.corral.
panel.output FILE: The table with its labels as .csv, .tsv or .parquet; or the result as
    .html, .json, .txt or .svg instead of printing it.
overwrite: Replace a file that exists.
junit FILE: Also write what was required as JUnit XML.
save FILE: Also keep the panel there, for --since of a later one.
prefix TEXT: In front of the added columns, e.g. rule_.
keep NAMES: Columns of the data to keep, e.g. id,text; may be repeated; default all.
demo.folder FOLDER: Also write the messages and rules there, to try the commands on.
project FILE: Where the work is kept; default: DATA with the ending .corral.json.
This run
json: Print the result as JSON on standard output.
quiet: No messages and no progress.
debug: Show where an error comes from.
host ADDRESS: Address to listen on; the network can reach all but 127.0.0.1.
port NUMBER: Port to listen on; default: 8765, or another free one.
browser: Open the page; default: only on a terminal.
"""
"""Options under the headings of the help; `command.option` is for one command."""
ARGUMENTS = {
    "votes": "CSV, TSV, Parquet or JSON lines: a file, a folder, 'votes/*.csv', or - for "
    "standard input; or a file of an annotation tool.",
    "data": "The rows: CSV, TSV, Parquet or JSON lines, or - for standard input.",
    "table": "One comparison per row, CSV, TSV, Parquet or JSON lines: a file, a folder, "
    "'arena/*.csv', or - for standard input.",
    "labels": "The table of labels, texts and votes that corral label wrote.",
    "model": "The classifier that corral train wrote.",
    "functions": "A Python file with functions made by corral.signal and "
    "corral.functions.",
    "k": "How many rows, or all that have a vote if these are fewer; default 50.",
    "row": "The number of the row, from 1; with --id or --task, what it has in the first "
    "of these columns.",
}
SELDOM = (
    *("class_balance", "confidence", "debug", "host", "look"),
    *("no_order", "on_error", "people", "project", "sampling"),
)
"""Options that help pages only name: `corral help more` has them."""
POSITIONAL = (*ARGUMENTS, "file")
FLAGS = {
    "output": ("--output", "-o"),
    "quiet": ("--quiet", "-q"),
    "label": ("--label", "--answer"),
}
LIMITS: dict[str, Any] = {
    "seed": {"min": 0},
    "look": {"min": 1},
    "port": {"min": 0, "max": 65535},
}
RUN: dict[str, tuple[Any, Any]] = {
    "json": (bool, False),
    "quiet": (bool, False),
    "debug": (bool, False),
}
"""What every command has."""
RESULT: dict[str, tuple[Any, Any]] = {
    "output": (str | None, None),
    "overwrite": (bool, False),
}
"""What commands have that show a result, or write it."""


PANELS = (None, "Reading", "Columns", "Labels", "Output", "This run")
"""Headings of the help, in order; arguments come first."""


def _read_table() -> dict[str, tuple[str, str | None, str]]:
    """Heading, metavar and help of every option, by its name as a parameter."""
    found: dict[str, tuple[str, str | None, str]] = {}
    panel = ""
    for line in OPTIONS.strip().replace("\n    ", " ").splitlines():
        if line[0].isupper():
            panel = line
            continue
        head, _, said = line.partition(": ")
        name, _, metavar = head.partition(" ")
        found[name.replace("-", "_")] = panel, metavar or None, said
    return found


HELP = _read_table()
_TEXT, _LIST, _FLAG = (str | None, None), (list[str] | None, None), (bool, False)
READING: dict[str, tuple[Any, Any]] = {
    "signals": _LIST,
    "id": _LIST,
    "task": _TEXT,
    "worker": _TEXT,
    "label": _TEXT,
    "repeats": (str, "refuse"),
    "probabilities": _FLAG,
    "abstain": _LIST,
    "classes": _TEXT,
    "normalise": _FLAG,
    "separator": _TEXT,
    "encoding": _TEXT,
    "judges": _FLAG,
    "pattern": _TEXT,
    "threshold": (float | None, None),
    "question": _TEXT,
    "predictions": _FLAG,
    "format": (str, "csv"),
}
"""How votes are read; names and meanings as in `corral.io.reader.Reading`. Help pages leave
these out: `corral help reading` has them."""


def parameter(
    command: str, name: str, kind: Any, default: Any, *, folded: bool = False
) -> Parameter:
    """A parameter of a command, with what the table above says of it.

    An option that is `folded` is accepted, and the help of the command leaves it out.
    """
    what: Any
    if name in POSITIONAL and (default is Parameter.empty or name == "k"):
        key = "table" if command == "rank" else "data" if name == "file" else name
        what = typer.Argument(
            metavar=key.upper(), help=ARGUMENTS[key], show_default=False
        )
    else:
        if name == "output" and command in ("label", "apply", "predict"):
            command = "table"
        panel, metavar, said = HELP.get(f"{command}.{name}") or HELP[name]
        flags = FLAGS.get(name, (flag_of(name),))
        if kind == bool | None:  # on or off
            flags = (f"{flags[0]}/--no-{flags[0][2:]}",)
        what = typer.Option(
            *flags,
            metavar=metavar,
            rich_help_panel=panel,
            help=said,
            hidden=folded or name in SELDOM,
            **LIMITS.get(name, {}),
        )
    return Parameter(
        name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, what], default=default
    )


def place_in_help(what: Any) -> int:
    """Where an argument or an option stands in the help."""
    return PANELS.index(getattr(what, "rich_help_panel", None))


def flag_of(name: str) -> str:
    """An option as it is typed."""
    return FLAGS.get(name, (f"--{name.replace('_', '-')}",))[0]


def say_options(names: Iterable[str]) -> str:
    """Options and what they mean, as `corral help reading` and `corral help more` print."""
    lines = []
    for name in names:
        _, metavar, said = HELP[name]
        lines.append(f"  {flag_of(name)} {metavar or ''}".rstrip())
        lines.append(fill(said, 80, **INDENT))
    return "\n".join(lines)


MEANT = {
    **dict.fromkeys(("annotate", "fit", "vote", "aggregate"), "label"),
    **dict.fromkeys(("advise", "agreement", "analyse", "analyze", "stats"), "inspect"),
    **dict.fromkeys(("benchmark", "evaluate", "score"), "compare"),
    **dict.fromkeys(("judge", "judges"), "panel"),
    "preferences": "rank",
    "run": "apply",
    "sample": "suggest",
    "why": "explain",
    **dict.fromkeys(("--truth", "--human", "--labels", "--y"), "--gold"),
    **dict.fromkeys(("--annotator", "--rater", "--user"), "--worker"),
    **dict.fromkeys(("--item", "--example"), "--task"),
    "--labeler": "--method",
    "--rates": "--error-rate",
    "--rules": "--signals",
    "--suggest": "corral suggest",
}
"""Commands and options by other words for them."""


# -- what options say ----------------------------------------------------------------


def split_list(text: str | None) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def split_lists(items: list[str] | None) -> list[str] | None:
    """Names of an option that may be repeated; None if there are none."""
    return [name for item in items or () for name in split_list(item)] or None


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
        pairs = read_pairs(given, "error_rates", "gpt=0.1")
        return {name: float(rate) for name, rate in pairs.items()}
    except ValueError as error:
        raise ParameterError(
            "takes one number, name=number per signal, or auto; "
            f"{', '.join(given)} was given.",
            parameter="error_rates",
        ) from error


def read_pairs(given: list[str] | None, parameter: str, example: str) -> dict[str, str]:
    """What ``2=b`` and the like say: values, and their meanings."""
    found: dict[str, str] = {}
    for item in given or ():
        value, mark, meaning = item.rpartition("=")
        if not mark or not meaning or value.strip() in found:
            raise ParameterError(
                f"takes a name and a value, such as {example}, each name once; "
                f"{', '.join(given or ())} was given.",
                parameter=parameter,
            )
        found[value.strip()] = meaning
    return found


READERS: dict[str, Callable[[Any], Any]] = {
    "by": split_lists,
    "class_balance": read_shares,
    "error_rate": read_rates,
    "keep": split_lists,
    "people": split_lists,
    "signals": split_lists,
    "verdict": lambda given: read_pairs(given, "verdicts", "2=b"),
}
"""What makes values of the options of a command; `Reading` takes its own as typed."""
