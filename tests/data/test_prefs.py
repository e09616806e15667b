"""Preferences of ``trec_eval -R prefs``: what is read, what is refused, and what a run scores on them."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.trec.prefs import rank_prefs
from rankproof.errors import ArgumentError, DataError, FileFormatError


def read(folder: Path, text: str) -> rp.Prefs:
    path = folder / "prefs.txt"
    path.write_text(text, encoding="utf-8")
    return rp.read_prefs(path)


def named(prefs: rp.Prefs, q: int = 0) -> list[str]:
    """The preferences of a query: ``group:a>b``."""
    docs, groups = prefs.doc_ids[q], prefs.groups[q]
    return sorted(f"{groups[i]}:{docs[i]}>{docs[j]}" for i, j in prefs.pairs[q].tolist())


# The examples in the documentation of trec_eval, with the preferences that it lists.
RANKED = "q1 u s 1 3.0\nq1 u s 2 2.0\nq1 u s 3 0.0\nq1 u s 4 6.0\nq1 u s 5 0.0\nq1 u s 6 2.0\n"
TWICE = "q1 u s 1 3\nq1 u s 2 2\nq1 u s 3 1\nq1 u t 1 2\nq1 u t 2 1\nq1 u t 4 3\n"
USERS = "q1 u s 1 3\nq1 u s 2 2\nq1 v s 1 0\nq1 v s 3 6\nq1 v s 4 2\nq1 v t 1 0\nq1 v t 2 8\n"
CHAIN = "q1 u s 1 3\nq1 u s 2 2\nq1 u s 3 1\nq1 u t 2 5\nq1 u t 4 4\n"


def test_levels_of_a_subgroup_make_preferences(tmp_path: Path) -> None:
    found = named(read(tmp_path, RANKED))
    assert len(found) == 13
    assert [sum(one.startswith(f"u:{d}>") for one in found) for d in "142653"] == [4, 5, 2, 2, 0, 0]


def test_a_preference_counts_once_in_a_group(tmp_path: Path) -> None:
    # 4>3 follows from 4>2 and 2>3; the others are written.
    assert named(read(tmp_path, TWICE)) == ["u:1>2", "u:1>3", "u:2>3", "u:4>1", "u:4>2", "u:4>3"]


def test_groups_may_disagree(tmp_path: Path) -> None:
    assert named(read(tmp_path, USERS)) == ["u:1>2", "v:2>1", "v:3>1", "v:3>4", "v:4>1"]


def test_preferences_are_transitive_within_a_group(tmp_path: Path) -> None:
    prefs = read(tmp_path, CHAIN)
    assert named(prefs) == ["u:1>2", "u:1>3", "u:1>4", "u:2>3", "u:2>4"]
    assert repr(prefs) == "Prefs(1 queries, 4 items, 5 preferences)"
    graph = rp.PreferenceGraph(prefs.pairs[0], items=len(prefs.doc_ids[0]))
    assert (graph.items, len(graph.edges)) == (4, 5)


def test_not_across_groups(tmp_path: Path) -> None:
    assert named(read(tmp_path, "q u s a 2\nq u s b 1\nq v s b 2\nq v s c 1\n")) == ["u:a>b", "v:b>c"]


def test_lines_of_all_kinds(tmp_path: Path) -> None:
    text = "\ufeff# made by hand\n\nq2\tu  s d1  -1.5\r\n q1 u s d1 1e2\nq2 u s d2 -2\n"
    prefs = read(tmp_path, text)
    assert (prefs.query_ids.tolist(), len(prefs), prefs.items) == (["q2", "q1"], 2, 3)
    assert named(prefs) == ["u:d1>d2"]
    assert prefs.pairs[1].shape == (0, 2)
    packed = tmp_path / "prefs.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert named(rp.read_prefs(packed)) == named(pickle.loads(pickle.dumps(prefs)))  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q u s d\n", r":1: the line 'q u s d' has 4 columns, but prefs have 5: .*looks like a qrels file"),
        ("q u s a 1\nq Q0 d 1 2.5 tag\n", r":2: .*has 6 columns.*It looks like a run file"),
        (
            "#\nq u s d high\n",
            r":2: the level of document 'd' of query 'q' must be a finite number, got 'high'",
        ),
        ("q u s d nan\n", r":1: .*finite number, got 'nan'"),
        ("q u s d 1_0\n", r":1: .*finite number, got '1_0'"),
        (
            "q u s d 1\nq u t d 1\nq u s d 2\n",
            r":3: document 'd' comes again in subgroup 's' of judgment group",
        ),
        ("q u s d\x01 1\n", r":1: the line holds the byte 0x01"),
        (
            "q u s a 2\nq u s b 1\nq u t b 2\nq u t a 1\n",
            r"group 'u' of query 'q' prefers document 'a' to 'b' and",
        ),
        (
            "q u 1 a 2\nq u 1 b 1\nq u 2 b 2\nq u 2 c 1\nq u 3 c 2\nq u 3 a 1\n",
            r"by way of others.*judgment gr",
        ),
        ("# nothing\n", r"no lines; prefs have lines of 'qid group subgroup docno level'"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path, text)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "prefs.txt"
    path.write_bytes(b"q u s d\xff 1\n")
    with pytest.raises(FileFormatError, match=r":1: .*is not UTF-8"):
        rp.read_prefs(path)


def test_a_prefs_file_is_no_qrels_file(tmp_path: Path) -> None:
    read(tmp_path, RANKED)
    with pytest.raises(
        FileFormatError, match=r"has 5 columns, but a qrels has 4.*--prefs, or in Python read_prefs"
    ):
        rp.read_qrels(tmp_path / "prefs.txt")


def test_pairwise_disagreement_of_a_run(tmp_path: Path) -> None:
    prefs = read(tmp_path, "q u s a 3\nq u s b 2\nq u s c 1\nq u s d 0\n")
    run = rp.Run.from_dict({"q": {"b": 4.0, "x": 3.0, "a": 2.0}})
    # a>b is lost; a>c, a>d, b>c, b>d are kept; c>d: neither was retrieved, 1/2.
    results = rp.evaluate(run, prefs, ["PD", "PD(normalize=true)", "PD(ties=full)", "WPDL"])
    assert {name: float(value[0]) for name, value in results.per_query.items()} == {
        "PD": 1.5,
        "PD(normalize=true)": 1.5 / 6,
        "PD(ties=full)": 2.0,
        "WPDL": 1.5,
    }
    assert (results.items, results.unjudged, results.tied.tolist()) == (3, 1, [False])
    assert results.random["PD"] == 6 / 2


def test_a_tie_counts_half(tmp_path: Path) -> None:
    prefs = read(tmp_path, "q u s a 3\nq u s b 2\nq u s c 1\n")
    results = rp.evaluate(rp.Run.from_dict({"q": {"a": 1.0, "b": 1.0, "c": 0.0}}), prefs, "PD")
    assert results.per_query["PD"].tolist() == [0.5]
    assert results.tied.tolist() == [True]


def test_what_was_not_retrieved_is_below_minus_infinity(tmp_path: Path) -> None:
    prefs = read(tmp_path, "q u s a 1\nq u s b 2\n")
    run = rp.Run.from_dict({"q": {"a": -np.inf}})
    assert rank_prefs(run, prefs).scores.tolist() == [0.0, -1.0]
    assert rp.evaluate(run, prefs, "PD").mean["PD"] == 1.0


def test_all_preferences_of_all_groups_count(tmp_path: Path) -> None:
    # 2, 1, 3, 4: u loses 1>2, v keeps 2>1, loses 3>1 and 4>1, keeps 3>4.
    prefs = read(tmp_path, USERS)
    run = rp.Run.from_dict({"q1": {"2": 4.0, "1": 3.0, "3": 2.0, "4": 1.0}})
    assert rp.evaluate(run, prefs, "PD(normalize=true)").mean["PD(normalize=true)"] == 3 / 5


def test_queries_that_one_side_lacks(tmp_path: Path) -> None:
    prefs = read(tmp_path, "q1 u s a 1\nq1 u s b 2\nq2 u s a 1\nq2 u s b 2\nq3 u s a 1\n")
    run = rp.Run.from_dict({"q9": {"a": 1.0}, "q2": {"b": 1.0}})
    results = rp.evaluate(run, prefs, "PD")
    # q3 has no preference, so it is empty.
    assert results.query_ids.tolist() == ["q2", "q1", "q3"]
    assert results.per_query["PD"].tolist()[:2] == [0.0, 0.5]
    assert (results.missing, results.unknown, results.empty["PD"]) == (("q1", "q3"), ("q9",), 1)
    assert rp.evaluate(run, prefs, "PD", missing="skip").query_ids.tolist() == ["q2"]
    with pytest.raises(DataError, match="share no query: the run has 'q9', the preferences have 'q1'"):
        rp.evaluate(rp.Run.from_dict({"q9": {"a": 1.0}}), prefs, "PD")


def test_runs_are_compared_on_preferences(tmp_path: Path) -> None:
    lines = [f"q{q} u s a 2\nq{q} u s b 1\n" for q in range(12)]
    prefs = read(tmp_path, "".join(lines))
    good = rp.Run.from_dict({f"q{q}": {"a": 2.0, "b": 1.0} for q in range(12)})
    bad = rp.Run.from_dict({f"q{q}": {"a": 1.0, "b": 2.0} for q in range(12)})
    assert rp.compare({"bad": bad, "good": good}, prefs, "PD").winner("PD") == "good"


@pytest.mark.parametrize(
    ("metric", "more", "message"),
    [
        ("nDCG@10", {}, r"nDCG@10: not defined on preferences.*Use PD or WPDL"),
        ("PD", {"convention": "trec_eval"}, "Argument convention goes with grades"),
        ("PD", {"depth": 5}, "Argument depth goes with grades"),
        ("PD", {"bounds": True}, "Argument bounds goes with grades"),
        ("PD", {"missing": "no"}, "Argument missing must be 'zero' or 'skip'"),
    ],
)
def test_what_goes_with_grades_only(
    tmp_path: Path, metric: str, more: dict[str, object], message: str
) -> None:
    prefs = read(tmp_path, RANKED)
    with pytest.raises(ArgumentError, match=message):
        rp.evaluate(rp.Run.from_dict({"q1": {"1": 1.0}}), prefs, metric, **more)  # type: ignore[arg-type]


def test_scores_without_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="go with a Run, got list"):
        rp.evaluate([1, 2, 3, 4, 5, 6], read(tmp_path, RANKED), "PD")


@pytest.mark.parametrize(
    ("docs", "groups", "pairs", "message"),
    [
        ((("a", "b"),), (("u", "u"),), (), "1 of groups and 0 of pairs"),
        ((("a", "b"),), (("u",),), ([[0, 1]],), r"Query 'q' of Prefs must have one group per document"),
        ((("a", "b"),), (("u", "u"),), ([[0, 2]],), r"pairs \(i, j\) of its items 0\.\.1"),
        ((("a", "b"),), (("u", "u"),), ([0, 1],), r"pairs \(i, j\)"),
    ],
)
def test_prefs_that_are_put_together_wrongly(docs: Any, groups: Any, pairs: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        rp.Prefs(np.array(["q"]), docs, groups, tuple(map(np.array, pairs)))
