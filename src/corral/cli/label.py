"""``corral label``: a file of votes in, the same file with labels out."""

from __future__ import annotations

import time
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corral.cli.late_imports import load_scikit_learn
from corral.cli.option_groups import takes_votes
from corral.cli.options import (
    LABELS,
    METHODS,
    OUTPUT,
    READING,
    SOLVERS,
    ErrorRates,
    Method,
    Output,
    Overwrite,
    VotesFile,
)
from corral.cli.shell import Shell
from corral.cli.streams import STREAM, TOOLS, spool_output
from corral.errors import ParameterError

if TYPE_CHECKING:
    from corral.front_door.label_facts import LabelFacts
    from corral.labelers import Labeler

# What reads and labels is imported where it is used, so that --help does not wait for it.


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
            memory_limit=memory_limit,
            threads=threads,
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
        _show(shell, suggested, output, began)
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
            memory_limit=memory_limit,
            threads=threads,
        )
    _show(shell, done, output, began)


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


def _show(shell: Shell, found: LabelFacts, output: str, began: float) -> None:
    """What was found, or all as JSON; and where it was written, how fast."""
    seconds = time.perf_counter() - began
    where = "standard output" if output == STREAM else output
    speed = f"{found.rows / seconds:,.0f} rows per second"
    shell.say(f"{found}\nwrote {where} in {seconds:.1f} s ({speed})")
    shell.give_json({**found.to_dict(), "output": output, "seconds": seconds})


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
