"""How commands read data: unsorted queries, files of query sizes, a depth; and what errors name."""

from __future__ import annotations

import json
import lzma
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.cli.main import main
from rankproof.data.scores import read_scores

SORTED = "2 qid:a 1:0.9 #d1\n0 qid:a 1:0.1 #d2\n1 qid:b 1:0.5 #d3\n0 qid:b 1:0.7 #d4\n"
# The same rows in the order 0, 2, 1, 3.
MIXED = "2 qid:a 1:0.9 #d1\n1 qid:b 1:0.5 #d3\n0 qid:a 1:0.1 #d2\n0 qid:b 1:0.7 #d4\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with sorted and unsorted data, and scores for the rows of each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sorted.txt").write_text(SORTED)
    (tmp_path / "mixed.txt").write_text(MIXED)
    (tmp_path / "sorted.scores").write_text("4\n1\n2\n3\n")
    (tmp_path / "mixed.scores").write_text("4\n2\n1\n3\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """Standard output and standard error of a command."""
    capsys.readouterr()
    with suppress(SystemExit):
        main(list(arguments))
    return tuple(capsys.readouterr())  # type: ignore[return-value]


def test_unsorted_rows_are_grouped_with_their_scores(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ("-m", "nDCG", "-m", "RR", "--per-query", "--json")
    straight, _ = run(capsys, "evaluate", "--data", "sorted.txt", "--scores", "sorted.scores", *whole)
    out, err = run(capsys, "evaluate", "--data", "mixed.txt", "--scores", "mixed.scores", "--group", *whole)
    assert json.loads(out) == json.loads(straight)
    assert (
        "--group brought the rows of mixed.txt together by query: 4 rows in 4 pieces are now 2 queries" in err
    )
    out, err = run(capsys, "evaluate", "--data", "mixed.txt", "--scores", "mixed.scores")
    assert out == ""
    assert "Sort the rows by query, or pass --group to do this." in err
    assert "group=True" not in err


def test_grouped_data_are_not_told_when_nothing_moves(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(
        capsys, "evaluate", "--data", "sorted.txt", "--scores", "sorted.scores", "--group", "-m", "RR"
    )
    assert err == ""


def test_group_in_python_is_stable(folder: Path) -> None:
    data = rp.read_letor("mixed.txt", group=True)
    assert data.doc_ids.tolist() == ["d1", "d2", "d3", "d4"]  # type: ignore[union-attr]
    with pytest.raises(rp.errors.FileFormatError, match=r"or pass group=True to do this"):
        rp.read_letor("mixed.txt")


def test_columns_of_unsorted_rows_keep_the_order_of_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "standardize", "mixed.txt", "-m", "DCG", "--group", "--column", "-o", "column.txt")
    # The target of DCG is its gain, 2^label - 1.
    assert read_scores("column.txt").tolist() == [3.0, 1.0, 0.0, 0.0]
    run(capsys, "standardize", "mixed.txt", "-m", "DCG", "--group", "-o", "targets.txt")
    assert rp.read_letor("targets.txt").labels.tolist() == [3.0, 0.0, 1.0, 0.0]


def test_scores_of_unsorted_rows_keep_the_order_of_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = rp.read_letor("sorted.txt")
    ranker = rp.LinearRanker("nDCG").fit(data.X, data.labels, qid=data.qids)
    ranker.save("model")
    run(capsys, "predict", "model", "sorted.txt", "-o", "sorted.out")
    run(capsys, "predict", "model", "mixed.txt", "--group", "-o", "mixed.out")
    np.testing.assert_array_equal(read_scores("mixed.out"), read_scores("sorted.out")[[0, 2, 1, 3]])
    run(capsys, "predict", "model", "mixed.txt", "--group", "-o", "mixed.trec")
    assert rp.read_run("mixed.trec").doc_ids.tolist() == ["d1", "d2", "d3", "d4"]


def test_a_file_of_query_sizes(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    example = shared_data / "lightgbm-example"
    text = lzma.decompress((example / "rank.test.xz").read_bytes())
    (tmp_path / "data.txt").write_bytes(text)
    sizes = [int(line) for line in (example / "rank.test.query").read_text().split()]
    (tmp_path / "sizes").write_text("\n".join(map(str, sizes)))
    rows = sum(sizes)
    (tmp_path / "scores").write_text("".join(f"{k * 7919 % 1009}\n" for k in range(rows)))
    command = ("evaluate", "--data", "data.txt", "--scores", "scores", "-m", "nDCG@10", "--json")
    out, err = run(capsys, *command)
    assert out == ""
    assert "name a file of query sizes with --query-file FILE" in err
    out, err = run(capsys, *command, "--query-file", "sizes")
    labels = [float(line.split()[0]) for line in text.decode().splitlines()]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    expected = rp.evaluate(read_scores("scores"), labels, "nDCG@10", offsets=offsets)
    assert json.loads(out)["metrics"][0]["mean"] == expected.mean["nDCG@10"]
    _, err = run(capsys, *command, "--query-file", "sizes", "--query-file", "sizes")
    assert "--query-file must be given once per data file (1), got 2" in err


def test_a_file_of_query_sizes_beside_qids_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sizes of it").write_text("2\n2\n")
    command = ("evaluate", "--data", "sorted.txt", "--scores", "sorted.scores")
    _, err = run(capsys, *command, "--query-file", "sizes of it")
    assert "the row has a qid, though --query-file 'sizes of it' is given" in err


def test_models_are_trained_on_unsorted_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = run(
        capsys,
        "fit",
        "mixed.txt",
        "--test",
        "mixed.txt",
        "-m",
        "nDCG",
        "--l2",
        "0.1",
        "--group",
        "--out",
        "run",
    )
    assert "--group brought the rows" in err
    facts = json.loads((folder / "run" / "results.json").read_text())
    assert facts["settings"]["group"] is True
    assert facts["data"]["train"]["queries"] == 2
    run(capsys, "report", "run", "-o", "again.html")
    assert "could not be read again" not in (folder / "again.html").read_text()
    assert "--group" in (folder / "again.html").read_text()


def test_a_depth_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels").write_text("q 0 a 0\nq 0 b 1\nq 0 c 2\n")
    for name in ("one", "two"):
        (folder / name).write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n")
    out, _ = run(
        capsys, "evaluate", "one", "--qrels", "qrels", "-m", "RR", "-m", "R@3", "--depth", "2", "--json"
    )
    means = {row["metric"]: row["mean"] for row in json.loads(out)["metrics"]}
    assert means == {"RR": 0.5, "R@3": 0.5}
    out, _ = run(capsys, "compare", "one", "two", "--qrels", "qrels", "-m", "RR", "--depth", "1")
    assert "0.0000" in out
    assert "depth: the first 1 items of every ranking" in out
    out, _ = run(capsys, "explain", "RR", "one", "--qrels", "qrels", "--query", "q", "--depth", "1", "--json")
    assert [row["item"] for row in json.loads(out)["rows"]] == ["a"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--features", "0"), "Option --features must be an int >= 1, or name columns, got 0"),
        (("--level", "2"), "Option --level"),
    ],
)
def test_errors_name_the_option(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    _, err = run(capsys, "fit", "sorted.txt", "-m", "nDCG", "--out", "run", *arguments)
    assert words in err
    assert "Argument" not in err


def test_options_of_letor_text_are_refused_with_qrels(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(capsys, "evaluate", "sorted.txt", "--qrels", "sorted.txt", "--group")
    assert "--group is about LETOR text" in err
