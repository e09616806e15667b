"""What other tools call a metric is understood, and results are found by every name."""

from __future__ import annotations

import pickle

import pytest

import rankproof as rp
from rankproof.errors import UnknownNameError
from rankproof.evaluation.by_metric import ByMetric
from rankproof.metrics import METRICS
from rankproof.metrics.other_names import NAMES, names_elsewhere

OTHERS = {
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "recip_rank": "RR",
    "P_10": "P@10",
    "P.5": "P@5",
    "map": "AP",
    "map_cut.100": "AP@100",
    "success_1": "Success@1",
    "Rprec": "Rprec",
    "recall_1000": "R@1000",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    "bpref": "bpref",
    "rbp": "RBP",
    "rbp.p=0.95": "RBP(p=0.95)",
    "ndcg@10": "nDCG@10",
    "pre@3": "P@3",
    "NDCG:top=10": "nDCG@10",
    "MAP:top=3": "AP@3",
    "PrecisionAt:top=5": "P@5",
    "RecallAt:top=5": "R@5",
    "MRR:top=10": "RR@10",
    "ndcg_score": "nDCG",
    "roc_auc_score": "AUC",
    "hit_rate@5": "Success@5",
    "f1@5": "F@5",
    "rbp.95": "RBP(p=0.95)",
}


@pytest.mark.parametrize(("name", "ours"), OTHERS.items())
def test_the_name_of_another_tool_is_ours(name: str, ours: str) -> None:
    assert rp.metric(name) == rp.metric(ours)
    results = rp.evaluate([2.0, 1.0, 0.5], [0, 1, 0], name, offsets=[0, 3])
    assert list(results.mean) == [str(rp.metric(ours))]
    assert results.mean[name] == results.mean[ours]


def test_names_are_those_of_metrics_we_have_and_none_is_taken() -> None:
    assert set(NAMES) <= set(METRICS)
    for ours in NAMES:
        for name in names_elsewhere(ours):
            asked = name.replace("=k", "=7").replace("_k", "_7")
            assert rp.metric(asked).name == ours


@pytest.mark.parametrize("name", ["gm_map", "11pt_avg", "infAP", "iprec_at_recall_0.10", "unj_10", "num_rel"])
def test_what_trec_eval_has_and_we_do_not_is_named_with_a_way_out(name: str) -> None:
    with pytest.raises(
        UnknownNameError, match=r"is trec_eval's name for .*, which rankproof does not have\. \w"
    ):
        rp.metric(name)


def test_a_registered_metric_keeps_its_name() -> None:
    """A user's metric called G is not trec_eval's."""
    METRICS.add("G", METRICS["P"])
    try:
        assert type(rp.metric("G@3")) is METRICS["P"]
    finally:
        METRICS.remove("G")


def test_results_and_comparisons_are_asked_by_any_name() -> None:
    scores = {"a": [2.0, 1.0, 1.0, 2.0], "b": [1.0, 2.0, 1.0, 2.0]}
    found = rp.compare(scores, [1, 0, 0, 1], ["MAP", "ndcg_cut_10"], offsets=[0, 2, 4])
    one = found.results["a"]
    assert list(one.mean) == ["AP", "nDCG@10"]
    for name in ("MAP", "map", "AP"):
        for mapping in (
            one.mean,
            one.interval,
            one.counted,
            one.constant,
            one.random,
            one.empty,
            one.metrics,
        ):
            assert mapping[name] is mapping["AP"]
        assert (one.per_query[name] == one.per_query["AP"]).all()
        assert found.pairs[name] is found.pairs["AP"]
        assert found.winner(name) == found.winner("AP")
        assert found.letters(name) == found.letters("AP")
        assert found.pair_table(name) == found.pair_table("AP")
    assert one.mean[rp.metric("AP")] == one.mean["AP"]  # type: ignore[index]


def test_a_metric_that_was_not_asked_for_is_not_found() -> None:
    means = ByMetric({"AP": 0.5, "nDCG@10": 0.25})
    with pytest.raises(KeyError, match="'RR' is none of the metrics asked for: AP, nDCG@10"):
        means["RR"]
    with pytest.raises(KeyError, match="none of the metrics"):
        means["no such thing("]
    assert ("map" in means, "RR" in means, 3 in means) == (True, False, False)
    assert (means.get("MAP"), means.get("RR"), means.get("RR", 1.0)) == (0.5, None, 1.0)
    assert pickle.loads(pickle.dumps(means))["map"] == 0.5  # noqa: S301 - our own bytes
    assert means == {"AP": 0.5, "nDCG@10": 0.25}
