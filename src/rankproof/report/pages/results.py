"""The report of one system: its metrics, and query by query against the constant scorer."""

from __future__ import annotations

from rankproof.evaluation.data_summary import DataSummary
from rankproof.evaluation.differences import gaps
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import number
from rankproof.report.content import Block, DataTable, Facts, Report, Section
from rankproof.report.pages.charts import feature_bars, gap_bars
from rankproof.report.pages.data_summary import data_blocks
from rankproof.report.pages.origin import versions_fact
from rankproof.runs.record import FeatureWeights

__all__ = ["results_report"]

# Rows of the table of queries that is open; a longer one is opened by a click.
FEW_QUERIES = 30


def results_report(
    results: Results,
    *,
    name: str = "the system",
    loss: str | None = None,
    weights: FeatureWeights | None = None,
    contents: DataSummary | None = None,
) -> Report:
    """The report of what `rankproof.evaluate` found; of a ranker also its loss, features and data."""
    bars = feature_bars(weights)
    table = results.per_query_table()
    sections = [
        Section("Results", [DataTable(results.table())]),
        Section("Query by query", _against_constant(results, name)),
        Section("Queries", [DataTable(table, folded=len(table.rows) > FEW_QUERIES)]),
        Section("Features", [] if bars is None else [bars]),
        Section("Data", [] if contents is None else data_blocks(contents, {"data": int(results.tied.sum())})),
        Section("Reproduce", [Facts([versions_fact()])]),
    ]
    title = f"Results of {name}"
    return Report(title, [section for section in sections if section.blocks], _lead(results, loss))


def _lead(results: Results, loss: str | None) -> str:
    means = ", ".join(f"{metric} {number(mean)}" for metric, mean in results.mean.items())
    trained = "" if loss is None else f"Trained with {loss}. "
    return f"{trained}{means} on {results.query_ids.size} queries; convention: {results.convention}."


def _against_constant(results: Results, name: str) -> list[Block]:
    constant = results.baseline("constant")
    blocks: list[Block] = []
    for metric, values in results.per_query.items():
        higher = results.metrics[metric].direction == "higher"
        ahead = gaps(values, constant[metric], higher)
        title = f"{metric}: {name} against the constant scorer"
        names = (name[0].upper() + name[1:], "the constant scorer")
        blocks.append(gap_bars(results.query_ids, ahead, metric, names, title=title, folded=len(blocks) > 2))
    return blocks
