"""Options that several commands share, and how they become arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rankproof.metrics.base import Metric

__all__ = [
    "DEFAULT_METRICS",
    "data_options",
    "example_files",
    "given_command",
    "load",
    "metric_and_noise",
    "metric_option",
    "output_options",
    "read_items",
    "refuse_empty",
    "refuse_uncounted",
    "tree_options",
]

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_METRICS = ("nDCG@10", "AP", "RR")


def _all(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def metric_option(function: F) -> F:
    """``-m``, several times."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        metavar="METRIC",
        help=f"A metric such as nDCG@10, AP(rel=2)@100, ERR(max_grade=2)@20; several times. "
        f"[default: {', '.join(DEFAULT_METRICS)}]",
    )(function)


def data_options(function: F) -> F:
    """Where judgments come from, and the conventions."""
    return _all(
        click.option(
            "--qrels", metavar="FILE", help="Judgments, TREC format: query iteration document grade."
        ),
        click.option("--data", metavar="FILE", help="Judged items as LETOR text, scored by score files."),
        click.option(
            "--as",
            "convention",
            default="rankproof",
            metavar="TOOL",
            show_default=True,
            help="Count as this tool does: rankproof (exact ties), trec_eval, letor3, letor4, mslr, yahoo, "
            "lightgbm, xgboost, catboost, sklearn, ranx.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["zero", "skip"]),
            help="Judged queries that a run does not have count as an empty ranking, or are left out. "
            "[default: as the tool does; rankproof: zero]",
        ),
        click.option("--threads", type=int, default=None, help="Threads; the numbers do not depend on it."),
    )(function)


def metric_and_noise(function: F) -> F:
    """The metric that is trained for, and what is known of the labels."""
    return _all(
        click.option(
            "-m", "--metric", required=True, metavar="METRIC", help="What is reported, such as nDCG@10."
        ),
        click.option(
            "--noise",
            metavar="CONDITION",
            help="What is known of the noise in the labels, such as independent: some metrics have a "
            "consistent loss only then.",
        ),
    )(function)


def tree_options(function: F) -> F:
    """How trees are boosted, beside what is searched for; not given, they are None or ()."""
    return _all(
        click.option("--n-estimators", type=int, help="Trees: most of them. [500]"),
        click.option(
            "--min-data-in-leaf", type=int, help="Trees: fewest items of a leaf. [as the engine has it]"
        ),
        click.option(
            "--early-stopping-rounds",
            type=int,
            help="Trees: stop after so many without a better value on held-out queries. [50]",
        ),
        click.option("--categorical", metavar="a,b", help="Trees: features (from 1) that hold categories."),
        click.option(
            "--parameter",
            multiple=True,
            metavar="NAME=VALUE",
            help="Trees: a parameter of the engine, by its name there; several times.",
        ),
    )(function)


def output_options(function: F) -> F:
    """For programs: JSON, CSV, LaTeX instead of a table."""
    return _all(
        click.option("--json", "output", flag_value="json", help="Print one JSON object."),
        click.option(
            "--csv", "output", flag_value="csv", help="Print comma-separated text, numbers in full."
        ),
        click.option("--latex", "output", flag_value="latex", help="Print a LaTeX table (booktabs)."),
    )(function)


def example_files() -> dict[str, str]:
    """The small example shipped with the package."""
    from importlib.resources import files

    folder = files("rankproof") / "example"
    return {name: str(folder / name) for name in ("bm25.trec", "ranker.trec", "qrels.txt")}


def load(paths: tuple[str, ...], qrels: str | None, data: str | None) -> tuple[dict[str, Any], Any]:
    """Runs with qrels, or score files with LETOR data: name -> scores, and what to judge them by."""
    if not paths:
        raise click.UsageError("Name a run (with --qrels) or a score file (with --data), or try --example.")
    if (qrels is None) == (data is None):
        raise click.UsageError(
            "Give --qrels FILE for TREC runs, or --data FILE for score files (one of the two)."
        )
    names = _names(paths)
    if qrels is not None:
        from rankproof.data.trec import read_qrels, read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_qrels(qrels)
    from rankproof.data.letor import read_letor
    from rankproof.data.scores import read_scores
    from rankproof.errors import DataError

    judged = read_letor(str(data))
    scores = {name: read_scores(path) for name, path in zip(names, paths, strict=True)}
    for path, found in zip(paths, scores.values(), strict=True):
        if found.size != judged.items:
            raise DataError(f"{path} holds {found.size} scores, but {data} has {judged.items} items.")
    return scores, judged


def read_items(
    paths: tuple[str, ...],
    features: int | None = None,
    threads: int | None = None,
    *,
    missing: bool = False,
) -> Any:
    """LETOR files, several as one, with features that a model can compute with.

    None of them is infinite, and none is NaN unless the model takes ``missing`` values.
    """
    import numpy as np

    from rankproof.data.letor import read_letor
    from rankproof.errors import DataError

    items = read_letor(list(paths), features=features, threads=threads)
    named = ", ".join(paths)
    if items.X is None or not items.features:
        raise DataError(
            f"{named}: there are no features. A row is written LABEL qid:QUERY 1:VALUE 2:VALUE ..."
        )
    values = items.X if isinstance(items.X, np.ndarray) else items.X.data
    wrong = np.isinf(values) if missing else ~np.isfinite(values)
    if wrong.any():
        what = "infinite" if missing else "missing (nan) or infinite"
        raise DataError(
            f"{named}: {int(wrong.sum())} feature values are {what}. The model cannot compute with them; put "
            "numbers in their place."
        )
    return items


def refuse_uncounted(counted: Mapping[str, int], name: str) -> None:
    """Raise `DataError` when no metric counts a query; ``counted`` says how many each does.

    >>> refuse_uncounted({"AP": 0, "P@5": 3}, "test.txt")
    >>> refuse_uncounted({"AP": 0, "RR": 0}, "test.txt")
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: test.txt: no query counts for AP, RR: each is empty, as one without a relevant
    item is. Give data with relevant items, or use empty=0.
    """
    from rankproof.errors import DataError

    if not any(counted.values()):
        raise DataError(
            f"{name}: no query counts for {', '.join(counted)}: each is empty, as one without a relevant "
            "item is. Give data with relevant items, or use empty=0."
        )


def refuse_empty(metric: Metric, data: Any, name: str) -> None:
    """Raise `DataError` when a metric counts no query of ``data``: before the work starts, not after it."""
    import numpy as np

    from rankproof.errors import RankproofError
    from rankproof.evaluation.run import evaluate

    try:
        counted = evaluate(np.zeros(data.items), data, [metric]).counted
    except RankproofError:
        # Whatever else is wrong with the data is told by what reads them next.
        return
    refuse_uncounted(counted, name)


def _names(paths: tuple[str, ...]) -> list[str]:
    """Short names where they differ: file names without suffix, else the paths as given."""
    from pathlib import PurePath

    short = [PurePath(p).name.split(".")[0] or p for p in paths]
    for candidate in (short, [PurePath(p).name for p in paths], list(paths)):
        if len(set(candidate)) == len(candidate):
            return candidate
    raise click.UsageError("The same file is named twice.")


def given_command(*, without: tuple[str, ...] = ()) -> str:
    """The command that is running, with the options that were given; those ``without`` are left out.

    >>> import click
    >>> @click.command()
    ... @click.argument("runs", nargs=-1)
    ... @click.option("-m", "--metric", "metrics", multiple=True)
    ... @click.option("--json", "output", flag_value="json")
    ... @click.option("--csv", "output", flag_value="csv")
    ... @click.option("--all", is_flag=True)
    ... @click.option("--seed", type=int, default=0)
    ... def compare(runs, metrics, output, all, seed):
    ...     print(given_command())
    >>> compare.main(["a b.trec", "c.trec", "-m", "AP", "-m", "RR", "--json", "--all"], standalone_mode=False)
    rankproof compare 'a b.trec' c.trec --metric AP --metric RR --json --all
    """
    context = click.get_current_context()
    words = ["rankproof", str(context.info_name if context.parent is not None else context.command.name)]
    options: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if (
            name in without
            or context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE
        ):
            continue
        listed = list(value) if isinstance(value, tuple) else [value]
        if isinstance(parameter, click.Option):
            options += _option_words(parameter, listed)
        else:
            words += map(str, listed)
    return shlex.join([*words, *options])


def _option_words(option: click.Option, values: list[object]) -> list[str]:
    shown = max(option.opts, key=len)
    if option.is_bool_flag:
        return [shown] if values == [True] else []
    if option.is_flag:
        # Several flags may share a name, each with a value of its own; the one that was not given is another.
        return [shown] if values == [option.flag_value] else []
    return [word for value in values for word in (shown, str(value))]
