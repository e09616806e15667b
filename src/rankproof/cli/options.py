"""Options that several commands share, and those of the models that ``fit`` and ``tune`` train.

What the options of a model are unless given is read from the rankers; not given, one is None or ().
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import click

from rankproof.cli.commands import option_name
from rankproof.errors import ArgumentError
from rankproof.evaluation.defaults import CONVENTION
from rankproof.fit.defaults import BOOSTED, LINEAR, NEURAL

__all__ = [
    "DEFAULT_METRICS",
    "PREFS_METRICS",
    "a_folder",
    "all_of",
    "data_options",
    "metric_and_noise",
    "metric_option",
    "model_options",
    "output_options",
    "own_metric_options",
    "own_options",
    "own_target_options",
    "prefs_option",
    "reading_options",
    "threads_option",
    "tree_options",
]

F = TypeVar("F", bound=Callable[..., Any])


def a_folder(context: click.Context, parameter: click.Parameter, value: str) -> str:  # noqa: ARG001
    """The callback of an option that names a folder to write."""
    if value == "-":
        raise click.BadParameter("a folder cannot be written to standard output; give it a name.")
    return value


DEFAULT_METRICS = ("nDCG@10", "AP", "RR")
# With --prefs.
PREFS_METRICS = ("PD",)


def all_of(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, shown in this order."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def threads_option(help: str = "Number of threads; the results do not depend on it.") -> Callable[[F], F]:  # noqa: A002
    """``--threads``, which everything obeys that the command does; the command itself does not see it."""

    def decorate(function: F) -> F:
        @wraps(function)
        def command(*args: Any, **options: Any) -> Any:
            from rankproof.threads import using

            with using(options.pop("threads")):
                return function(*args, **options)

        return click.option("--threads", type=int, default=None, help=help)(cast("F", command))

    return decorate


def metric_option(function: F) -> F:
    """``-m``, several times."""
    return all_of(
        click.option(
            "-m",
            "--metric",
            "metrics",
            multiple=True,
            metavar="METRIC",
            help="A metric such as nDCG@10, AP(rel=2)@100 or ERR(max_grade=2)@20, or your own as "
            "my_metric.py:name (whose file is run); can be repeated. "
            f"[default: {', '.join(DEFAULT_METRICS)}]",
        ),
        own_metric_options,
    )(function)


def own_metric_options(function: F) -> F:
    """What is to be said of a metric of the user's own."""
    return all_of(
        click.option("--lower-is-better", is_flag=True, help="Lower values of your own metric are better."),
        click.option(
            "--ties",
            type=click.Choice(["average", "row"]),
            help="Equal scores, for your own metric: the exact mean over all rankings that sort them "
            "(average), or the order of the rows. [default: average]",
        ),
    )(function)


def own_target_options(function: F) -> F:
    """What is to be said of a metric of the user's own that is trained for."""
    return all_of(
        own_metric_options,
        click.option(
            "--grades",
            "own_grades",
            type=click.IntRange(min=2),
            metavar="N",
            help="The labels that your own metric has a target for: 0 to N - 1. [default: 5, or as many as "
            "it accepts]",
        ),
        click.option(
            "--nearest",
            is_flag=True,
            help="If your own metric has no target, train for the nearest metric that has one.",
        ),
    )(function)


def prefs_option(function: F) -> F:
    """``--prefs``, in place of ``--qrels``."""
    return click.option(
        "--prefs",
        metavar="FILE",
        help="Preferences in the format of trec_eval -R prefs, in place of --qrels: query group subgroup "
        "document level. For the metrics PD (the default) and WPDL. A preference between two documents with "
        "equal scores counts 1/2, and so does one between two that the run does not have; these rank below "
        "all others.",
    )(function)


def reading_options(function: F) -> F:
    """How LETOR text is read."""
    return all_of(
        click.option(
            "--group",
            is_flag=True,
            help="LETOR text whose queries are not sorted: bring the rows of a query together.",
        ),
        click.option(
            "--query-file",
            "query_files",
            multiple=True,
            metavar="FILE",
            help="LETOR text without qid: a file with the number of rows of every query, one per line "
            "(LightGBM's format); once per data file. [default: DATA.query if it exists]",
        ),
    )(function)


def data_options(function: F) -> F:
    """Where judgments come from, and the conventions."""
    return all_of(
        click.option(
            "--qrels",
            metavar="FILE",
            help="Relevance judgments in TREC format: query iteration document grade.",
        ),
        click.option(
            "--data",
            metavar="FILE",
            help="Judged items, for scores: LETOR text, or a table (CSV, Parquet, Arrow, NumPy).",
        ),
        click.option(
            "--as",
            "convention",
            default=CONVENTION,
            metavar="TOOL",
            show_default=True,
            help="Compute metrics as this tool does: rankproof (exact ties), trec_eval, letor3, letor4, "
            "mslr, yahoo, lightgbm, xgboost, catboost, sklearn, ranx.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["zero", "skip"]),
            help="How to count judged queries that are missing from a run: as an empty ranking (zero), or "
            "not at all (skip). [default: as the tool does; rankproof: zero]",
        ),
        click.option(
            "--depth",
            type=click.IntRange(min=1),
            metavar="N",
            help="Look at the first N items of every ranking only, as trec_eval -M does.",
        ),
        reading_options,
        threads_option(),
    )(function)


def metric_and_noise(function: F) -> F:
    """The metric that is trained for, and what is known of the labels."""
    return all_of(
        click.option(
            "-m",
            "--metric",
            required=True,
            metavar="METRIC",
            help="The metric to optimise and report, such as nDCG@10, or your own as my_metric.py:name "
            "(whose file is run).",
        ),
        click.option(
            "--noise",
            metavar="CONDITION",
            help="What you know about the noise in the labels, such as independent. Some metrics have a "
            "consistent loss only under such a condition.",
        ),
        own_target_options,
    )(function)


def output_options(function: F) -> F:
    """For programs: JSON, CSV, LaTeX instead of a table."""
    return all_of(
        click.option("--json", "output", flag_value="json", help="Print one JSON object."),
        click.option("--csv", "output", flag_value="csv", help="Print CSV with numbers in full precision."),
        click.option("--latex", "output", flag_value="latex", help="Print a LaTeX table (booktabs)."),
    )(function)


_ENGINES_OWN = "the engine's default"
_PATH = f"{LINEAR.l2s[0]:g}, {LINEAR.l2s[1]:g}, ..., {LINEAR.l2s[-1]:g}"


def _whole_numbers(context: click.Context, option: click.Parameter, text: str | None) -> str | None:  # noqa: ARG001
    """Numbers with commas, as they were given."""
    parts = [] if text is None else [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise ArgumentError(f"{option.opts[0]} takes whole numbers >= 1 separated by commas, got {text!r}.")
    return text


def _default(value: object) -> str:
    """A default as the help shows it: in brackets; None is the engine's own."""
    if value is None:
        return f"[{_ENGINES_OWN}]"
    return f"[{value:g}]" if isinstance(value, float) else f"[{value}]"


def model_options(function: F) -> F:
    """All options of all models, in the order of the help."""
    hidden = ",".join(map(str, NEURAL.hidden))
    return all_of(
        click.option(
            "--l2",
            metavar="a,b,c|path",
            help=f"linear: one penalty, or several to choose from; path, the default, is {_PATH}. Without "
            f"--valid the choice is made by cross-validation on TRAIN. Trees: one penalty. "
            f"{_default(BOOSTED.l2)}",
        ),
        click.option(
            "--scale",
            metavar="KIND",
            help="Scaling of the features, saved with the model. linear: none, standard or query-minmax "
            f"{_default(LINEAR.scale)}; neural: standard, query or both {_default(NEURAL.scale)}.",
        ),
        click.option("--solver", metavar="lbfgs|sgd", help=f"linear: the solver. {_default(LINEAR.solver)}"),
        click.option(
            "--max-iter",
            type=int,
            help=f"linear: maximum iterations per penalty {_default(LINEAR.max_iter)}; neural: maximum "
            f"epochs {_default(NEURAL.max_iter)}.",
        ),
        click.option(
            "--tol", type=float, help=f"linear: relative gradient norm to stop at. {_default(LINEAR.tol)}"
        ),
        click.option(
            "--learning-rate",
            type=float,
            help=f"Trees: the learning rate {_default(BOOSTED.learning_rate)}; neural: the step size "
            f"{_default(NEURAL.learning_rate)}.",
        ),
        click.option(
            "--num-leaves", type=int, help=f"Trees: maximum leaves per tree. {_default(BOOSTED.num_leaves)}"
        ),
        tree_options,
        click.option(
            "--hidden",
            metavar="a,b",
            callback=_whole_numbers,
            help=f"neural: sizes of the hidden layers. {_default(hidden)}",
        ),
        click.option(
            "--weight-decay", type=float, help=f"neural: weight decay. {_default(NEURAL.weight_decay)}"
        ),
        click.option("--dropout", type=float, help=f"neural: dropout rate. {_default(NEURAL.dropout)}"),
        click.option(
            "--batch-items",
            type=int,
            help=f"neural: approximate number of items per batch. {_default(NEURAL.batch_items)}",
        ),
        click.option(
            "--patience",
            type=int,
            help=f"neural: stop after this many epochs without improvement. {_default(NEURAL.patience)}",
        ),
    )(function)


def tree_options(function: F) -> F:
    """How trees are boosted, beside what is searched for."""
    return all_of(
        click.option(
            "--n-estimators",
            type=int,
            help=f"Trees: maximum number of trees. {_default(BOOSTED.n_estimators)}",
        ),
        click.option(
            "--min-data-in-leaf",
            type=int,
            help=f"Trees: minimum number of items in a leaf. {_default(BOOSTED.min_data_in_leaf)}",
        ),
        click.option(
            "--early-stopping-rounds",
            type=int,
            help="Trees: stop after this many trees without improvement on held-out queries. "
            f"{_default(BOOSTED.early_stopping_rounds)}",
        ),
        click.option(
            "--categorical",
            metavar="a,b",
            help="Trees: categorical features by their numbers, counted from 1, or by the names of columns; "
            "their values are whole numbers.",
        ),
        click.option(
            "--parameter",
            multiple=True,
            metavar="NAME=VALUE",
            help="Trees: a parameter of the engine, under the engine's name for it; can be repeated.",
        ),
    )(function)


def own_options(model: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of models among those of a command; one that the model does not have is refused.

    >>> own_options("xgboost", {"tol": 1e-3, "seed": 0})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Option --tol does not apply to --model xgboost, only to linear. Options of
    xgboost: --n-estimators, --learning-rate, ...
    """
    from rankproof.runs.defaults import MODELS
    from rankproof.runs.models import model_defaults

    takers = {name: [other for other in MODELS if name in model_defaults(other)] for name in options}
    own = {name: value for name, value in options.items() if takers[name] and value not in (None, ())}
    for name in own:
        if model not in takers[name]:
            others = ", ".join(takers[name])
            raise ArgumentError(
                f"Option {option_name(name)} does not apply to --model {model}, only to {others}. "
                f"Options of {model}: {', '.join(map(option_name, model_defaults(model)))}."
            )
    return own
