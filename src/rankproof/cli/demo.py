"""``rankproof demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.demo_folder import MARK, demo_folder, replacing

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
    asked = metric_of(metric)
    with demo_folder(out) as folder:
        # Wrong data are refused now, not after a minute.
        parts = _parts(data, seed)
        _scenes(folder, asked, seed, data, parts, quick)


def _scenes(
    folder: Path, asked: Metric, seed: int, data: str | None, parts: tuple[Any, Any], quick: bool
) -> None:
    from rankproof.cli.options import given_command
    from rankproof.cli.show import progress_bar, show_table
    from rankproof.metrics.parse import metric as metric_of
    from rankproof.report.demo.convergence import SIZES, regret_curves
    from rankproof.report.demo.page import demo_report, law_table, real_section, regret_table, without_table
    from rankproof.report.demo.without_loss import without_loss
    from rankproof.report.demo.world import GRADES, ambiguous_laws
    from rankproof.report.html import write_report
    from rankproof.report.run_folder import read_run

    laws = ambiguous_laws(seed)
    sizes = SIZES[::2] if quick else SIZES

    click.echo("1. What losses converge to\n")
    click.echo(
        f"A world of {len(laws)} kinds of ambiguous queries: people who type the same mean different "
        "things, and grade\nthe items accordingly. Its law is known, so the best possible ranking is known "
        "too. The first kinds:"
    )
    with progress_bar() as tell:
        scene = regret_curves(laws, asked, seed=seed, sizes=sizes, draws=2 if quick else 5, progress=tell)
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
        write_report(demo_report(scene, without, real, given_command(), following), folder / "report.html")
        _mark(folder, {"seed": seed, "metric": str(asked)})
    click.echo(f"\nreport  {folder / 'report.html'}")
    click.echo(f"next    {following}")


def _mark(folder: Path, facts: dict[str, Any]) -> None:
    import json

    from rankproof.data.open import create_bytes

    with create_bytes(folder / MARK) as file:
        file.write((json.dumps(facts) + "\n").encode())


def _parts(data: str | None, seed: int) -> tuple[Any, Any]:
    """What the third scene trains and tests on: the user's file, or the sample."""
    from rankproof.cli.options import read_items, refuse_empty
    from rankproof.data.split import split_queries
    from rankproof.errors import DataError
    from rankproof.metrics.parse import metric as metric_of
    from rankproof.report.demo.real_sample import diabetes_wards

    if data is None:
        return diabetes_wards(seed)
    found = read_items((data,))
    # Seven tenths are trained on, in five folds.
    if found.queries < _FEWEST:
        raise DataError(f"{data} has {found.queries} queries; the demonstration needs {_FEWEST} or more.")
    split = split_queries(found, train=0.7, valid=0.0, test=0.3, seed=seed)
    for part in (split.train, split.test):
        refuse_empty(metric_of(_METRIC), part, data)
    return split.train, split.test


def _third(folder: Path, parts: tuple[Any, Any]) -> str:
    """Train on the user's file or on the sample, by the command a user would type, which is returned."""
    from rankproof.cli.main import command_line
    from rankproof.data.letor import write_letor

    train, test = folder / "train.txt", folder / "test.txt"
    for part, path in zip(parts, (train, test), strict=True):
        write_letor(part, path)
    words = ["fit", str(train), "--test", str(test), "--metric", _METRIC, "--out", str(folder / "run")]
    typed = shlex.join(["rankproof", *words])
    click.echo(f"$ {typed}\n")
    command_line.main(args=[*words, "--force"], prog_name="rankproof", standalone_mode=False)
    return typed
