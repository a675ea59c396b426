"""``corral label``: a file of votes in, the same file with labels out."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corral.cli.late_imports import load_scikit_learn
from corral.cli.options import (
    ENGINES,
    METHODS,
    SOLVERS,
    ErrorRates,
    VotesFile,
    takes_votes,
)
from corral.errors import ParameterError
from corral.progress import silence
from corral.text_table import printable

if TYPE_CHECKING:
    from corral._label import LabelledFile
    from corral.labelers import Labeler

# What reads and labels is imported where it is used, so that --help does not wait for it.

MOST_SIGNALS = 30
"""Lines of the table of signals."""


@takes_votes
def label(
    votes: VotesFile,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where to write; kind by its ending.")
    ],
    reading: dict[str, Any],
    method: Annotated[
        str, typer.Option(help=f"What labels: {', '.join(METHODS)}.")
    ] = "constrained",
    error_rate: ErrorRates = None,
    class_balance: Annotated[
        str | None,
        typer.Option(help="Shares of the classes that labels have, e.g. 0.7,0.3."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(SOLVERS)}; default adagrad for given rates."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Steps of the solver; default 200.")
    ] = None,
    scale_free: Annotated[
        bool, typer.Option("--scale-free", help="Adagrad: for millions of rows.")
    ] = False,
    keep_order: Annotated[
        bool | None,
        typer.Option(help="Default: keep the order of up to 5 million rows."),
    ] = None,
    prefix: Annotated[str, typer.Option(help="In front of the added columns.")] = "",
    engine: Annotated[str, typer.Option(help=" or ".join(ENGINES))] = "duckdb",
    memory_limit: Annotated[
        str | None, typer.Option(help="What DuckDB may use, e.g. 2GB.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: all.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output if it exists.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing.")
    ] = False,
) -> None:
    """Label the rows of a file from the votes in its columns.

    Writes every column of the file, and p_CLASS, label, confidence and covered.
    """
    from corral._label import label_file
    from corral.checks import check_choice
    from corral.cli.reading import ShellReading, read_rates, read_shares, show_warnings

    began = time.perf_counter()
    console = Console(stderr=True, quiet=quiet)
    check_choice("labeler", method, METHODS)
    rates = read_rates(error_rate)
    shares = read_shares(class_balance)
    with silence() if quiet else nullcontext(), show_warnings(console):
        done = label_file(
            votes,
            output,
            ShellReading.from_options(reading, console),
            lambda: _labeler(method, rates, shares, solver, iterations, scale_free),
            overwrite=overwrite,
            prefix=prefix,
            keep_order=keep_order,
            engine=engine,
            memory_limit=memory_limit,
            threads=threads,
        )
    console.print(_signal_table(done))
    seconds = time.perf_counter() - began
    summary = _summarise(done, f"wrote {output}", seconds)
    console.print(Text(printable(summary, lines=True)), soft_wrap=True)


def _signal_table(done: LabelledFile) -> Table:
    """Coverage, conflicts and errors of every signal: expected, and under the labels."""
    import numpy as np

    from corral.constraints import signal_errors

    labeler, signals = done.labeler, done.signals
    table = Table(title=None, box=None, pad_edge=False, header_style="bold")
    table.add_column("signal")
    expected = getattr(labeler, "error_rates_", None)
    headings = ["coverage", "conflicts", "expected error", "error under labels"]
    for heading in headings if expected is not None else headings[:2] + headings[3:]:
        table.add_column(heading, justify="right")
    implied = signal_errors(signals, labeler.labels_, signals.counts)
    for i, name in enumerate(signals.names[:MOST_SIGNALS]):
        table.add_row(
            Text(printable(name)),
            f"{signals.coverage[i]:.1%}",
            f"{signals.conflicts[i]:.1%}",
            *([] if expected is None else [f"{expected[i]:.3f}"]),
            "never votes" if np.isnan(implied[i]) else f"{implied[i]:.3f}",
        )
    if signals.n_signals > MOST_SIGNALS:
        table.add_row(f"and {signals.n_signals - MOST_SIGNALS} more")
    return table


def _summarise(done: LabelledFile, what: str, seconds: float) -> str:
    """Rows, labels, how they were found, and how long it took."""
    import numpy as np

    labeler, signals, table = done.labeler, done.signals, done.table
    rows = np.asarray(signals.counts)
    values = labeler.decide(labeler.labels_, labeler.covered_)
    counts = ", ".join(
        f"{rows[values == value].sum():,.0f} {value}" for value in labeler.classes_
    )
    covered = np.average(labeler.covered_, weights=rows)
    lines = [
        f"\n{table.n_rows:,} rows, {table.n_patterns:,} distinct vote patterns, "
        f"{covered:.1%} covered, {labeler.tie_share_:.1%} of those tied",
        f"labels: {counts}",
        labeler.note_,
        f"{what} in {seconds:.1f} s ({table.n_rows / seconds:,.0f} rows per second)",
    ]
    if signals.rounding_error is not None:
        off = signals.rounding_error
        lines[2:2] = [f"rounding moved probabilities by {off.mean:.3g} on average"]
    if table.sampled:
        lines[2:2] = [
            f"fitted on a sample of {signals.n_drawn:,} rows, which these shares and "
            "counts are estimated from"
        ]
    return "\n".join(lines)


def _labeler(
    method: str,
    rates: float | str | dict[str, float],
    shares: list[float] | None,
    solver: str | None,
    iterations: int | None,
    scale_free: bool,
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
    if method == "constrained":
        chosen = _solver(rates, solver, iterations, scale_free)
        return labeler_of(method, error_rates=rates, solver=chosen, **options)
    if solver is not None or iterations is not None or scale_free:
        raise ParameterError(
            f"--solver, --iterations and --scale-free are not for --method {method}."
        )
    if method == "weighted-vote":
        return labeler_of(method, accuracies=_accuracies(rates))
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
