"""``rankproof fit``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.column_options import column_options, feature_options
from rankproof.cli.options import a_folder, metric_and_noise, model_options, reading_options, threads_option
from rankproof.runs.defaults import LEVEL, LOSS, MODELS, SEED, VALID_SHARE

if TYPE_CHECKING:
    from rankproof.data.forms.columns import ColumnRequest, TakenColumns
    from rankproof.runs.plan import RunPlan
    from rankproof.runs.training_run import TrainingRun

__all__ = ["fit"]


@click.command()
@click.argument("train", nargs=-1, required=True)
@click.option(
    "--valid",
    multiple=True,
    metavar="FILE",
    help="Validation data, to choose the penalty or the number of trees or epochs; can be repeated. Without "
    "it: cross-validation on TRAIN (linear), or a fifth of its queries is held out.",
)
@click.option(
    "--test", multiple=True, metavar="FILE", help="Test data, to report results on; can be repeated."
)
@click.option(
    "--judgments",
    metavar="FILE",
    help="Judgments of the items of TRAIN by several judges, to train on in place of its labels: CSV, TSV "
    "or Parquet with columns query, item, judge, grade, or TREC judgments with the judge in column 2.",
)
@click.option(
    "--reading",
    type=click.Choice(("joint", "independent")),
    help="How --judgments are read. joint: the grades of one judge over a query are one draw (people who "
    "mean different things). independent: every grade is a draw of its own (people who err).",
)
@metric_and_noise
@click.option(
    "--loss",
    default=LOSS,
    metavar="LOSS",
    show_default=True,
    help="auto chooses a loss that is consistent with the metric: with unlimited data and a model that can "
    "represent any scores, minimising it gives the best ranking. Or a NAME or NAME:TARGET; see rankproof "
    "losses.",
)
@click.option(
    "--model", type=click.Choice(MODELS), default=MODELS[0], show_default=True, help="The model to train."
)
@model_options
@column_options
@feature_options
@reading_options
@click.option("--seed", type=int, default=SEED, show_default=True, help="Random seed.")
@click.option(
    "--level", type=float, default=LEVEL, show_default=True, help="Level of the confidence interval."
)
@threads_option("Number of threads; with linear and lightgbm the results do not depend on it.")
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    callback=a_folder,
    help="Folder for the model and its results.",
)
@click.option("--force", is_flag=True, help="Replace an existing run in DIR.")
@click.option(
    "-v",
    "--verbose",
    count=True,
    help="Show progress even if the output is not a terminal; -vv shows every step.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print results.json instead of tables.")
def fit(
    train: tuple[str, ...], model: str, out: str, force: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Train a ranker for METRIC on TRAIN (LETOR text, CSV, Parquet, Arrow or NumPy) and save it in DIR.

    Prints the loss and where to read why it was chosen, what was chosen on held-out queries (penalty, number
    of trees or epochs), and the metric of the model with a confidence interval and a baseline. DIR will
    contain the model, results.json (settings, seed, versions, SHA-256 of the data, results) and report.html.

    \b
    rankproof fit train.txt --valid vali.txt --test test.txt --metric nDCG@10 --out run/
    rankproof fit train.parquet --query qid --label grade --features 'f*' --metric nDCG@10 --out run/
    rankproof fit train.txt --metric AP --noise independent --l2 0.1,0.01 --out run/
    rankproof fit S1.txt S2.txt S3.txt --valid S4.txt --test S5.txt -m nDCG@10 --loss squared --out run/
    rankproof fit train.txt --valid vali.txt -m nDCG@10 --model lightgbm --learning-rate 0.1 --out run/
    rankproof fit train.txt --valid vali.txt -m nDCG@10 --model xgboost --parameter subsample=0.8 --out run/

    rankproof fit train.txt --valid vali.txt -m my_metric.py:revenue_at_3 --out run/
    rankproof fit train.txt --valid vali.txt -m nDCG@10 --judgments judged.csv --reading joint --out run/

    Options that do not belong to the model are refused. Defaults are in brackets.
    """
    from rankproof.cli.column_options import request_of
    from rankproof.cli.commands import loss_lines, loss_warning
    from rankproof.cli.failures import when_interrupted
    from rankproof.cli.inputs import named_metrics, named_numbers
    from rankproof.cli.option_names import in_running_options
    from rankproof.cli.options import own_options
    from rankproof.cli.terminal import print_start, warn
    from rankproof.runs.plan import plan_training
    from rankproof.runs.run_folder import as_json as json_text
    from rankproof.runs.run_folder import check_run_folder

    # All that can be refused is refused before a large file is read.
    check_run_folder(out, replace=force, way="--force")
    listed = {"train": train, "valid": options["valid"], "test": options["test"]}
    paths = {part: names for part, names in listed.items() if names}
    own_asked = {name: options.pop(name) for name in ("lower_is_better", "ties", "own_grades", "nearest")}
    (metric,) = named_metrics([options["metric"]], **own_asked)
    request, features = request_of(options)
    options["categorical"], request = named_numbers(train, request, options["categorical"])
    own = own_options(model, options)
    judgments = _judgments(options["judgments"], options["reading"])
    options["noise"] = _noise(judgments, options["noise"])
    plan = plan_training(
        metric,
        model=model,
        features=features,
        **{name: options[name] for name in ("loss", "noise", "seed", "level")},
        held_out="valid" in paths,
        verbose=0 if quiet else options["verbose"] or int(sys.stderr is not None and sys.stderr.isatty()),
        own=own,
    )
    # What is kept of the run says how to find out, too.
    unproven = loss_warning(plan.choice, options["noise"])
    plan = plan.with_warning(None if unproven is None else in_running_options(unproven))
    plan = replace(plan, settings={**plan.settings, **_reading(options)})
    data, columns = _read(paths, options, request, features, missing=plan.takes_missing)
    empty = plan.check(data, {part: ", ".join(names) for part, names in paths.items()})
    if not as_json:
        print_start(loss_lines(plan.choice, options["noise"]), data)
        if "valid" not in paths and model != MODELS[0]:
            click.echo(_held_out_line(plan, data["train"].queries))
    warn([plan.choice.warning])

    run = plan.carry_out(data, empty, paths, columns, judgments)
    warn([in_running_options(text) for text in run.warnings])
    facts = run.save(out, replace=force)
    when_interrupted(f"the run in {out} is complete; rankproof report {out} writes its report.")
    problem = _write_report(run, facts, out)
    if problem is not None:
        # The run is safe; its page can be written again by rankproof report.
        warn([f"no report was written: {problem}"])
    if as_json:
        click.echo(json_text(facts))
        return
    _print_results(run)
    saved = "the model, results.json and report.html" if problem is None else "the model and results.json"
    click.echo(f"\nsaved in {out}: {saved}")


def _judgments(path: str | None, reading: Any) -> Any:
    """The judgments to train on, if there are any."""
    if path is None:
        if reading is not None:
            raise click.UsageError("--reading says how --judgments are read. Give --judgments too.")
        return None
    if reading is None:
        raise click.UsageError(
            "--judgments needs --reading: joint (the grades of one judge over a query are one draw) or "
            "independent "
            "(every grade is a draw of its own)."
        )
    from rankproof.judgments.container import Judgments
    from rankproof.judgments.read import read_judgments

    judgments = read_judgments(path, reading=reading)
    if not isinstance(judgments, Judgments):
        raise click.UsageError("--judgments needs grades, got preferences between pairs.")
    return judgments


def _noise(judgments: Any, noise: str | None) -> str | None:
    from rankproof.judgments.labels import assumed_noise

    return assumed_noise(judgments, noise)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """How the data are read, where it was asked for: kept, so that the run can be made again."""
    from rankproof.cli.column_options import request_of, settings_of_columns

    grouping = {"group": options["group"], "query_file": list(options["query_files"])}
    judged = {name: options[name] for name in ("judgments", "reading")}
    request, _ = request_of(options)
    patterns = {} if request.features is None else {"features": list(request.features)}
    kept = {name: value for name, value in {**grouping, **judged}.items() if value}
    return {**kept, **settings_of_columns(options), **patterns}


def _held_out_line(plan: RunPlan, queries: int) -> str:
    """What is done without ``--valid`` to choose the number of trees or of epochs."""
    from rankproof.runs.selection import drops_trees

    trees = hasattr(plan.ranker, "n_estimators")
    held = int(VALID_SHARE * queries)
    reasons = {
        "--n-estimators says how many trees": trees and not plan.hold_out,
        "dart has no last tree to keep": trees and drops_trees(plan.ranker),
        f"{queries} queries are too few": not held,
    }
    what = "trees" if trees else "epochs"
    for why, applies in reasons.items():
        if applies:
            return f"no --valid: no queries are held out ({why}), so all {what} are kept."
    return (
        f"no --valid: {held} of the {queries} queries of train ({VALID_SHARE:.0%}, drawn with --seed "
        f"{plan.settings['seed']}) are held out to choose the number of {what}."
    )


def _read(
    paths: dict[str, tuple[str, ...]],
    options: dict[str, Any],
    request: ColumnRequest,
    features: int | None,
    *,
    missing: bool,
) -> tuple[dict[str, Any], dict[str, TakenColumns]]:
    """The parts of the data, with the features of the first, which is to be trained on; and their columns."""
    from rankproof.cli.inputs import once_standard, read_items

    files = [name for names in paths.values() for name in names]
    sides = options["query_files"]
    once_standard((*files, *sides))
    if sides and len(sides) != len(files):
        raise click.UsageError(
            f"--query-file must be given once per data file ({len(files)}: those of TRAIN, --valid, --test), "
            f"got {len(sides)}."
        )
    data: dict[str, Any] = {}
    columns: dict[str, TakenColumns] = {}
    left = list(sides)
    for part, names in paths.items():
        own, left = tuple(left[: len(names)]), left[len(names) :]
        read = read_items(
            names,
            features=features,
            missing=missing,
            group=options["group"],
            query_files=own,
            request=request,
            judged=part != "test",
            needs_label=True,
            quiet=bool(data),
        )
        data[part], features = read.data, read.data.features
        if read.taken is not None:
            columns[part] = read.taken
            # The other parts have the same queries, labels and features; documents and weights they may not.
            request = replace(
                request,
                query=read.taken.query,
                label=read.taken.label,
                features=read.taken.features,
                categories=(),
                drop=(),
            )
    return data, columns


def _write_report(run: TrainingRun, facts: dict[str, Any], out: str) -> str | None:
    """Write the page from the values at hand; what is wrong when that is not possible."""
    from rankproof.cli.commands import fit_command
    from rankproof.errors import RankproofError
    from rankproof.report.html import write_report
    from rankproof.report.pages.run import REPORT, run_report

    place = Path(out) / REPORT
    # One of an earlier run would be taken for that of this one.
    place.unlink(missing_ok=True)
    try:
        write_report(run_report(run.record(out, facts), fit_command(facts, out)), place)
    except RankproofError as problem:
        return str(problem)
    return None


def _print_results(run: TrainingRun) -> None:
    from rankproof.cli.terminal import show_table

    for table in run.tables():
        click.echo()
        show_table(table)
    if run.selection.unchosen is not None:
        click.echo(f"\n{run.selection.unchosen}: there was no --valid to choose it by.")
