"""``rankproof demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.demo_folder import MARK, demo_folder, replacing
from rankproof.cli.options import a_folder, threads_option

if TYPE_CHECKING:
    from rankproof.evaluation.compare import Comparison
    from rankproof.experiments.demo.lambdamart import LambdaMARTScene
    from rankproof.metrics.base import Metric

__all__ = ["demo"]

# LightGBM counts seeds in 31 bits.
_MOST_SEED = 2**31 - 1
# Of the scenes on real data: the metric, and the fewest queries of a user's file.
_METRIC, _FEWEST = "nDCG@10", 8
_SAMPLE = (
    "The diabetes data that comes with scikit-learn: patients in groups of 13 (a group is a query), to be "
    "ranked by how fast their disease progresses."
)
_COMPARED = (
    "Each loss trains the same linear model; its penalty is chosen from {penalties} by cross-validation. "
    "Each of the {queries} queries is scored by a model that was not trained on it ({folds} folds)."
)


@click.command()
@click.option(
    "--out",
    default="demo",
    show_default=True,
    metavar="DIR",
    callback=a_folder,
    help="Folder for the report and the data.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the synthetic queries.")
@click.option("--data", metavar="FILE", help="Your own data (LETOR text or a table) for parts 4 and 5.")
@click.option("--metric", default="nDCG", show_default=True, help="The metric of part 2.")
@click.option("--quick", is_flag=True, help="Use fewer samples: less exact, but faster.")
@threads_option()
def demo(out: str, seed: int, data: str | None, metric: str, quick: bool) -> None:
    """Show what it costs to train with a loss that does not fit the metric.

    \b
    1. Shows what LambdaMART costs in nDCG, on a case to check by hand. Trains
       LightGBM and XGBoost if they are installed.
    2. Trains a consistent loss and popular ones on synthetic queries whose
       best ranking is known, and computes what each loses. (A loss is
       consistent with a metric if minimising it gives the best ranking by that
       metric, with unlimited data and a model that can represent any scores.)
    3. Shows a metric that no convex loss optimises, and a way round.
    4. Trains a model on real data.
    5. Compares the losses on real data, with paired tests.

    Takes less than a minute and downloads nothing.

    \b
    rankproof demo
    rankproof demo --seed 1 --out demo-1
    rankproof demo --data train.txt
    """
    from rankproof.metrics.parse import metric as metric_of

    if not 0 <= seed <= _MOST_SEED:
        raise click.UsageError(f"--seed must be from 0 to {_MOST_SEED}, got {seed}.")
    parsed = metric_of(metric)
    with demo_folder(out) as folder:
        # Wrong data are refused now, not after a minute.
        parts = _parts(data, seed)
        _scenes(folder, parsed, seed, data, parts, quick)


def _scenes(
    folder: Path, metric: Metric, seed: int, data: str | None, parts: tuple[Any, Any], quick: bool
) -> None:
    from rankproof.cli.commands import running_command
    from rankproof.cli.compile_ahead import compile_fit_ahead
    from rankproof.cli.terminal import progress_bar, show_facts, show_table
    from rankproof.experiments.demo.convergence import SIZES, regret_curves
    from rankproof.experiments.demo.cost import WORDS, cost_in_words
    from rankproof.experiments.demo.tables import law_table, regret_table, without_table
    from rankproof.experiments.demo.without_loss import without_loss
    from rankproof.experiments.demo.world import GRADES, ambiguous_laws
    from rankproof.metrics.parse import metric as metric_of
    from rankproof.report.html import write_report
    from rankproof.report.pages.demo import demo_report, losses_section, real_section
    from rankproof.runs.run_folder import read_run

    ready = compile_fit_ahead()
    laws = ambiguous_laws(seed)
    sizes = SIZES[::2] if quick else SIZES

    first = _first()
    click.echo("\n2. What the wrong loss costs\n")
    click.echo(
        f"{len(laws)} kinds of ambiguous queries: people who type the same words mean different things, and "
        "label the items\naccordingly. How likely each set of labels is (the law of the labels) is known, so "
        "the best possible\nranking is known too. The first kinds of query:\n"
    )
    with progress_bar() as tell:
        scene = regret_curves(laws, metric, seed=seed, sizes=sizes, draws=2 if quick else 5, progress=tell)
    show_table(law_table(scene, kinds=3))
    click.echo("\nWhat each loss loses compared with the best ranking, by the number of training queries:\n")
    show_table(regret_table(scene))
    click.echo()
    show_facts(WORDS[:1])
    click.echo(f"\n{cost_in_words(scene)}")

    err = metric_of("ERR", max_grade=max(GRADES))
    click.echo(f"\n3. A metric that no convex loss optimises: {err}\n")
    without = without_loss(err, laws)
    click.echo(without.verdict)
    click.echo()
    show_table(without_table(without))

    click.echo("\n4. A model trained on real data\n")
    following = f"rankproof fit YOUR_TRAIN.txt --test YOUR_TEST.txt --metric {_METRIC} --out run"
    about = _SAMPLE if data is None else f"The queries of {data}: 70% to train on, 30% to test on."
    click.echo(about)
    ready()
    with replacing(folder):
        trained = _fourth(folder, parts)
        real = real_section(read_run(folder / "run"), about, trained)
        click.echo("\n5. Do the losses differ on real data?\n")
        losses = losses_section(*_fifth(parts, seed))
        page = demo_report(scene, without, real, running_command(), following, losses, first)
        write_report(page, folder / "report.html")
        _mark(folder, {"seed": seed, "metric": str(metric)})
    click.echo(f"\nreport  {folder / 'report.html'}")
    click.echo(f"next    {following}")


def _first() -> LambdaMARTScene:
    """Print the case to check by hand."""
    from rankproof.cli.terminal import show_table
    from rankproof.experiments.demo.lambdamart import lambdamart_scene
    from rankproof.experiments.demo.lambdamart_text import (
        CHECKED_BY_HAND,
        TITLE,
        end_table,
        lambdamart_in_words,
        target_table,
    )

    click.echo(f"1. {TITLE}\n")
    click.echo(f"{fill(CHECKED_BY_HAND, 100)}\n")
    scene = lambdamart_scene()
    show_table(target_table(scene))
    click.echo()
    show_table(end_table(scene))
    click.echo(f"\n{fill(lambdamart_in_words(scene), 100)}")
    return scene


def _mark(folder: Path, facts: dict[str, Any]) -> None:
    import json

    from rankproof.files import write_bytes

    write_bytes(folder / MARK, (json.dumps(facts) + "\n").encode())


def _parts(data: str | None, seed: int) -> tuple[Any, Any]:
    """What the fourth scene trains and tests on: the user's file, or the sample."""
    from rankproof.cli.inputs import read_items
    from rankproof.data.samples import diabetes_wards
    from rankproof.data.split import split_queries
    from rankproof.errors import DataError
    from rankproof.evaluation.evaluate import check_counts
    from rankproof.metrics.parse import metric as metric_of

    if data is None:
        return diabetes_wards(seed)
    items = read_items((data,)).data
    # Seven tenths are trained on, in five folds.
    if items.queries < _FEWEST:
        raise DataError(f"{data} has {items.queries} queries, but the demo needs at least {_FEWEST}.")
    split = split_queries(items, train=0.7, valid=0.0, test=0.3, seed=seed)
    for part in (split.train, split.test):
        check_counts(metric_of(_METRIC), part, data)
    return split.train, split.test


def _fourth(folder: Path, parts: tuple[Any, Any]) -> str:
    """Train on the user's file or on the sample, by the command a user would type, which is returned."""
    from rankproof.cli.main import command_line
    from rankproof.data.letor.read import write_letor

    train, test = folder / "train.txt", folder / "test.txt"
    for part, path in zip(parts, (train, test), strict=True):
        write_letor(part, path)
    words = ["fit", str(train), "--test", str(test), "--metric", _METRIC, "--out", str(folder / "run")]
    typed = shlex.join(["rankproof", *words])
    click.echo(f"$ {typed}\n")
    command_line.main(args=[*words, "--force"], prog_name="rankproof", standalone_mode=False)
    return typed


def _fifth(parts: tuple[Any, Any], seed: int) -> tuple[str, Comparison | str]:
    """Compare the losses on the same data; a user's labels may be such that one of them cannot be trained."""
    from rankproof.cli.terminal import progress_bar, show_table
    from rankproof.errors import RankproofError
    from rankproof.experiments.demo.real_losses import FOLDS, PENALTIES, compare_losses, pooled
    from rankproof.experiments.demo.real_losses_text import difference_table, in_words
    from rankproof.metrics.parse import metric as metric_of

    data = pooled(parts, seed)
    penalties = ", ".join(f"{l2:g}" for l2 in PENALTIES)
    about = _COMPARED.format(penalties=penalties, queries=data.queries, folds=FOLDS)
    try:
        with progress_bar() as tell:
            comparison = compare_losses(data, metric_of(_METRIC), seed=seed, progress=tell)
    except RankproofError as problem:
        click.echo(f"The losses could not be compared: {problem}")
        return about, str(problem)
    click.echo(f"{about}\n")
    show_table(difference_table(comparison))
    click.echo(f"\n{in_words(comparison)}")
    return about, comparison
