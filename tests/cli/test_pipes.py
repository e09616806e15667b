"""``-`` is standard input and standard output, in real processes with real pipes."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankproof as rp
from rankproof.data.samples import example_files
from rankproof.data.scores import read_scores

LETOR = "".join(
    f"{(q + d) % 3} qid:{q} 1:{((q * 7 + d * 3) % 10) / 10} 2:{d / 4} #docid = d{d}\n"
    for q in range(12)
    for d in range(5)
)


def command(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own, with bytes on its standard input."""
    words = [sys.executable, "-m", "rankproof", *arguments]
    return subprocess.run(words, cwd=folder, input=stdin, capture_output=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the example, and with data to train on."""
    for path in example_files().values():
        shutil.copy(path, tmp_path)
    (tmp_path / "data.txt").write_text(LETOR)
    return tmp_path


@pytest.mark.parametrize("packed", [False, True])
def test_evaluate_reads_a_pipe(folder: Path, packed: bool) -> None:
    run, qrels = (folder / "bm25.trec").read_bytes(), (folder / "qrels.txt").read_bytes()
    named = command(folder, "evaluate", "bm25.trec", "--qrels", "qrels.txt", "--json")
    piped = gzip.compress(run) if packed else run
    assert (
        command(folder, "evaluate", "-", "--qrels", "qrels.txt", "--json", stdin=piped).stdout == named.stdout
    )
    judged = command(folder, "evaluate", "bm25.trec", "--qrels", "-", "--json", stdin=qrels)
    assert judged.stdout == named.stdout
    assert json.loads(named.stdout)["queries"] == 30


@pytest.mark.exhaustive
def test_compare_and_explain_read_a_pipe(folder: Path) -> None:
    run = (folder / "bm25.trec").read_bytes()
    named = command(folder, "compare", "ranker.trec", "bm25.trec", "--qrels", "qrels.txt", "--json")
    piped = command(folder, "compare", "ranker.trec", "-", "--qrels", "qrels.txt", "--json", stdin=run)
    assert piped.stdout.replace(b'"stdin"', b'"bm25"') == named.stdout
    words = ("--qrels", "qrels.txt", "--query", "q3", "--json")
    named = command(folder, "explain", "AP", "bm25.trec", *words)
    assert named.stdout
    assert command(folder, "explain", "AP", "-", *words, stdin=run).stdout == named.stdout


def test_standardize_in_a_pipeline(folder: Path) -> None:
    named = command(folder, "standardize", "data.txt", "-m", "nDCG@3", "-o", "targets.txt")
    assert named.returncode == 0
    piped = command(folder, "standardize", "-", "-m", "nDCG@3", "-o", "-", stdin=LETOR.encode())
    assert piped.stdout == (folder / "targets.txt").read_bytes()
    # What a person reads does not get among the data.
    assert b"of 60 items in 12 queries" in piped.stderr


@pytest.mark.exhaustive
def test_fit_predict_and_evaluate_in_a_pipeline(folder: Path) -> None:
    fitted = command(folder, "fit", "-", "-m", "nDCG", "--l2", "0.1", "--out", "run", stdin=LETOR.encode())
    assert fitted.returncode == 0, fitted.stderr
    facts = json.loads((folder / "run" / "results.json").read_text())
    assert facts["data"]["train"]["files"] == [{"path": "-", "sha256": None}]
    assert command(folder, "predict", "run", "data.txt", "-o", "scores.txt").returncode == 0
    scores = command(folder, "predict", "run", "-", "-o", "-", stdin=LETOR.encode())
    assert scores.stdout == (folder / "scores.txt").read_bytes()
    assert read_scores(folder / "scores.txt").size == 60
    command(folder, "predict", "run", "data.txt", "-o", "run.trec")
    trec = command(folder, "predict", "run", "-", "-o", "-", "--format", "trec", stdin=LETOR.encode())
    assert trec.stdout == (folder / "run.trec").read_bytes()
    piped = command(folder, "evaluate", "--data", "data.txt", "--scores", "-", "--json", stdin=scores.stdout)
    named = command(folder, "evaluate", "--data", "data.txt", "--scores", "scores.txt", "--json")
    assert piped.stdout == named.stdout
    report = command(folder, "report", "run", "-o", "-")
    assert report.stdout.lstrip().lower().startswith(b"<!doctype html>")
    assert report.stdout.rstrip().endswith(b"</html>")


def test_standard_input_is_read_once(folder: Path) -> None:
    twice = command(folder, "evaluate", "-", "--qrels", "-", stdin=b"q 0 d 1\n")
    assert twice.returncode == 3
    assert b"Standard input (-) can be read once" in twice.stderr


def test_an_error_in_a_pipe_names_it(folder: Path) -> None:
    bad = command(folder, "evaluate", "-", "--qrels", "qrels.txt", stdin=b"q1 Q0 d 1 0.5 t\nq1 Q0 e\n")
    assert bad.returncode == 3
    assert b"-:2: the line 'q1 Q0 e' has 3 columns" in bad.stderr


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    words = f"{sys.executable} -m rankproof standardize data.txt -m nDCG -o - | head -n 1"
    piped = subprocess.run(["sh", "-c", words], cwd=folder, capture_output=True, check=False)
    assert piped.stdout.count(b"\n") == 1
    assert b"error" not in piped.stderr


def test_a_file_called_dash_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = rp.RankingData(labels=[1, 0], offsets=[0, 2])
    rp.write_letor(data, "./-")
    assert rp.read_letor("./-").labels.tolist() == [1.0, 0.0]


def test_evidence_goes_through_a_pipe(folder: Path) -> None:
    """A pipe, unlike a file that is redirected, cannot be read twice."""
    verdict = command(folder, "certify", "softmax", "-m", "nDCG", "--evidence", "-")
    assert verdict.returncode == 0
    assert json.loads(verdict.stdout)["outcome"] == "consistent"
    assert verdict.stderr.startswith(b"Consistent: ")
    replayed = command(folder, "replay", "-", stdin=verdict.stdout)
    assert (replayed.returncode, replayed.stderr) == (0, b"")
    assert replayed.stdout.endswith(b"all hold\n")
    both = command(folder, "certify", "softmax", "-m", "nDCG", "--evidence", "-", "--json")
    assert both.returncode == 3
    assert b"Only one of" in both.stderr


@pytest.mark.parametrize("words", ["demo", "fit data.txt -m nDCG", "tune data.txt -m nDCG"])
def test_a_folder_does_not_go_to_standard_output(folder: Path, words: str) -> None:
    ran = command(folder, *words.split(), "--out", "-")
    assert ran.returncode == 3
    assert b"a folder" in ran.stderr
    assert not (folder / "-").exists()
