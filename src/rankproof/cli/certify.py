"""``rankproof certify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.certify_engine import engine_evidence, training_text

if TYPE_CHECKING:
    from rankproof.cli.terminal import Progress
    from rankproof.theory.matrix import VerdictMatrix
from rankproof.theory.defaults import EFFORT, GRADES, ITEMS, MATRIX_GRADES

__all__ = ["certify"]

# The words of a verdict, below it; as wide as its text.
_STDOUT = "-"
_MEANING = """\
meaning   A loss is consistent with a metric if minimising it gives the best ranking by the metric,
          with unlimited data and a model that can represent any scores. A law is the probability
          of each set of labels that the items of a query can have."""


@click.command()
@click.argument("loss", required=False)
@click.option(
    "-m",
    "--metric",
    metavar="METRIC",
    help="The metric, such as nDCG@10, or your own as my_metric.py:name.",
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="What is assumed about the noise in the labels: independent, 'one relevant', binary, 'low noise', "
    "order-preserving, rank-differentiable.",
)
@click.option(
    "--items",
    type=int,
    default=ITEMS,
    show_default=True,
    help="Number of items per query when searching for counterexamples.",
)
@click.option(
    "--grades",
    type=int,
    default=None,
    help="Number of label grades (0, 1, ...) when searching. [default: 2; 3 with --matrix]",
)
@click.option(
    "--feedback",
    type=click.Choice(["graded", "preferences", "permutation"]),
    default=None,
    help="The kind of labels. [default: graded]",
)
@click.option("--lower-is-better", is_flag=True, help="Lower values of your own metric are better.")
@click.option("--convex", is_flag=True, help="Your own loss is convex in the scores.")
@click.option("--matrix", is_flag=True, help="Check every loss with every metric.")
@click.option(
    "--effort",
    type=float,
    default=EFFORT,
    show_default=True,
    help="How long to search for counterexamples; 2 is twice as long.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, including the evidence.")
@click.option(
    "--evidence",
    metavar="FILE",
    help="Write the verdict and its evidence to FILE; rankproof replay checks it.",
)
@click.option("--report", metavar="FILE", help="With --matrix: write an interactive page as one HTML file.")
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
    """Decide whether minimising LOSS optimises METRIC, and show why.

    If it does, LOSS is called consistent with METRIC: with unlimited data and a model that can represent any
    scores, minimising the loss gives the best ranking by the metric, whatever the law of the labels (the
    probability of each combination of labels that the items of a query can have). If it does not, you get a
    law under which it fails.

    Without LOSS, decide whether any convex loss is consistent with METRIC, and which target to train on (the
    number per item to predict). LOSS is the name of a loss such as softmax (which takes the target of the
    metric), squared:gain or RankNet, or your own function my_loss.py:name with (scores, feedback) -> number.
    Your own metric is a function (ranking, feedback) -> number.

    LOSS can also be an objective of an engine, such as lightgbm:lambdarank, xgboost:rank:ndcg or
    catboost:YetiRank(mode=NDCG), with the engine's own parameters. Then two things are printed: what is
    proven about its formula, and what the installed engine does when it is trained on a law (a demonstration,
    not a proof).

    \b
    rankproof certify softmax --metric nDCG@10
    rankproof certify listnet --metric nDCG@10
    rankproof certify lightgbm:lambdarank --metric nDCG@10
    rankproof certify --metric ERR
    rankproof certify --metric ERR --noise independent
    rankproof certify --metric my_metric.py:revenue_at_3
    rankproof certify RankNet --metric AP --evidence why.json && rankproof replay why.json
    rankproof certify --matrix --report matrix.html

    Exit status: 0 consistent (without LOSS: a consistent convex loss exists), 1 inconsistent (none exists),
    2 undecided, 3 wrong usage, 4 consistent on the few items and grades that were tried, where no theorem
    covers others. With --matrix: 0. A demonstration does not change the exit status.
    """
    if [evidence, report, "-" if as_json else None].count(_STDOUT) > 1:
        raise click.UsageError(
            "Only one of --json, --evidence - and --report - can go to standard output. Name a file."
        )
    if matrix:
        if loss is not None or metric is not None:
            raise click.UsageError(
                "--matrix checks every loss with every metric: leave out LOSS and --metric."
            )
        if feedback not in (None, "graded") or lower_is_better or convex:
            raise click.UsageError(
                "--matrix is about graded labels and the metrics and losses of rankproof: leave out "
                "--feedback, --lower-is-better and --convex."
            )
        _matrix(items, MATRIX_GRADES if grades is None else grades, noise, effort, as_json, evidence, report)
        return
    if report is not None:
        raise click.UsageError("--report needs --matrix.")
    if metric is None:
        raise click.UsageError("Give a metric, such as --metric nDCG@10, or use --matrix.")
    from rankproof.theory.certify import certify as decide
    from rankproof.theory.certify import certify_metric
    from rankproof.theory.shipped.objective import is_engine_objective
    from rankproof.user_code import is_place

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
    if not as_json:
        _say(verdict, evidence)
        _sources(" ".join([verdict.reason, verdict.reference, *verdict.way_out]), evidence)
        _say(_MEANING, evidence)
    trained = engine_evidence(verdict, str(loss), metric, direction) if is_engine_objective(loss) else None
    answer = trained or verdict
    if as_json:
        click.echo(answer.to_json())
    elif trained is not None:
        _say(training_text(trained), evidence)
    _write(evidence, answer.to_dict())
    if not as_json and evidence not in (None, _STDOUT):
        again = f"rankproof replay {evidence}"
        if loss is not None and is_place(loss):
            again += " --run-code"
        click.echo(f"evidence  {evidence} (check it with: {again})")
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
    elif _STDOUT not in (evidence, report):
        for table in matrix_tables(matrix):
            show_table(table)
            click.echo()
    _write(evidence, matrix.to_dict())
    if report is not None:
        with progress_bar() as tell:
            _write_report(report, matrix, tell)
    if as_json:
        return
    if evidence not in (None, _STDOUT):
        _say(f"evidence  {evidence} (check it with: rankproof replay {evidence})", report)
    if report not in (None, _STDOUT):
        _say(f"report    {report}", evidence)


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


def _say(text: object, *outputs: str | None) -> None:
    """Print for people: on standard error when standard output is a file that they asked for."""
    click.echo(text, err=_STDOUT in outputs)


def _sources(text: str, evidence: str | None) -> None:
    from rankproof.papers import sources_in

    for short, paper in sources_in(text).items():
        _say(f"          {short}: {paper}", evidence)
