"""``rankproof demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.demo_folder import MARK, demo_folder, replacing
from rankproof.cli.options import threads_option

if TYPE_CHECKING:
    from rankproof.metrics.base import Metric

__all__ = ["demo"]

# LightGBM counts seeds in 31 bits.
_MOST_SEED = 2**31 - 1
# Of the third scene: the metric, and the fewest queries of a file of one's own.
_METRIC, _FEWEST = "nDCG@10", 8
_SAMPLE = "442 patients (the diabetes data of scikit-learn), in wards of 13: who gets worse?"


@click.command()
@click.option(
    "--out", default="demo", show_default=True, metavar="DIR", help="Folder for the report and the data."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed is another world.")
@click.option("--data", metavar="FILE", help="A LETOR file of your own for the third scene.")
@click.option("--metric", default="nDCG", show_default=True, help="The metric of the first scene.")
@click.option("--quick", is_flag=True, help="Fewer samples, a fraction of the time.")
@threads_option()
def demo(out: str, seed: int, data: str | None, metric: str, quick: bool) -> None:
    """Show what losses converge to, in a world where the best ranking is known.

    Trains a consistent loss and popular ones on growing samples and computes what each loses to the best
    possible ranking; shows a metric that no convex loss optimises, and the way round; then trains on real
    data. Takes less than a minute and downloads nothing.

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
    from rankproof.cli.terminal import progress_bar, show_table
    from rankproof.experiments.demo.convergence import SIZES, regret_curves
    from rankproof.experiments.demo.tables import law_table, regret_table, without_table
    from rankproof.experiments.demo.without_loss import without_loss
    from rankproof.experiments.demo.world import GRADES, ambiguous_laws
    from rankproof.metrics.parse import metric as metric_of
    from rankproof.report.html import write_report
    from rankproof.report.pages.demo import demo_report, real_section
    from rankproof.runs.run_folder import read_run

    laws = ambiguous_laws(seed)
    sizes = SIZES[::2] if quick else SIZES

    click.echo("1. What losses converge to\n")
    click.echo(
        f"A world of {len(laws)} kinds of ambiguous queries: people who type the same mean different "
        "things, and grade\nthe items accordingly. Its law is known, so the best possible ranking is known "
        "too. The first kinds:"
    )
    with progress_bar() as tell:
        scene = regret_curves(laws, metric, seed=seed, sizes=sizes, draws=2 if quick else 5, progress=tell)
    show_table(law_table(scene, kinds=3))
    click.echo("\nEach loss is trained on growing samples of that world:\n")
    show_table(regret_table(scene))

    err = metric_of("ERR", max_grade=max(GRADES))
    click.echo(f"\n2. A metric without a convex loss: {err}\n")
    without = without_loss(err, laws)
    click.echo(without.verdict)
    click.echo()
    show_table(without_table(without))

    click.echo("\n3. The same on real data\n")
    following = f"rankproof fit YOUR_TRAIN.txt --test YOUR_TEST.txt --metric {_METRIC} --out run"
    about = _SAMPLE if data is None else f"The queries of {data}, seven tenths of them to train on."
    click.echo(about)
    with replacing(folder):
        trained = _third(folder, parts)
        real = real_section(read_run(folder / "run"), about, trained)
        write_report(demo_report(scene, without, real, running_command(), following), folder / "report.html")
        _mark(folder, {"seed": seed, "metric": str(metric)})
    click.echo(f"\nreport  {folder / 'report.html'}")
    click.echo(f"next    {following}")


def _mark(folder: Path, facts: dict[str, Any]) -> None:
    import json

    from rankproof.files import write_bytes

    write_bytes(folder / MARK, (json.dumps(facts) + "\n").encode())


def _parts(data: str | None, seed: int) -> tuple[Any, Any]:
    """What the third scene trains and tests on: the user's file, or the sample."""
    from rankproof.cli.inputs import read_items
    from rankproof.data.samples import diabetes_wards
    from rankproof.data.split import split_queries
    from rankproof.errors import DataError
    from rankproof.evaluation.evaluate import check_counts
    from rankproof.metrics.parse import metric as metric_of

    if data is None:
        return diabetes_wards(seed)
    items = read_items((data,))
    # Seven tenths are trained on, in five folds.
    if items.queries < _FEWEST:
        raise DataError(f"{data} has {items.queries} queries; the demonstration needs {_FEWEST} or more.")
    split = split_queries(items, train=0.7, valid=0.0, test=0.3, seed=seed)
    for part in (split.train, split.test):
        check_counts(metric_of(_METRIC), part, data)
    return split.train, split.test


def _third(folder: Path, parts: tuple[Any, Any]) -> str:
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
