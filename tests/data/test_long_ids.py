"""A long id costs its own length: memory stays near the size of the text, and nothing else changes."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankproof as rp
from rankproof import ids
from rankproof.data.trec.judged_run import join_run

LONG = "x" * 4096
ITEMS = 20_000
# At fixed width the ids alone take 20,000 * 4,096 * 4 bytes = 328 MB.
MOST_BYTES = 60_000_000


def letor(folder: Path, doc: str = LONG, query: str = "q0") -> Path:
    path = folder / "data.txt"
    rows = [f"1 qid:{query} 1:0.5 #docid = {doc}"]
    rows += [f"{k % 3} qid:q{1 + k // 20} 1:0.5 #docid = d{k}" for k in range(ITEMS)]
    path.write_text("\n".join(rows) + "\n")
    return path


def trec(folder: Path, doc: str = LONG, query: str = "q0") -> tuple[Path, Path]:
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    lines = [(query, doc, 0), *((f"q{1 + k // 20}", f"d{k}", k) for k in range(ITEMS))]
    run.write_text("".join(f"{q} Q0 {d} 1 {k} tag\n" for q, d, k in lines))
    qrels.write_text("".join(f"{q} 0 {d} {k % 2}\n" for q, d, k in lines))
    return run, qrels


def memory_of(work: Callable[[], Any]) -> tuple[Any, int]:
    """What the work gives, and the most bytes that Python and numpy held for it."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def frame(query: str, doc: str) -> Any:
    rest = [f"q{k // 20}" for k in range(ITEMS)]
    return pd.DataFrame({"q": [query, *rest], "d": [doc, *rest], "x": np.zeros(ITEMS + 1)})


WAYS: dict[str, Callable[[Path], Any]] = {
    "letor documents": lambda folder: rp.read_letor(letor(folder)).doc_ids,
    "letor queries": lambda folder: rp.read_letor(letor(folder, "d", LONG)).qids,
    "run documents": lambda folder: rp.read_run(trec(folder)[0]).doc_ids,
    "run queries": lambda folder: rp.read_run(trec(folder, "d", LONG)[0]).query_ids,
    "joined documents": lambda folder: join_run(*_read(folder)).doc_ids,
    "run frame": lambda folder: rp.read_run(trec(folder, "d", LONG)[0]).to_frame()["query"],
    "list of documents": lambda _: (
        rp.RankingData(
            labels=np.zeros(ITEMS + 1), offsets=[0, ITEMS + 1], doc_ids=[LONG] + ["d"] * ITEMS
        ).doc_ids
    ),
    "frame": lambda _: rp.from_frame(frame(LONG, LONG), query="q", doc="d").doc_ids,
    "qid": lambda _: rp.RankingData.from_qid(None, np.zeros(ITEMS + 1), [LONG] + ["q"] * ITEMS).query_ids,
    "ties by document": lambda folder: _tied(rp.read_letor(letor(folder))),
}


def _read(folder: Path) -> tuple[rp.Run, rp.Qrels]:
    run, qrels = trec(folder)
    return rp.read_run(run), rp.read_qrels(qrels)


def _tied(data: rp.RankingData) -> Any:
    results = rp.evaluate(np.zeros(data.items), data, "AP", convention="trec_eval")
    return [*results.query_ids.tolist(), LONG]


@pytest.mark.parametrize("way", list(WAYS))
def test_a_long_id_costs_its_own_length(tmp_path: Path, way: str) -> None:
    WAYS[way](tmp_path)  # compiled and imported
    found, most = memory_of(lambda: WAYS[way](tmp_path))
    assert any(one == LONG for one in found)
    assert most < MOST_BYTES


@pytest.fixture(params=["fixed width", "own length"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every array of ids in the one form, or in the other."""
    if request.param == "own length":
        monkeypatch.setattr(ids, "SMALL", 0)
        monkeypatch.setattr(ids, "MOST_WASTE", 0)
        return "T"
    return "U"


def test_both_forms_say_the_same(tmp_path: Path, kind: str) -> None:
    names = ["d1", "übung", "日本", "d10", "a\u0301", "d2"]
    path = tmp_path / "data.txt"
    text = "".join(f"{k % 3} qid:q{k // 3} 1:{k} #docid = {name}\n" for k, name in enumerate(names))
    path.write_bytes(text.encode() + b"1 qid:q9 1:1 #docid = caf\xe9\n")
    data = rp.read_letor(path)
    assert data.doc_ids is not None
    assert (data.doc_ids.dtype.kind, data.query_ids.dtype.kind) == (kind, kind)
    assert data.doc_ids.tolist() == [*names, "caf\\xe9"]
    assert data.query_ids.tolist() == ["q0", "q1", "q9"]
    assert data.qids.tolist() == ["q0"] * 3 + ["q1"] * 3 + ["q9"]
    assert data.query("q1").doc_ids.tolist() == names[3:]  # type: ignore[union-attr]
    again = pickle.loads(pickle.dumps(data))  # noqa: S301
    assert again.doc_ids.tolist() == data.doc_ids.tolist()
    rp.write_letor(data[:2], tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == text.encode()
    assert rp.to_frame(data)["doc"].tolist() == data.doc_ids.tolist()
    # By bytes, last first: 日 (e6) before ü (c3) before d1, and d2 before d10 before a: labels 2, 1, 0 each.
    by_doc = rp.evaluate(np.zeros(7), data, "RR(rel=2)", convention="trec_eval").per_query["RR(rel=2)"]
    np.testing.assert_allclose(by_doc, [1.0, 1.0, 0.0])
    explained = rp.explain("DCG", np.arange(7.0), data, query="q1")
    assert [item for _, item, _, _ in explained.places] == ["d2", "a\u0301", "d10"]


def test_both_forms_of_trec_ids_say_the_same(kind: str) -> None:
    run = rp.Run.from_dict({"q1": {"a": 2.0, "日本": 1.0}, "q9": {"a": 1.0}})
    qrels = rp.Qrels.from_dict({"q1": {"日本": 3, "c": 1}, "ü": {"a": 1}})
    joined = join_run(run, qrels)
    assert joined.doc_ids.dtype.kind == run.query_ids.dtype.kind == kind
    assert joined.doc_ids.tolist() == ["a", "日本", "c", "a"]
    assert joined.query_ids.tolist() == ["q1", "ü"]
    assert joined.missing_queries == ("ü",)
    assert run.to_frame()["query"].tolist() == ["q1", "q1", "q9"]
    other = rp.Run.from_dict({"ü": {"a": 1.0}})
    comparison = rp.compare({"a": run, "b": other}, qrels, "AP", missing="skip")
    assert comparison.results["a"].query_ids.tolist() == ["q1", "ü"]
    assert comparison.to_dict(per_query=True)


def test_queries_are_found_split_and_trained_on_by_long_ids(kind: str) -> None:
    rng = np.random.default_rng(0)
    names = [f"query {k}" for k in range(12)]
    data = rp.RankingData(
        labels=rng.integers(0, 3, 48),
        offsets=np.arange(0, 49, 4),
        X=rng.normal(size=(48, 3)),
        query_ids=names,
    )
    assert data.query_ids.dtype.kind == kind
    parts = rp.split_queries(data, train=0.5, valid=0.25, test=0.25, seed=0)
    assert sorted(name for part in parts for name in part.query_ids.tolist()) == sorted(names)
    ranker = rp.LinearRanker(metric="nDCG").fit(data.X, data.labels, qid=data.qids)
    assert ranker.predict(data.X).shape == (48,)
    with pytest.raises(rp.errors.DataError, match="'query 3' is given to more than one query"):
        rp.RankingData(labels=[0, 1], offsets=[0, 1, 2], query_ids=["query 3", "query 3"])
    with pytest.raises(rp.errors.DataError, match="query 'query 1' comes back at item 2"):
        rp.RankingData.from_qid(None, [0, 1, 1], ["query 1", "query 2", "query 1"])
