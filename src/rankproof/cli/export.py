"""``rankproof export``."""

from __future__ import annotations

import click

from rankproof.cli.options import reading_options, threads_option

__all__ = ["export"]


def _a_file(context: click.Context, parameter: click.Parameter, value: str) -> str:  # noqa: ARG001
    if value == "-":
        raise click.BadParameter("standard output has no place for the files beside it; name a file.")
    return value


@click.command()
@click.argument("model")
@click.option(
    "--to",
    "format",
    required=True,
    metavar="FORMAT",
    help="compiled, elasticsearch, json, lightgbm, onnx, opensearch, solr, treelite or vespa.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    callback=_a_file,
    help="The file to write. Beside it: FILE.parity.json and, for some targets, FILE.features.json.",
)
@click.option(
    "--features",
    metavar="MAP",
    help="The names of features in the target: a JSON object from the model's names (f0 is the first "
    "feature of "
    "LETOR text), a JSON list, or text with one name per line. [default: as in the model]",
)
@click.option(
    "--target-version",
    "--es-version",
    "version",
    metavar="VERSION",
    help="Of the target: OpenSearch 3.2 (and before), 3.3 (to 3.5) or 3.6 (and later); Solr 9.1 (and "
    "before) or 9.2; "
    "ONNX trees 3 or 5 (opset of ai.onnx.ml).",
)
@click.option("--name", metavar="NAME", help="What the model is called in the target. [default: as the file]")
@click.option(
    "--missing",
    type=click.Choice(["as-trained", "never"]),
    default="as-trained",
    show_default=True,
    help="Whether features can be missing in the target.",
)
@click.option(
    "--data", multiple=True, metavar="FILE", help="LETOR text whose rows are tried too; repeatable."
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="The most rows that are made.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written and checked as JSON.")
@reading_options
@threads_option()
def export(
    model: str,
    format: str,  # noqa: A002  # the word of the field
    out: str,
    features: str | None,
    version: str | None,
    name: str | None,
    missing: str,
    data: tuple[str, ...],
    rows: int,
    as_json: bool,
    group: bool,
    query_files: tuple[str, ...],
) -> None:
    """Write MODEL for a search engine or a runtime, after a check that it ranks there as it does here.

    MODEL is the folder of a run or of a saved model, or a model file of LightGBM (text), XGBoost (JSON or
    binary JSON) or CatBoost (JSON or cbm), trained elsewhere. An independent evaluator of the format scores
    rows on, just below and just above every threshold, with missing and extreme values. If a score differs
    by more than rounding, or an order within a query changes, nothing is written.

    \b
    rankproof export run/ --to onnx -o model.onnx
    rankproof export run/ --to elasticsearch -o model.json --features names.json --data test.txt
    rankproof export run/ --to opensearch --es-version 3.6 -o model.json
    rankproof export booster.txt --to vespa -o model.json --features names.json
    rankproof export model.ubj --to solr -o model.json --missing never
    """
    import numpy as np

    from rankproof.cli.inputs import once_standard, read_items
    from rankproof.exports.export import export as write
    from rankproof.exports.read.files import read_source

    X = qid = None
    if data:
        source, _ = read_source(model)
        once_standard((*data, *query_files))
        items, _, _ = read_items(
            data, features=source.form.features, missing=True, group=group, query_files=query_files
        )
        X, qid = items.X, np.repeat(np.arange(items.queries), items.sizes)
    done = write(
        model,
        out,
        format=format,
        features=features,
        version=version,
        name=name,
        missing=missing,
        X=X,
        qid=qid,
        rows=rows,
    )
    click.echo(done.to_json() if as_json else str(done))
