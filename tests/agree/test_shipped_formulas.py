"""The formulas that proofs are about are those that the installed engines run: one boosting step each.

Every query has the same scores to start from and the same labels. A large penalty makes the step of a leaf
the sum of the gradients in it over the penalty, so that no second derivative is needed to compare.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import catboost as cb
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from rankproof.arrays import Float64s
from rankproof.feedback import Law
from rankproof.feedback.spaces import space_of
from rankproof.theory.shipped.field import ShippedField
from rankproof.theory.shipped.floats import FloatFields
from rankproof.theory.shipped.lambdas import formula_of
from rankproof.theory.shipped.objective import ENGINE_OBJECTIVES, engine_objective
from rankproof.theory.shipped.table import ENGINES

COPIES, PENALTY = 500, 1e9
CASES = 3


def by_lightgbm(labels: Any, scores: Float64s, **parameters: Any) -> tuple[Float64s, Float64s]:
    """The step of every leaf times the penalty, per query; and the leaf of every item."""
    n = len(labels)
    free = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "min_data_in_bin": 1, "verbose": -1}
    data = lgb.Dataset(
        np.tile(np.eye(n), (COPIES, 1)),
        np.tile(labels, COPIES),
        group=[n] * COPIES,
        init_score=np.tile(scores, COPIES),
        params={**free, "feature_pre_filter": False},
    )
    settings = {"objective": "lambdarank", "learning_rate": 1.0, "lambda_l2": PENALTY, "num_leaves": n}
    model = lgb.train({**settings, **free, "num_threads": 1, **parameters}, data, 1)
    steps = np.asarray(model.predict(np.eye(n), raw_score=True)) * PENALTY / COPIES
    return steps, np.asarray(model.predict(np.eye(n), pred_leaf=True)).ravel()


def by_xgboost(name: str, labels: Any, scores: Float64s, **parameters: Any) -> tuple[Float64s, Float64s]:
    n = len(labels)
    data = xgb.DMatrix(np.tile(np.eye(n), (COPIES, 1)), label=np.tile(labels, COPIES), group=[n] * COPIES)
    data.set_base_margin(np.tile(scores, COPIES))
    free = {"eta": 1.0, "reg_lambda": PENALTY, "min_child_weight": 0.0, "nthread": 1, "base_score": 0.0}
    model = xgb.train({"objective": name, "tree_method": "exact", **free, **parameters}, data, 1)
    one = xgb.DMatrix(np.eye(n))
    steps = model.predict(one, output_margin=True).astype(float) * PENALTY / COPIES
    return steps, model.predict(one, pred_leaf=True).ravel()


def formula_forces(spec: str, labels: Any, scores: Float64s) -> Float64s:
    """Minus the gradient by the intervals that proofs use, and by the floats that searches use."""
    law = Law({tuple(int(y) for y in labels): 1})
    formula = formula_of(engine_objective(spec))
    assert formula is not None
    ranking = tuple(int(i) for i in np.argsort(-scores, kind="stable"))
    exact = [Fraction(float(s)) for s in scores]
    gaps = [exact[a] - exact[b] for a, b in pairwise(ranking)]
    field = ShippedField(formula, law)
    face, box = tuple((item,) for item in ranking), tuple((gap, gap) for gap in gaps)
    found = np.zeros(len(scores))
    for item in range(len(scores)):
        up = [int(k == item) for k in range(len(scores))]
        high = field.upper_bound(face, ranking, box, up)
        low = field.upper_bound(face, ranking, box, [-x for x in up])
        assert high is not None
        assert low is not None
        assert high + low >= 0
        found[item] = float(high - low) / 2
    floats, _ = FloatFields(formula, space_of(law)).at(
        np.zeros((1, 1), dtype=int), np.ones((1, 1)), scores[None]
    )
    # The table of the logistic function is bounded in one and left out in the other.
    np.testing.assert_allclose(found, floats[0], rtol=3e-4, atol=3e-4 * np.abs(floats).max())
    return floats[0]


def assert_same_step(steps: Float64s, leaves: Float64s, forces: Float64s) -> int:
    """Every leaf has the sum of the forces in it; how many leaves there are."""
    for leaf in set(leaves.tolist()):
        inside = leaves == leaf
        np.testing.assert_allclose(
            steps[inside], forces[inside].sum(), rtol=3e-4, atol=3e-4 * np.abs(forces).max()
        )
    return len(set(leaves.tolist()))


def draws(most: int) -> list[tuple[tuple[int, ...], Float64s]]:
    rng = np.random.default_rng(7)
    cases: list[tuple[tuple[int, ...], Float64s]] = []
    while len(cases) < CASES:
        labels = tuple(int(y) for y in rng.integers(0, most + 1, 3))
        if len(set(labels)) > 1:
            cases.append((labels, np.round(rng.normal(0, 1.5, 3), 2)))
    # Near a tie, and far apart: what the two normalisations are there for.
    first = tuple(sorted((0, 1, most)))
    return [*cases, (first, np.array([0.003, 0.0, -0.5])), (first, np.array([0.0, 6.0, 9.0]))]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"lambdarank_norm": False},
        {"sigmoid": 2.0},
        {"lambdarank_truncation_level": 1},
        {"lambdarank_truncation_level": 2},
    ],
)
def test_lightgbm_lambdarank_is_the_formula(parameters: dict[str, Any]) -> None:
    inner = ",".join(f"{name}={str(value).lower()}" for name, value in parameters.items())
    seen = 0
    for labels, scores in draws(3):
        steps, leaves = by_lightgbm(labels, scores, **parameters)
        forces = formula_forces(f"lightgbm:lambdarank({inner})", labels, scores)
        seen += assert_same_step(steps, leaves, forces)
    assert seen > 2 * CASES


SWITCHES: list[dict[str, Any]] = [
    {},
    {"lambdarank_normalization": False},
    {"lambdarank_score_normalization": False},
    {"lambdarank_num_pair_per_sample": 1},
    {"lambdarank_num_pair_per_sample": 2},
]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *((name, switch) for name in ("rank:ndcg", "rank:pairwise", "rank:map") for switch in SWITCHES),
        ("rank:ndcg", {"ndcg_exp_gain": False}),
    ],
)
def test_xgboost_objectives_are_the_formula(name: str, parameters: dict[str, Any]) -> None:
    inner = ",".join(f"{key}={str(value).lower()}" for key, value in parameters.items())
    seen = 0
    for labels, scores in draws(1 if name == "rank:map" else 3):
        steps, leaves = by_xgboost(name, labels, scores, **parameters)
        forces = formula_forces(f"xgboost:{name}({inner})", labels, scores)
        seen += assert_same_step(steps, leaves, forces)
    assert seen > 2 * CASES


def test_equal_scores_are_not_divided_by_their_distance() -> None:
    """All scores equal: the one place where the engines leave the division out."""
    labels, scores = (2, 0, 1), np.zeros(3)
    steps, leaves = by_lightgbm(labels, scores)
    forces = formula_forces_at_ties("lightgbm:lambdarank", labels)
    assert assert_same_step(steps, leaves, forces) >= 2
    steps, leaves = by_xgboost("rank:ndcg", labels, scores)
    assert assert_same_step(steps, leaves, formula_forces_at_ties("xgboost:rank:ndcg", labels)) >= 2


def formula_forces_at_ties(spec: str, labels: tuple[int, ...]) -> Float64s:
    formula = formula_of(engine_objective(spec))
    assert formula is not None
    field, face = ShippedField(formula, Law({labels: 1})), (tuple(range(3)),)
    bounds = [
        [
            field.upper_bound(face, (0, 1, 2), (), [sign * (k == item) for k in range(3)], divided=False)
            for sign in (1, -1)
        ]
        for item in range(3)
    ]
    return np.array([float((high or 0) - (low or 0)) / 2 for high, low in bounds])


def by_catboost(loss: str, labels: Any, scores: Float64s) -> Float64s:
    n, copies = len(labels), 40
    pool = cb.Pool(
        np.tile(np.eye(n), (copies, 1)),
        np.tile(labels, copies).astype(float),
        group_id=np.repeat(np.arange(copies), n),
        baseline=np.tile(scores, copies),
    )
    model = cb.CatBoostRanker(
        loss_function=loss, iterations=1, learning_rate=1, depth=n, l2_leaf_reg=1e-9, random_strength=0,
        leaf_estimation_method="Gradient", leaf_estimation_iterations=1, bootstrap_type="No",
        boosting_type="Plain", thread_count=1, verbose=False, allow_writing_files=False,
    )  # fmt: skip
    model.fit(pool)
    return np.asarray(model.predict(np.eye(n)))


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_catboost_query_softmax_is_the_softmax_of_plain_labels(beta: float) -> None:
    for labels, scores in draws(3)[:4]:
        share = np.exp(beta * (scores - scores.max()))
        forces = beta * (np.array(labels) - sum(labels) * share / share.sum())
        np.testing.assert_allclose(
            by_catboost(f"QuerySoftMax:beta={beta}", labels, scores), forces, atol=1e-6
        )


def test_catboost_pair_logit_is_the_logistic_loss_of_all_pairs() -> None:
    """A step is the gradient of an item over its number of pairs, less the mean of the steps."""
    for labels, scores in draws(3)[:4]:
        forces, pairs = np.zeros(3), np.zeros(3)
        for i, j in permutations(range(3), 2):
            if labels[i] > labels[j]:
                force = 1.0 / (1.0 + np.exp(scores[i] - scores[j]))
                forces += force * (np.eye(3)[i] - np.eye(3)[j])
                pairs += np.eye(3)[i] + np.eye(3)[j]
        expected = forces / np.maximum(pairs, 1.0)
        found = by_catboost("PairLogit", labels, scores)
        np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-6)


def test_the_versions_that_were_read_are_those_installed() -> None:
    installed = {"lightgbm": lgb.__version__, "xgboost": xgb.__version__, "catboost": cb.__version__}
    for engine, version in ENGINES.items():
        assert installed[engine].startswith(f"{version}.")
    assert {one.engine for one in ENGINE_OBJECTIVES.values()} == set(ENGINES)
