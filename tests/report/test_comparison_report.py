"""The report of a comparison shows what `compare` found, and the queries behind it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.samples import example_files
from rankproof.evaluation.cutoffs import cutoff_means
from rankproof.evaluation.data_summary import count_grades, summarise
from rankproof.evaluation.differences import gaps
from rankproof.evaluation.evaluate import empty_queries
from rankproof.report.content import (
    Block,
    Command,
    DataTable,
    LineChart,
    Paragraphs,
    QueryBars,
    Rankings,
    Report,
)
from rankproof.report.pages.charts import cutoff_curves
from rankproof.report.pages.comparison import MOST_CHARTS, comparison_report

Run = Callable[..., Any]
LABELS = np.tile([2.0, 1.0, 0.0, 0.0], 12)
OFFSETS = np.arange(0, 49, 4)


def systems(count: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    return {f"s{k}": LABELS + random.normal(scale=0.5 + k, size=48) for k in range(count)}


def page_of(found: Any, scores: Any, judged: Any, command: str | None = None, **options: Any) -> Report:
    contents: Any = None
    if isinstance(judged, rp.RankingData):
        contents = summarise({"data": judged}, "AP", {"data": empty_queries(rp.metric("AP"), judged)})
    elif isinstance(judged, rp.Qrels):
        contents = count_grades({"judgments": judged.grades})
    cutoffs = cutoff_means(scores, judged, **options)
    return comparison_report(found, scores, judged, cutoffs=cutoffs, contents=contents, command=command)


def report_of(count: int, metrics: list[str]) -> tuple[Any, Report]:
    scores = systems(count)
    found = rp.compare(scores, LABELS, metrics, offsets=OFFSETS)
    return found, page_of(found, scores, LABELS, offsets=OFFSETS)


def blocks(report: Report, title: str) -> list[Block]:
    return [block for section in report.sections if section.title == title for block in section.blocks]


def test_tables_are_those_of_the_comparison() -> None:
    found, report = report_of(3, ["nDCG@2", "AP"])
    (table,) = blocks(report, "Systems")
    assert isinstance(table, DataTable)
    assert table.table == found.table()
    pairs = [block.table for block in blocks(report, "Pairs") if isinstance(block, DataTable)]
    assert pairs == [found.pair_table("nDCG@2"), found.pair_table("AP")]
    assert (
        report.lead
        == "s0, s1, s2 on 12 queries. By nDCG@2, AP: no system is significantly better than all others."
    )


def test_bars_of_every_pair_agree_with_its_counts() -> None:
    found, report = report_of(3, ["nDCG@2", "PD"])
    charts = [block for block in blocks(report, "Query by query") if isinstance(block, QueryBars)]
    pairs = [(metric, pair) for metric in found.metrics for pair in found.pairs[metric]]
    assert len(charts) == len(pairs) == 6
    for chart, (metric, pair) in zip(charts, pairs, strict=True):
        assert chart.title == f"{metric}: {pair.a} against {pair.b}"
        values = np.array([value for _, value in chart.bars])
        higher = metric != "PD"
        # wins are queries on which the value is above, which is worse for PD.
        ahead, behind = (pair.wins, pair.losses) if higher else (pair.losses, pair.wins)
        assert ((values > 0).sum(), (values == 0).sum(), (values < 0).sum()) == (ahead, pair.ties, behind)
        assert values.mean() == pytest.approx(pair.difference if higher else -pair.difference)


def test_too_many_charts_are_not_drawn() -> None:
    _, report = report_of(12, ["nDCG@2", "AP"])  # 66 pairs
    note, *charts = blocks(report, "Query by query")
    assert isinstance(note, Paragraphs)
    assert len(charts) == MOST_CHARTS


def test_the_lead_names_the_winner() -> None:
    scores = {"right": LABELS, "wrong": -LABELS}
    found = rp.compare(scores, LABELS, ["nDCG", "PD"], offsets=OFFSETS)
    lead = page_of(found, scores, LABELS, offsets=OFFSETS).lead
    assert (
        lead
        == "right, wrong on 12 queries. By nDCG, PD: right is significantly better than every other system."
    )


def test_the_queries_of_the_largest_differences_are_shown_with_both_rankings() -> None:
    """s0 ranks a right and b wrong, s1 the other way round; c and d are the same for both."""
    qrels = {query: {"x": 1, "y": 0} for query in "abcd"}
    right, wrong = {"x": 2.0, "y": 1.0, "z": 0.5}, {"y": 2.0, "x": 1.0}
    first = {"a": right, "b": wrong, "c": right, "d": right}
    second = {"a": wrong, "b": right, "c": right, "d": right}
    runs = {name: rp.Run.from_dict(run) for name, run in (("s0", first), ("s1", second))}
    judged = rp.Qrels.from_dict(qrels)
    found = rp.compare(runs, judged, "AP")
    report = page_of(found, runs, judged)
    note, *shown = blocks(report, "Where the two best systems differ most")
    assert isinstance(note, Paragraphs)
    assert [(one.title, one.note) for one in shown if isinstance(one, Rankings)] == [
        ("Query a", "AP 1.0000 with s0, 0.5000 with s1."),
        ("Query b", "AP 0.5000 with s0, 1.0000 with s1."),
    ]
    assert isinstance(shown[0], Rankings)
    ours, theirs = shown[0].sides
    assert (ours.name, theirs.name) == ("s0", "s1")
    # z was not judged.
    assert [list(row) for row in ours.table.rows] == [
        ["1", "x", "1", "2"],
        ["2", "y", "0", "1"],
        ["3", "z", "-", "0.5"],
    ]
    assert [row[1] for row in theirs.table.rows] == ["y", "x"]
    (table,) = [block for block in blocks(report, "Data") if isinstance(block, DataTable)]
    assert [list(row) for row in table.table.rows] == [["0", "4 (50.0%)"], ["1", "4 (50.0%)"]]


def test_of_ranking_data_the_items_and_grades_are_known() -> None:
    data = rp.RankingData(labels=[1.0, 0.0, 0.0, 1.0], offsets=[0, 2, 4], query_ids=["a", "b"])
    scores = {"s0": np.array([2.0, 1.0, 2.0, 1.0]), "s1": np.array([1.0, 2.0, 1.0, 2.0])}
    report = page_of(rp.compare(scores, data, "AP"), scores, data)
    _, first, second = blocks(report, "Where the two best systems differ most")
    assert isinstance(first, Rankings)
    assert isinstance(second, Rankings)
    assert (first.title, second.title) == ("Query a", "Query b")
    assert [[list(row) for row in side.table.rows] for side in second.sides] == [
        [["1", "0", "0", "2"], ["2", "1", "1", "1"]],
        [["1", "1", "1", "2"], ["2", "0", "0", "1"]],
    ]
    counts = blocks(report, "Data")[1]
    assert isinstance(counts, DataTable)
    assert list(counts.table.rows[0]) == ["queries", "2"]


def test_systems_that_no_query_tells_apart_have_no_such_queries() -> None:
    data = rp.RankingData(labels=[1.0, 0.0], offsets=[0, 2])
    scores = {"s0": np.array([2.0, 1.0]), "s1": np.array([4.0, 2.0])}
    report = page_of(rp.compare(scores, data, "AP"), scores, data)
    assert "Where the two best systems differ most" not in [section.title for section in report.sections]


def test_queries_that_one_system_lacks_have_no_difference() -> None:
    nan = float("nan")
    assert np.isnan(gaps(np.array([nan, 0.5]), np.array([0.1, nan]), higher_is_better=True)).all()
    found = gaps(np.array([0.3, 0.5]), np.array([0.1 + 0.2, 0.75]), higher_is_better=True)
    assert found.tolist() == [0.0, -0.25]  # rounding is no difference


def test_curves_of_every_system() -> None:
    _, report = report_of(2, ["AP"])
    (chart,) = blocks(report, "nDCG at cutoffs")
    assert isinstance(chart, LineChart)
    assert [series.name for series in chart.series] == ["s0", "s1", "constant scorer"]
    mean = rp.evaluate(systems(2)["s1"], LABELS, "nDCG@3", offsets=OFFSETS).mean["nDCG@3"]
    assert chart.series[1].points[2] == (3.0, mean)


def test_curves_keep_the_gain_of_the_metric() -> None:
    chart = cutoff_curves(
        cutoff_means({"a": [0, 1]}, [2, 1], rp.metric("nDCG(gain=linear)@5"), offsets=[0, 2])
    )
    assert isinstance(chart, LineChart)
    assert chart.series[0].points[0] == (1.0, 0.5)  # 1 / 2


def test_a_tool_without_ndcg_is_told_of() -> None:
    block = cutoff_curves(cutoff_means({"a": [0, 1]}, [1e6, 1], offsets=[0, 2]))
    assert isinstance(block, Paragraphs)
    assert block.paragraphs[0].startswith("nDCG at cutoffs is left out: ")


def test_the_command_writes_it_beside_its_output(rankproof: Run, tmp_path: Path) -> None:
    files = example_files()
    words = ["compare", files["bm25.trec"], files["ranker.trec"], "--qrels", files["qrels.txt"], "-m", "AP"]
    plain = rankproof(*words)
    ran = rankproof(*words, "--report", tmp_path / "c.html")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == plain.out + f"\nreport  {tmp_path / 'c.html'}\n"
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert shlex.join(["rankproof", *words[:3], "--metric", "AP", *words[3:5]]) in page
    told = rankproof(*words, "--json", "--report", tmp_path / "d.html")
    assert json.loads(told.out)["test"] == "randomisation"
    assert (tmp_path / "d.html").exists()


def test_a_report_that_cannot_be_written_is_refused_before_the_work(rankproof: Run, tmp_path: Path) -> None:
    ran = rankproof("compare", "--example", "--report", tmp_path / "no" / "c.html")
    assert (ran.status, ran.out) == (3, "")
    assert "its folder does not exist" in ran.err


def test_the_command_is_told(rankproof: Run, tmp_path: Path) -> None:
    found, _ = report_of(2, ["AP"])
    report = page_of(found, systems(2), LABELS, command="rankproof compare", offsets=OFFSETS)
    assert blocks(report, "Reproduce")[0] == Command("rankproof compare")
