"""The join of a run with qrels, and the order of document ids, against dictionaries and Python's sorted."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.slow_trec import slow_join, slow_parse
from data.trec_checks import MASKS, ids, tiny_parts
from drawn import examples
from rankproof.data.trec.judged_run import JudgedRun, join_run
from rankproof.data.trec.read import Qrels, Run, read_qrels, read_run
from rankproof.errors import ArgumentError, DataError
from rankproof.threads import using

NOTHING = -float("inf")


def plain(judged: JudgedRun) -> list[tuple[str, int, list[tuple[str, float | None, float]]]]:
    """A JudgedRun as `slow_join` gives it."""
    labels = [None if np.isnan(label) else label for label in judged.labels.tolist()]
    items = list(zip(judged.doc_ids.tolist(), labels, judged.scores.tolist(), strict=True))
    edges = judged.offsets.tolist()
    return [
        (query, depth, items[low:high])
        for query, depth, low, high in zip(
            judged.query_ids.tolist(), judged.depth.tolist(), edges[:-1], edges[1:], strict=True
        )
    ]


def check_doc_rank(judged: JudgedRun) -> None:
    """Retrieved ids from the last to the first by bytes; the tail numbered on."""
    ranks = judged.doc_rank()
    assert ranks.dtype == np.int32
    docs = judged.doc_ids.tolist()
    for q, (low, high) in enumerate(
        zip(judged.offsets[:-1].tolist(), judged.offsets[1:].tolist(), strict=True)
    ):
        depth = int(judged.depth[q])
        order = sorted((doc.encode() for doc in docs[low : low + depth]), reverse=True)
        assert ranks[low : low + depth].tolist() == [
            order.index(doc.encode()) for doc in docs[low : low + depth]
        ]
        assert ranks[low + depth : high].tolist() == list(range(depth, high - low))


def test_a_join_by_hand() -> None:
    run = Run.from_dict({"b": {"x": 3.0, "y": 2.0, "z": 1.0}, "only run": {"x": 1.0}, "a": {"x": -1.0}})
    qrels = Qrels.from_dict(
        {"none": {"x": 1}, "a": {"w": 0, "x": 2}, "b": {"v": 1, "z": -1, "x": 0}, "last": {"u": 4}}
    )
    judged = join_run(run, qrels)
    # The queries of the run in its order, then the missing ones in the order of the qrels.
    assert plain(judged) == [
        ("b", 3, [("x", 0.0, 3.0), ("y", None, 2.0), ("z", -1.0, 1.0), ("v", 1.0, NOTHING)]),
        ("a", 1, [("x", 2.0, -1.0), ("w", 0.0, NOTHING)]),
        ("none", 0, [("x", 1.0, NOTHING)]),
        ("last", 0, [("u", 4.0, NOTHING)]),
    ]
    assert judged.missing_queries == ("none", "last")
    assert judged.unjudged_queries == ("only run",)
    assert judged.retrieved.tolist() == [True, True, True, False, True, False, False, False]
    assert judged.doc_rank().tolist() == [2, 1, 0, 3, 0, 1, 0, 0]
    assert repr(judged) == "JudgedRun(4 queries, 4 items retrieved, 4 more judged)"
    assert (len(judged), judged.items) == (4, 8)
    skipped = join_run(run, qrels, missing="skip")
    assert plain(skipped) == plain(judged)[:2]
    assert skipped.missing_queries == ("none", "last")
    with pytest.raises(ValueError, match="read-only"):
        judged.labels[0] = 1


def test_a_query_that_retrieved_nothing_is_in_the_run() -> None:
    judged = join_run(Run.from_dict({"q": {}}), Qrels.from_dict({"q": {"d": 1}}), missing="skip")
    assert plain(judged) == [("q", 0, [("d", 1.0, NOTHING)])]
    assert judged.missing_queries == ()


def test_ids_that_start_alike() -> None:
    docs = [
        "d",
        "d1",
        "d12345678",
        "d1234567",
        "d123456",
        "d1234567é",
        "e",
        "d1234567812345678",
        "d123456781234567",
    ]
    run = Run.from_dict({"q": dict.fromkeys(docs, 0.0), "qq": dict.fromkeys(docs[2:4], 1.0)})
    judged = join_run(
        run, Qrels.from_dict({"qq": {"d1234567": 1, "d12345678": 2}, "q": {"d1": 1, "d123": 2}})
    )
    assert judged.query_ids.tolist() == ["q", "qq"]
    assert judged.labels[:10].tolist()[1] == 1.0
    assert np.isnan(judged.labels[[0, *range(2, 9)]]).all()
    assert judged.labels[9:].tolist() == [2.0, 2.0, 1.0]
    check_doc_rank(judged)


lists = st.dictionaries(
    ids, st.dictionaries(ids, st.floats(-5, 5, width=16), min_size=1, max_size=8), min_size=1, max_size=5
)


@examples(200)
@given(lists, lists, st.sampled_from(["zero", "skip"]), st.sampled_from(MASKS), st.sampled_from([1, 2, 4]))
def test_joins_as_dictionaries_do(run: dict, qrels: dict, missing: str, mask: int, threads: int) -> None:  # type: ignore[type-arg]
    with tiny_parts(mask), using(threads):
        left, right = Run.from_dict(run), Qrels.from_dict(qrels)
        if not run.keys() & qrels.keys():
            with pytest.raises(DataError, match="share no query"):
                join_run(left, right, missing=missing)  # type: ignore[arg-type]
            return
        judged = join_run(left, right, missing=missing)  # type: ignore[arg-type]
        as_lists = [{q: list(of.items()) for q, of in nested.items()} for nested in (run, qrels)]
        assert plain(judged) == slow_join(*as_lists, missing)  # type: ignore[call-arg]
        assert judged.missing_queries == tuple(q for q in qrels if q not in run)
        assert judged.unjudged_queries == tuple(q for q in run if q not in qrels)
        check_doc_rank(judged)


@examples(60)
@given(
    st.lists(
        st.text(st.sampled_from("ab\u00e9"), min_size=1, max_size=20), min_size=1, max_size=80, unique=True
    )
)
def test_doc_rank_is_the_order_of_bytes(docs: list[str]) -> None:
    check_doc_rank(
        join_run(Run.from_dict({"q": dict.fromkeys(docs, 1.0)}), Qrels.from_dict({"q": {"a": 1, "zz": 2}}))
    )


@pytest.mark.parametrize("threads", ["1", "2", "4"])
@pytest.mark.parametrize("mask", MASKS[:2])
def test_large_joins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, threads: str, mask: int) -> None:
    monkeypatch.setenv("RANKPROOF_THREADS", threads)
    rng = np.random.default_rng(11)

    def some() -> list[int]:
        return rng.permutation(300)[: rng.integers(1, 90)].tolist()  # type: ignore[no-any-return]

    run = [f"q{q} Q0 clueweb09-en0000-{d:05d} 1 {rng.normal()} t" for q in range(60) for d in some()]
    qrels = [f"q{q} 0 clueweb09-en0000-{d:05d} {d % 4}" for q in range(20, 70) for d in some()]
    rng.shuffle(qrels)
    files = {"run": "\n".join(run).encode(), "qrels": "\n".join(qrels).encode()}
    for kind, content in files.items():
        (tmp_path / kind).write_bytes(content)
    with tiny_parts(mask):
        judged = join_run(read_run(tmp_path / "run"), read_qrels(tmp_path / "qrels"))
        check_doc_rank(judged)
    expected = slow_join(slow_parse(files["run"], "run"), slow_parse(files["qrels"], "qrels"), "zero")
    assert plain(judged) == expected
    copy = pickle.loads(pickle.dumps(judged))  # noqa: S301
    assert plain(copy) == expected
    assert copy.missing_queries == judged.missing_queries
    assert copy.doc_rank().tolist() == judged.doc_rank().tolist()


def test_the_files_of_trec_eval(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    judged = join_run(read_run(folder / "results.test"), read_qrels(folder / "qrels.test"))
    run = slow_parse((folder / "results.test").read_bytes(), "run")
    qrels = slow_parse((folder / "qrels.test").read_bytes(), "qrels")
    assert plain(judged) == slow_join(run, qrels, "zero")
    check_doc_rank(judged)
    # What trec_eval itself counts: retrieved, relevant, and relevant among the retrieved.
    said = {
        tuple(line.split()[:2]): line.split()[2] for line in (folder / "out.test.aq").read_text().splitlines()
    }
    for q, query in enumerate(judged.query_ids.tolist()):
        labels = judged.labels[judged.offsets[q] : judged.offsets[q + 1]]
        assert int(said["num_ret", query]) == judged.depth[q]
        assert int(said["num_rel", query]) == (labels > 0).sum()
        assert int(said["num_rel_ret", query]) == (labels[: judged.depth[q]] > 0).sum()


def test_what_cannot_be_joined() -> None:
    run, qrels = Run.from_dict({"a": {"d": 1.0}}), Qrels.from_dict({q: {"d": 1} for q in "wxyz"})
    with pytest.raises(
        DataError, match=r"share no query: the run has 'a', the qrels have 'w', 'x', 'y', \.\.\.\."
    ):
        join_run(run, qrels)
    with pytest.raises(ArgumentError, match="missing must be 'zero' or 'skip', got 'drop'"):
        join_run(run, qrels, missing="drop")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="run must be a Run, got Qrels"):
        join_run(qrels, run)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="qrels must be a Qrels, got dict"):
        join_run(run, {"a": {"d": 1}})  # type: ignore[arg-type]


def test_a_judged_run_without_ids() -> None:
    parts = {
        "query_ids": np.array(["q"]),
        "offsets": np.array([0, 2]),
        "depth": np.array([1]),
        "labels": np.array([1.0, 0.0]),
        "scores": np.array([1.0, NOTHING]),
    }
    judged = JudgedRun(**parts)
    assert judged.retrieved.tolist() == [True, False]
    with pytest.raises(DataError, match="without document ids"):
        judged.doc_rank()
    with pytest.raises(DataError, match="without document ids"):
        _ = judged.doc_ids
    with pytest.raises(ArgumentError, match="got 3 for query 'q'"):
        JudgedRun(**{**parts, "depth": np.array([3])})
    with pytest.raises(ArgumentError, match="2 items got 1 query ids, 1 depths and 1 scores"):
        JudgedRun(**{**parts, "scores": np.array([3.0])})
