"""``rankproof compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from rankproof.cli.column_options import judging_options
from rankproof.cli.options import (
    DEFAULT_METRICS,
    PREFS_METRICS,
    data_options,
    metric_option,
    output_options,
    prefs_option,
)
from rankproof.evaluation.defaults import CORRECTION, MOST_PAIRS, SEED, SIGNIFICANCE, TEST
from rankproof.files import STANDARD

if TYPE_CHECKING:
    from rankproof.evaluation.comparison import Comparison

__all__ = ["compare"]


@click.command()
@click.argument("runs", nargs=-1)
@metric_option
@data_options
@judging_options
@prefs_option
@click.option(
    "--baseline",
    metavar="NAME",
    help="Test the other runs against this one only; its file, or its name in the table.",
)
@click.option(
    "--test",
    default=TEST,
    metavar="TEST",
    show_default=True,
    help="The paired test that decides: randomisation, t or wilcoxon. The pairs have all three.",
)
@click.option(
    "--level",
    type=float,
    default=SIGNIFICANCE,
    show_default=True,
    help="Accepted probability of naming any false winner.",
)
@click.option(
    "--correction",
    default=CORRECTION,
    metavar="metric|all",
    show_default=True,
    help="Holm's correction over the pairs of each metric, or of all metrics together.",
)
@click.option(
    "--seed",
    type=int,
    default=SEED,
    show_default=True,
    help="Seed for the bootstrap and the randomisation test.",
)
@click.option("--per-query", is_flag=True, help="Print one row per query and run as well.")
@click.option(
    "--pairs", is_flag=True, help=f"List the pairs even if a metric has more than {MOST_PAIRS} of them."
)
@click.option("--example", is_flag=True, help="Compare the two example runs that come with rankproof.")
@click.option("--report", metavar="FILE", help="Also write a report as one HTML file that works offline.")
@output_options
def compare(
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    lower_is_better: bool,
    ties: str | None,
    qrels: str | None,
    prefs: str | None,
    data: str | None,
    convention: str,
    missing: Literal["zero", "skip"] | None,
    depth: int | None,
    group: bool,
    query_files: tuple[str, ...],
    baseline: str | None,
    test: str,
    level: float,
    correction: str,
    seed: int,
    per_query: bool,
    pairs: bool,
    example: bool,
    report: str | None,
    output: str | None,
    **columns: str | None,
) -> None:
    """Compare RUNS (TREC runs with --qrels or --prefs, or scores with --data) on the same queries.

    A winner is named only if its difference is statistically significant after Holm's correction for testing
    several pairs. Runs are sorted by the first metric; runs that share a letter do not differ significantly.

    \b
    rankproof compare --example
    rankproof compare a.trec b.trec c.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare bm25.trec a.trec b.trec --qrels qrels.txt -m nDCG@10 --baseline bm25 --latex
    rankproof compare a.txt b.txt --data test.txt -m nDCG@10 --test t --json
    rankproof compare a.trec b.trec --qrels qrels.txt --report comparison.html
    """
    from rankproof.cli.compile_ahead import compile_ahead
    from rankproof.cli.inputs import load, named_metrics, watched
    from rankproof.cli.terminal import beside, show_table
    from rankproof.data.samples import example_files
    from rankproof.evaluation.compare import compare as run_compare
    from rankproof.evaluation.evaluate import metric_list, refuse_uncounted

    if example:
        if runs or qrels or prefs or data:
            raise click.UsageError("--example comes with its own runs and judgments: leave out the files.")
        files = example_files()
        runs, qrels = (files["bm25.trec"], files["ranker.trec"]), files["qrels.txt"]
    if report == STANDARD and output is not None:
        raise click.UsageError(f"--report - and --{output} would both write to standard output; name a file.")
    if len(runs) == 1:
        raise click.UsageError("A comparison needs at least two runs: name another one.")
    if report is not None:
        from rankproof.report.html import check_report_path

        check_report_path(report)
    named = metrics or (PREFS_METRICS if prefs else DEFAULT_METRICS)
    # Refused before a large file is read.
    chosen = metric_list(named_metrics(named, lower_is_better=lower_is_better, ties=ties))
    ready = compile_ahead([str(one) for one in chosen if not one.by_users], convention)
    systems, judged = load(
        runs, qrels, data, prefs=prefs, group=group, query_files=query_files, columns=columns
    )
    if baseline in runs:
        # Named by its file, as the runs are.
        baseline = list(systems)[runs.index(baseline)]
    if baseline is not None and baseline not in systems:
        raise click.UsageError(
            f"Option --baseline must be one of the runs, {', '.join(systems)}; got {baseline!r}."
        )
    ready()
    with watched(chosen):
        comparison = run_compare(
            systems,
            judged,
            chosen,
            baseline=baseline,
            test=test,  # type: ignore[arg-type]
            level=level,
            correction=correction,
            seed=seed,
            convention=convention,
            missing=missing,
            depth=depth,
        )
    refuse_uncounted(next(iter(comparison.results.values())).counted, str(qrels or prefs or data))
    if output == "json":
        click.echo(comparison.to_json(per_query=per_query))
    elif output == "csv":
        click.echo(comparison.to_csv(per_query=per_query), nl=False)
    elif output == "latex":
        click.echo(comparison.to_latex(per_query=per_query))
    elif report != STANDARD:
        if per_query:
            show_table(comparison.per_query_table())
            click.echo()
        _show(comparison, pairs=pairs)
    if report is not None:
        named = (*runs, *(path for path in (qrels, prefs, data) if path))
        _write_report(report, comparison, systems, judged, named, {"missing": missing, "depth": depth})
        if output is None:
            beside(report)(f"\nreport  {report}")


def _show(comparison: Comparison, *, pairs: bool) -> None:
    """The systems, then the pairs where they are few or asked for."""
    from rankproof.cli.terminal import show_table

    show_table(comparison.table())
    if not (pairs or comparison.shows_pairs):
        many = len(comparison.pairs[comparison.metrics[0]])
        click.echo(f"{many} pairs of each metric: --pairs lists them, --csv and --json have them in full")
        return
    for name in comparison.metrics:
        click.echo()
        show_table(comparison.pair_table(name), title=name)


def _write_report(
    path: str,
    comparison: Comparison,
    systems: dict[str, Any],
    judged: Any,
    files: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    from rankproof.cli.commands import running_command
    from rankproof.data.trec.prefs import Prefs
    from rankproof.files import sha256_of
    from rankproof.report.html import write_report
    from rankproof.report.pages.comparison import comparison_report
    from rankproof.reports import comparison_page

    command, digests = running_command(without=("report",)), {name: sha256_of(name) for name in files}
    if isinstance(judged, Prefs):
        # Without grades there is no nDCG at cutoffs to draw, nor grades to count.
        page = comparison_report(comparison, command=command, files=digests)
    else:
        page = comparison_page(comparison, systems, judged, options, command=command, files=digests)
    write_report(page, path)
