"""``rankproof reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import threads_option
from rankproof.evaluation.defaults import SIGNIFICANCE

if TYPE_CHECKING:
    from rankproof.experiments.reproduce.b11 import B11
    from rankproof.experiments.reproduce.experiment import Progress
    from rankproof.experiments.reproduce.r11 import R11

__all__ = ["reproduce"]


@click.command()
@click.argument("paper", type=click.Choice(["B11", "R11"], case_sensitive=False))
@click.option(
    "--data",
    "directory",
    metavar="DIR",
    required=True,
    help="A folder in the LETOR layout: Fold1, Fold2, ...",
)
@click.option(
    "--solver",
    type=click.Choice(["lbfgs", "sgd", "both"]),
    default=None,
    help="B11: how the losses are minimised. [default: lbfgs]",
)
@click.option(
    "--l2",
    type=float,
    multiple=True,
    help="The penalty; can be repeated, to choose on the validation data. "
    "[default: B11 1e-5, 1e-4, ..., 10; R11 0]",
)
@click.option(
    "--max-grade", type=int, default=None, help="B11: the highest possible grade. [default: as in the data]"
)
@click.option(
    "--as",
    "convention",
    default=None,
    metavar="TOOL",
    help="R11: compute nDCG as this tool does, such as letor3 or letor4. [default: rankproof]",
)
@click.option(
    "--scale",
    default="none",
    metavar="none|standard|query-minmax",
    show_default=True,
    help="Scaling of the features. LETOR's files are already scaled by query.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for SGD, tests and bootstrap.")
@click.option(
    "--level",
    type=float,
    default=SIGNIFICANCE,
    show_default=True,
    help="Accepted probability of any false significance mark.",
)
@threads_option()
@click.option("--out", metavar="DIR", default=None, help="Folder for tables, figures and settings.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def reproduce(
    paper: str,
    directory: str,
    solver: str | None,
    l2: tuple[float, ...],
    max_grade: int | None,
    convention: str | None,
    scale: str,
    seed: int,
    level: float,
    out: str | None,
    as_json: bool,
) -> None:
    """Repeat the experiments of a PAPER on your own data.

    \b
    B11  Buffoni, Calauzènes, Gallinari & Usunier, ICML 2011: Tables 1 and 2
    R11  Ravikumar, Tewari & Yang, AISTATS 2011: Figures 1 and 2

    \b
    rankproof reproduce B11 --data MQ2008 --out b11/
    rankproof reproduce B11 --data MQ2008 --solver both --json
    rankproof reproduce R11 --data OHSUMED --as letor3 --out r11/
    """
    from rankproof.cli.commands import running_command
    from rankproof.cli.terminal import progress_bar, show_table
    from rankproof.files import check_folder, write_files, writing
    from rankproof.report.html import render
    from rankproof.report.pages.reproduction import reproduction_report

    if not Path(directory).is_dir():
        wrong = "is a file" if Path(directory).exists() else "does not exist"
        raise click.UsageError(f"--data must be a folder with Fold1, Fold2, ..., but {directory!r} {wrong}.")
    if out is not None:
        check_folder(out)
    with progress_bar() as progress:
        if paper == "B11":
            if convention is not None:
                raise click.UsageError("--as is only for R11; the metrics of B11 are fixed.")
            result: B11 | R11 = _b11(directory, solver, l2, max_grade, scale, seed, level, progress)
        else:
            if solver is not None or max_grade is not None:
                raise click.UsageError("--solver and --max-grade are only for B11; R11 uses lbfgs.")
            result = _r11(directory, l2, convention, scale, seed, level, progress)
    written = []
    if out is not None:
        page = render(reproduction_report(paper, result.tables(), running_command()))
        with writing(out):
            written = write_files(out, {**result.files(), "report.html": page.encode()})
    if as_json:
        click.echo(result.to_json())
        return
    for number, (title, table) in enumerate(result.tables()):
        if number:
            click.echo()
        show_table(table, title=title)
    for path in written:
        click.echo(f"wrote {path}")


def _b11(
    directory: str,
    solver: str | None,
    l2: tuple[float, ...],
    max_grade: int | None,
    scale: str,
    seed: int,
    level: float,
    progress: Progress | None,
) -> B11:
    from rankproof.experiments.reproduce.b11 import L2, Solver, reproduce_b11

    solvers: dict[str | None, tuple[Solver, ...]] = {"sgd": ("sgd",), "both": ("lbfgs", "sgd")}
    return reproduce_b11(
        directory,
        solvers=solvers.get(solver, ("lbfgs",)),
        l2=l2 or L2,
        max_grade=max_grade,
        scale=scale,
        seed=seed,
        level=level,
        progress=progress,
    )


def _r11(
    directory: str,
    l2: tuple[float, ...],
    convention: str | None,
    scale: str,
    seed: int,
    level: float,
    progress: Progress | None,
) -> R11:
    from rankproof.experiments.reproduce.r11 import reproduce_r11

    return reproduce_r11(
        directory,
        l2=l2 or (0.0,),
        convention=convention or "rankproof",
        scale=scale,
        seed=seed,
        level=level,
        progress=progress,
    )
