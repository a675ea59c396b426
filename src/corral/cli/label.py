"""``corral label``: a file of votes in, the same file with labels out."""

from __future__ import annotations

import time
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    ENGINES,
    LABELS,
    METHODS,
    OUTPUT,
    READING,
    SOLVERS,
    ErrorRates,
    EscapeFormulas,
    Method,
    Output,
    Overwrite,
    VotesFile,
)
from corral.cli.shell import Shell
from corral.cli.streams import STREAM, TOOLS, spool_output
from corral.errors import ParameterError
from corral.text_table import printable

if TYPE_CHECKING:
    from corral.labelers import Labeler

# What reads and labels is imported where it is used, so that --help does not wait for it.

MOST_SIGNALS = 30
"""Lines of the table of signals."""


@takes_votes
def label(
    votes: VotesFile,
    output: Output,
    reading: dict[str, Any],
    shell: Shell,
    method: Method = "constrained",
    error_rate: ErrorRates = None,
    class_balance: Annotated[
        str | None,
        typer.Option(
            metavar="SHARES",
            rich_help_panel=LABELS,
            help="Shares of the classes that labels have, e.g. 0.7,0.3.",
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(SOLVERS),
            rich_help_panel=LABELS,
            help=f"{', '.join(SOLVERS)}; default adagrad for given rates.",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            rich_help_panel=LABELS,
            help="Steps of the solver; default 200.",
        ),
    ] = None,
    scale_free: Annotated[
        bool,
        typer.Option(
            "--scale-free",
            rich_help_panel=LABELS,
            help="Adagrad: for millions of rows.",
        ),
    ] = False,
    save_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Also save what labels, for corral explain --model and Labeler.load.",
        ),
    ] = None,
    keep_order: Annotated[
        bool | None,
        typer.Option(
            rich_help_panel=OUTPUT,
            help="Default: keep the order of up to 5 million rows.",
        ),
    ] = None,
    prefix: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=OUTPUT,
            help="In front of the added columns.",
        ),
    ] = "",
    to: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(TOOLS),
            rich_help_panel=OUTPUT,
            help="Of an annotation tool's file: write for another tool.",
        ),
    ] = None,
    learn_known: Annotated[
        bool,
        typer.Option(
            "--learn-known",
            rich_help_panel=LABELS,
            help="Of an annotation tool's file: learn error rates from its true labels.",
        ),
    ] = False,
    overwrite: Overwrite = False,
    escape_formulas: EscapeFormulas = False,
    engine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(ENGINES),
            rich_help_panel=READING,
            help=" or ".join(ENGINES),
        ),
    ] = "duckdb",
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            rich_help_panel=READING,
            help="What DuckDB may use, e.g. 2GB.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", rich_help_panel=READING, help="Default: all."
        ),
    ] = None,
) -> None:
    """Label the rows of a file from the votes in its columns.

    Writes every column of the file, and p_CLASS, label, confidence and covered. A file of
    an annotation tool comes back with suggestions, unless the output is a table.
    """
    from corral.checks import check_choice
    from corral.cli.reading import read_rates, read_shares
    from corral.front_door.label import label_file

    began = time.perf_counter()
    shell.check_output(output)
    check_choice("labeler", method, METHODS)
    if to is not None:
        check_choice("to", to, TOOLS)
    rates = read_rates(error_rate)
    shares = read_shares(class_balance)

    def make(known: Any = None) -> Labeler:
        given = rates if known is None else known
        return make_labeler(
            *(method, given, shares, solver, iterations, scale_free),
            multilabel=reading["separator"] is not None,
        )

    found = shell.annotations
    if found is not None and _is_for_tool(output, to or shell.kind):
        from corral.front_door.annotations import label_annotations

        _refuse_of_tables(
            prefix=prefix or None,
            keep_order=keep_order,
            engine=None if engine == "duckdb" else engine,
            memory_limit=memory_limit,
            threads=threads,
            escape_formulas=escape_formulas or None,
        )
        if learn_known and (method != "constrained" or rates != "auto"):
            raise ParameterError(
                "is for --method constrained without --error-rate.",
                parameter="learn_known",
            )
        with shell.work(), spool_output(output, to or shell.kind) as target:
            suggested = label_annotations(
                found,
                target,
                make,
                format=to,
                learn=learn_known,
                overwrite=overwrite,
                save_model=save_model,
            )
        _show(shell, suggested.to_dict() | {"output": output}, began)
        return
    if to is not None or learn_known:
        raise ParameterError(
            "is for files of annotation tools in and out, and this is a table.",
            parameter="learn_known" if to is None else "to",
        )
    with shell.work(), spool_output(output, shell.kind) as target:
        done = label_file(
            votes,
            target,
            shell.read(reading),
            make,
            overwrite=overwrite,
            save_model=save_model,
            prefix=prefix,
            keep_order=keep_order,
            engine=engine,
            memory_limit=memory_limit,
            threads=threads,
            escape_formulas=escape_formulas,
        )
    _show(shell, done.to_dict() | {"output": output}, began)


def _is_for_tool(output: str, kind: str) -> bool:
    """Whether an output is for an annotation tool: told so, or it is no table."""
    if output == STREAM:
        return kind in TOOLS
    return Path(output).suffix.lower() not in (".csv", ".tsv", ".parquet")


def _refuse_of_tables(**given: Any) -> None:
    """Refuse options that only say how tables are written."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                "is for tables, not for files of annotation tools.", parameter=name
            )


def _show(shell: Shell, found: dict[str, Any], began: float) -> None:
    """The table of signals and the summary, or all as JSON."""
    shell.console.print(_signal_table(found["signals"]))
    seconds = time.perf_counter() - began
    shell.say(_summarise(found, seconds))
    shell.give_json(found | {"seconds": seconds})


def _signal_table(signals: list[dict[str, Any]]) -> Table:
    """Coverage, conflicts and errors of every signal: expected, and under the labels."""
    table = Table(title=None, box=None, pad_edge=False, header_style="bold")
    table.add_column("signal")
    expected = "expected_error" in signals[0]
    estimated = "rate_source" in signals[0]
    headings = ["coverage", "conflicts"]
    headings += ["expected error"] * expected + ["which is"] * estimated
    for heading in (*headings, "under labels"):
        table.add_column(heading, justify="right")
    for line in signals[:MOST_SIGNALS]:
        implied, rate = line["implied_error"], line.get("expected_error")
        table.add_row(
            Text(printable(line["signal"])),
            f"{line['coverage']:.1%}",
            f"{line['conflicts']:.1%}",
            *(["" if rate is None else f"{rate:.3f}"] if expected else []),
            *([line["rate_source"]] if estimated else []),
            "never votes" if implied is None else f"{implied:.3f}",
        )
    if len(signals) > MOST_SIGNALS:
        table.add_row(f"and {len(signals) - MOST_SIGNALS} more")
    return table


def _summarise(found: dict[str, Any], seconds: float) -> str:
    """Rows, labels, how they were found, and how long it took."""
    rows = found["rows"]
    counts = ", ".join(
        f"{line['rows']:,.0f} {line['label']}" for line in found["labels"]
    )
    where = "standard output" if found["output"] == STREAM else found["output"]
    lines = [
        f"\n{rows:,} rows, {found['patterns']:,} distinct vote patterns, "
        f"{found['covered']:.1%} covered, {found['tied']:.1%} of those tied",
        f"labels: {counts}",
    ]
    if found["sampled_rows"] is not None:
        lines.append(
            f"fitted on a sample of {found['sampled_rows']:,} rows, which these shares and "
            "counts are estimated from"
        )
    if found["rounding"] is not None:
        lines.append(
            f"rounding moved probabilities by {found['rounding']:.3g} on average"
        )
    if found.get("accuracy_known") is not None:
        lines.append(
            f"{found['accuracy_known']:.1%} right on the {found['scored']:,} examples with "
            "a vote whose true class is known"
        )
    speed = f"{rows / seconds:,.0f} rows per second"
    lines += [found["note"], f"wrote {where} in {seconds:.1f} s ({speed})"]
    return "\n".join(lines)


def make_labeler(
    method: str,
    rates: float | str | dict[str, float],
    shares: list[float] | None = None,
    solver: str | None = None,
    iterations: int | None = None,
    scale_free: bool = False,
    *,
    multilabel: bool = False,
) -> Labeler:
    """The labeler of a name; rates and solvers are for constrained labeling only."""
    load_scikit_learn()
    from corral.labelers import LABELERS, labeler_of

    if (
        shares is not None
        and "class_balance" not in signature(LABELERS[method]).parameters
    ):
        raise ParameterError(f"--class-balance is not for --method {method}.")
    options: dict[str, Any] = {} if shares is None else {"class_balance": shares}
    if multilabel:
        options["multilabel"] = True
    if method == "constrained":
        chosen = _solver(rates, solver, iterations, scale_free)
        return labeler_of(method, error_rates=rates, solver=chosen, **options)
    if solver is not None or iterations is not None or scale_free:
        raise ParameterError(
            f"--solver, --iterations and --scale-free are not for --method {method}."
        )
    if method == "weighted-vote":
        return labeler_of(method, accuracies=_accuracies(rates), **options)
    if rates != "auto":
        raise ParameterError(f"--error-rate is not for --method {method}.")
    return labeler_of(method, **options)


def _accuracies(rates: float | str | dict[str, float]) -> float | dict[str, float]:
    """What error rates leave to one."""
    if isinstance(rates, str):
        raise ParameterError("--method weighted-vote needs --error-rate, as numbers.")
    each = rates.values() if isinstance(rates, dict) else [rates]
    if not all(0 < rate < 1 for rate in each):
        raise ParameterError(
            "--method weighted-vote takes an --error-rate above 0 and below 1, as a vote "
            "that is always right, or wrong, could never be outvoted."
        )
    if isinstance(rates, dict):
        return {name: 1 - rate for name, rate in rates.items()}
    return 1 - rates


def _solver(
    rates: Any, name: str | None, iterations: int | None, scale_free: bool
) -> Any:
    """The solver with its options; None: that of the labeler."""
    from corral.solvers import Adagrad, solver_of

    if name is None and iterations is None and not scale_free:
        return None
    if name is None and rates == "auto":
        raise ParameterError(
            "--iterations and --scale-free are options of a solver, and estimated error "
            "rates come with their labels. Give --error-rate or --solver."
        )
    found = solver_of(name or "adagrad")
    if scale_free and not isinstance(found, Adagrad):
        raise ParameterError(f"--scale-free is for adagrad, not for {name}.")
    changed = {"iterations": iterations, "scale_free": scale_free or None}
    return replace(found, **{k: v for k, v in changed.items() if v is not None})
