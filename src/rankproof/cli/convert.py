"""``rankproof convert``."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.column_options import feature_options
from rankproof.cli.options import threads_option

__all__ = ["convert"]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("out")
@click.option(
    "--to",
    type=click.Choice(["parquet", "arrow", "csv", "tsv", "npz", "letor", "run", "qrels"]),
    help="The form to write. [default: as the name of OUT says]",
)
@click.option("--query", metavar="COLUMN", help="The column of query ids. [default: query, qid, query_id]")
@click.option("--label", metavar="COLUMN", help="The column of labels. [default: label, grade, relevance]")
@click.option(
    "--doc", metavar="COLUMN", help="The column of document ids. [default: doc, doc_id, docid, docno]"
)
@click.option("--score", metavar="COLUMN", help="The column of scores, for a TREC run. [default: score]")
@feature_options
@click.option("--tag", default="rankproof", show_default=True, help="The tag in a TREC run.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@threads_option()
def convert(
    source: str, out: str, features: tuple[str, ...], quiet: bool, as_json: bool, **options: Any
) -> None:
    """Write the data of IN in another form to OUT.

    IN is LETOR text, a table (CSV, TSV, Parquet, Arrow, NumPy, or a folder of these), a TREC run or TREC
    judgments, told by its content. Rows are read and written some at a time, in their order. A table becomes
    a table with all its columns; LETOR text and TREC files take the columns that they need.

    \b
    rankproof convert train.txt train.parquet
    rankproof convert train.parquet train.txt --query session --label clicks --features 'f*'
    rankproof convert clicks.csv.gz clicks.parquet --drop 'debug_*'
    rankproof convert scores.parquet run.trec
    """
    from rankproof.cli.terminal import beside, progress_bar
    from rankproof.data.forms.convert import convert as run_convert
    from rankproof.shown import visible

    def shown(done: int, of: int | None, what: str) -> None:
        if bar is not None:
            bar(done, of or done, what)

    with progress_bar() as bar:
        bar = None if quiet else bar
        done = run_convert(source, out, features=features or None, progress=shown, **options)
    if done.taken is not None:
        click.echo(f"rankproof: {visible(f'{source}: {done.taken}')}", err=True)
    if as_json:
        import json

        taken = {} if done.taken is None else {"taken": done.taken.to_dict()}
        facts = {"out": out, "rows": done.rows, "columns": done.columns, **taken}
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2), err=out == "-")
        return
    beside(out)(visible(f"{done.rows} rows with {len(done.columns)} columns: {out}"))
