"""``rankproof compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from rankproof.cli.options import (
    DEFAULT_METRICS,
    data_options,
    metric_option,
    output_options,
)
from rankproof.evaluation.defaults import CORRECTION, SEED, SIGNIFICANCE, TEST

if TYPE_CHECKING:
    from rankproof.evaluation.compare import Comparison
    from rankproof.evaluation.data_summary import DataSummary, GradeCounts

__all__ = ["compare"]


@click.command()
@click.argument("runs", nargs=-1)
@metric_option
@data_options
@click.option(
    "--test",
    default=TEST,
    metavar="TEST",
    show_default=True,
    help="The paired test that decides: randomisation, t or wilcoxon. All three are shown.",
)
@click.option(
    "--level",
    type=float,
    default=SIGNIFICANCE,
    show_default=True,
    help="Accepted chance of any false winner.",
)
@click.option(
    "--correction",
    default=CORRECTION,
    metavar="metric|all",
    show_default=True,
    help="Holm over the pairs of each metric, or over the pairs of all metrics together.",
)
@click.option(
    "--seed", type=int, default=SEED, show_default=True, help="Seed of bootstrap and sampled tests."
)
@click.option("--example", is_flag=True, help="Compare the two small runs that are shipped with rankproof.")
@click.option("--report", metavar="FILE", help="Also write a report: one HTML file that needs no network.")
@output_options
def compare(
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    qrels: str | None,
    data: str | None,
    convention: str,
    missing: Literal["zero", "skip"] | None,
    test: str,
    level: float,
    correction: str,
    seed: int,
    example: bool,
    report: str | None,
    output: str | None,
) -> None:
    """Compare RUNS (TREC runs with --qrels, score files with --data) on the same queries.

    A winner is named only when the test shows one, after Holm's correction over all pairs.

    \b
    rankproof compare --example
    rankproof compare a.trec b.trec c.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare a.txt b.txt --data test.txt -m nDCG@10 --test t --json
    rankproof compare a.trec b.trec --qrels qrels.txt --report comparison.html
    """
    from rankproof.cli.compile_ahead import compile_ahead
    from rankproof.cli.inputs import load
    from rankproof.cli.terminal import show_table
    from rankproof.data.samples import example_files
    from rankproof.evaluation.compare import compare as run_compare
    from rankproof.evaluation.evaluate import metric_list, refuse_uncounted

    if example:
        if runs or qrels or data:
            raise click.UsageError("--example brings its own runs and judgments; leave out the files.")
        files = example_files()
        runs, qrels = (files["bm25.trec"], files["ranker.trec"]), files["qrels.txt"]
    if len(runs) == 1:
        raise click.UsageError("A comparison needs at least two runs.")
    if report is not None:
        from rankproof.report.html import check_report_path

        check_report_path(report)
    chosen = metrics or DEFAULT_METRICS
    # Refused before a large file is read.
    metric_list(chosen)
    ready = compile_ahead(chosen, convention)
    systems, judged = load(runs, qrels, data)
    ready()
    comparison = run_compare(
        systems,
        judged,
        chosen,
        test=test,  # type: ignore[arg-type]
        level=level,
        correction=correction,
        seed=seed,
        convention=convention,
        missing=missing,
    )
    refuse_uncounted(next(iter(comparison.results.values())).counted, str(qrels or data))
    if output == "json":
        click.echo(comparison.to_json())
    elif output == "csv":
        click.echo(comparison.to_csv(), nl=False)
    elif output == "latex":
        click.echo(comparison.to_latex())
    else:
        show_table(comparison.table())
        for name in comparison.metrics:
            click.echo()
            show_table(comparison.pair_table(name), title=name)
    if report is not None:
        counted = {"convention": convention, "missing": missing}
        named = (*runs, *(path for path in (qrels, data) if path))
        _write_report(report, comparison, systems, judged, named, counted)
        if output is None:
            click.echo(f"\nreport  {report}")


def _write_report(
    path: str,
    comparison: Comparison,
    systems: dict[str, Any],
    judged: Any,
    files: tuple[str, ...],
    counted: dict[str, Any],
) -> None:
    from rankproof.cli.commands import running_command
    from rankproof.evaluation.cutoffs import cutoff_means
    from rankproof.files import sha256_of
    from rankproof.report.html import write_report
    from rankproof.report.pages.comparison import comparison_report

    page = comparison_report(
        comparison,
        systems,
        judged,
        cutoffs=cutoff_means(systems, judged, **counted),
        contents=_contents(comparison, judged),
        command=running_command(without=("report",)),
        files={name: sha256_of(name) for name in files},
    )
    write_report(page, path)


def _contents(comparison: Comparison, judged: Any) -> DataSummary | GradeCounts:
    """What the data hold that the systems were judged by: all of it, or of judgments the grades."""
    from rankproof.data.ranking import RankingData
    from rankproof.evaluation.data_summary import count_grades, summarise
    from rankproof.evaluation.evaluate import empty_queries

    if not isinstance(judged, RankingData):
        return count_grades({"judgments": judged.grades})
    metric = next(iter(comparison.results.values())).metrics[comparison.metrics[0]]
    return summarise({"data": judged}, str(metric), {"data": empty_queries(metric, judged)})
