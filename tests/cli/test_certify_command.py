"""``rankproof certify`` and ``rankproof replay``: what they print, their exit statuses, and their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import pytest

from every_case import exhaustive
from rankproof.theory.matrix import LOSS_ROWS, certify_matrix, metric_columns

Run = Callable[..., Any]

METRIC = """
from fractions import Fraction

def revenue(ranking, labels):
    return labels[ranking[0]] + Fraction(labels[ranking[1]], 2)

def reciprocal(ranking, labels):
    return max((1 / rank for rank, item in enumerate(ranking, start=1) if labels[item] > 0), default=0)

def lost(ranking, labels):
    return -revenue(ranking, labels)

def broken(ranking, labels):
    return 1 / labels[ranking[0]]
"""
LOSS = """
import numpy as np

def pairs(scores, labels):
    n = len(scores)
    better = [(i, j) for i in range(n) for j in range(n) if labels[i] > labels[j]]
    return sum(np.logaddexp(0, scores[j] - scores[i]) for i, j in better)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a metric and a loss of the user's, to be in."""
    (tmp_path / "my_metric.py").write_text(METRIC, encoding="utf-8")
    (tmp_path / "my_loss.py").write_text(LOSS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Exit statuses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "status", "first"),
    [
        (
            ["softmax", "-m", "nDCG@10"],
            0,
            "Consistent: softmax:normalised-gain@10 is consistent with nDCG@10.",
        ),
        (["squared:gain", "-m", "nDCG"], 1, "Inconsistent: squared:gain is not consistent with nDCG."),
        (
            ["lambdarank(cutoff=1)", "-m", "nDCG@1", "--effort", "0.01"],
            2,
            "Undecided: Whether lambdarank(cutoff=1) is consistent with nDCG@1 is undecided.",
        ),
        (["-m", "nDCG"], 0, "Consistent: A convex loss that is consistent with nDCG exists."),
        (["-m", "AP"], 1, "Inconsistent: No convex loss is consistent with AP."),
        (
            ["-m", "AP", "--noise", "independent"],
            0,
            "Consistent: A convex loss that is consistent with AP exists under independent labels.",
        ),
        (
            ["lightgbm:lambdarank(lambdarank_norm=false)", "-m", "nDCG@10"],
            1,
            "Inconsistent: lightgbm:lambdarank(lambdarank_norm=false) is not consistent with nDCG@10.",
        ),
        (
            ["catboost:YetiRank", "-m", "nDCG@10"],
            2,
            "Undecided: Whether catboost:YetiRank is consistent with nDCG@10 is undecided.",
        ),
        (["-m", "PD", "--grades", "3"], 1, "Inconsistent: No convex loss is consistent with PD."),
        (["-m", "PD", "--feedback", "preferences"], 1, "Inconsistent: No convex loss is consistent with PD."),
        (
            ["-m", "Success@5"],
            2,
            "Undecided: Whether a convex loss is consistent with Success@5 is undecided.",
        ),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, list) else None,
)
def test_exit_statuses(rankproof: Run, words: list[str], status: int, first: str) -> None:
    ran = rankproof("certify", *words)
    assert (ran.status, ran.err) == (status, "")
    assert ran.out.splitlines()[0] == first


def test_an_inconsistent_verdict_is_shown_so_that_one_believes_it(rankproof: Run) -> None:
    """The law, where the loss ends, what is best, what it costs, and the way out."""
    out = rankproof("certify", "squared:gain", "--metric", "nDCG", "--grades", "3").out
    lines = [line.strip() for line in out.splitlines()]
    assert "probability  y(0)  y(1)" in lines
    assert "1/2     1     2" in lines
    assert any(line.startswith("The expected loss is smallest at the scores 1, 1.5") for line in lines)
    assert any(line.startswith("minimising the loss  1 > 0") for line in lines)
    assert any(line.startswith("best possible        0 > 1") for line in lines)
    # E[gain / ideal] is (1/Z + 1)/2 for item 0 and 3/2Z for item 1; the exchange costs 1 - 1/log2(3) of it.
    ideal = 3 + 1 / log2(3)
    cost = ((1 / ideal + 1) / 2 - 3 / ideal / 2) * (1 - 1 / log2(3))
    assert f"So even with unlimited data it loses {cost:.4g} of nDCG." in lines
    assert "softmax:normalised-gain is consistent with nDCG" in " ".join(lines)


def test_where_there_is_no_minimum_none_is_claimed(rankproof: Run) -> None:
    assert (
        "approaches its smallest value as scores spread"
        in rankproof("certify", "approx-ndcg", "-m", "AP").out
    )
    out = rankproof("certify", "q-family", "-m", "AP").out
    assert "smallest at the positive multiples of the scores" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Give a metric, such as --metric nDCG@10"),
        (["softmax"], "Give a metric, such as --metric nDCG@10"),
        (["softmax", "nDCG"], "unexpected extra argument"),
        (["softmx", "-m", "nDCG"], "Did you mean 'softmax'?"),
        (["softmax", "-m", "nDCGG"], "Did you mean 'nDCG'?"),
        (["softmax", "-m", "nDCG", "--items", "x"], "'x' is not a valid integer"),
        (["softmax", "-m", "nDCG", "--items", "1"], "items must be an int >= 2, got 1"),
        (["softmax", "-m", "nDCG", "--items", "9"], "items must be at most 6"),
        (["softmax", "-m", "nDCG", "--grades", "1"], "grades must be an int >= 2"),
        (["softmax", "-m", "nDCG", "--noise", "loud"], "noise must be one of independent"),
        (["softmax", "-m", "nDCG", "--noise", "order-preserving"], "is about feedback of kind permutation"),
        (["softmax", "-m", "nDCG", "--feedback", "clicks"], "'clicks' is not one of"),
        (["softmax", "-m", "nDCG", "--feedback", "preferences"], "defined on feedback of kind graded"),
        (["softmax", "-m", "nDCG", "--effort", "inf"], "effort must be a finite number above 0"),
        (["-m", "nDCG", "--lower-is-better"], "is for a metric of your own"),
        (["lightgbm:lamdarank", "-m", "nDCG"], "Did you mean 'lambdarank'?"),
        (["lightgbm:lambdarank(sigmoid=-1)", "-m", "nDCG"], "must be a finite number above 0, got -1"),
        (["xgboost:rank:map(lambdarank_norm=true)", "-m", "AP"], "Did you mean 'lambdarank_normalization'?"),
        (["-m", "my_metric.py"], "Which function of 'my_metric.py' is meant? Write my_metric.py:revenue"),
        (["-m", "my_metric.py:revenu"], "Did you mean 'revenue'?"),
        (["-m", "my_metrics.py:revenue"], "Did you mean 'my_metric.py'?"),
        (["-m", "my_metric.py:broken"], "Metric my_metric.py:broken failed on ranking (0, 1, 2)"),
        (["my_loss.py:pair", "-m", "nDCG"], "Did you mean 'pairs'?"),
        (["softmax", "-m", "nDCG", "--evidence", "no/such/why.json"], "its folder does not exist"),
        (["softmax", "-m", "nDCG", "--evidence", "."], "it is a folder"),
        (["--matrix", "softmax"], "leave out LOSS and --metric"),
        (["--matrix", "-m", "nDCG"], "leave out LOSS and --metric"),
        (["--matrix", "--feedback", "preferences"], "leave out --feedback"),
        (["--matrix", "--convex"], "leave out --feedback, --lower-is-better and --convex"),
        (["--matrix", "--evidence", "no/such/why.json"], "its folder does not exist"),
        (["softmax", "-m", "nDCG", "--report", "x.html"], "--report needs --matrix"),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, list) else None,
)
def test_wrong_use_is_one_line_and_status_3(
    rankproof: Run, folder: Path, words: list[str], told: str
) -> None:
    before = names_in(folder)
    ran = rankproof("certify", *words)
    assert ran.status == 3
    assert ran.out == ""
    assert told in ran.err
    assert "Traceback" not in ran.err
    # The line itself; click puts the usage above it.
    assert told in ran.err.strip().splitlines()[-1]
    assert names_in(folder) == before


# JSON and evidence -------------------------------------------------------------------------------------


def test_json_is_the_verdict(rankproof: Run) -> None:
    ran = rankproof("certify", "squared:gain", "-m", "nDCG", "--json")
    plain = json.loads(ran.out)
    assert ran.status == 1
    assert (plain["format"], plain["outcome"]) == ("rankproof.verdict", "inconsistent")
    assert plain["evidence"][0]["kind"] == "counterexample"


@pytest.mark.parametrize(
    "words",
    [
        ["softmax", "-m", "nDCG@10"],
        ["squared:gain", "-m", "nDCG"],
        ["-m", "AP"],
        ["lightgbm:lambdarank(lambdarank_norm=false)", "-m", "nDCG@10"],
        ["catboost:PairLogit", "-m", "nDCG"],
        ["-m", "my_metric.py:reciprocal"],
        *exhaustive(
            ["my_loss.py:pairs", "-m", "nDCG", "--convex"],
            ["RankNet", "-m", "AP"],
            ["squared", "-m", "my_metric.py:revenue"],
            ["my_loss.py:pairs", "-m", "my_metric.py:revenue", "--convex", "--grades", "3"],
        ),
    ],
    ids=" ".join,
)
def test_evidence_replays(rankproof: Run, folder: Path, words: list[str]) -> None:
    ran = rankproof("certify", *words, "--evidence", "why.json")
    assert ran.status in (0, 1, 4)
    code = ["--run-code"] if words[0].startswith("my_loss.py") else []
    command = " ".join(["rankproof replay why.json", *code])
    assert ran.out.splitlines()[-1] == f"evidence  why.json (check it with: {command})"
    again = rankproof("replay", "why.json", *code)
    assert (again.status, again.err) == (0, "")
    *proof, last = again.out.splitlines()
    if words[0].startswith(("lightgbm:", "catboost:")):
        assert "repeated" in last
        assert "NOT" not in last
        last = proof[-2]
    assert last.endswith("of evidence: all hold")
    assert names_in(folder) == ["my_loss.py", "my_metric.py", "why.json"]


def test_a_loss_in_a_file_is_not_run_unasked(rankproof: Run, folder: Path) -> None:
    rankproof("certify", "my_loss.py:pairs", "-m", "nDCG", "--convex", "--evidence", "why.json")
    (folder / "my_loss.py").write_text("open('it_ran', 'w')", encoding="utf-8")
    ran = rankproof("replay", "why.json")
    assert ran.status == 3
    assert "running the file 'my_loss.py'" in ran.err
    assert "add --run-code" in ran.err
    assert not (folder / "it_ran").exists()


def test_the_values_of_a_metric_in_a_file_are_compared_when_it_may_run(rankproof: Run, folder: Path) -> None:
    rankproof("certify", "-m", "my_metric.py:revenue", "--evidence", "why.json")
    same = rankproof("replay", "why.json", "--run-code")
    assert same.status == 0
    assert "my_metric.py:revenue was run, and gives the stored values" in same.out
    # Another function under the same name.
    (folder / "my_metric.py").write_text(METRIC.replace("labels[ranking[1]], 2)", "labels[ranking[1]], 3)"))
    unread = rankproof("replay", "why.json")
    assert unread.status == 0
    assert "with the values that are stored: my_metric.py:revenue was not run" in unread.out
    other = rankproof("replay", "why.json", "--run-code")
    assert other.status == 1
    assert "gives other values today" in other.out


def test_changed_evidence_fails_with_status_1(rankproof: Run, folder: Path) -> None:
    rankproof("certify", "squared:gain", "-m", "nDCG", "--evidence", "why.json")
    plain = json.loads((folder / "why.json").read_text(encoding="utf-8"))
    plain["metric"] = "DCG"
    (folder / "why.json").write_text(json.dumps(plain), encoding="utf-8")
    ran = rankproof("replay", "why.json")
    assert ran.status == 1
    assert "FAILS: every ranking that sorts the minimiser is best" in ran.out
    # Its reason is about nDCG, too.
    assert "FAILS: its reason is" in ran.out
    assert ran.out.splitlines()[-1] == "2 pieces of evidence: 2 FAIL"
    shown = json.loads(rankproof("replay", "why.json", "--json").out)
    assert shown["holds"] is False
    assert [piece["kind"] for piece in shown["pieces"]] == ["verdict", "counterexample"]


def test_an_undecided_verdict_claims_nothing(rankproof: Run, folder: Path) -> None:
    rankproof("certify", "lambdarank(cutoff=1)", "-m", "nDCG@1", "--effort", "0.01", "--evidence", "why.json")
    ran = rankproof("replay", "why.json")
    assert ran.status == 0
    assert "nothing is claimed" in ran.out
    assert (folder / "why.json").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "does not exist"), ("{", "not a JSON file"), ("{}", "Evidence is a verdict or a matrix")],
)
def test_files_that_cannot_be_replayed(rankproof: Run, folder: Path, text: str | None, told: str) -> None:
    if text is not None:
        (folder / "why.json").write_text(text, encoding="utf-8")
    ran = rankproof("replay", "why.json")
    assert ran.status == 3
    assert told in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_evidence_is_not_half_written(rankproof: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When writing fails, the old file stays and no draft is left."""
    (folder / "why.json").write_text("old", encoding="utf-8")

    def fail(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json, "dumps", fail)
    ran = rankproof("certify", "softmax", "-m", "nDCG", "--evidence", "why.json")
    assert ran.status == 3
    assert "No space left on device" in ran.err
    assert (folder / "why.json").read_text(encoding="utf-8") == "old"
    assert names_in(folder) == ["my_loss.py", "my_metric.py", "why.json"]


# Functions in files ------------------------------------------------------------------------------------


def test_a_metric_of_ones_own(rankproof: Run, folder: Path) -> None:
    ran = rankproof("certify", "-m", "my_metric.py:revenue")
    # Shown on few items, by trying all cases.
    assert ran.status == 4
    assert "A convex loss that is consistent with my_metric.py:revenue exists" in ran.out
    assert "longer lists and other grades are not covered" in " ".join(ran.out.split("why")[0].split())
    assert rankproof("certify", "-m", "my_metric.py:lost", "--lower-is-better").status == 4
    assert rankproof("certify", "-m", "my_metric.py:lost").status == 4
    assert rankproof("certify", "squared:gain(gain=linear)", "-m", "my_metric.py:lost").status == 1
    assert folder.is_dir()


@pytest.mark.exhaustive
def test_a_loss_of_ones_own(rankproof: Run, folder: Path) -> None:
    ran = rankproof("certify", "my_loss.py:pairs", "-m", "nDCG")
    assert ran.status == 2
    assert "say so: convex=True (--convex)" in ran.out
    assert rankproof("certify", "my_loss.py:pairs", "-m", "nDCG", "--convex").status == 1
    assert folder.is_dir()


# The matrix --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("losses", "metrics"),
    [
        pytest.param(("softmax", "squared:gain"), ("nDCG", "DCG", "AUC", "AP", "ERR"), id="some"),
        pytest.param(LOSS_ROWS, metric_columns(), id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_the_matrix_on_two_items(
    rankproof: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    losses: tuple[str, ...],
    metrics: tuple[str, ...],
) -> None:
    assert metrics != metric_columns() or certify_matrix.__defaults__ == (LOSS_ROWS, None)
    monkeypatch.setattr(certify_matrix, "__defaults__", (losses, metrics))
    ran = rankproof(
        *("certify", "--matrix", "--items", 2, "--grades", 2, "--effort", 0.01, "--evidence", "all.json")
    )
    assert (ran.status, ran.err) == (0, "")
    plain = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert plain["metrics"] == list(metrics)
    assert plain["losses"] == ["any convex loss", *losses]
    assert len(plain["cells"]) == len(plain["metrics"]) * len(plain["losses"])
    row = next(line for line in ran.out.splitlines() if line.startswith("softmax "))
    signs = dict(zip(plain["metrics"], row.split()[1:], strict=True))
    assert signs["nDCG"] == signs["DCG"] == signs["AUC"] == "yes"
    assert signs["AP"] == signs["ERR"] == "no"
    again = rankproof("replay", "all.json")
    assert again.status == 0, again.out[-500:]
