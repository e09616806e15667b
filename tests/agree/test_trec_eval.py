"""The convention ``trec_eval`` equals trec_eval: its own test file to the printed digits, and pytrec_eval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from agree.convention_values import Data, values
from every_case import few_cases
from rankproof.errors import ArgumentError, ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
# What trec_eval prints, and the metric it is.
PRINTED = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    "rbp": "RBP",
    **{f"P_{k}": f"P@{k}" for k in CUTS},
    **{f"recall_{k}": f"R@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTS},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
    **{f"unj_{k}": f"judged@{k}" for k in (5, 10, 20)},
}


def test_its_own_test_file(shared_data: Path) -> None:
    """Every metric that both have, per query and in the mean, to the four digits of the expected output."""
    folder = shared_data / "trec_eval"
    expected = [line.split() for line in (folder / "out.test.aq").read_text(encoding="ascii").splitlines()]
    run, qrels = rp.read_run(folder / "results.test"), rp.read_qrels(folder / "qrels.test")
    results = rp.evaluate(run, qrels, PRINTED.values(), convention="trec_eval")
    ids = results.query_ids.tolist()
    seen = 0
    for name, query, printed in (line for line in expected if line[0] in PRINTED):
        ours = results.per_query[PRINTED[name]]
        value = ours.mean() if query == "all" else ours[ids.index(query)]
        value = 1.0 - value if name.startswith("unj_") else value
        assert f"{value:.4f}" == printed, (name, query)
        seen += 1
    assert seen == len(PRINTED) * (len(ids) + 1)


@pytest.fixture(scope="module")
def pytrec_eval() -> object:
    import pytrec_eval

    return pytrec_eval


SMALL_CUTS = (1, 2, 3, 5, 10, 50)
SHARED = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    **{f"P_{k}": f"P@{k}" for k in SMALL_CUTS},
    **{f"recall_{k}": f"R@{k}" for k in SMALL_CUTS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in SMALL_CUTS},
    **{f"map_cut_{k}": f"AP@{k}" for k in SMALL_CUTS},
    **{f"success_{k}": f"Success@{k}" for k in SMALL_CUTS},
}
ASKED = {
    name.rsplit("_", 1)[0] + "." + name.rsplit("_", 1)[1] if name[-1].isdigit() else name for name in SHARED
}


class RandomRun:
    """Runs and qrels with ties, items without a judgment, judged items not retrieved, empty queries.

    Grades lie in -2..4 (below 0: not judged). Document ids share prefixes and have characters of one to four
    bytes, so that the order of their bytes matters.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.qrels: dict[str, dict[str, int]] = {}
        self.run: dict[str, dict[str, float]] = {}
        for q in range(25):
            letters = list("ab0é語😀")
            drawn = {"d" + "".join(rng.choice(letters, size=rng.integers(1, 4))) for _ in range(30)}
            ids = rng.permutation(sorted(drawn)).tolist()
            retrieved = ids[: rng.integers(1, len(ids))]
            judged = [i for i in ids if rng.random() < 0.7] or ids[:1]
            levels = (0.0, 0.5, 1.0, 1.0 + 1e-12, 2.0, 1e39, 1e40, -1e300)
            self.run[f"q{q}"] = {i: float(rng.choice(levels)) for i in retrieved}
            grades = (0,) if q % 8 == 7 else (-2, -1, 0, 0, 0, 1, 2, 4)
            self.qrels[f"q{q}"] = {i: int(rng.choice(grades)) for i in judged}

    def data(self) -> tuple[Data, np.ndarray]:
        """The same as arrays, with the rank of every item's id in descending byte order."""
        scores, labels, ranks, sizes, depth = [], [], [], [], []
        for query, found in self.run.items():
            judged = self.qrels[query]
            ids = [*found, *(i for i in judged if i not in found)]
            descending = sorted(ids, key=lambda i: i.encode(), reverse=True)
            scores += [found.get(i, 0.0) for i in ids]
            labels += [float(judged.get(i, np.nan)) for i in ids]
            ranks += [descending.index(i) for i in ids]
            sizes.append(len(ids))
            depth.append(len(found))
        return Data(np.array(scores), np.array(labels), np.array(sizes), np.array(depth)), np.array(ranks)


def pytrec_values(tool: object, drawn: RandomRun, **options: object) -> dict[str, np.ndarray]:
    found = tool.RelevanceEvaluator(drawn.qrels, ASKED, **options).evaluate(drawn.run)  # type: ignore[attr-defined]
    return {name: np.array([found[q][name] for q in drawn.run]) for name in SHARED}


@few_cases
@pytest.mark.parametrize("seed", range(20))
def test_random_runs(seed: int, pytrec_eval: object) -> None:
    drawn = RandomRun(seed)
    data, doc_rank = drawn.data()
    for name, theirs in pytrec_values(pytrec_eval, drawn).items():
        ours = values("trec_eval", SHARED[name], data, doc_rank)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)


@few_cases
@pytest.mark.parametrize("seed", range(20))
def test_random_runs_through_evaluate(seed: int, pytrec_eval: object) -> None:
    """The whole way, with document ids put in the order of their bytes by the library."""
    drawn = RandomRun(1000 + seed)
    run, qrels = rp.Run.from_dict(drawn.run), rp.Qrels.from_dict(drawn.qrels)
    results = rp.evaluate(run, qrels, SHARED.values(), convention="trec_eval")
    assert sorted(results.query_ids.tolist()) == sorted(drawn.run)
    place = [results.query_ids.tolist().index(q) for q in drawn.run]
    for name, theirs in pytrec_values(pytrec_eval, drawn).items():
        ours = results.per_query[SHARED[name]][place]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)
        assert results.mean[SHARED[name]] == pytest.approx(theirs.mean(), rel=1e-12)


@pytest.mark.parametrize("level", [2, 3])
def test_relevance_level(level: int, pytrec_eval: object) -> None:
    """Its option -l; nDCG takes grades as they are and does not look at it."""
    drawn = RandomRun(100)
    data, doc_rank = drawn.data()
    for name, theirs in pytrec_values(pytrec_eval, drawn, relevance_level=level).items():
        ours = metric(SHARED[name]) if "ndcg" in name else metric(SHARED[name], rel=level)
        np.testing.assert_allclose(
            values("trec_eval", ours, data, doc_rank), theirs, rtol=1e-12, atol=1e-15, err_msg=name
        )


def test_judged_documents_only(pytrec_eval: object) -> None:
    """Its option -J: items without a judgment are taken out of the list."""
    drawn = RandomRun(200)
    data, doc_rank = drawn.data()
    for name, theirs in pytrec_values(pytrec_eval, drawn, judged_docs_only_flag=True).items():
        ours = values("trec_eval", metric(SHARED[name], unjudged="drop"), data, doc_rank)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)


@pytest.mark.parametrize("beta", [2, 0.5])
def test_f_with_a_weight(beta: float, pytrec_eval: object) -> None:
    """Its parameter is beta squared."""
    drawn = RandomRun(300)
    data, doc_rank = drawn.data()
    asked = {f"set_F.{float(beta**2)}"}
    found = pytrec_eval.RelevanceEvaluator(drawn.qrels, asked).evaluate(drawn.run)  # type: ignore[attr-defined]
    theirs = [found[q]["set_F"] for q in drawn.run]
    ours = values("trec_eval", metric("F", beta=beta), data, doc_rank)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


def test_scores_tie_in_single_precision(pytrec_eval: object) -> None:
    """1 + 1e-12 is 1 to a C float, and 1e39 and 1e40 are infinite: the larger id comes first."""
    for low, high in ((1.0, 1.0 + 1e-12), (1e39, 1e40)):
        qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": high, "b": low}}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["q"]["map"]  # type: ignore[attr-defined]
        data = Data(np.array([high, low]), np.array([1.0, 0.0]), np.array([2]), np.array([2]))
        assert theirs == values("trec_eval", "AP", data, np.array([1, 0]))[0] == 0.5


def test_queries_of_only_one_file_are_left_out(pytrec_eval: object) -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    run = {"a": {"x": 1.0}, "c": {"x": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)  # type: ignore[attr-defined]
    results = rp.evaluate(rp.Run.from_dict(run), rp.Qrels.from_dict(qrels), "AP", convention="trec_eval")
    assert results.query_ids.tolist() == list(theirs) == ["a"]


def test_unjudged_share_of_short_lists() -> None:
    """unj_5 of three items, one of them without a judgment, is 1/5: the two empty ranks are not unjudged."""
    data = Data(np.array([3.0, 2.0, 1.0]), np.array([1.0, np.nan, 0.0]), np.array([3]), np.array([3]))
    assert values("trec_eval", "judged@5", data, np.arange(3)) == pytest.approx([1 - 1 / 5], rel=1e-15)
    assert values("trec_eval", "judged@2", data, np.arange(3)) == pytest.approx([1 - 1 / 2], rel=1e-15)


def test_what_it_does_not_have() -> None:
    convention = CONVENTIONS["trec_eval"]
    with pytest.raises(
        ConventionError, match=r"ERR@20 cannot be computed as trec_eval: trec_eval has no ERR"
    ):
        convention.resolve(metric("ERR@20"))
    with pytest.raises(ConventionError, match="trec_eval has nDCG with gain=linear"):
        convention.resolve(metric("nDCG(gain=[0,1,3])"))
    with pytest.raises(ConventionError, match="over the whole list only"):
        convention.resolve(metric("RR@10"))
    with pytest.raises(ConventionError, match="Ask for Success@10, say"):
        convention.resolve(metric("Success"))
    with pytest.raises(ConventionError, match="trec_eval has AP with empty=0"):
        convention.resolve(metric("AP(empty=1)"))
    with pytest.raises(ConventionError, match="a whole rel of at least 1"):
        convention.resolve(metric("AP(rel=0)"))
    # Its rbp scales grades above 1 by a range that it never sets.
    with pytest.raises(DataError, match="whole grades from 0 to 1"):
        convention.check(metric("RBP"), np.array([2.0]))
    with pytest.raises(DataError, match="whole grades of at least 0"):
        convention.check(metric("AP"), np.array([0.5]))


def test_ties_need_document_ids() -> None:
    data = Data(np.array([1.0, 1.0]), np.array([1.0, 0.0]), np.array([2]), np.array([2]))
    with pytest.raises(ArgumentError, match="breaks ties by document id, but the data have no document ids"):
        values("trec_eval", "AP", data)


def test_rbp_has_the_tools_persistence_unless_one_is_given(shared_data: Path) -> None:
    """``rbp`` is printed for p = 0.9 (m_rbp.c); ours is 0.8, which must not appear under its name unasked."""
    folder = shared_data / "trec_eval"
    run, qrels = rp.read_run(folder / "results.test"), rp.read_qrels(folder / "qrels.test")
    found = rp.evaluate(run, qrels, ["RBP", "RBP(p=0.8)"], convention="trec_eval").mean
    lines = (folder / "out.test.aq").read_text(encoding="ascii").splitlines()
    (printed,) = (line.split()[2] for line in lines if line.split()[:2] == ["rbp", "all"])
    assert f"{found['RBP']:.4f}" == printed
    assert f"{found['RBP(p=0.8)']:.4f}" != printed
    assert str(CONVENTIONS["trec_eval"].resolve(metric("RBP"))) == "RBP(p=0.9,empty=0)"
