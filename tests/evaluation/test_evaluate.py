"""`rankproof.evaluate`: the same numbers whatever form the data come in, with honest counts and baselines."""

from __future__ import annotations

import json
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof as rp
from rankproof.errors import ArgumentError, DataError, EmptyQueryError, UnjudgedError
from rankproof.metrics import METRICS

LABELS = [2, 0, 1, 0, 0, 1, 0]
SCORES = [0.3, 0.9, 0.3, 0.1, 0.5, 0.5, 0.2]
OFFSETS = [0, 4, 7]
QID = ["a", "a", "a", "a", "b", "b", "b"]


@pytest.mark.filterwarnings("ignore:ERR")
def test_data_labels_with_offsets_and_labels_with_qid_agree() -> None:
    data = rp.RankingData(labels=LABELS, offsets=OFFSETS, query_ids=["a", "b"])
    every = [cls() for cls in METRICS.values()]
    by_data = rp.evaluate(SCORES, data, every)
    by_offsets = rp.evaluate(SCORES, LABELS, every, offsets=OFFSETS)
    by_qid = rp.evaluate(SCORES, LABELS, every, qid=QID)
    for name in by_data.mean:
        np.testing.assert_array_equal(by_data.per_query[name], by_offsets.per_query[name])
        np.testing.assert_array_equal(by_data.per_query[name], by_qid.per_query[name])
    assert by_qid.query_ids.tolist() == ["a", "b"]


@pytest.mark.filterwarnings("ignore:ERR")
def test_a_run_with_qrels_agrees_with_the_same_scores_and_labels() -> None:
    docs = [f"d{i}" for i in range(7)]
    run = rp.Run.from_dict(
        {"a": dict(zip(docs[:4], SCORES[:4], strict=True)), "b": dict(zip(docs[4:], SCORES[4:], strict=True))}
    )
    qrels = rp.Qrels.from_dict(
        {"a": dict(zip(docs[:4], LABELS[:4], strict=True)), "b": dict(zip(docs[4:], LABELS[4:], strict=True))}
    )
    every = [cls() for cls in METRICS.values()]
    from_run = rp.evaluate(run, qrels, every)
    from_arrays = rp.evaluate(SCORES, LABELS, every, qid=QID)
    for name in from_run.mean:
        np.testing.assert_array_equal(from_run.per_query[name], from_arrays.per_query[name])


def test_the_mean_over_tie_breaks_by_hand() -> None:
    # Query b: the relevant item shares the top with another: RR is 1 or 1/2.
    results = rp.evaluate(SCORES, LABELS, "RR", offsets=OFFSETS, bounds=True)
    assert results.per_query["RR"][1] == pytest.approx((1 + 1 / 2) / 2)
    assert results.bounds is not None
    assert (results.bounds["RR"].worst[1], results.bounds["RR"].best[1]) == (1 / 2, 1.0)
    assert results.tied.tolist() == [True, True]


@pytest.mark.filterwarnings("ignore:ERR")
@given(
    scores=st.lists(st.integers(0, 2), min_size=1, max_size=5),
    labels=st.lists(st.integers(0, 2), min_size=5, max_size=5),
)
def test_bounds_are_the_extremes_over_all_tie_breaks(scores: list[int], labels: list[int]) -> None:
    labels = labels[: len(scores)]
    every = [cls() for cls in METRICS.values()]
    found = rp.evaluate(scores, labels, every, offsets=[0, len(scores)], bounds=True)
    assert found.bounds is not None
    sorting = [
        p for p in permutations(range(len(scores))) if all(scores[a] >= scores[b] for a, b in pairwise(p))
    ]
    for m in every:
        if getattr(m, "ties", "half") in ("full", "b"):
            continue
        values = [m.of_ranking(p, tuple(labels)) for p in sorting]
        if values[0] is None:
            continue
        low, high = min(map(float, values)), max(map(float, values))  # type: ignore[arg-type]
        worst, best = found.bounds[str(m)].worst[0], found.bounds[str(m)].best[0]
        expected = (low, high) if m.direction == "higher" else (high, low)
        assert (worst, best) == pytest.approx(expected, abs=1e-12), str(m)


def test_empty_queries_are_counted_and_treated_as_told() -> None:
    labels, scores, offsets = [0, 0, 1, 0], [1.0, 2.0, 1.0, 2.0], [0, 2, 4]
    for policy, expected in (("skip", 0.5), (0, 0.25), (1, 0.75)):
        results = rp.evaluate(scores, labels, rp.metric("RR", empty=policy), offsets=offsets)
        (name,) = results.mean
        assert results.mean[name] == expected
        assert results.empty[name] == 1
        assert results.counted[name] == (1 if policy == "skip" else 2)
    with pytest.raises(EmptyQueryError, match=r"query 0 is empty: it has no relevant item \(1 such"):
        rp.evaluate(scores, labels, "RR(empty=error)", offsets=offsets)


def test_all_queries_empty_gives_nan_and_says_so() -> None:
    results = rp.evaluate([1, 2], [0, 0], "nDCG", offsets=[0, 2])
    assert np.isnan(results.mean["nDCG"])
    assert (results.empty["nDCG"], results.counted["nDCG"]) == (1, 0)
    assert "nan" in str(results)


def test_unjudged_items_follow_the_policy() -> None:
    labels, scores = [1, np.nan, 0, 1], [0.1, 0.9, 0.8, 0.7]
    by = {
        p: rp.evaluate(scores, labels, rp.metric("P", cutoff=2, unjudged=p), offsets=[0, 4])
        for p in ("zero", "drop")
    }
    # zero: the top two are (unjudged, 0); drop: they are (0, 1).
    assert [next(iter(r.mean.values())) for r in by.values()] == [0.0, 0.5]
    assert by["zero"].unjudged == 1
    with pytest.raises(UnjudgedError, match=r"item 1 of query 0 has no judgment \(1 items in all\)"):
        rp.evaluate(scores, labels, "P(unjudged=error)@2", offsets=[0, 4])


def test_weights_weigh_the_queries_that_count() -> None:
    labels, scores, offsets = [1, 0, 1, 0, 0, 0], [2.0, 1, 1, 2, 1, 2], [0, 2, 4, 6]
    results = rp.evaluate(scores, labels, ["RR", "RR(empty=0)"], offsets=offsets, weights=[3, 1, 4])
    assert results.mean["RR"] == (3 * 1 + 1 * 0.5) / 4
    assert results.mean["RR(empty=0)"] == (3 * 1 + 1 * 0.5 + 4 * 0) / 8


def test_a_data_set_brings_its_own_weights() -> None:
    data = rp.RankingData(labels=[1, 0, 1, 0], offsets=[0, 2, 4], query_weights=[3, 1])
    assert rp.evaluate([2, 1, 1, 2], data, "RR").mean["RR"] == (3 + 0.5) / 4


def test_the_constant_scorer_is_the_random_ranking_under_exact_ties_only() -> None:
    labels, scores = [1, 0, 0, 0], [4.0, 3, 2, 1]
    exact = rp.evaluate(scores, labels, "RR", offsets=[0, 4])
    random = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert exact.constant["RR"] == pytest.approx(random)
    assert exact.random["RR"] == pytest.approx(random)
    # A tool that breaks ties by row flatters a constant scorer when the relevant row comes first.
    by_row = rp.evaluate(scores, labels, "nDCG@4", offsets=[0, 4], convention="lightgbm")
    assert by_row.constant["nDCG@4"] == 1.0
    assert by_row.random["nDCG@4"] == pytest.approx((1 + 1 / np.log2(3) + 1 / 2 + 1 / np.log2(5)) / 4)


def test_missing_queries_count_zero_or_are_left_out() -> None:
    run = rp.Run.from_dict({"a": {"x": 1.0}, "z": {"x": 1.0}})
    qrels = rp.Qrels.from_dict({"a": {"x": 1}, "b": {"y": 1}})
    zero = rp.evaluate(run, qrels, "AP")
    assert (zero.mean["AP"], zero.missing, zero.unknown) == (0.5, ("b",), ("z",))
    skip = rp.evaluate(run, qrels, "AP", missing="skip")
    assert (skip.mean["AP"], skip.query_ids.tolist()) == (1.0, ["a"])
    assert any("missing from the run: 1 (b)" in note for note in zero.notes())


def test_intervals_are_seeded_and_hold_the_mean() -> None:
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 500), rng.normal(size=500)
    a, b, c = (rp.evaluate(scores, labels, "nDCG", offsets=np.arange(0, 501, 10), seed=s) for s in (1, 1, 2))
    assert a.interval == b.interval
    assert a.interval != c.interval
    assert a.mean["nDCG"] in a.interval["nDCG"]


def test_feedback_objects_are_evaluated_query_by_query() -> None:
    graph = rp.PreferenceGraph({(0, 1): 1, (2, 0): 3})
    results = rp.evaluate([0.5, 0.5, 0.1, 3, 2, 1], [graph, rp.Graded((2, 1, 0))], "PD")
    assert results.per_query["PD"].tolist() == [0.5 + 3, 0.0]
    with pytest.raises(ArgumentError, match="convention rankproof"):
        rp.evaluate([1, 2, 3], [graph], "PD", convention="trec_eval")
    with pytest.raises(ArgumentError, match="bounds"):
        rp.evaluate([1, 2, 3], [graph], "PD", bounds=True)


def test_json_csv_latex_and_frame_say_the_same() -> None:
    results = rp.evaluate(SCORES, LABELS, ["nDCG@10", "AP"], qid=QID, bounds=True)
    plain = json.loads(results.to_json(per_query=True))
    assert plain["schema"] == "rankproof.results/1"
    assert plain["query_ids"] == ["a", "b"]
    assert [row["mean"] for row in plain["metrics"]] == list(results.mean.values())
    rows = [line.split(",") for line in results.to_csv().splitlines()]
    assert rows[0][:2] == ["metric", "mean"]
    assert [float(row[1]) for row in rows[1:]] == list(results.mean.values())
    per_query = [line.split(",") for line in results.to_csv(per_query=True).splitlines()]
    assert [float(row[2]) for row in per_query[1:]] == results.per_query["AP"].tolist()
    assert f"{results.mean['AP']:.4f}" in results.to_latex()
    frame = results.to_frame()
    assert frame["AP"].tolist() == results.per_query["AP"].tolist()
    assert frame["query"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (([1, 2], [0, 1], "nDCG"), {}, "exactly one of offsets= .* and qid="),
        (([1, 2], [0, 1], "nDCG"), {"offsets": [0, 2], "qid": [1, 1]}, "exactly one of"),
        (([1, 2, 3], [0, 1], "nDCG"), {"offsets": [0, 2]}, r"one number per item \(2\), got 3"),
        (([1, float("nan")], [0, 1], "nDCG"), {"offsets": [0, 2]}, "NaN at item 1"),
        (([1, 2], [0, float("inf")], "nDCG"), {"offsets": [0, 2]}, "labels holds inf at item 1"),
        (([1, 2], [0, 1], "nDGC"), {"offsets": [0, 2]}, "Did you mean 'nDCG'"),
        (([1, 2], [0, 1], []), {"offsets": [0, 2]}, "at least one metric"),
        (([1, 2], [0, 1], 7), {"offsets": [0, 2]}, "must be metrics or their names, got 7"),
        (([1, 2], [0, 1], "AP"), {"qid": [1]}, r"one id per label \(2\)"),
        (([1, 2], [0, 1], "AP"), {"offsets": [0, 2], "convention": "treceval"}, "Did you mean 'trec_eval'"),
        (([1, 2], [0, 9], "ERR"), {"offsets": [0, 2]}, "max_grade"),
        (([1, 2], [0, 1], "AP"), {"offsets": [0, 2], "weights": [1, 1]}, "must have 1 numbers, got 2"),
        (([1, 2], [0, 1], "AP"), {"offsets": [0, 2], "threads": 0}, "threads must be an int >= 1"),
    ],
)
def test_wrong_arguments_get_a_clear_error(
    arguments: tuple[object, ...], keywords: dict[str, object], message: str
) -> None:
    with pytest.raises((ArgumentError, DataError), match=message):
        rp.evaluate(*arguments, **keywords)  # type: ignore[arg-type]


def test_scores_against_qrels_and_a_run_against_labels_are_refused() -> None:
    with pytest.raises(ArgumentError, match="A Run is evaluated against Qrels"):
        rp.evaluate([1.0], rp.Qrels.from_dict({"a": {"x": 1}}), "AP")
    with pytest.raises(ArgumentError, match="A Run is evaluated against Qrels"):
        rp.evaluate(rp.Run.from_dict({"a": {"x": 1.0}}), [1], "AP", offsets=[0, 1])


def test_trec_eval_breaks_ties_by_document_id() -> None:
    run, qrels = rp.Run.from_dict({"q": {"a": 1.0, "b": 1.0}}), rp.Qrels.from_dict({"q": {"a": 1, "b": 0}})
    # b comes after a in byte order, so trec_eval lists it first.
    assert rp.evaluate(run, qrels, "RR", convention="trec_eval").mean["RR"] == 0.5
    data = rp.RankingData(labels=[1, 0], offsets=[0, 2], doc_ids=["a", "b"])
    assert rp.evaluate([1, 1], data, "RR", convention="trec_eval").mean["RR"] == 0.5
    with pytest.raises(ArgumentError, match="no document ids"):
        rp.evaluate([1, 1], [1, 0], "RR", offsets=[0, 2], convention="trec_eval")


def test_a_short_list_is_one_that_retrieved_few_items_however_many_were_judged() -> None:
    run = rp.Run.from_dict({"q": {"a": 2.0, "b": 1.0}})
    qrels = rp.Qrels.from_dict({"q": {"a": 1, "c": 1, "d": 1, "e": 0, "f": 0}})
    # trec_eval's unj_5 divides the one unjudged item by 5, though only 2 were retrieved.
    found = rp.evaluate(run, qrels, "judged@5", convention="trec_eval")
    assert found.mean["judged@5"] == pytest.approx(1 - 1 / 5)


@pytest.mark.parametrize("name", ["DCG", "nDCG", "MeanNDCG"])
def test_labels_whose_gains_would_overflow_are_refused(name: str) -> None:
    for gain, label in (("exp", 1001.0), ("linear", 1.7e308)):
        with pytest.raises(DataError, match="too large"):
            rp.evaluate([2, 1], [label, 0], rp.metric(name, gain=gain), offsets=[0, 2])
    assert np.isnan(rp.evaluate([1], [np.nan], "nDCG", offsets=[0, 1]).mean["nDCG"])
