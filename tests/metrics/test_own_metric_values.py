"""Metrics of users' own: exact under ties, like the library's where they are copies, clear in failure."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, MetricCallError
from rankproof.metrics.own.progress import telling
from rankproof.metrics.own.ties import TooManyTiesError, mean_over_ties


def dcg(ranking: Any, feedback: Any) -> float:
    return sum((2 ** feedback[i] - 1) / math.log2(k + 2) for k, i in enumerate(ranking))


def ndcg_at_4(ranking: Any, feedback: Any) -> float | None:
    worth = sorted((2**y - 1 for y in feedback), reverse=True)
    best = sum(w / math.log2(k + 2) for k, w in enumerate(worth[:4]))
    if not best:
        return None
    return sum((2 ** feedback[i] - 1) / math.log2(k + 2) for k, i in enumerate(ranking[:4])) / best


def rbp(ranking: Any, feedback: Any) -> float:
    return 0.5 * sum(0.5**k * (feedback[i] >= 1) for k, i in enumerate(ranking))


def precision_at_3(ranking: Any, feedback: Any) -> Fraction:
    return Fraction(sum(feedback[i] >= 1 for i in ranking[:3]), 3)


def clean_page(ranking: Any, feedback: Any) -> int:
    page = [feedback[i] for i in ranking[:2]]
    return int(2 in page and 1 not in page)


# A copy, the metric of the library that it is, and whether it counts queries without a relevant item.
COPIES = [(dcg, "DCG"), (ndcg_at_4, "nDCG@4"), (rbp, "RBP(p=0.5)"), (precision_at_3, "P@3")]


def some_data(seed: int, queries: int = 30, longest: int = 9, levels: int = 4) -> tuple[Any, Any, Any]:
    """Scores with ties, labels, offsets."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, longest + 1, queries)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    labels = random.integers(0, 3, offsets[-1])
    return random.integers(0, levels, offsets[-1]).astype(float), labels, offsets


@pytest.mark.parametrize(("copy", "name"), COPIES, ids=lambda one: getattr(one, "__name__", one))
def test_a_copy_gives_the_numbers_of_the_library(copy: Callable[..., Any], name: str) -> None:
    scores, labels, offsets = some_data(1)
    mine = rp.evaluate(scores, labels, copy, offsets=offsets)
    theirs = rp.evaluate(scores, labels, rp.metric(name, empty=0), offsets=offsets)
    own, known = mine.per_query[copy.__name__], theirs.per_query[str(rp.metric(name, empty=0))]
    own = np.nan_to_num(own)
    np.testing.assert_allclose(own, known, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", [dcg, ndcg_at_4, precision_at_3, clean_page])
def test_ties_are_the_mean_over_all_rankings_that_sort_the_scores(metric: Callable[..., Any]) -> None:
    random = np.random.default_rng(3)
    for _ in range(25):
        n = int(random.integers(2, 7))
        labels, scores = random.integers(0, 3, n).tolist(), random.integers(0, 3, n).astype(float)
        sorting = [r for r in permutations(range(n)) if all(scores[a] >= scores[b] for a, b in pairwise(r))]
        values = [metric(r, labels) for r in sorting]
        got = rp.evaluate(scores, labels, metric, offsets=[0, n]).per_query[metric.__name__][0]
        if None in values:
            assert math.isnan(got)
        else:
            assert got == pytest.approx(float(sum(values)) / len(values), abs=1e-12)


def test_only_labels_that_are_read_are_tried() -> None:
    calls = 0

    def top_two(ranking: Any, feedback: Any) -> Fraction:
        nonlocal calls
        calls += 1
        return Fraction(feedback[ranking[0]] + feedback[ranking[1]])

    # 30 items of grade 1 and 30 of grade 0, all tied: two places, two grades, four calls.
    labels = [1] * 30 + [0] * 30
    assert mean_over_ties(top_two, "top_two", labels, [60] * 60, 60) == 1
    assert calls == 4


def test_large_ties_of_a_metric_with_a_target_are_exact_too() -> None:
    labels = np.array([2] * 5 + [1] * 7 + [0] * 20)
    scores = np.array([1.0] * 3 + [0.0] * 29)
    mine = rp.evaluate(scores, labels, dcg, offsets=[0, 32])
    theirs = rp.evaluate(scores, labels, "DCG", offsets=[0, 32])
    assert mine.mean["dcg"] == pytest.approx(theirs.mean["DCG"], abs=1e-9)
    assert mine.constant["dcg"] == pytest.approx(theirs.constant["DCG"], abs=1e-9)


def test_large_ties_of_a_metric_with_a_factor_per_query() -> None:
    labels = np.array([2] * 5 + [1] * 7 + [0] * 20)
    mine = rp.evaluate(np.zeros(32), labels, ndcg_at_4, offsets=[0, 32])
    theirs = rp.evaluate(np.zeros(32), labels, "nDCG@4", offsets=[0, 32])
    assert mine.mean["ndcg_at_4"] == pytest.approx(theirs.mean["nDCG@4"], abs=1e-9)


def ends_apart(ranking: Any, feedback: Any) -> int:
    """No target: it asks whether the labels of all neighbours differ."""
    return sum(feedback[a] != feedback[b] for a, b in pairwise(ranking))


def test_ties_that_are_too_many_are_refused_with_a_way_out() -> None:
    labels, scores = [0, 1, 2] * 8, np.zeros(24)
    with pytest.raises(TooManyTiesError, match=r"ends_apart has no exact mean.*ties='row'.*query 0"):
        rp.evaluate(scores, labels, ends_apart, offsets=[0, 24])
    by_row = rp.evaluate(scores, labels, rp.own_metric(ends_apart, ties="row"), offsets=[0, 24])
    assert by_row.mean["ends_apart(ties=row)"] == 23


def test_a_baseline_that_cannot_be_had_is_left_open() -> None:
    labels = [0, 1, 2] * 8
    results = rp.evaluate(np.arange(24.0), labels, ends_apart, offsets=[0, 24])
    assert results.mean["ends_apart"] == 23
    assert math.isnan(results.constant["ends_apart"])
    assert "ends_apart" in str(results)


def test_baselines_do_not_take_minutes() -> None:
    def top_5(ranking: Any, feedback: Any) -> int:
        nonlocal calls
        calls += 1
        return max(feedback[i] for i in ranking[:5])

    calls, queries, n = 0, 300, 40
    random = np.random.default_rng(1)
    labels, offsets = random.integers(0, 4, queries * n), np.arange(queries + 1) * n
    results = rp.evaluate(random.random(queries * n), labels, top_5, offsets=offsets)
    assert calls == 2 * queries
    # Without a target every query takes 4**5 calls, 300,000 in all.
    assert math.isnan(results.constant["top_5"])
    assert calls < 200_000


def test_unretrieved_items_stand_at_no_rank(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n")
    (tmp_path / "qrels").write_text("q 0 a 0\nq 0 b 1\nq 0 c 2\nnone 0 a 1\n")
    run, qrels = rp.read_run(tmp_path / "run"), rp.read_qrels(tmp_path / "qrels")

    def share_found(ranking: Any, feedback: Any) -> Fraction:
        return Fraction(sum(feedback[i] for i in ranking), sum(feedback))

    found = rp.evaluate(run, qrels, share_found)
    assert found.per_query["share_found"].tolist() == [1 / 3, 0]

    def first(ranking: Any, feedback: Any) -> float:
        return float(feedback[ranking[0]])

    with pytest.raises(MetricCallError, match=r"Nothing was retrieved.*missing='skip'.*query 'none'"):
        rp.evaluate(run, qrels, first)
    assert rp.evaluate(run, qrels, first, missing="skip").mean["first"] == 0


def raises(ranking: Any, feedback: Any) -> float:
    return {0: 0.0, 1: 1.0}[feedback[ranking[0]]]


def not_a_number(ranking: Any, feedback: Any) -> float:
    return math.nan if feedback[ranking[0]] == 2 else 1.0


def one_argument(ranking: Any) -> float:
    return 1.0


def of_item_number(ranking: Any, feedback: Any) -> float:
    return float(feedback[0])


def text(ranking: Any, feedback: Any) -> str:
    return "good"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises, r"Metric raises failed on ranking \(0, 1\), labels \(2, 0\): KeyError: 2\..*query 'b'"),
        (not_a_number, r"Metric not_a_number gave nan on .*finite number.*query 'b'"),
        (one_argument, r"Metric one_argument failed .*takes 1 positional argument"),
        (of_item_number, r"does not treat all items alike.*feedback\[item\], not at its number"),
        (text, r"Metric text gave 'good'"),
    ],
    ids=["raises", "nan", "arity", "item number", "text"],
)
def test_what_goes_wrong_is_said_with_the_query(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(MetricCallError, match=message):
        rp.evaluate([2, 1, 2, 1], [1, 0, 2, 0], function, qid=["a", "a", "b", "b"])
    with pytest.raises(MetricCallError, match=r"\(query 'b'\)"):
        rp.explain(function, [2, 1, 2, 1], [1, 0, 2, 0], qid=["a", "a", "b", "b"], query="b")


def test_sums_that_cancel_in_another_order_are_the_same() -> None:
    def balance(ranking: Any, feedback: Any) -> float:
        return sum((0.1, 0.2, -0.3)[y] for y in feedback) + 0 * len(ranking)

    found = rp.evaluate([3, 2, 1], [0, 1, 2], balance, offsets=[0, 3])
    assert found.mean["balance"] == pytest.approx(0, abs=1e-15)


def test_a_function_that_is_not_deterministic_is_refused() -> None:
    numbers = iter(range(1000))

    def counting(ranking: Any, feedback: Any) -> float:
        return float(next(numbers))

    with pytest.raises(MetricCallError, match="counting is not deterministic"):
        rp.evaluate([2, 1], [1, 0], counting, offsets=[0, 2])


def test_lower_is_better_turns_winners_and_scores() -> None:
    def misses(ranking: Any, feedback: Any) -> int:
        return sum(feedback[i] == 0 for i in ranking[:1])

    metric = rp.own_metric(misses, direction="lower")
    good, bad = [2.0, 1.0] * 12, [1.0, 2.0] * 12
    found = rp.compare({"good": good, "bad": bad}, [1, 0] * 12, metric, offsets=list(range(0, 25, 2)))
    assert "good is significantly better than every other system" in str(found)


def test_a_name_alone_runs_no_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise SystemExit('ran')\n")
    with pytest.raises(ArgumentError, match="a name alone runs no file"):
        rp.metric(f"{file}:f")
    with pytest.raises(ArgumentError, match="a name alone runs no file"):
        rp.evaluate([1, 2], [0, 1], f"{file}:f", offsets=[0, 2])


def test_files_are_loaded_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def f(ranking, feedback):\n    return feedback[ranking[0]]\n")
    place = f"{file}:f"
    metric = rp.own_metric(place)
    assert str(metric) == place
    assert metric == rp.own_metric(place)
    assert rp.evaluate([1, 2], [0, 1], metric, offsets=[0, 2]).mean[place] == 1
    with pytest.raises(ArgumentError, match="no file"):
        rp.own_metric(str(tmp_path / "other.py:f"))


def test_progress_is_told_while_queries_are_computed() -> None:
    said: list[tuple[int, int, str]] = []
    with telling(lambda *words: said.append(words)):
        rp.evaluate(np.arange(240.0), [0, 1] * 120, precision_at_3, offsets=range(0, 241, 2))
    assert said == [(0, 120, "precision_at_3"), (50, 120, "precision_at_3"), (100, 120, "precision_at_3")]


def test_bounds_are_for_metrics_of_which_the_best_order_is_known() -> None:
    with pytest.raises(ArgumentError, match="bounds"):
        rp.evaluate([1, 1], [0, 1], clean_page, offsets=[0, 2], bounds=True)


def test_tools_have_no_metric_of_yours() -> None:
    with pytest.raises(ArgumentError, match="dcg cannot be computed as trec_eval"):
        rp.evaluate([1, 2], [0, 1], dcg, offsets=[0, 2], convention="trec_eval")


def test_a_metric_pickles_when_its_function_does() -> None:
    metric = rp.own_metric(dcg)
    assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301 - our own
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(rp.own_metric(lambda ranking, feedback: len(ranking) + len(feedback)))


def test_a_metric_of_a_file_says_why_it_does_not_pickle(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def f(ranking, feedback):\n    return feedback[ranking[0]]\n")
    with pytest.raises(ArgumentError, match="Import the function from a module"):
        pickle.dumps(rp.own_metric(f"{tmp_path / 'mine.py'}:f"))


def test_explained_by_its_value() -> None:
    shown = str(rp.explain(precision_at_3, [2.0, 1.0, 1.0], [1, 0, 2], qid=[7, 7, 7], query=7))
    assert "precision_at_3 = 0.666667" in shown
