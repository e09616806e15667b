"""Demonstrations: engines trained on laws whose best ranking is known, their files, and training again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from math import log2
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from every_case import exhaustive
from rankproof.errors import ArgumentError, DataError, MissingDependencyError, UnknownNameError
from rankproof.experiments.engines import retrain, settings
from rankproof.experiments.engines.known_laws import KNOWN_LAWS, laws_to_try
from rankproof.experiments.engines.rows import law_rows, queries_for
from rankproof.experiments.engines.runs import order_of
from rankproof.experiments.engines.stand import is_proven, lost_by_ours
from rankproof.theory.shipped.objective import ENGINE_OBJECTIVES, engine_objective

LAW = rp.Law({(2, 1): "3/5", (0, 1): "2/5"})
QUICK: dict[str, Any] = {"rates": [0.1], "seeds": [0], "trees": 40}
# What item 1 counts more than item 0 in the mean, times the difference of the discounts.
IDEAL = 3 + 1 / log2(3)
LOST = (2 / 5 - 3 / 5 * (3 - 1) / IDEAL) * (1 - 1 / log2(3))


@pytest.fixture(scope="module")
def shown() -> rp.Demonstration:
    return rp.demonstrate("lightgbm:lambdarank", "nDCG", LAW, **QUICK)


def test_lambdarank_ends_at_the_wrong_order_of_two_items(shown: rp.Demonstration) -> None:
    assert shown.best_rankings == ((1, 0),)
    assert shown.runs[0].end.order == ((0,), (1,))
    assert shown.lost == pytest.approx(LOST, abs=1e-12)
    assert (shown.wrong_runs, len(shown.runs)) == (1, 1)
    # The first tree ranks right.
    assert 0.8 < shown.wrong_iterations < 1.0


@pytest.mark.parametrize(
    "known",
    [known for known in KNOWN_LAWS if known.kind == "small"]
    + exhaustive(*(known for known in KNOWN_LAWS if known.kind != "small")),
    ids=lambda known: f"{known.objective} {known.metric} {known.kind}",
)
def test_the_known_laws_are_lost_on_and_ours_finds_the_best_order_for_ndcg(known: Any) -> None:
    trees = 120
    shown = rp.demonstrate(known.objective, known.metric, known.law, rates=[0.1], seeds=[0], trees=trees)
    assert shown.wrong_runs == 1, str(shown)
    assert shown.lost >= 0.01
    if known.metric == "nDCG":
        assert lost_by_ours(shown.engine, known, 0.1, 0, trees) == 0.0


def test_every_objective_has_a_law_for_ndcg() -> None:
    named = {str(engine_objective(known.objective)) for known in KNOWN_LAWS if known.metric == "nDCG"}
    assert {*ENGINE_OBJECTIVES} <= named
    assert "catboost:YetiRank(mode=NDCG)" in named


def test_an_objective_that_is_right_is_said_to_be_right() -> None:
    """Without its normalisations LambdaRank sorts two items right, as A_01 - A_10 = E[u_0] - E[u_1]."""
    right = rp.demonstrate("lightgbm:lambdarank(lambdarank_norm=false)", "nDCG", LAW, **QUICK)
    assert (right.wrong_runs, right.lost) == (0, 0.0)
    assert "The run ended at a best order" in str(right)


def test_without_a_law_the_known_one_that_costs_most_is_taken() -> None:
    shown = rp.demonstrate("lightgbm:lambdarank", "nDCG@10", **QUICK)
    assert shown.law in next(laws_to_try(engine_objective("lightgbm:lambdarank")))
    assert shown.lost > LOST


def test_what_is_proven_is_what_has_a_formula_or_is_a_loss() -> None:
    """Objectives that draw at random are shown alone; `QuerySoftMax` is right for DCG with linear gains."""
    two = {case.objective: case for case in KNOWN_LAWS if case.law == LAW and case.metric == "nDCG"}
    assert [name for name, case in two.items() if is_proven(case)] == [
        *("lightgbm:lambdarank", "xgboost:rank:ndcg", "xgboost:rank:pairwise"),
        *("catboost:QuerySoftMax", "catboost:PairLogit"),
    ]
    assert not is_proven(replace(two["catboost:QuerySoftMax"], metric="DCG(gain=linear)"))


@pytest.mark.parametrize("objective", ["lightgbm:lambdarank", "xgboost:rank:ndcg"])
def test_the_defaults_end_elsewhere_under_a_law_with_two_rest_points(objective: str) -> None:
    """Best is 1 > 0 > 2; both end at 0 > 1 > 2, which loses 0.052 of nDCG."""
    law = rp.Law({(3, 2, 2): "62/100", (0, 3, 0): "38/100"})
    shown = rp.demonstrate(objective, "nDCG", law, rates=[0.1], seeds=[0], trees=300)
    assert shown.best_rankings == ((1, 0, 2),)
    assert shown.runs[0].end.order == ((0,), (1,), (2,))
    assert shown.lost == pytest.approx(0.052, abs=5e-4)


def test_a_condition_is_met_by_the_law() -> None:
    shown = rp.demonstrate("lightgbm:lambdarank", "nDCG", noise="independent", **QUICK)
    assert rp.noise.check(shown.law, "independent")


def test_queries_are_in_exact_proportion_and_rows_are_shuffled() -> None:
    law = rp.Law({(2, 0, 1): "2/3", (0, 1, 1): "1/3"})
    assert queries_for(law) == 102
    rows = law_rows(law, seed=3)
    items = rows.X.argmax(axis=1).reshape(102, 3)
    assert (np.sort(items, axis=1) == [0, 1, 2]).all()
    assert len({tuple(row) for row in items}) > 1
    labels = np.take_along_axis(rows.labels.reshape(102, 3), np.argsort(items, axis=1), axis=1)
    found = {tuple(row): int((labels == row).all(axis=1).sum()) for row in labels}
    assert found == {(2, 0, 1): 68, (0, 1, 1): 34}
    with pytest.raises(ArgumentError, match="20000 is the most"):
        queries_for(rp.Law({(1, 0): "1/20001", (0, 1): "20000/20001"}))


def test_equal_scores_are_tied() -> None:
    assert order_of(np.array([1.0, 2.0, 1.0 + 1e-9])) == ((1,), (0, 2))
    assert order_of(np.array([0.0, -0.01])) == ((0,), (1,))


def test_it_reads_back_what_it_writes_and_can_be_trained_again(shown: rp.Demonstration) -> None:
    again = rp.Demonstration.from_json(shown.to_json())
    assert again == shown
    assert again.replay().holds
    text = str(shown)
    assert "a demonstration, not a proof" in text
    assert "proven" not in text.lower()
    assert f"LightGBM {shown.engine_version}" in text


TAMPERED = {
    "lost": lambda plain: plain.update(lost=0.5),
    "wrong runs": lambda plain: plain.update(wrong_runs=0),
    "no runs": lambda plain: plain.update(runs=[]),
    "law": lambda plain: plain["law"].update(items=7),
    "version": lambda plain: plain.update(version=9),
    "seed": lambda plain: plain["runs"][0].update(seed=-5),
    "a rate that moves nothing": lambda plain: plain["runs"][0].update(rate=1e-300),
    "trees for hours": lambda plain: plain.update(trees=100_000_000),
    "runs for hours": lambda plain: plain.update(trees=50_000, runs=plain["runs"] * 100),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_damaged_file_is_refused(name: str, shown: rp.Demonstration) -> None:
    plain = json.loads(shown.to_json())
    TAMPERED[name](plain)
    with pytest.raises(DataError):
        rp.Demonstration.from_dict(plain)


def test_what_was_not_trained_is_found_out(shown: rp.Demonstration) -> None:
    run = shown.runs[0]
    best = replace(run.end, first=1, order=((1,), (0,)), lost=0.0)
    forged = replace(shown, runs=(replace(run, stretches=(best,)),))
    (wrong,) = forged.replay().wrong
    assert "ended at 0 > 1" in wrong
    worse = replace(run.end, first=1, lost=0.3)
    assert "does not lose 0.3" in replace(shown, runs=(replace(run, stretches=(worse,)),)).replay().wrong[0]
    other = replace(shown, best_rankings=((0, 1),))
    assert "best rankings" in other.replay().wrong[0]
    tuned = replace(shown, parameters={**shown.parameters, "lambdarank_norm": False})
    assert "parameters" in tuned.replay().wrong[0]


def test_another_version_of_the_engine_is_named(
    shown: rp.Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrain, "engine_version", lambda _: "5.0.0")
    again = shown.replay()
    assert again.holds
    assert "LightGBM 5.0.0 (stored: " in str(again)
    assert "another version may end elsewhere" in str(again)


def test_an_engine_that_is_not_installed_is_named_with_the_way_to_get_it(
    shown: rp.Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingDependencyError, match=r"pip install lightgbm"):
        rp.demonstrate("lightgbm:lambdarank", "nDCG", LAW)
    with pytest.raises(MissingDependencyError):
        shown.replay()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"objective": "lightgbm:lamdarank"}, "Did you mean 'lambdarank'"),
        ({"rates": []}, "at least one learning rate"),
        ({"rates": [0]}, "from 0.0001 to 1"),
        ({"rates": [0.1] * 50, "trees": 50_000}, "more than the 200000 trees"),
        ({"noise": "one relevant"}, "must be one relevant"),
        ({"seeds": [-1]}, "seeds"),
        ({"trees": 0}, "trees"),
        ({"law": rp.Law.point({(0, 1): 1})}, "got preferences"),
    ],
)
def test_what_cannot_be_trained_is_refused(words: dict[str, Any], problem: str) -> None:
    asked = {"objective": "lightgbm:lambdarank", "metric": "nDCG", "law": LAW, **words}
    with pytest.raises((ArgumentError, UnknownNameError), match=problem):
        rp.demonstrate(**asked)


def test_parameters_reach_the_engine_under_its_names() -> None:
    named = engine_objective("xgboost:rank:ndcg(lambdarank_normalization=false)")
    assert settings.objective_settings(named) == {"objective": "rank:ndcg", "lambdarank_normalization": False}
    yeti = engine_objective("catboost:YetiRank(mode=NDCG,permutations=5)")
    assert settings.objective_settings(yeti) == {"loss_function": "YetiRank:mode=NDCG;permutations=5"}
