"""``rankproof predict`` writes the scores of the model, as a score file or as a TREC run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
from cli.small_letor import write_parts
from rankproof.data.scores import read_scores
from rankproof.fit.linear.ranker import LinearRanker

Run = Callable[..., Any]


@pytest.fixture
def made(tmp_path: Path) -> tuple[LinearRanker, Path, dict[str, Path]]:
    """A model, the folder it is saved in, and data."""
    parts = write_parts(tmp_path)
    train = rp.read_letor(parts["train"])
    ranker = LinearRanker("nDCG@10", l2=0.1, scale="query-minmax").fit(train.X, train.labels, qid=train.qids)
    ranker.save(tmp_path / "model")
    return ranker, tmp_path / "model", parts


def test_a_score_file_has_the_scores_to_the_bit(rankproof: Run, made: Any, tmp_path: Path) -> None:
    ranker, model, parts = made
    ran = rankproof("predict", model, parts["test"], "-o", tmp_path / "scores.txt")
    assert (ran.status, ran.err) == (0, "")
    test = rp.read_letor(parts["test"])
    expected = ranker.predict(test.X, qid=test.qids).tolist()
    assert read_scores(tmp_path / "scores.txt").tolist() == expected
    told = rankproof(
        "evaluate", "--data", parts["test"], "--scores", tmp_path / "scores.txt", "-m", "nDCG@10"
    )
    assert f"{rp.evaluate(expected, test, 'nDCG@10').mean['nDCG@10']:.4f}" in told.out


@pytest.mark.parametrize("name", ["out.trec", "out.run", "OUT.TREC", "out.trec.gz"])
def test_a_run_names_documents_by_their_ids(rankproof: Run, made: Any, tmp_path: Path, name: str) -> None:
    ranker, model, parts = made
    rankproof("predict", model, parts["test"], "-o", tmp_path / name, "--tag", "mine")
    test = rp.read_letor(parts["test"])
    scores = ranker.predict(test.X, qid=test.qids)
    assert test.doc_ids is not None
    expected = {
        (str(query), str(doc)): score
        for query, doc, score in zip(test.qids.tolist(), test.doc_ids.tolist(), scores.tolist(), strict=True)
    }
    run = rp.read_run(tmp_path / name).to_dict()
    assert {(q, d): s for q, docs in run.items() for d, s in docs.items()} == expected


def test_items_without_an_id_get_their_number_in_the_query(rankproof: Run, made: Any, tmp_path: Path) -> None:
    _, model, _ = made
    data = tmp_path / "few.txt"
    data.write_text("0 qid:7 1:1\n0 qid:7 1:2 #docid = b\n0 qid:7 1:3\n0 qid:9 2:1\n")
    assert rankproof("predict", model, data, "-o", tmp_path / "out.trec").status == 0
    lines = [line.split() for line in (tmp_path / "out.trec").read_text().splitlines()]
    assert [line[:3] for line in lines] == [
        ["7", "Q0", "0"],
        ["7", "Q0", "b"],
        ["7", "Q0", "2"],
        ["9", "Q0", "0"],
    ]
    assert {line[5] for line in lines} == {"rankproof"}


def test_the_folder_of_a_run_is_a_model(rankproof: Run, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    rankproof("fit", parts["train"], "-m", "nDCG@10", "--l2", "0.1", "--out", tmp_path / "run")
    first = ("predict", tmp_path / "run", parts["test"], "-o", tmp_path / "scores.txt")
    assert rankproof(*first).status == 0
    (tmp_path / "run" / "model.json").write_text("{}")
    ran = rankproof(*first)
    assert ran.status == 3
    assert "does not belong to the model described in results.json" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["MODEL", "TEST"], "Missing option '-o'"),
        (["MODEL", "none.txt", "-o", "OUT"], "'none.txt' does not exist"),
        (["none", "TEST", "-o", "OUT"], "there is no model here"),
        (["TEST", "TEST", "-o", "OUT"], "there is no model here"),
        (["MODEL", "TEST", "-o", "nowhere/scores.txt"], "its folder does not exist"),
        (["MODEL", "WIDE", "-o", "OUT"], "feature index 6 is greater than features=5"),
        (["MODEL", "GAP", "-o", "OUT"], "1 feature values are missing"),
        (["MODEL", "TWICE", "-o", "RUN"], "comes more than once in query"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(
    rankproof: Run, made: Any, tmp_path: Path, words: list[str], message: str
) -> None:
    _, model, parts = made
    texts = {
        "WIDE": "0 qid:1 6:1\n",
        "GAP": "0 qid:1 1:nan\n",
        "TWICE": "0 qid:1 1:1 #docid = a\n0 qid:1 1:2 #docid = a\n",
    }
    named = {
        "MODEL": model,
        "TEST": parts["test"],
        "OUT": tmp_path / "scores.txt",
        "RUN": tmp_path / "out.run",
    }
    for name, text in texts.items():
        named[name] = tmp_path / f"{name}.letor"
        named[name].write_text(text)
    before = sorted(path.name for path in tmp_path.iterdir())
    ran = rankproof("predict", *(named.get(word, word) for word in words))
    assert ran.status == 3
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before
