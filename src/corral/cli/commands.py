"""The commands: each reads, lets the library work, and shows the result.

What reads and labels is imported where it is used, so that --help does not wait for it.
"""

from __future__ import annotations

import re
import shlex
import sys
import webbrowser
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import wraps
from importlib.util import find_spec
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from corral.cli.options import (
    METHODS,
    READERS,
    READING,
    RESULT,
    RUN,
    SELDOM,
    SETS,
    STREAM,
    TOOLS,
    flag_of,
    parameter,
    place_in_help,
    split_list,
    split_lists,
)
from corral.cli.output import Shell, spool_input, spool_output
from corral.errors import ParameterError
from corral.storage import KINDS, check_output

if TYPE_CHECKING:
    from corral.labelers import Labeler

SHARE_TO_AUTOMATE = 0.05
COMMANDS: list[tuple[Callable[..., None], str]] = []
"""Commands, and what stands below their help."""
Written = tuple[str, dict[str, Any]]
"""What to say of a table that a command wrote, and the same for JSON."""


def command(run: Callable[..., Any]) -> Callable[..., None]:
    """Make a command of a function, with the options that commands share.

    A function that takes `how` gets all options of reading as a `Reading`, and its
    argument `votes` or `data` is the path of a copy where that is ``-``. A result that it
    returns is shown, or written to `output`. The last paragraph of its docstring is an
    example.
    """
    called = signature(run, eval_str=True)
    own, writes = called.parameters, called.return_annotation == Written
    shows = called.return_annotation is Any
    folded: dict[str, Any] = READING if "how" in own else {}
    if "data" in own:
        folded = {"format": READING["format"]}
    has_file = shows and ("output" not in own or own["output"].annotation is not Path)
    shared = folded | (RESULT if has_file else {}) | RUN

    @wraps(run)
    def call(ctx: typer.Context, **given: Any) -> None:
        json, quiet = given.pop("json"), given.pop("quiet")
        kind = given.pop("format", "csv")
        shell = Shell(ctx.info_name or "", kind, json=json, quiet=quiet)
        _check_outputs(given)
        name = next((name for name in ("votes", "data") if name in given), None)
        if kind in TOOLS and name != "votes":
            raise ParameterError(
                f"{kind} is for commands that read votes.", parameter="format"
            )
        shell.source = given.get(name or "", "")
        shell.output = output = given.get("output")
        overwrite = given.get("overwrite", False)
        if writes and json and output == STREAM:
            raise ParameterError("--json and --output - both write to standard output.")
        if has_file:
            shell.check_result_file(output, overwrite)
        if "how" in own:
            shell.reading = reading_words({**given, "format": kind})
            given["how"] = _read_options(given, shell)
        for option in READERS.keys() & (own.keys() - folded.keys()):
            given[option] = READERS[option](given[option])
        with (
            spool_input(given.get(name or ""), kind) as source,
            spool_output(str(output), kind)
            if writes
            else nullcontext(output) as target,
            shell.work() if writes or shows else nullcontext(),
        ):
            given |= {"output": target} | ({} if name is None else {name: source})
            result = run(**{n: shell if n == "shell" else given[n] for n in own})
        if writes:
            said, facts = result
            where = "standard output" if output == STREAM else output
            shell.say(f"{said}\nwrote {where}")
            shell.give_json({**facts, "output": output})
        elif shows:
            shell.give(result, output if has_file else None, overwrite=overwrite)
        shell.say_next()

    mine = {
        p.name: (p.annotation, p.default)
        for p in own.values()
        if p.name not in ("how", "shell")
    }
    made = [
        parameter(run.__name__, n, *each, folded=n in folded)
        for n, each in (shared | mine).items()
    ]
    made.sort(key=lambda p: place_in_help(p.annotation.__metadata__[0]))
    context = Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    named = [context, *made]
    call.__signature__ = called.replace(parameters=named)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in named}
    said = [" ".join(part.split()) for part in (run.__doc__ or "").split("\n\n")]
    example = said.pop()
    call.__doc__ = "\n\n".join(said)
    if "how" in own:
        example += (
            "\n\nHow the file is read (--signals, --id, --task, --classes and more): "
            "corral help reading"
        )
    if rare := [flag_of(name) for name in own if name in SELDOM]:
        example += f"\n\nMore options ({', '.join(rare)}): corral help more"
    COMMANDS.append((call, example))
    return call


def reading_words(told: dict[str, Any]) -> list[str]:
    """The options of reading as they were typed, for the next command."""
    words: list[str] = []
    for name, (_, default) in READING.items():
        value = told.get(name)
        if value in (None, [], default):
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [flag_of(name)] if each is True else [flag_of(name), str(each)]
    return words


def _read_options(told: dict[str, Any], shell: Shell) -> Any:
    """The options of reading, as the library takes them."""
    if told["separator"] is not None and shell.command not in SETS:
        raise ParameterError(f"--separator is for votes of {', '.join(SETS)}.")
    given: dict[str, Any] = {name: told[name] for name in READING if name in told}
    given |= {name: told[name] or None for name in ("signals", "id")}
    given["abstain"] = split_lists(told["abstain"])
    given["classes"] = split_list(told["classes"]) or None
    given["format"] = shell.kind if shell.kind in TOOLS else None
    from corral.io.reader import Reading

    return Reading(**given, announce=shell.announce)


def _check_outputs(given: dict[str, Any]) -> None:
    """Refuse, before any work, outputs that replace an input or each other."""
    sources = ("votes", "data", "functions", "model", "labels", "against", "since")
    taken = [p for n in (*sources, "gold") if (p := given.get(n)) not in (None, STREAM)]
    for name in ("output", "junit", "save"):
        path = given.get(name)
        if path in (None, STREAM):
            continue
        check_output(path, inputs=taken, overwrite=given.get("overwrite", False))
        taken.append(path)


@command
def apply(
    functions: Path,
    data: str,
    output: str,
    shell: Shell,
    on_error: Literal["raise", "abstain"] = "raise",
    keep: list[str] | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> Written:
    """Apply functions to the rows of a file, and write their votes.

    The Python file is run, so run only files that you trust. Writes every column of the
    data, and one per function, empty where it abstains.

    Example: corral apply rules.py messages.csv -o votes.csv --prefix rule_
    """
    from corral.api import apply_file

    done = apply_file(
        functions,
        data,
        output,
        keep=keep,
        prefix=prefix,
        overwrite=overwrite,
        on_error=on_error,
    )
    chosen = ["--signals", f"{prefix}*"] if prefix else ["--id", ",".join(done.kept)]
    soft = ["--probabilities"] if done.probabilities else []
    shell.then("label", "-o", "labels.csv", *chosen, *soft, source=shell.output)
    return str(done), done.to_dict()


@command
def inspect(
    votes: str,
    how: Any,
    shell: Shell,
    gold: str | None = None,
    agreement: bool = False,
    advise: bool = False,
    error_rate: list[str] | None = None,
) -> Any:
    """Show what signals do, and which to mend.

    With --gold also how often signals err, and on what. A page (-o signals.html) has more:
    how far signals agree, which repeat others, and what every one adds.

    Example: corral inspect votes.csv --gold human
    """
    from corral import api

    found = api.inspect(
        votes,
        gold=gold,
        show=["agreement"] * agreement + ["advice"] * advise,
        error_rates=error_rate,
        **vars(how),
    )
    use_labels(shell, gold)
    return found


def use_labels(shell: Shell, gold: str | None) -> None:
    """What comes after a look at votes: labels by hand, or labels that learn from them."""
    if gold is not None:
        shell.then("label", "-o", "labels.csv", "--gold", gold)
    elif "--separator" not in shell.reading:  # nothing learns from sets of classes
        shell.then("suggest", "-o", "rows.csv")


@command
def suggest(
    votes: str,
    how: Any,
    shell: Shell,
    k: int = 50,
    gold: str | None = None,
    text: str | None = None,
    output: str | None = None,
) -> Any:
    """Draw random rows to label by hand.

    Fill in the column `label` of the file; --gold of all commands takes it. A column `row`
    has numbers of rows: row 1 is the first. As the rows are random, they also measure how
    often labels and signals are right. With --gold rows that have a true label are not
    drawn again; they stand below the new ones, with their labels.

    Example: corral suggest votes.csv 50 -o rows.csv
    """
    from corral import api
    from corral.io.reader import is_gold_file

    found = api.suggest(votes, k, gold=gold, text=text, **vars(how))
    if output is None:
        shell.then("suggest", str(k), "-o", "rows.csv")
    else:
        known = ["--id", gold] if gold is not None and not is_gold_file(gold) else []
        shell.then("label", "-o", "labels.csv", "--gold", output, *known)
        shell.remark = (
            "Fill in the column `label` (row 1 is the first). Random rows also measure "
            "the labels."
        )
    return found


@command
def label(
    votes: str,
    output: str,
    how: Any,
    shell: Shell,
    gold: str | None = None,
    method: str = "constrained",
    error_rate: list[str] | None = None,
    class_balance: str | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> Written:
    """Label the rows of a file from the votes in its columns.

    Writes every column of the file, and p_CLASS, label, confidence and covered. With --gold
    labels learn from the rows that have a true label, and these keep it. A file of
    an annotation tool comes back with suggestions, unless the output is a table.

    Example: corral label votes.csv -o labels.csv --gold rows.csv
    """
    from corral.api import label_files

    sets = how.separator is not None
    labeler = choose_labeler(
        method, error_rate, class_balance=class_balance, multilabel=sets or None
    )
    found = label_files(
        votes, output, how, labeler, gold=gold, overwrite=overwrite, prefix=prefix
    )
    if gold is None:
        use_labels(shell, gold)
    elif found.text is None or shell.output == STREAM:
        shell.then("report", "-o", "report.html", "--gold", gold)
    else:
        words = ["--text", found.text, "--gold", gold, "-o", "model.corral"]
        shell.then("train", *words, source=shell.output)
    return str(found), found.to_dict()


@command
def train(
    labels: str,
    output: Path,
    shell: Shell,
    text: str | None = None,
    gold: str | None = None,
    signals: list[str] | None = None,
    overwrite: bool = False,  # noqa: ARG001 - `command` looks at it
    seed: int = 0,
) -> Any:
    """Train a classifier of texts on the labels that corral label wrote.

    It predicts rows without any vote, too. With --gold it says how often it is right, on
    rows that it was not trained on; which rows to read, and which signals it contradicts.

    Example: corral train labels.csv --gold human -o model.corral
    """
    import corral

    found = corral.train(
        labels, text=text, gold=gold, signals=signals, random_state=seed
    )
    found.save(output)
    shell.remark = f"wrote {output}; it labels other rows, here those of a file new.csv"
    shell.then("predict", "new.csv", "-o", "predicted.csv", source=str(output))
    return found


@command
def predict(
    model: Path,
    data: str,
    output: str,
    text: str | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> Written:
    """Predict the classes of new rows by a classifier that corral train wrote.

    Writes every column of the data, and p_CLASS, label and confidence.

    Example: corral predict model.corral new.csv -o predicted.csv
    """
    from corral.training.trained_classifier import TrainedClassifier

    counts = TrainedClassifier.load(model).predict_file(
        data, output, text=text, prefix=prefix, overwrite=overwrite
    )
    rows = sum(counts.values())
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{rows:,} rows: {said}", {"rows": rows, "labels": counts}


@command
def report(
    votes: str,
    how: Any,
    shell: Shell,
    output: str | None = None,
    gold: str | None = None,
    text: str | None = None,
    method: str = "constrained",
    error_rate: list[str] | None = None,
) -> Any:
    """Say how good labels are, what to do next, and what to read.

    As a page that needs no network, as text or as JSON. Rows stay in the file, but for the
    few that are shown. No method sees a gold label.

    Example: corral report votes.csv -o report.html --gold human
    """
    from corral import api

    found = api.report(
        votes,
        gold=gold,
        text=text,
        labeler=choose_labeler(method, error_rate),
        **vars(how),
    )
    summary = found.summary
    use_labels(shell, gold if summary.is_measured else None)
    words = shell.next_words()
    call = ["corral", *sys.argv[1:]]
    if output is None:
        shell.then("")  # the report says it
    else:
        shell.say(summary.verdict)
        # Pages are shared: they name files, not the folders of this machine.
        folders = re.compile(r"(^|=|^-o)([a-zA-Z]:)?[/\\].*[/\\]")
        call, words = (
            [folders.sub(r"\1", word) for word in each] for each in (call, words)
        )
    return replace(
        found,
        summary=replace(summary, next_command=shlex.join(words)),
        provenance=found.provenance | {"command": shlex.join(call)},
    )


@command
def explain(
    votes: str,
    row: str,
    how: Any,
    shell: Shell,
    gold: str | None = None,
    error_rate: list[str] | None = None,
) -> Any:
    """Say which signals moved the label of a row.

    Labels by estimated or given error rates.

    Example: corral explain votes.csv 12
    """
    from corral.api import explain_row

    shell.then("inspect", *(["--gold", gold] if gold else []))
    labeler = choose_labeler("constrained", error_rate)
    return explain_row(votes, row, how, labeler, gold)


@command
def compare(
    votes: str,
    gold: str,
    how: Any,
    shell: Shell,
    methods: str = "own",
) -> Any:
    """Score many methods against gold labels.

    No method sees a gold label.

    Example: corral compare votes.csv --gold human
    """
    from corral import study

    named = methods if methods == "own" else split_list(methods)
    found = study.compare(votes, gold, named, **vars(how))
    best = found.winner
    learns = best in (None, "constrained") and how.separator is None
    how_to = ["--gold", gold] if learns else ["--method", best or "constrained"]
    shell.then("label", "-o", "labels.csv", *how_to)
    return found


@command
def panel(
    votes: str,
    gold: str,
    how: Any,
    shell: Shell,
    by: list[str] | None = None,
    sampling: str | None = None,
    ordered: bool = False,
    require: list[str] | None = None,
    junit: str | None = None,
    system: str | None = None,
    against: str | None = None,
    automate: float | None = None,
    confidence: float = 0.9,
    since: str | None = None,
    look: int | None = None,
    save: str | None = None,
    level: float = 0.9,
    output: str | None = None,
    overwrite: bool = False,
    seed: int = 0,
) -> None:
    """Say what judges are worth, by some human labels of rows drawn at random.

    How far judges agree with people, the share of every class, how far judges repeat each
    other, with intervals. With --require it ends with 0 if all requirements hold, 1 if one
    fails, 3 if labels are too few to say.

    Example: corral panel verdicts.csv --gold human --by topic
    """
    if junit is not None and not require:
        raise ParameterError("goes with --require.", parameter="junit")
    plain = Path((output or "").lower().removesuffix(".gz"))
    is_table = plain.suffix in KINDS
    if not is_table:
        shell.check_result_file(output, overwrite and junit is save is None)
    with shell.work():
        from corral import api

        found = api.panel(
            votes,
            gold=split_list(gold) if "," in gold else gold,
            slices=by,
            sampling=sampling,
            ordered=ordered,
            require=require,
            system=system,
            against=against,
            automate=automate,
            confidence=confidence,
            since=since,
            look=look,
            level=level,
            random_state=seed,
            output=output if is_table else None,
            overwrite=overwrite,
            **vars(how),
        )
    # Files first: who reads the output may stop.
    if save is not None:
        found.save(save)
    if found.gate is not None and junit is not None:
        found.gate.write_junit(junit, overwrite=overwrite)
    shell.give(found, None if is_table else output, overwrite=overwrite)
    if is_table:
        shell.say(f"wrote {output}")
    told = {"gold": gold, "by": ",".join(by or ()), "system": system}
    told["sampling"] = sampling
    words = [word for n, each in told.items() if each for word in (flag_of(n), each)]
    words += ["--ordered"] * ordered
    if save is not None:
        words += [*shell.reading, "--since", save]
        shell.then("panel", *words, source="new.csv")
    elif is_table or how.task is not None or against is not None:
        shell.then("panel", *words, "--save", "old.panel")
    else:
        share = str(automate or SHARE_TO_AUTOMATE)
        shell.then("panel", *words, "--automate", share, "-o", "rows.csv")
    if found.gate is not None:
        if found.gate.verdict == "open" and how.task is None and against is None:
            settled = max(each.labels or 0 for each in found.gate.requirements)
            more = str(max(settled - found.n_labelled, 1))
            shell.then("suggest", more, "-o", "rows.csv", "--gold", gold)
        shell.say_next()
        raise typer.Exit(found.gate.exit_code)


@command
def rank(
    data: str,
    a: str | None = None,
    b: str | None = None,
    winner: str = "winner",
    judge: str | None = None,
    first: str = "a",
    no_order: bool = False,
    task: str | None = None,
    verdict: list[str] | None = None,
    level: float = 0.9,
    people: list[str] | None = None,
    *,
    shell: Shell,
) -> Any:
    """Rank items by comparisons of pairs, and say what the judges are worth.

    Strengths with intervals, every judge's reliability and position bias, and a soft
    preference for every pair.

    Example: corral rank arena.csv --judge judge
    """
    import corral

    meanings: Any = verdict  # as `READERS` made it
    told = {"a": a, "b": b, "judge": judge, "task": task}
    words = [word for n, each in told.items() if each for word in (flag_of(n), each)]
    words += [word for each in people or () for word in ("--people", each)]
    if shell.output is None and winner == "winner" and first == "a" and not verdict:
        shell.then("rank", *words, "-o", "ranking.html")
    return corral.preferences(
        data,
        a=a,
        b=b,
        winner=winner,
        judge=judge,
        first=None if no_order else first,
        task=task,
        verdicts=meanings,
        level=level,
        people=people or (),
    )


@command
def serve(
    file: Path,
    shell: Shell,
    text: str | None = None,
    classes: str | None = None,
    functions: Path | None = None,
    project: Path | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool | None = None,
) -> None:
    """Write rules on a page and watch the labels move.

    Serves the page on this machine, until Ctrl-C. Every act is saved at once in the project
    file; the data are only read. A Python file of functions is run, so run only files that
    you trust.

    Example: corral serve reviews.csv --text text --classes neg,pos
    """
    absent = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if absent:
        raise ParameterError(
            f"corral serve needs {' and '.join(absent)}: pip install {' '.join(absent)}."
        )
    with shell.work():
        from corral.workbench import Workbench

        bench = Workbench.open(
            file,
            text=text,
            project=project,
            classes=None if classes is None else tuple(split_list(classes)),
            functions=functions,
        )
    with closing(bench):
        from corral.workbench.server import WorkbenchServer
        from corral.workbench.server.guard import is_loopback

        server = WorkbenchServer(bench, host=host, port=port)
        access, kept = server.access, bench.state()["project"]
        if not shell.json:
            print(access.address)
        shell.give_json({"address": access.address, "project": kept})
        sys.stdout.flush()  # the command goes on until it is stopped
        shell.say(f"work is kept in {kept}\nPress Ctrl-C to stop; your work is saved.")
        if not is_loopback(access.host):
            shell.say(
                f"warning: others can connect to {access.host} and read what is sent. A "
                "tunnel is safer: ssh -L 8765:127.0.0.1:8765 THIS_MACHINE"
            )
        if browser or (browser is None and sys.stderr.isatty() and not shell.json):
            webbrowser.open(access.address_once)
        server.run()


@command
def demo(shell: Shell, folder: Path | None = None) -> Any:
    """Go the whole road in half a minute, from texts to a classifier.

    Made-up messages, rules that err, labels by corral and by a majority vote, and a
    classifier on each. With --folder also writes the messages and the rules there.

    Example: corral demo --folder road
    """
    from corral.cli.demo import NEXT, run_demo

    wrote = f"wrote messages.csv, new.csv and rules.py in {folder}\n" if folder else ""
    shell.remark = f"{wrote}\n{NEXT}"
    return run_demo(folder)


def choose_labeler(method: str, error_rates: Any, **options: Any) -> Labeler:
    """The labeler of a name, with the options that were typed."""
    from corral.checks import check_choice
    from corral.labelers import labeler_of

    check_choice("labeler", method, METHODS)
    if error_rates != "auto":
        options["error_rates"] = error_rates
    return labeler_of(method, **{n: v for n, v in options.items() if v is not None})
