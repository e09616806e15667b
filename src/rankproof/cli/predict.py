"""``rankproof predict``."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.column_options import drop_option
from rankproof.cli.options import reading_options, threads_option

__all__ = ["predict"]

_RUN_SUFFIXES = (".trec", ".run")


@click.command()
@click.argument("model")
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    help="The file to write: a TREC run if it ends in .trec or .run, a table with query, document and score "
    "if in .parquet, .arrow or .feather, else a score file (one score per line). - is standard output.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["scores", "trec", "parquet", "arrow", "csv"]),
    help="What to write, whatever the name of FILE. [default: as the name says]",
)
@click.option("--tag", default="rankproof", show_default=True, help="The tag in a TREC run.")
@click.option("--query", metavar="COLUMN", help="Tables: the column of query ids. [default: as in training]")
@click.option("--doc", metavar="COLUMN", help="Tables: the column of document ids. [default: as in training]")
@drop_option
@reading_options
@threads_option()
def predict(
    model: str,
    data: tuple[str, ...],
    out: str,
    form: str | None,
    tag: str,
    group: bool,
    query_files: tuple[str, ...],
    **columns: Any,
) -> None:
    """Score DATA (LETOR text or tables) with MODEL (the folder of a run or of a saved model).

    Of a table the columns are read that the run was trained on, by their names.

    A TREC run needs document ids. If DATA has none, items are numbered from 0 within their query.

    \b
    rankproof predict run/ test.txt -o scores.txt
    rankproof predict run/ test.txt.gz -o run.trec
    rankproof predict run/ test.parquet -o scores.parquet
    cat test.txt | rankproof predict run/ - -o - --format trec | rankproof evaluate - --qrels qrels.txt
    """
    from rankproof.cli.inputs import once_standard, read_items
    from rankproof.cli.terminal import beside
    from rankproof.data.forms.convert import numbered_documents
    from rankproof.data.forms.predictions import write_predictions
    from rankproof.data.forms.write import form_by_name
    from rankproof.data.scores import in_rows, write_scores
    from rankproof.data.trec.write import write_run
    from rankproof.files import plain_name
    from rankproof.fit.saved.load import load_model
    from rankproof.runs.run_folder import check_model

    check_model(model)
    ranker = load_model(model)
    takes_missing = bool(ranker.__sklearn_tags__().input_tags.allow_nan)
    once_standard((*data, *query_files))
    items, order, _ = read_items(
        data,
        features=int(ranker.n_features_in_),
        missing=takes_missing,
        group=group,
        query_files=query_files,
        request=_request(ranker, model, data, columns),
    )
    scores = ranker.predict(items.X, qid=items.qids)
    named_run = plain_name(out).suffix.lower() in _RUN_SUFFIXES
    by_name = form_by_name(out) if form is None else form
    table = by_name if by_name in ("parquet", "arrow") or form == "csv" else None
    if form == "trec" or (form is None and named_run):
        write_run(out, items.query_ids, numbered_documents(items), scores, items.offsets, tag=tag)
    elif table is not None:
        write_predictions(out, items, scores, order, table)
    else:
        write_scores(in_rows(scores, order), out)
    beside(out)(f"{items.items} scores for {items.queries} queries: {out}")


def _request(ranker: Any, model: str, data: tuple[str, ...], options: dict[str, Any]) -> Any:
    """The columns to read: those that were named, and else those of the training data.

    A model that is no run may know the names of its features, if it was fitted to a frame.
    """
    from dataclasses import replace

    from rankproof.cli.column_options import request_of
    from rankproof.data.forms.columns import ColumnRequest, TakenColumns
    from rankproof.data.forms.tables import open_tables
    from rankproof.files import STANDARD
    from rankproof.runs.run_folder import is_run, read_run

    unread = ("label", "query_weight", "item_weight")
    request, _ = request_of(options, unread=unread)
    trained = read_run(model)["data"].get("train", {}).get("columns") if is_run(model) else None
    tables = None if STANDARD in data else open_tables(data)
    if trained is None or tables is None:
        names = getattr(ranker, "feature_names_in_", None)
        return request if tables is None or names is None else replace(request, features=tuple(names))
    own = ColumnRequest.of_taken(TakenColumns.from_dict(trained))
    present = tables[0].types
    return replace(
        request,
        query=request.query or own.query,
        # Documents need no ids to be scored.
        doc=request.doc or (own.doc if own.doc in present else None),
        features=own.features,
        # Only what the model reads is read.
        drop=(),
    )
