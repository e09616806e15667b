"""The commands do what their help says, with real files; wrong use is one clear line and status 3."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
from rankproof.data.samples import example_files
from rankproof.metrics import METRICS

Run = Callable[..., Any]


@pytest.fixture
def letor(tmp_path: Path) -> tuple[Path, Path]:
    data, scores = tmp_path / "test.txt", tmp_path / "scores.txt"
    data.write_text("2 qid:1 1:0.5 #docid = a\n0 qid:1 1:0.1 #docid = b\n1 qid:2 1:0.3\n0 qid:2 1:0.2\n")
    scores.write_text("0.1\n0.7\n0.5\n0.5\n")
    return data, scores


def test_evaluate_prints_what_the_library_computes(rankproof: Run) -> None:
    files = example_files()
    ran = rankproof(
        "evaluate", files["bm25.trec"], "--qrels", files["qrels.txt"], "-m", "nDCG@10", "-m", "AP", "--json"
    )
    results = rp.evaluate(
        rp.read_run(files["bm25.trec"]), rp.read_qrels(files["qrels.txt"]), ["nDCG@10", "AP"]
    )
    assert ran.status == 0
    assert {row["metric"]: row["mean"] for row in json.loads(ran.out)["metrics"]} == results.mean


def test_the_example_runs_without_any_file(rankproof: Run) -> None:
    for words in (
        ["evaluate", "--example"],
        ["compare", "--example"],
        ["explain", "AP", "--example", "--query", "q3"],
    ):
        ran = rankproof(*words)
        assert (ran.status, ran.err) == (0, "")
        assert "AP" in ran.out


def test_every_form_of_output(rankproof: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(rankproof("evaluate", "--example", "--csv").out)))
    assert [row["metric"] for row in rows] == ["nDCG@10", "AP", "RR"]
    per_query = list(
        csv.DictReader(io.StringIO(rankproof("evaluate", "--example", "--csv", "--per-query").out))
    )
    assert len(per_query) == 30
    assert rankproof("evaluate", "--example", "--latex").out.startswith(r"\begin{tabular}")
    assert rankproof("compare", "--example", "--csv").out.startswith("metric,a,b,difference")
    assert rankproof("compare", "--example", "--latex").out.startswith(r"\begin{table}")
    found = json.loads(rankproof("compare", "--example", "--json").out)
    assert set(found["systems"]) == {"bm25", "ranker"}
    assert rankproof("evaluate", "--example", "--per-query").out.startswith("query ")
    assert "worst ties" in rankproof("evaluate", "--example", "--bounds").out


def test_scores_with_letor_data(rankproof: Run, letor: tuple[Path, Path]) -> None:
    data, scores = letor
    ran = rankproof("evaluate", "--data", data, "--scores", scores, "-m", "RR", "--json")
    # Query 1: the relevant item is second. Query 2: tied, so 1 or 1/2.
    assert json.loads(ran.out)["metrics"][0]["mean"] == (1 / 2 + (1 + 1 / 2) / 2) / 2
    other = letor[1].with_name("other.txt")
    other.write_text("4\n3\n2\n1\n")
    assert "scores - other" in rankproof("compare", scores, other, "--data", data, "-m", "RR").out
    assert "1.0000" in rankproof("explain", "RR", "--data", data, "--scores", other, "--query", "1").out


def test_metrics_lists_the_whole_registry(rankproof: Run) -> None:
    out = rankproof("metrics").out
    assert all(f"\n{name}" in out for name in METRICS)
    assert {row["metric"] for row in json.loads(rankproof("metrics", "--json").out)} == set(METRICS)
    one = rankproof("metrics", "ndcg@10").out
    assert "nDCG@10" in one
    assert "positional" in one


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        (["metrics", "nDCG"], ["gain", "2**y - 1", "1 / log2(1 + k)", "left out of the mean", "grade 0"]),
        (["metrics", "tau(ties=b)"], ["ties", '"average" or "b"', "out of the denominator"]),
        (["losses", "preorder"], ["margin", "max(0, 1 - t)", "2**y_i - 2**y_j"]),
        (["losses", "lambdarank"], ["sigma", "2**y - 1", "1 / log2(1 + k)"]),
    ],
)
def test_the_choices_of_parameters_are_described_where_they_are_named(
    rankproof: Run, words: list[str], choices: list[str]
) -> None:
    out = rankproof(*words).out
    for choice in choices:
        assert choice in out


def test_help_names_every_command(rankproof: Run) -> None:
    from rankproof.cli.main import _COMMANDS

    out = rankproof("--help").out
    folder = Path(__import__("rankproof.cli", fromlist=["x"]).__file__).parent
    shared = {
        *("__init__", "main", "options", "model_options", "inputs", "terminal", "commands", "loss_warning"),
        *("failures", "interrupts", "compile_ahead", "demo_folder", "parameters", "completion"),
        *(
            "option_names",
            "own_metrics",
            "warning_lines",
            "column_options",
            "certify_engine",
            "replay_engine",
        ),
    }
    modules = {path.stem for path in folder.glob("*.py")} - shared
    assert modules == set(_COMMANDS)
    for name in _COMMANDS:
        assert f"  {name} " in out
        told = rankproof(name, "--help")
        assert told.status == 0
        assert f"rankproof {name}" in told.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate"], "Give a run"),
        (["evaluate", "RUN"], "--qrels"),
        (["evaluate", "nowhere.trec", "--qrels", "QRELS"], "'nowhere.trec' does not exist"),
        (["evaluate", "RUN", "--qrels", "QRELS", "-m", "nDGC@10"], "Did you mean 'nDCG'?"),
        (["evaluate", "RUN", "--qrels", "QRELS", "-m", "nDCG@ten"], "cutoff 'ten'"),
        (["evaluate", "RUN", "--qrels", "QRELS", "--as", "trek"], "Unknown convention 'trek'"),
        (["evaluate", "QRELS", "--qrels", "RUN"], ":1: "),
        (["evaluate", "RUN", "--qrels", "QRELS", "--missing", "no"], "'no' is not one of"),
        (["evaluate", "RUN", "--qrels", "QRELS", "--threads", "0"], "threads"),
        (["evaluate", "RUN", "--qrels", "QRELS", "--level", "1.5"], "level"),
        (["compare", "RUN", "--qrels", "QRELS"], "at least two runs"),
        (["compare", "RUN", "RUN", "--qrels", "QRELS"], "given twice"),
        (["compare", "RUN", "OTHER", "--qrels", "QRELS", "--test", "z"], "test must be one of"),
        (["explain", "AP", "RUN", "--qrels", "QRELS"], "--query"),
        (["explain", "AP", "RUN", "--qrels", "QRELS", "--query", "q99"], "no query 'q99'"),
        (["metrics", "nope"], "Unknown metric 'nope'"),
        (["evalute"], "Did you mean 'evaluate'?"),
        (["evaluate", "--example", "--qrels", "QRELS"], "leave out the files"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(rankproof: Run, words: list[str], message: str) -> None:
    files = example_files()
    named = {"RUN": files["bm25.trec"], "OTHER": files["ranker.trec"], "QRELS": files["qrels.txt"]}
    ran = rankproof(*(named.get(word, word) for word in words))
    assert ran.status == 3
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_score_file_of_the_wrong_length_or_content_is_named(
    rankproof: Run, letor: tuple[Path, Path]
) -> None:
    data, scores = letor
    scores.write_text("1\n2\n")
    assert "has 2 scores, but" in rankproof("evaluate", "--data", data, "--scores", scores).err
    scores.write_text("1\n2\nx\n4\n")
    assert "scores.txt:3: 'x' is not a score" in rankproof("evaluate", "--data", data, "--scores", scores).err


def test_debug_shows_the_traceback() -> None:
    words = [sys.executable, "-m", "rankproof", "--debug", "metrics", "nope"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "UnknownNameError" in ran.stderr


@pytest.mark.exhaustive
def test_a_closed_pipe_is_not_an_error() -> None:
    words = f"{sys.executable} -m rankproof evaluate --example --per-query | head -1"
    ran = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.startswith("query")
