"""``rankproof certify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rankproof.cli.terminal import Progress
    from rankproof.theory.matrix import VerdictMatrix
from rankproof.theory.defaults import EFFORT, GRADES, ITEMS, MATRIX_GRADES

__all__ = ["certify"]


@click.command()
@click.argument("loss", required=False)
@click.option(
    "-m",
    "--metric",
    metavar="METRIC",
    help="The metric to optimise: nDCG@10, or your own, my_metric.py:name.",
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="A condition on the noise in the labels: independent, 'one relevant', binary, 'low noise', "
    "order-preserving, rank-differentiable.",
)
@click.option(
    "--items", type=int, default=ITEMS, show_default=True, help="Items of the lists that are tried."
)
@click.option(
    "--grades",
    type=int,
    default=None,
    help="Grades of the labels that are tried: 0, 1, ... [2; 3 with --matrix]",
)
@click.option(
    "--feedback",
    type=click.Choice(["graded", "preferences", "permutation"]),
    default=None,
    help="What is observed; by default graded labels.",
)
@click.option("--lower-is-better", is_flag=True, help="Of a metric of your own, less is better.")
@click.option("--convex", is_flag=True, help="A loss of your own is convex in the scores.")
@click.option("--matrix", is_flag=True, help="Every loss with every metric.")
@click.option(
    "--effort", type=float, default=EFFORT, show_default=True, help="How long to search for counterexamples."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, evidence included.")
@click.option("--evidence", metavar="FILE", help="Write the verdict with its evidence, for rankproof replay.")
@click.option("--report", metavar="FILE", help="With --matrix: write a page to explore, one HTML file.")
def certify(
    loss: str | None,
    metric: str | None,
    noise: str | None,
    items: int,
    grades: int | None,
    feedback: str | None,
    lower_is_better: bool,
    convex: bool,
    matrix: bool,
    effort: float,
    as_json: bool,
    evidence: str | None,
    report: str | None,
) -> None:
    """Decide whether minimising LOSS optimises METRIC, with evidence.

    Without LOSS: whether any convex loss does, and the target to train on. LOSS is a loss such as softmax
    (aimed at the metric), squared:gain, RankNet, or a function of your own, my_loss.py:name with (scores,
    feedback) -> number. A metric of your own is a function (ranking, feedback) -> number.

    \b
    rankproof certify softmax --metric nDCG@10
    rankproof certify listnet --metric nDCG@10
    rankproof certify --metric ERR
    rankproof certify --metric ERR --noise independent
    rankproof certify --metric my_metric.py:revenue_at_3
    rankproof certify RankNet --metric AP --evidence why.json && rankproof replay why.json
    rankproof certify --matrix --report matrix.html

    Exit status: 0 consistent (without LOSS: a consistent convex loss exists), 1 inconsistent (none exists),
    2 undecided, 3 wrong use. With --matrix: 0.
    """
    if matrix:
        if loss is not None or metric is not None:
            raise click.UsageError("--matrix takes every loss and every metric: leave out LOSS and --metric.")
        if feedback not in (None, "graded") or lower_is_better or convex:
            raise click.UsageError(
                "--matrix is about graded labels and the metrics and losses of rankproof: leave out "
                "--feedback, --lower-is-better and --convex."
            )
        _matrix(items, MATRIX_GRADES if grades is None else grades, noise, effort, as_json, evidence, report)
        return
    if report is not None:
        raise click.UsageError("--report goes with --matrix.")
    if metric is None:
        raise click.UsageError(
            "Name the metric with --metric, such as --metric nDCG@10, or ask for --matrix."
        )
    from rankproof.theory.certify import certify as decide
    from rankproof.theory.certify import certify_metric
    from rankproof.theory.custom.code import is_place

    _check_folder(evidence)
    direction = "lower" if lower_is_better else "higher"
    grade_count = GRADES if grades is None else grades
    if loss is None:
        verdict = certify_metric(
            metric, noise, items=items, grades=grade_count, feedback=feedback, direction=direction
        )
    else:
        verdict = decide(
            *(loss, metric, noise, items, grade_count),
            feedback=feedback,
            direction=direction,
            convex=True if convex else None,
            effort=effort,
        )
    # Shown first: a file that cannot be written does not take the verdict with it.
    if as_json:
        click.echo(verdict.to_json())
        _write(evidence, verdict.to_dict())
    else:
        click.echo(verdict)
        _sources(" ".join([verdict.reason, verdict.reference, *verdict.way_out]))
        _write(evidence, verdict.to_dict())
        if evidence is not None:
            again = f"rankproof replay {evidence}"
            if loss is not None and is_place(loss):
                again += " --run-code"
            click.echo(f"evidence  {evidence} ({again} checks it again)")
    click.get_current_context().exit(verdict.exit_status)


def _matrix(
    items: int,
    grades: int,
    noise: str | None,
    effort: float,
    as_json: bool,
    evidence: str | None,
    report: str | None,
) -> None:
    from rankproof.cli.terminal import progress_bar, show_table
    from rankproof.theory.matrix import certify_matrix
    from rankproof.theory.matrix_tables import matrix_tables

    _check_folder(evidence)
    if report is not None:
        from rankproof.report.html import check_report_path

        check_report_path(report)
    with progress_bar() as tell:
        matrix = certify_matrix(items=items, grades=grades, noise=noise, effort=effort, progress=tell)
    # Shown first: a file that cannot be written does not take minutes of work with it.
    if as_json:
        click.echo(matrix.to_json())
    else:
        for table in matrix_tables(matrix):
            show_table(table)
            click.echo()
    _write(evidence, matrix.to_dict())
    if report is not None:
        with progress_bar() as tell:
            _write_report(report, matrix, tell)
    if as_json:
        return
    if evidence is not None:
        click.echo(f"evidence  {evidence} (rankproof replay {evidence} checks it again)")
    if report is not None:
        click.echo(f"report    {report}")


def _write_report(path: str, matrix: VerdictMatrix, progress: Progress | None) -> None:
    from rankproof.cli.commands import running_command
    from rankproof.experiments.laws.of_matrix import matrix_scenes
    from rankproof.report.html import write_report
    from rankproof.report.pages.certification import certification_report

    scenes = list(matrix_scenes(matrix, progress))
    write_report(certification_report(matrix, scenes, running_command(without=("report",))), path)


def _check_folder(path: str | None) -> None:
    """Whether a file can be written there is asked before the work starts."""
    from pathlib import Path

    if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        what = "it is a folder" if Path(path).is_dir() else "its folder does not exist"
        raise click.UsageError(f"--evidence {path} cannot be written: {what}.")


def _write(path: str | None, plain: dict[str, Any]) -> None:
    if path is None:
        return
    import json

    from rankproof.files import create_bytes

    with create_bytes(path) as file:
        file.write((json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode())


def _sources(text: str) -> None:
    from rankproof.papers import sources_in

    for short, paper in sources_in(text).items():
        click.echo(f"          {short}: {paper}")
