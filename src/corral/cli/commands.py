"""The commands: each reads, lets the library work, and shows the result.

What reads and labels is imported where it is used, so that --help does not wait for it.
"""

from __future__ import annotations

import re
import shlex
import sys
import time
import webbrowser
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import wraps
from importlib.util import find_spec
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from corral.cli.options import (
    METHODS,
    READING,
    RESULT,
    RUN,
    SETS,
    STREAM,
    TOOLS,
    parameter,
    place_in_help,
    read_classes,
    read_pairs,
    read_rates,
    read_shares,
    split_list,
    split_lists,
)
from corral.cli.output import Shell, name_input, spool_input, spool_output
from corral.errors import ParameterError
from corral.storage import check_output

if TYPE_CHECKING:
    from corral.labelers import Labeler

COMMANDS: list[Callable[..., None]] = []


def command(run: Callable[..., Any]) -> Callable[..., None]:
    """Make a command of a function, with the options that commands share.

    A function that takes `how` gets all options of reading as a `Reading`, and its
    argument `votes` or `data` is the path of a copy where that is ``-``. What it returns
    is shown, or written to its `output`.
    """
    called = signature(run, eval_str=True)
    own, shows = called.parameters, called.return_annotation is not None
    shared = (READING if "how" in own else {}) | (RESULT if shows else {}) | RUN

    @wraps(run)
    def call(ctx: typer.Context, **given: Any) -> None:
        kind, json, quiet = (given.pop(name) for name in ("format", "json", "quiet"))
        shell = Shell(ctx.info_name or "", kind, json=json, quiet=quiet)
        _check_outputs(given)
        name = next((name for name in ("votes", "data") if name in given), None)
        if kind in TOOLS and name != "votes":
            raise ParameterError(
                f"{kind} is for commands that read votes.", parameter="format"
            )
        output, overwrite = given.get("output"), given.get("overwrite", False)
        if shows:
            shell.check_result_file(output, overwrite and not given.get("suggest_to"))
        if "how" in own:
            given["how"] = _read_options(given, shell)
        with spool_input(given.get(name or ""), kind) as path:
            if name is not None:
                given[name] = path
            mine = {n: shell if n == "shell" else given[n] for n in own}
            if not shows:
                run(**mine)
                return
            with shell.work():
                result = run(**mine)
            shell.give(result, output, overwrite=overwrite)

    mine = {
        p.name: (p.annotation, p.default)
        for p in own.values()
        if p.name not in ("how", "shell")
    }
    made = [parameter(run.__name__, n, *each) for n, each in (shared | mine).items()]
    made.sort(key=lambda p: place_in_help(p.annotation.__metadata__[0]))
    context = Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    named = [context, *made]
    call.__signature__ = called.replace(parameters=named)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in named}
    COMMANDS.append(call)
    return call


def _read_options(told: dict[str, Any], shell: Shell) -> Any:
    """The options of reading, as the library takes them."""
    if told["separator"] is not None and shell.command not in SETS:
        raise ParameterError(
            f"--separator is for votes of {', '.join(SETS)}, not for this."
        )
    given: dict[str, Any] = {name: told[name] for name in READING}
    given |= {name: told[name] or None for name in ("signals", "id")}
    given["abstain"] = split_lists(told["abstain"])
    given["classes"] = split_list(told["classes"]) or None
    given["format"] = shell.kind if shell.kind in TOOLS else None
    from corral.io.reader import Reading

    return Reading(**given, announce=shell.announce)


def _check_outputs(given: dict[str, Any]) -> None:
    """Refuse, before any work, outputs that replace an input or each other."""
    sources = ("votes", "data", "functions", "model", "labels", "against", "since")
    taken = [p for n in sources if (p := given.get(n)) not in (None, STREAM)]
    for name in ("output", "suggest_to", "save_model", "junit", "save"):
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
    classes: str | None = None,
    on_error: Literal["raise", "abstain"] = "raise",
    keep: list[str] | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> None:
    """Apply functions to the rows of a file, and write their votes.

    The Python file is run, so run only files that you trust. Writes every column of the
    data, and one per function, empty where it abstains.
    """
    shell.check_stream(output)
    with shell.work(), spool_output(output, shell.kind) as target:
        from corral.api import apply_file

        done = apply_file(
            functions,
            data,
            target,
            keep=split_lists(keep),
            prefix=prefix,
            overwrite=overwrite,
            classes=read_classes(classes),
            on_error=on_error,
        )
    said = str(done)
    if output != STREAM:
        chosen = f"--signals {shlex.quote(f'{prefix}*')}"
        if not prefix:
            chosen = f"--id {shlex.quote(','.join(done.kept))}"
        soft = " --probabilities" if done.probabilities else ""
        said += (
            f"\nnext: corral label {shlex.quote(output)} -o labels.csv {chosen}{soft}"
        )
    shell.say(said)
    shell.give_json({**done.to_dict(), "output": output})


@command
def inspect(
    votes: str,
    how: Any,
    gold: str | None = None,
    agreement: bool = False,
    advise: bool = False,
    metric: str = "nominal",
    level: float = 0.9,
    resamples: int = 1000,
    seed: int = 0,
    error_rate: list[str] | None = None,
    suggest: int | None = None,
    suggest_to: Path | None = None,
) -> Any:
    """Show what every signal does, how far signals agree, and what to do next.

    With --gold also how often signals err, and on what. Advice labels the rows in several
    ways and says what changes.
    """
    if suggest_to is not None and suggest is None:
        raise ParameterError("--suggest-to goes with --suggest, the number of rows.")
    if suggest_to is not None and suggest_to.suffix.lower() not in (".csv", ".tsv"):
        raise ParameterError(
            "--suggest-to writes a table to fill in, so its name must end in .csv or .tsv; "
            f"{suggest_to.name!r} was given."
        )
    rates = read_rates(error_rate)
    from corral.api import inspect_file

    found = inspect_file(
        votes,
        how,
        gold,
        show=["agreement"] * agreement + ["advice"] * (advise or suggest is not None),
        error_rates=rates,
        suggest=suggest,
        metric=metric,
        level=level,
        resamples=resamples,
        random_state=seed,
    )
    if suggest_to is not None and found.suggested is not None:
        found.suggested.write_form(suggest_to)
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
    solver: str | None = None,
    iterations: int | None = None,
    save_model: Path | None = None,
    keep_order: bool | None = None,
    prefix: str = "",
    to: str | None = None,
    learn_known: bool = False,
    overwrite: bool = False,
) -> None:
    """Label the rows of a file from the votes in its columns.

    Writes every column of the file, and p_CLASS, label, confidence and covered. With --gold
    labels learn from the rows that have a true label, and these keep it. A file of
    an annotation tool comes back with suggestions, unless the output is a table.
    """
    began = time.perf_counter()
    shell.check_stream(output)
    rates, shares = read_rates(error_rate), read_shares(class_balance)
    with shell.work(), spool_output(output, to or shell.kind) as target:
        from corral.api import label_files

        labeler = make_labeler(
            method, rates, shares, solver, iterations, how.separator is not None
        )
        found = label_files(
            votes,
            target,
            how,
            labeler,
            gold=gold,
            overwrite=overwrite,
            prefix=prefix,
            keep_order=keep_order,
            save_model=save_model,
            to=to,
            learn_known=learn_known,
        )
    seconds = time.perf_counter() - began
    where = "standard output" if output == STREAM else output
    speed = f"{found.rows / seconds:,.0f} rows per second"
    shell.say(f"{found}\nwrote {where} in {seconds:.1f} s ({speed})")
    shell.give_json({**found.to_dict(), "output": output, "seconds": seconds})


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
) -> None:
    """Train a classifier of texts on the labels that corral label wrote.

    It predicts rows without any vote, too. With --gold it says how often it is right, on
    rows that it was not trained on; which rows to read, and which signals it contradicts.

    Example: corral train labels.csv --gold human -o model.corral
    """
    with shell.work():
        import corral

        found = corral.train(
            labels,
            text=text,
            gold=gold,
            signals=split_lists(signals),
            random_state=seed,
        )
        found.save(output)
    shell.give(found)
    called = shlex.quote(str(output))
    shell.say(f"wrote {output}\nnext: corral predict {called} new.csv -o predicted.csv")


@command
def predict(
    model: Path,
    data: str,
    output: str,
    shell: Shell,
    text: str | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> None:
    """Predict the classes of new rows by a classifier that corral train wrote.

    Writes every column of the data, and p_CLASS, label and confidence.

    Example: corral predict model.corral new.csv -o predicted.csv
    """
    shell.check_stream(output)
    with shell.work(), spool_output(output, shell.kind) as target:
        from corral.training import TrainedClassifier

        counts = TrainedClassifier.load(model).predict_file(
            data, target, text=text, prefix=prefix, overwrite=overwrite
        )
    rows = sum(counts.values())
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    where = "standard output" if output == STREAM else output
    shell.say(f"{rows:,} rows: {said}\nwrote {where}")
    shell.give_json({"rows": rows, "labels": counts, "output": output})


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
    title: str | None = None,
    seed: int = 0,
) -> Any:
    """Say how good labels are, what signals do, what to do next, and what to read.

    As a page that needs no network, as text or as JSON. Rows stay in the file, but for the
    few that are shown. No method sees a gold label.
    """
    # Pages are shared: they name files, not the folders of this machine.
    folders = re.compile(r"(^|=|^-o)([a-zA-Z]:)?[/\\].*[/\\]")
    call = [folders.sub(r"\1", given) for given in sys.argv[1:]]
    labeler = make_labeler(method, read_rates(error_rate))
    from corral import api

    found = api.report(
        votes,
        gold=gold,
        text=text,
        labeler=labeler,
        title=title or name_input(votes),
        random_state=seed,
        command=shlex.join(["corral", *call]),
        **vars(how),
    )
    if output is not None:
        shell.say(found.summary.verdict)
    return found


@command
def explain(
    votes: str,
    row: str,
    how: Any,
    model: Path | None = None,
    error_rate: list[str] | None = None,
) -> Any:
    """Say which signals moved the label of a row, and how far.

    Labels by estimated or given error rates, or by a saved model. Writes nothing.
    """
    if model is not None and error_rate is not None:
        raise ParameterError("--error-rate is what a saved --model has already.")
    rates = read_rates(error_rate)
    from corral.api import explain_row
    from corral.labelers import ConstrainedLabeler, Labeler

    labeler = ConstrainedLabeler(rates) if model is None else Labeler.load(model)
    return explain_row(votes, row, how, labeler)


@command
def compare(
    votes: str,
    gold: str,
    how: Any,
    methods: str = "own",
    dev_size: int = 0,
    positive: str | None = None,
    seed: int = 0,
) -> Any:
    """Label a file by many methods, and score them against its gold labels.

    No method sees a gold label but for --dev-size.
    """
    from corral import api

    return api.compare(
        votes,
        gold,
        methods if methods == "own" else split_list(methods),
        dev_size=dev_size,
        positive=positive,
        random_state=seed,
        **vars(how),
    )


@command
def panel(
    votes: str,
    gold: str,
    how: Any,
    shell: Shell,
    by: str | None = None,
    sampling: str | None = None,
    class_balance: str | None = None,
    error_rate: list[str] | None = None,
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
    """
    if junit is not None and not require:
        raise ParameterError("goes with --require.", parameter="junit")
    results = (".html", ".json", ".txt", ".svg")
    is_table = output is not None and Path(output).suffix.lower() not in results
    if not is_table:
        shell.check_result_file(output, overwrite and junit is save is None)
    rates = read_rates(error_rate)
    if error_rate and not isinstance(rates, dict):
        raise ParameterError(
            f"takes name=number per judge; {', '.join(error_rate)} was given.",
            parameter="error_rates",
        )
    with shell.work():
        from corral import api

        found = api.panel(
            votes,
            gold=split_list(gold) if "," in gold else gold,
            slices=split_list(by) or None,
            sampling=sampling,
            class_balance=read_shares(class_balance),
            error_rates=rates if isinstance(rates, dict) else None,
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
    shell.give(found, None if is_table else output, overwrite=overwrite)
    if is_table:
        shell.say(f"wrote {output}")
    if save is not None:
        found.save(save)
    if found.gate is not None:
        if junit is not None:
            found.gate.write_junit(junit, overwrite=overwrite)
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
    by: list[str] | None = None,
    counts: str | None = None,
    verdict: list[str] | None = None,
    prior: float = 5.0,
    level: float = 0.9,
    people: list[str] | None = None,
) -> Any:
    """Rank items by comparisons of pairs, and say what the judges are worth.

    Strengths with intervals, every judge's reliability and position bias, and a soft
    preference for every pair.
    """
    import corral

    return corral.preferences(
        data,
        a=a,
        b=b,
        winner=winner,
        judge=judge,
        first=None if no_order else first,
        task=task,
        slices=split_lists(by) or (),
        counts=counts,
        verdicts=read_pairs(verdict, "verdicts", "2=b"),
        prior=prior,
        level=level,
        people=split_lists(people) or (),
    )


@command
def datasets(
    shell: Shell,
    folder: Path | None = None,
) -> None:
    """List the data sets that corral.datasets.load knows."""
    from corral import datasets as library
    from corral.results import Table

    with shell.work():
        found = library.names(folder)
    root = library.data_folder(folder)
    if not shell.json:
        table = Table({"data set": list(found), "files": list(found.values())})
        print(f"folder: {root}\n\n{table}")
    shell.give_json({"folder": str(root), "datasets": found})


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
    """
    absent = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if absent:
        raise ParameterError(
            f"corral serve needs {' and '.join(absent)}: pip install 'corral[serve]'."
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
                f"warning: others can connect to {access.host}, and read what is sent: it "
                "is not encrypted. A tunnel is safer: "
                "ssh -L 8765:127.0.0.1:8765 THIS_MACHINE"
            )
        if browser or (browser is None and sys.stderr.isatty() and not shell.json):
            webbrowser.open(access.address_once)
        server.run()


@command
def demo(shell: Shell, folder: Path | None = None) -> None:
    """Go the whole road in half a minute, from texts to a classifier.

    Made-up messages, rules that err, labels by corral and by a majority vote, and a
    classifier on each. With --folder also writes the messages and the rules there.

    Example: corral demo --folder road
    """
    with shell.work():
        from corral.cli.demo import NEXT, run_demo

        found = run_demo(folder)
    shell.give(found)
    if folder is not None:
        shell.say(f"wrote messages.csv, new.csv and rules.py in {folder}")
    shell.say(f"\n{NEXT}")


def make_labeler(
    method: str,
    rates: float | str | dict[str, float],
    shares: list[float] | None = None,
    solver: str | None = None,
    iterations: int | None = None,
    multilabel: bool = False,
) -> Labeler:
    """The labeler of a name, with the options that it takes."""
    from corral.checks import check_choice
    from corral.labelers import LABELERS, labeler_of
    from corral.solvers import solver_of

    check_choice("labeler", method, METHODS)
    given: dict[str, Any] = {"multilabel": multilabel or None, "class_balance": shares}
    if method == "weighted-vote":
        if isinstance(rates, str):
            raise ParameterError(
                "--method weighted-vote needs --error-rate, as numbers."
            )
        given["accuracies"] = (
            {name: 1 - rate for name, rate in rates.items()}
            if isinstance(rates, dict)
            else 1 - rates
        )
    elif rates != "auto" or method == "constrained":
        given["error_rates"] = rates
    if solver or iterations:
        if solver is None and rates == "auto" and method == "constrained":
            raise ParameterError(
                "--iterations is an option of a solver, and estimated error rates come "
                "with their labels. Give --error-rate or --solver."
            )
        chosen = solver_of(solver or "adagrad")
        given["solver"] = replace(chosen, iterations=iterations or chosen.iterations)
    options = {name: each for name, each in given.items() if each is not None}
    for name in options:
        if name not in signature(LABELERS[method]).parameters:
            raise ParameterError(f"is not for --method {method}.", parameter=name)
    return labeler_of(method, **options)
